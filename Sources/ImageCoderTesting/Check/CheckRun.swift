// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderEngine
import Synchronization

/// Runs checks of plugins, each in a process of its own.
package struct CheckRun: Sendable {
  /// What a run is asked for.
  package struct Settings: Sendable {
    /// The path of the program that runs a check: that of `coders`.
    package var program = "/proc/self/exe"
    package var seed: UInt64 = 1
    /// Seconds after which a check is ended.
    package var timeout = 20.0
    /// Seconds that a check spends on variations of its input.
    package var effort = 3.0
    /// Seconds of `fuzz.mutations`, or nil to leave it out.
    package var fuzzing: Double?
    /// Bytes of address space that a check may use.
    package var memory: UInt64 = 8 << 30
    /// Processes at once.
    package var jobs = 1
    /// The folder for files that repeat a failure.
    package var savesTo = "."

    package init() {}
  }

  private let settings: Settings

  package init(_ settings: Settings) { self.settings = settings }

  /// Runs checks of a plugin.
  ///
  /// - Parameters:
  ///   - finished: Called for each result, in any order, from any thread.
  /// - Returns: The results, in the order of the checks.
  package func results(
    of plugin: CheckedPlugin, _ checks: [PluginCheck], cancellation: Cancellation,
    finished: @escaping @Sendable (CheckResult) -> Void = { _ in }
  ) -> [CheckResult] {
    let state = Mutex((next: 0, results: [CheckResult?](repeating: nil, count: checks.count)))
    let work: @Sendable () -> Void = {
      while !cancellation.isCancelled {
        let index = state.withLock { state in
          defer { state.next += 1 }
          return state.next
        }
        guard index < checks.count else { return }
        let result = result(of: checks[index], plugin, cancellation)
        state.withLock { $0.results[index] = result }
        finished(result)
      }
    }
    let threads = (1..<max(settings.jobs, 1)).map { _ in CheckThread(work) }
    work()
    for thread in threads { thread.join() }
    return state.withLock { $0.results.compactMap { $0 } }
  }

  /// The failures of the checks that read files only, in this process.
  package static func staticFailures(of plugin: CheckedPlugin) -> [CheckResult] {
    let subject = CheckSubject(plugin, seed: 1, effort: 1, fuzzing: nil, stage: nil)
    return PluginCheck.all.filter(\.isStatic).map { CheckResult(running: $0, on: subject) }.filter {
      $0.outcome == .fail
    }
  }

  /// Runs one check in a process.
  private func result(of check: PluginCheck, _ plugin: CheckedPlugin, _ cancellation: Cancellation) -> CheckResult {
    let start = CheckSubject.now
    let isFuzz = check.group == .fuzz
    let process = CheckProcess(
      program: settings.program, arguments: arguments(check, plugin),
      timeout: settings.timeout + (isFuzz ? settings.fuzzing ?? 0 : 0), cancellation: cancellation)
    var result = CheckResult(check, process)
    if isFuzz, result.outcome == CheckResult.Outcome.fail { result.file = save(process, plugin, &result) }
    result.milliseconds = Int((CheckSubject.now - start) * 1000)
    return result
  }

  private func arguments(_ check: PluginCheck, _ plugin: CheckedPlugin) -> [String] {
    var arguments = ["check", plugin.manifest ?? plugin.library ?? ""] + plugin.files
    arguments += ["--run-one", check.id, "--seed", "\(settings.seed)", "--effort", "\(settings.effort)"]
    arguments += ["--memory", "\(settings.memory)"]
    if check.group == .fuzz, let fuzzing = settings.fuzzing { arguments += ["--fuzz", "\(fuzzing)s"] }
    return arguments
  }

  /// Writes the input that ended a process to a file, which the seed and the number of the mutation determine.
  private func save(_ process: CheckProcess, _ plugin: CheckedPlugin, _ result: inout CheckResult) -> String? {
    let subject = CheckSubject(plugin, seed: settings.seed, effort: 0, fuzzing: nil, stage: nil)
    guard let bytes = Mutations.input(of: subject, iteration: process.iteration) else { return nil }
    let path = "\(settings.savesTo)/\(plugin.name)-\(settings.seed)-\(process.iteration).crash"
    let file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o644)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return write(file, bytes, bytes.count) == bytes.count ? path : nil
  }
}

extension CheckResult {
  /// What a process of a check ended with.
  fileprivate init(_ check: PluginCheck, _ process: CheckProcess) {
    let stage = process.stage.isEmpty ? check.id : process.stage
    func failed(_ expected: String, _ found: String, _ rule: Rule) {
      self = CheckResult(
        check, .fail, failure: CheckFailure(what: stage, expected: expected, found: found, rule: rule))
    }
    self.init(check, .pass)
    switch process.end {
    case .notStarted(let reason):
      failed("a process for the check", reason, check.rule)
    case .timeout(let seconds):
      failed("an end", "still running after \(Int(seconds)) s", .r2)
    case .cancelled:
      self.init(check, .skipped, note: "interrupted")
    case .signal(let number):
      if let fault = process.fault {
        failed("no use of \(fault.text)", "it was touched (\(Self.signalName(number)))", fault.rule)
      } else {
        failed("a status", "crashed \(Self.signalName(number))", .r2)
      }
    case .exit(let status):
      if let answer = process.answer, status == 0 {
        self = answer
      } else {
        failed("a status", "called exit(\(status))", .r2)
      }
    }
    guard outcome != .fail, let printed = process.printed else { return }
    failed("silence", "\(printed.bytes) bytes on \(printed.place): \(printed.text)", .r3)
  }

  private static func signalName(_ number: Int32) -> String {
    let names: [Int32: String] = [
      SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGFPE: "SIGFPE", SIGABRT: "SIGABRT", SIGTRAP: "SIGTRAP",
      SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGPIPE: "SIGPIPE", SIGSYS: "SIGSYS",
    ]
    return names[number] ?? "signal \(number)"
  }
}

/// A thread that runs a closure.
final class CheckThread: @unchecked Sendable {
  // Written by init, read by the new thread and by join.
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) {
    final class Box {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    let error = pthread_create(
      &thread, nil,
      {
        Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body()
        return nil
      }, box)
    precondition(error == 0, "no thread")
  }

  func join() { pthread_join(thread, nil) }
}
