// SPDX-License-Identifier: Apache-2.0

import CChecking
import Glibc

extension PluginCheck {
  /// What use of the plugin leaves in the process.
  static let processChecks: [PluginCheck] =
    [
      ("descriptors", Rule.r3, "file descriptor", "Files that were opened are closed."),
      ("directory", .r3, "the working directory", "The working directory stays."),
      ("environment", .r3, "the environment", "The environment stays."),
      ("locale", .r3, "the locale", "The locale stays."),
      ("umask", .r3, "the umask", "The umask stays."),
      ("signals", .r3, "the handler", "Signal handlers stay."),
      ("signal-mask", .r3, "the signal mask", "The signal mask stays."),
      ("limits", .r3, "resource limit", "Resource limits stay."),
    ].map { name, rule, prefix, sentence in
      PluginCheck(.process, name, rule, sentence) { (subject) throws(CheckEnd) in
        _ = try subject.coder
        let before = ProcessState()
        try use(subject)
        if let (old, new) = before.difference(to: ProcessState(), prefix) {
          throw .failed("after reading and writing", expected: old, found: new)
        }
        return nil
      }
    } + [
      PluginCheck(.process, "threads", .r4, "No thread is left, and none runs beside the caller's.") {
        (subject) throws(CheckEnd) in
        _ = try subject.coder
        let before = checking_task_count()
        let most = try use(subject)
        let after = checking_task_count()
        guard most > before || after > before else { return nil }
        let (when, count) = most > before ? ("while", most) : ("after", after)
        if subject.waivesThreads {
          throw .waived(
            "\(count) threads instead of \(before) \(when) reading and writing, which \"threads\": \"library\" of the "
              + "manifest allows")
        }
        throw .failed("\(when) reading and writing", expected: "\(before) threads", found: "\(count)")
      },
      PluginCheck(.process, "silence", .r3, "Reading, damaged files and writing print nothing.") {
        (subject) throws(CheckEnd) in
        try use(subject)
        if try subject.coder.reader != nil {
          for sample in try subject.samples where !subject.isOutOfTime {
            for length in places(sample.bytes.count, 20) {
              _ = try subject.read(Array(sample.bytes.prefix(length)), "the first \(length) bytes of \(sample.name)")
            }
          }
        }
        // Whether anything was printed, the parent of this process knows.
        return nil
      },
      PluginCheck(.process, "leaks", .r13, "After close, nothing is left of the host's memory.") {
        (subject) throws(CheckEnd) in
        if try subject.coder.reader != nil {
          for sample in try subject.samples {
            for length in [sample.bytes.count] + places(sample.bytes.count, 20) {
              let name = "the first \(length) bytes of \(sample.name)"
              let left = try subject.read(Array(sample.bytes.prefix(length)), name).left
              guard left == 0 else {
                throw .failed(name, expected: "no memory of the host left after close", found: "\(left) bytes")
              }
            }
          }
        }
        guard try subject.coder.writer != nil else { return nil }
        for format in try subject.writableFormats {
          let left = try subject.write(format, format.format).left
          guard left == 0 else {
            throw .failed(format.format, expected: "no memory of the host left after close", found: "\(left) bytes")
          }
        }
        return nil
      },
      PluginCheck(.process, "growth", .r13, "Up to 200 sessions do not make the process grow.") {
        (subject) throws(CheckEnd) in
        let samples = try subject.samples.prefix(3)
        var fewest: UInt64 = 200
        for sample in samples {
          let inner = CheckSubject(try subject.coder)
          subject.stage("\(sample.name), 200 times")
          // Tables that are made once are not leaks.
          for _ in 0..<4 { _ = try inner.read(sample.bytes, sample.name) }
          let before = checking_malloc_bytes()
          var count: UInt64 = 0
          // Large pictures of slow formats take longer than a check may.
          while count < 200, count < 20 || !subject.isOutOfTime {
            _ = try inner.read(sample.bytes, sample.name)
            count += 1
          }
          fewest = min(fewest, count)
          let after = checking_malloc_bytes()
          guard after < before + count * 32 else {
            throw .failed(
              "\(sample.name), \(count) times", expected: "no growth of malloc", found: "\(after - before) bytes more")
          }
        }
        return fewest < 200 ? "\(fewest) sessions, then the time for variations was used up" : nil
      },
      PluginCheck(.process, "exit", .r2, "After use, the process ends as any other does.") {
        (subject) throws(CheckEnd) in
        try use(subject)
        subject.stage("exit of the process")
        return nil
      },
    ]

  /// Reads each sample and writes each format.
  ///
  /// - Returns: How many threads there were, at most.
  @discardableResult
  private static func use(_ subject: CheckSubject) throws(CheckEnd) -> UInt32 {
    var most: UInt32 = 0
    let coder = try subject.coder
    if coder.reader != nil {
      do throws(CheckEnd) {
        for sample in try subject.samples {
          var settings = ReadSettings()
          settings.readsProperties = true
          most = max(most, try subject.read(sample.bytes, sample.name, settings).record.most_tasks)
        }
      } catch {
        guard case .skipped = error, coder.writer != nil else { throw error }
      }
    }
    guard coder.writer != nil, subject.plugin.manifest != nil else { return most }
    for format in try subject.writableFormats {
      most = max(most, try subject.write(format, format.format).record.most_tasks)
    }
    return most
  }
}

extension PluginCheck {
  static let fuzzChecks: [PluginCheck] = [
    PluginCheck(.fuzz, "mutations", .r2, "Changed samples give a picture or a status.") { (subject) throws(CheckEnd) in
      guard let seconds = subject.fuzzing else { throw .skipped("--fuzz was not given") }
      var samples = try subject.givenSamples
      if samples.isEmpty { samples = try subject.samples }
      let end = CheckSubject.now + seconds
      var iteration: UInt64 = 0
      while CheckSubject.now < end {
        subject.stage(iteration: iteration)
        let bytes = Mutations.mutation(of: samples, seed: subject.seed, iteration: iteration)
        let name = "mutation \(iteration) of seed \(subject.seed)"
        try verifyStatuses(try subject.read(bytes, name), name, of: subject)
        iteration += 1
      }
      return "\(iteration) mutations with seed \(subject.seed)"
    }
  ]
}
