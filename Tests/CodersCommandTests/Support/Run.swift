// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import Glibc
import ImageCoders
import Synchronization

/// What a run of the command left: its output, its errors, its status.
struct Run {
  let status: Int32
  let output: String
  let errors: String

  /// Runs the command in process with the staged plugins, or those of `plugins`.
  ///
  /// - Parameter executable: The program that it takes itself for; plugins of its installation are bundled.
  static func inProcess(
    _ arguments: String..., plugins: String? = Package.plugins, executable: String = Package.command,
    environment: [String: String] = [:], isErrorTerminal: Bool = false, isTerminal: Bool = false
  ) -> Run {
    inProcess(
      arguments, plugins: plugins, executable: executable, environment: environment, isErrorTerminal: isErrorTerminal,
      isTerminal: isTerminal)
  }

  static func inProcess(
    _ arguments: [String], plugins: String? = Package.plugins, executable: String = Package.command,
    environment: [String: String] = [:], isErrorTerminal: Bool = false, isTerminal: Bool = false
  ) -> Run {
    run(plugins, executable, environment, isErrorTerminal: isErrorTerminal, isTerminal: isTerminal) {
      Program.run(arguments, console: $0)
    }
  }

  private static func run(
    _ plugins: String?, _ executable: String, _ environment: [String: String], isErrorTerminal: Bool, isTerminal: Bool,
    _ body: (Console) -> ExitStatus
  ) -> Run {
    let output = Captured()
    let errors = Captured()
    var environment = environment
    if let plugins, environment["CODERS_PLUGIN_PATH"] == nil { environment["CODERS_PLUGIN_PATH"] = plugins }
    let variables = environment
    let console = Console(
      output: { output.add($0) }, errors: { errors.add($0) }, environment: { variables[$0] },
      executable: plugins == nil ? nil : executable,
      isTerminal: isTerminal, isErrorTerminal: isErrorTerminal)
    return Run(status: body(console).rawValue, output: output.text, errors: errors.text)
  }

  private final class Captured: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    func add(_ more: UnsafeRawBufferPointer) -> CoderError? {
      bytes.withLock { $0.append(contentsOf: more) }
      return nil
    }
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
  }
}

extension Run {
  /// Signals that a command gets once a file exists.
  struct Signals {
    let numbers: [Int32]
    let file: String
  }

  /// Runs the staged command.
  ///
  /// - Parameters:
  ///   - environment: Variables beside those of this process.
  ///   - directory: Where the command starts.
  ///   - interruptAfter: Keeps standard input open, and interrupts the command after so many milliseconds.
  static func binary(
    _ arguments: [String], input: String = "/dev/null", output: String? = nil, environment: [String: String] = [:],
    directory: String? = nil, interruptAfter: UInt32? = nil, signals: Signals? = nil
  ) -> Run {
    spawn(
      Package.command, arguments, input: input, output: output, environment: environment, directory: directory,
      interruptAfter: interruptAfter, signals: signals)
  }

  /// Runs a program.
  static func program(_ program: String, _ arguments: [String], environment: [String: String] = [:]) -> Run {
    spawn(program, arguments, environment: environment)
  }

  /// Runs a script of the shell; words become `$0`, `$1` and so on.
  static func shell(_ script: String, _ words: [String]) -> Run { spawn("/bin/sh", ["-c", script] + words) }

  private static func spawn(
    _ program: String, _ arguments: [String], input: String = "/dev/null", output: String? = nil,
    environment: [String: String] = [:], directory: String? = nil, interruptAfter: UInt32? = nil,
    signals: Signals? = nil
  ) -> Run {
    if let directory {
      return spawn(
        "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", directory, program] + arguments, input: input, output: output,
        environment: environment, interruptAfter: interruptAfter, signals: signals)
    }
    let folder = Folder()
    let (out, err) = ("\(folder.path)/out", "\(folder.path)/err")
    var ends: [Int32] = [-1, -1]
    if interruptAfter != nil {
      pipe(&ends)
      // The child must not keep the end that we write to, or its input would never end.
      _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    if interruptAfter != nil {
      posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output ?? out, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Threads that run tests block signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var nothing = sigset_t()
    sigemptyset(&nothing)
    posix_spawnattr_setsigmask(&attributes, &nothing)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = variables(environment)
    var process: pid_t = 0
    let failure = posix_spawn(&process, program, &actions, &attributes, &words, &variables)
    for text in words + variables { free(text) }
    guard failure == 0 else { return Run(status: -1, output: "", errors: String(cString: strerror(failure))) }
    if let interruptAfter {
      usleep(interruptAfter * 1000)
      kill(process, SIGINT)
    }
    if let signals {
      // A command that ends before it makes the file is not waited for forever.
      for _ in 0..<3_000 where access(signals.file, F_OK) != 0 { usleep(10_000) }
      for number in signals.numbers {
        kill(process, number)
        // Signals in quick succession are one request.
        usleep(200_000)
      }
    }
    var result: Int32 = 0
    while waitpid(process, &result, 0) < 0, errno == EINTR {}
    for end in ends where end >= 0 { close(end) }
    // WIFEXITED and WEXITSTATUS are macros that Swift does not see.
    let status = result & 0x7F == 0 ? result >> 8 & 0xFF : 128 + (result & 0x7F)
    func text(_ path: String) -> String { String(decoding: (try? Package.bytes(path)) ?? [], as: UTF8.self) }
    return Run(status: status, output: text(out), errors: text(err))
  }

  /// This process's environment with other values for some variables, in memory of its own.
  private static func variables(_ changes: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var all: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let text = next.pointee {
      let name = String(cString: text).prefix { $0 != "=" }
      if changes[String(name)] == nil { all.append(strdup(text)) }
      next += 1
    }
    return all + changes.map { strdup("\($0)=\($1)") } + [nil]
  }
}
