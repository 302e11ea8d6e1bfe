// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc

/// The first load of a library that is not bundled happens in a process of its own, so that one that
/// crashes, hangs or ends the process when it is loaded harms nobody.
///
/// The process is the command `coders`, started with ``argument``. The answer is kept, in memory and in the user's cache,
/// until the library's path, size, time or inode changes.
package enum LibraryScan {
  /// The first argument of a scanning process; the library's path and the coder's identifier follow.
  package static let argument = "--scan-library"
  /// The descriptor on which it answers.
  private static let answerDescriptor: Int32 = 3
  /// What an answer begins with, written before the library is loaded: a program that does not scan says nothing of it.
  private static let greeting = "scan 1\n"
  /// How long a library may take to load and describe itself, in milliseconds.
  package static let timeLimit: Int32 = 10_000

  /// Whether a library can be loaded, as a process of its own found out now or earlier.
  ///
  /// - Parameters:
  ///   - scanner: Runs the scan; nil for no scan, which is then left to the load itself.
  ///   - isFresh: Whether an earlier answer does not count.
  package static func problem(
    of library: String, id: String, scanner: Scanner? = .found, isFresh: Bool = false
  ) -> SkipReason? {
    guard let scanner, let stamp = FileStamp(library) else { return nil }
    if !isFresh, let known = ScanCache.answer(to: library, stamp) { return known.reason }
    let answer = ScanCache.Answer(reason: scanner.scan(library, id: id))
    ScanCache.keep(answer, for: library, stamp)
    return answer.reason
  }

  /// What a scan has found before, if the library has not changed since.
  package static func knownProblem(of library: String, scanner: Scanner? = .found) -> SkipReason? {
    guard scanner != nil, let stamp = FileStamp(library) else { return nil }
    return ScanCache.answer(to: library, stamp)?.reason
  }

  /// The scanning process: loads the library, says what came of it, and ends.
  package static func run(_ library: String, id: String) -> Never {
    // One whose parent is gone has nobody else to end it.
    alarm(UInt32(timeLimit / 1000) + 5)
    say(greeting)
    var answer = "ok"
    do throws(SkipReason) { _ = try PluginLibrary.load(library, id: id) } catch {
      answer = "\(error.code.rawValue)\n\(error.message)\n\(error.missingLibrary ?? "")"
    }
    say(answer)
    // Not exit: a library's own handlers are not to run.
    _exit(0)
  }

  private static func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(answerDescriptor, bytes, bytes.count)
  }

  /// A program that scans.
  package struct Scanner: Sendable {
    package let path: String
    package var timeLimit = LibraryScan.timeLimit

    package init(path: String) { self.path = path }

    /// The program that the variable CODERS_SCANNER names, "none" for none; without it this process, if it is `coders`.
    package static let found: Scanner? = {
      if let named = PluginSearchPath.secureEnvironment("CODERS_SCANNER") {
        return named != "none" && isUsable(named) ? Scanner(path: named) : nil
      }
      guard let own = PluginSearchPath.executablePath(), own.split(separator: "/").last == "coders" else { return nil }
      return Scanner(path: own)
    }()

    private static func isUsable(_ path: String) -> Bool {
      access(path, X_OK) == 0 && (try? TrustedFile.check(path)) != nil
    }

    /// - Returns: What is wrong with the library, or nil.
    package func scan(_ library: String, id: String) -> SkipReason? {
      var pipe: [Int32] = [-1, -1]
      guard chostsystem_pipe(&pipe) == 1 else { return nil }
      defer { close(pipe[0]) }
      let process = spawn([path, LibraryScan.argument, library, id], answerTo: pipe[1])
      close(pipe[1])
      // A machine that starts no process is left to the load itself.
      guard let process else { return nil }
      let answer = read(pipe[0])
      let status = Self.end(process, afterMilliseconds: answer == nil ? 0 : 1000)
      let greeting = Array(LibraryScan.greeting.utf8)
      guard answer?.starts(with: greeting) ?? true else { return nil }
      guard let answer = answer?.dropFirst(greeting.count) else {
        return SkipReason(
          .scanTimeout, "\(library) does not answer within \(timeLimit / 1000) s when it is loaded")
      }
      return Self.reason(answer, status: status, library: library)
    }

    /// Waits for a process that has said what it has to say, and ends it if it stays: the library may have closed the pipe.
    ///
    /// - Returns: Its status.
    private static func end(_ process: pid_t, afterMilliseconds patience: Int64) -> Int32 {
      var status: Int32 = 0
      let last = milliseconds() + patience
      func hasEnded(_ options: Int32) -> Bool {
        let found = waitpid(process, &status, options)
        return found == process || (found < 0 && errno != EINTR)
      }
      var isThere = !hasEnded(WNOHANG)
      while isThere, milliseconds() < last {
        usleep(1000)
        isThere = !hasEnded(WNOHANG)
      }
      // It may have left its group.
      if isThere { kill(process, SIGKILL) }
      // What the library started ends with it.
      kill(-process, SIGKILL)
      while isThere { isThere = !hasEnded(0) }
      return status
    }

    private static func reason(_ answer: ArraySlice<UInt8>, status: Int32, library: String) -> SkipReason? {
      let signal = status & 0x7F
      if signal != 0 { return SkipReason(.scanCrashed, "\(SignalName.of(signal)), when \(library) is loaded") }
      let lines = String(decoding: answer, as: UTF8.self).split(
        separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
      if lines == ["ok"] { return nil }
      guard lines.count == 3, let code = SkipReason.Code(rawValue: String(lines[0])) else {
        return SkipReason(
          .scanExited, "\(library) ends the process with status \(status >> 8 & 0xFF) when it is loaded")
      }
      return SkipReason(code, String(lines[1]), missingLibrary: lines[2].isEmpty ? nil : String(lines[2]))
    }

    /// Starts a process in a group of its own, with nothing to read and nobody to print to.
    private func spawn(_ arguments: [String], answerTo descriptor: Int32) -> pid_t? {
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else { return nil }
      defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
      }
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, descriptor, LibraryScan.answerDescriptor)
      // The runtime's own report of a crash takes seconds, and nobody reads it.
      let variables = environment.filter { !$0.hasPrefix("SWIFT_BACKTRACE=") } + ["SWIFT_BACKTRACE=enable=no"]
      posix_spawnattr_setpgroup(&attributes, 0)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      var process: pid_t = 0
      let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
      let settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
      defer { for word in words + settings { free(word) } }
      return posix_spawn(&process, path, &actions, &attributes, words, settings) == 0 ? process : nil
    }

    private var environment: [String] {
      var variables: [String] = []
      var next = chostsystem_environment()
      while let list = next, let variable = list.pointee {
        variables.append(String(cString: variable))
        next = list + 1
      }
      return variables
    }

    /// All that comes until the other side closes, or nil when the time is over.
    private func read(_ descriptor: Int32) -> [UInt8]? {
      let end = Self.milliseconds() + Int64(timeLimit)
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let rest = end - Self.milliseconds()
        guard rest > 0 else { return nil }
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&poller, 1, Int32(clamping: rest))
        if ready < 0, errno == EINTR { continue }
        guard ready > 0 else { return nil }
        let got = Glibc.read(descriptor, &chunk, chunk.count)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return bytes }
        bytes += chunk[..<got]
        // No honest answer is that long.
        guard bytes.count <= 65_536 else { return [] }
      }
    }

    private static func milliseconds() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
  }
}
