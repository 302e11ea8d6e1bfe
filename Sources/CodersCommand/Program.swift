// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// The command as a function: arguments and surroundings in, exit status out.
public enum Program {
  /// Runs the command.
  ///
  /// - Parameters:
  ///   - arguments: Without the program's own name.
  ///   - console: Where output goes and what the command may know of its surroundings.
  public static func run(_ arguments: [String], console: Console) -> ExitStatus {
    var status = result(arguments, console: console)
    if let failure = console.flush() {
      console.report(failure, file: "-")
      if status == .ok { status = ExitStatus(failure) }
    }
    if let signal = console.interruption?.signal { return .interrupted(by: signal) }
    return status
  }

  private static func result(_ arguments: [String], console: Console) -> ExitStatus {
    do {
      var command = try Coders.parseAsRoot(arguments)
      if let verb = command as? any Verb { return try verb.run(console) }
      // The root and `help` end with a request for help that knows whose help.
      try command.run()
      return .ok
    } catch let error as CoderError {
      console.report(error)
      return ExitStatus(error)
    } catch {
      let text = Coders.fullMessage(for: error, columns: console.columns)
      let code = Coders.exitCode(for: error)
      // ArgumentParser begins its errors with a word of its own; ours begin with the command's name.
      let prefix = "Error: "
      let line = text.hasPrefix(prefix) ? "coders: " + text.dropFirst(prefix.count) : text
      if code.isSuccess { console.print(line) } else { console.printError(line) }
      return ExitStatus(rawValue: code.rawValue)
    }
  }
}

/// The root of the command: its verbs and what `coders --help` says.
struct Coders: ParsableCommand {
  static let version = "1.0.0"

  static let configuration = CommandConfiguration(
    commandName: "coders",
    abstract: "Looks at images, converts them, and makes thumbnails, with the coders that are installed.",
    discussion: """
      Formats come with plugins: each is a library with a manifest beside it, found on a search path. \
      `coders list` shows them; `coders doctor` says what is wrong when one is missing.

      Results go to standard output, everything else to standard error. Exit status: 0 all is well, 1 a file is bad, \
      2 nothing here reads or writes it, 3 a limit was met, 5 the machine or a plugin failed, 64 the command was not \
      understood, 130 interrupted. With several files, that of the first error.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Images",
        subcommands: [
          ProbeCommand.self, ConvertCommand.self, AnimateCommand.self, ThumbnailCommand.self, FramesCommand.self,
          StreamCommand.self,
        ]),
      CommandGroup(name: "Coders", subcommands: [ListCommand.self, OptionsCommand.self, DoctorCommand.self]),
    ])
}

/// A verb of the command.
///
/// It gets its surroundings handed over, so that a test can run it in process.
protocol Verb: ParsableCommand {
  /// Does the verb's work.
  ///
  /// - Returns: The status of the first error, or ok.
  /// - Throws: An error that concerns no single file; it is reported by the caller.
  func run(_ console: Console) throws(CoderError) -> ExitStatus
}
