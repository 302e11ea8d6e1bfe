// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import ImageCoders

/// A program of the machine that does a part of the work: its output is read through a pipe, and its input is a descriptor.
final class ChildProgram {
  /// What a program wrote, and how it ended.
  struct Result {
    let status: Int32
    let output: [UInt8]
  }

  /// Where its output is read.
  let output: Int32
  private let name: String
  private var process: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: A path, or a name that is looked for in `PATH`.
  ///   - input: What it reads, or nil for nothing.
  ///   - showsErrors: Whether what it writes to standard error goes to that of this process.
  /// - Throws: ``CoderError/Code/io`` with the program's name.
  init(
    _ name: String, _ arguments: [String], input: Int32? = nil, showsErrors: Bool = false
  ) throws(CoderError) {
    var pipe: [Int32] = [-1, -1]
    var actions = posix_spawn_file_actions_t()
    guard posix_spawn_file_actions_init(&actions) == 0, chostsystem_pipe(&pipe) == 1 else {
      throw .io("\(name) cannot be started: \(String(cString: strerror(errno)).lowercased())")
    }
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO)
    if !showsErrors { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
    let words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) } + [nil]
    let variables: [UnsafeMutablePointer<CChar>?] = Self.environment.map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, name, &actions, nil, words, variables)
    close(pipe[1])
    guard failure == 0 else {
      close(pipe[0])
      throw .io("\(name) cannot be started: \(String(cString: strerror(failure)).lowercased())")
    }
    (self.name, self.process, output) = (name, process, pipe[0])
  }

  deinit {
    close(output)
    guard process > 0 else { return }
    kill(process, SIGKILL)
    _ = wait()
  }

  /// Waits for the end of the program, whose output was read.
  ///
  /// - Returns: Its status; that of a shell if a signal ended it.
  func wait() -> Int32 {
    guard process > 0 else { return 0 }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    process = 0
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
  }

  /// Runs a program to its end.
  ///
  /// - Parameter limit: Bytes of output that are allowed.
  static func run(_ name: String, _ arguments: [String], upTo limit: Int = 1 << 20) throws(CoderError) -> Result {
    let program = try ChildProgram(name, arguments)
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(program.output, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += piece[..<count]
      guard output.count <= limit else { throw .io("\(name) prints more than \(limit) bytes") }
    }
    return Result(status: program.wait(), output: output)
  }

  /// The variables of this process, with messages in English.
  private static var environment: [String] {
    var variables = ["LC_ALL=C"]
    var next = chostsystem_environment()
    while let list = next, let variable = list.pointee {
      let text = String(cString: variable)
      if !text.hasPrefix("LC_ALL=") { variables.append(text) }
      next = list + 1
    }
    return variables
  }
}
