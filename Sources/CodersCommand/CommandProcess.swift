// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What each program of the command begins and ends with.
public enum CommandProcess {
  package static let version = "1.0.0"

  /// The version of a command with its own coders, or nil where plugins alone count.
  static func version(_ console: Console) -> String? {
    console.builtIn.isEmpty ? nil : "\(version), with \(console.builtIn.count) coders built in"
  }

  /// The arguments of this process, without the program's name. They may be names of files, which need not be UTF-8.
  public static func arguments() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { SystemName.string(pointer: $0) }
    }
  }

  /// Does what a scanning process does, and ends it, if the arguments ask for that.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  public static func scanIfAsked(_ arguments: [String]) {
    guard arguments.count == 3, arguments[0] == LibraryScan.argument else { return }
    LibraryScan.run(arguments[1], id: arguments[2])
  }

  /// Writes what waits to be written.
  ///
  /// - Parameter status: Of what was done.
  /// - Returns: The status of the process: another one if that could not be written, or after an interrupt.
  package static func finish(_ status: ExitStatus, _ console: Console) -> ExitStatus {
    var status = status
    if let failure = console.flush() {
      console.report(failure, file: "-")
      if status == .ok { status = ExitStatus(failure) }
    }
    if let signal = console.interruption?.signal { return .interrupted(by: signal) }
    return status
  }
}
