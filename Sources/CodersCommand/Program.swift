// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoders

/// The command as a function from arguments and a console to an exit status.
public enum Program {
  /// Runs the command.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - console: The output and the environment.
  public static func run(_ arguments: [String], console: Console) -> ExitStatus {
    CommandProcess.finish(result(arguments, console: console), console)
  }

  private static func result(_ arguments: [String], console: Console) -> ExitStatus {
    do {
      if let verb = Coders.verb(arguments) { return try verb.run(console) }
      if arguments == ["--version"], let version = CommandProcess.version(console) {
        console.print(version)
        return .ok
      }
      var command = try Coders.parseAsRoot(arguments)
      if let verb = command as? any Verb { return try verb.run(console) }
      // The root command and `help` throw a request for the right help text.
      try command.run()
      return .ok
    } catch let error as CoderError {
      console.report(error)
      return ExitStatus(error)
    } catch {
      if let name = arguments.first, let verb = Coders.suggestion(for: name) {
        console.printError("coders: there is no verb \(name.printable); did you mean \(verb)?")
        return .usage
      }
      let text = Coders.fullMessage(for: error, columns: console.columns)
      let code = Coders.exitCode(for: error)
      // ArgumentParser's errors begin with "Error: "; ours begin with the command's name.
      let prefix = "Error: "
      var line = text.hasPrefix(prefix) ? "coders: " + text.dropFirst(prefix.count) : ownOptionsFirst(text)
      if !code.isSuccess, let complaint = Coders.complaint(aboutOptionsOf: arguments) {
        let usage = text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("Usage: ") }
        line = (["coders: \(complaint)"] + usage).joined(separator: "\n")
      }
      if code.isSuccess { console.print(line) } else { console.printError(line) }
      return ExitStatus(rawValue: code.rawValue)
    }
  }

  /// A verb's help with its own options before the groups that it shares with others; ArgumentParser has them last.
  private static func ownOptionsFirst(_ help: String) -> String {
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    var paragraphs = lines.split(separator: "").map { $0.joined(separator: "\n") }
    guard let usage = paragraphs.firstIndex(where: { $0.hasPrefix("USAGE: ") }),
      let options = paragraphs.firstIndex(where: { $0.hasPrefix("OPTIONS:\n") }),
      !paragraphs[options].hasPrefix("OPTIONS:\n  --version"), options > usage
    else { return help }
    let first = paragraphs[usage + 1].hasPrefix("ARGUMENTS:\n") ? usage + 2 : usage + 1
    paragraphs.insert(paragraphs.remove(at: options), at: first)
    return paragraphs.joined(separator: "\n\n")
  }
}

/// The root command: its verbs and the text of `coders --help`.
struct Coders: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coders",
    abstract: "Inspects and converts images and makes thumbnails, with the installed coders.",
    discussion: """
      Each format is supported by a plugin: a library and its manifest in a directory of the search path. \
      `coders list` shows the plugins; `coders doctor` finds out why one is missing.

      Results go to standard output, everything else to standard error. Exit status: 0 success, 1 a file is damaged, \
      2 no coder supports the file or what was asked, 3 a limit was exceeded, 4 pictures differ (`coders compare`), 5 a system call, library or plugin failed, \
      64 wrong usage, 130 interrupted. With several files, the first error sets the exit status.

      A file that asks for too much is refused: `coders help limits` shows the limits.

      With --json, a verb prints one JSON object. share/coders/schema has a JSON Schema of each output: \
      coders-probe-1.schema.json is that of `coders probe --json`.
      """,
    version: CommandProcess.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Images",
        subcommands: [
          ProbeCommand.self, ConvertCommand.self, AnimateCommand.self, SheetCommand.self, ThumbnailCommand.self,
          FramesCommand.self, PartsCommand.self, MetadataCommand.self, ApplyCommand.self, StreamCommand.self,
          ShowCommand.self, PlayCommand.self, CompareCommand.self, HashCommand.self, PlaceholderCommand.self,
        ]),
      CommandGroup(
        name: "Coders",
        subcommands: [
          ListCommand.self, OptionsCommand.self, OperationsCommand.self, PolicyCommand.self, DoctorCommand.self,
        ]),
      CommandGroup(name: "Cache", subcommands: [CacheCommand.self]),
      CommandGroup(
        name: "Plugins", subcommands: [PluginCommand.self, NewCommand.self, CheckCommand.self, LimitsCommand.self]),
    ])
}

extension Coders {
  /// The verb that arguments name first, with its own arguments, in two thirds of the time of `parseAsRoot`: it is parsed as if
  /// it were the whole command.
  ///
  /// - Returns: Nil for anything but valid arguments of a verb of `frequent`. Only `parseAsRoot` knows help, versions,
  ///   completions and errors.
  fileprivate static func verb(_ arguments: [String]) -> (any Verb)? {
    guard let name = arguments.first,
      let verb = frequent.first(where: { $0.configuration.commandName == name })
    else { return nil }
    return verb.parsed(Array(arguments.dropFirst()))
  }

  /// The verbs that are run once for each of many files.
  private static let frequent: [any Verb.Type] = [
    ProbeCommand.self, ConvertCommand.self, ThumbnailCommand.self, ListCommand.self,
  ]
}

extension Verb {
  fileprivate static func parsed(_ arguments: [String]) -> Self? { try? parseAsRoot(arguments) as? Self }
}
