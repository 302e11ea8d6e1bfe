// SPDX-License-Identifier: Apache-2.0

import CChecking
import Glibc
import ImageCoderEngine

/// A process that ran one check, from its start to its end.
struct CheckProcess {
  enum End {
    case exit(Int32)
    case signal(Int32)
    case timeout(Double)
    case cancelled
    case notStarted(String)
  }

  /// Descriptors in the process of a check.
  static let answerDescriptor: Int32 = 3
  static let stageDescriptor: Int32 = 4

  private(set) var end: End = .notStarted("")
  /// What the check answered, or nil.
  private(set) var answer: CheckResult?
  /// What it did last.
  private(set) var stage = ""
  private(set) var iteration: UInt64 = 0
  /// The guarded memory whose touch ended it, or nil.
  private(set) var fault: (rule: Rule, text: String)?
  /// What it printed, or nil for silence.
  private(set) var printed: (place: String, bytes: Int, text: String)?

  init(program: String, arguments: [String], timeout: Double, cancellation: Cancellation) {
    let stageFile = checking_stage_file()
    guard stageFile >= 0, let memory = checking_stage_map(stageFile) else {
      end = .notStarted(String(cString: strerror(errno)))
      return
    }
    defer {
      munmap(memory, MemoryLayout<checking_stage>.size)
      close(stageFile)
    }
    var pipes: [(read: Int32, write: Int32)] = []
    defer { for pipe in pipes { close(pipe.read) } }
    for _ in 0..<3 {
      var ends: [Int32] = [-1, -1]
      guard checking_pipe(&ends) == 0 else {
        end = .notStarted(String(cString: strerror(errno)))
        return
      }
      // Above the numbers that the new process has.
      pipes.append((ends[0], fcntl(ends[1], F_DUPFD_CLOEXEC, 16)))
      close(ends[1])
    }
    let highStage = fcntl(stageFile, F_DUPFD_CLOEXEC, 16)
    let descriptors = [pipes[0].write, pipes[1].write, pipes[2].write, highStage]
    var child: Int32 = 0
    let error = Self.withStrings([program] + arguments) { arguments in
      Self.withStrings(Self.environment) { environment in
        checking_spawn(
          program, arguments, environment, descriptors, [1, 2, Self.answerDescriptor, Self.stageDescriptor], 4, &child)
      }
    }
    for descriptor in descriptors { close(descriptor) }
    guard error == 0 else {
      end = .notStarted("\(program): \(String(cString: strerror(error)).lowercased())")
      return
    }
    let read = Self.collect(pipes.map(\.read), until: CheckSubject.now + timeout, cancellation)
    // Its children, if the plugin made any, are in its group.
    if read.isEnded == false { kill(-child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    kill(-child, SIGKILL)
    if read.isEnded {
      end = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
    } else {
      end = cancellation.isCancelled ? .cancelled : .timeout(timeout)
    }
    readStage(memory)
    for (index, place) in ["standard output", "standard error"].enumerated()
    where printed == nil && read.counts[index] > 0 {
      let text = String(decoding: read.bytes[index].prefix(200), as: UTF8.self)
      printed = (place, read.counts[index], text.debugDescription)
    }
    answer = CheckResult(transferred: read.bytes[2])
  }

  private mutating func readStage(_ memory: UnsafeMutablePointer<checking_stage>) {
    func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    stage = withUnsafeBytes(of: &memory.pointee.text) { text($0) }
    iteration = memory.pointee.iteration
    if let rule = Rule(number: memory.pointee.fault_rule) {
      fault = (rule, withUnsafeBytes(of: &memory.pointee.fault) { text($0) })
    }
  }

  /// Reads pipes until all are closed.
  ///
  /// - Returns: The first bytes of each, how many there were, and whether they ended in time.
  private static func collect(
    _ descriptors: [Int32], until deadline: Double, _ cancellation: Cancellation
  ) -> (bytes: [[UInt8]], counts: [Int], isEnded: Bool) {
    var bytes = [[UInt8]](repeating: [], count: descriptors.count)
    var counts = [Int](repeating: 0, count: descriptors.count)
    var open = Set(descriptors.indices)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !open.isEmpty {
      let rest = deadline - CheckSubject.now
      guard rest > 0, !cancellation.isCancelled else { return (bytes, counts, false) }
      let order = open.sorted()
      var polls = order.map { pollfd(fd: descriptors[$0], events: Int16(POLLIN), revents: 0) }
      guard poll(&polls, nfds_t(polls.count), Int32(min(rest, 0.2) * 1000) + 1) > 0 else { continue }
      for (index, poll) in zip(order, polls) where poll.revents != 0 {
        let count = read(descriptors[index], &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count > 0 else {
          open.remove(index)
          continue
        }
        counts[index] += count
        if bytes[index].count < 1 << 20 { bytes[index] += buffer[..<count] }
      }
    }
    return (bytes, counts, true)
  }

  /// This process's environment, but the runtime of Swift prints no report when it crashes, and glibc keeps no freed
  /// memory apart, which it would count as in use.
  private static var environment: [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if !["SWIFT_BACKTRACE=", "GLIBC_TUNABLES="].contains(where: text.hasPrefix) { variables.append(text) }
      next += 1
    }
    return variables + [
      "SWIFT_BACKTRACE=enable=no", "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0",
    ]
  }

  private static func withStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let strings = texts.map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    return body(strings)
  }
}

/// The process of one check.
package enum CheckChild {
  /// Runs a check, answers it on a descriptor, and ends the process.
  ///
  /// - Parameters:
  ///   - id: The check's identifier.
  ///   - settings: Those of the run.
  package static func run(_ id: String, _ plugin: CheckedPlugin, _ settings: CheckRun.Settings) -> Never {
    guard let check = PluginCheck.all.first(where: { $0.id == id }) else { _exit(64) }
    var answer = STDOUT_FILENO
    // Without a parent, as in a debugger, faults are not caught and the answer is printed.
    let stage = checking_stage_map(CheckProcess.stageDescriptor)
    if let stage {
      checking_catch_faults(stage)
      // The plugin and its children see neither descriptor.
      close(CheckProcess.stageDescriptor)
      answer = fcntl(CheckProcess.answerDescriptor, F_DUPFD_CLOEXEC, 200)
      close(CheckProcess.answerDescriptor)
    }
    // A worker sets its own limit, and may not raise this one.
    if settings.memory > 0, check.group != .isolated { checking_limit_memory(settings.memory) }
    let subject = CheckSubject(
      plugin, seed: settings.seed, effort: settings.effort, fuzzing: settings.fuzzing, stage: stage)
    let result = CheckResult(running: check, on: subject)
    // What the plugin printed into a buffer of its C library shows now.
    fflush(nil)
    result.transferred.withUnsafeBytes { _ = write(answer, $0.baseAddress, $0.count) }
    if check.id == "process.exit" { exit(0) }
    _exit(0)
  }
}
