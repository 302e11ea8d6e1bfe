// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What is done in a few milliseconds, of which the whole command, with the parser of its arguments, would take most.
///
/// Only the plain ways to ask for it are understood. Everything else is for the whole command, wrong usage too: it has all
/// options, and says what is wrong.
public enum QuickVerb {
  case version
  case list(ListRun)
  case probe(ProbeRun, files: [String])

  /// - Parameter arguments: Without the program's name.
  /// - Returns: Nil for what is for the whole command.
  public init?(_ arguments: [String]) {
    switch arguments.first {
    case "--version" where arguments.count == 1: self = .version
    case "list": self.init(list: arguments.dropFirst())
    case "probe": self.init(probe: arguments.dropFirst())
    default: return nil
    }
  }

  private init?(list arguments: ArraySlice<String>) {
    var list = ListRun()
    switch arguments {
    case []: break
    case ["--json"]: list.isJSON = true
    case ["--quiet"]: list.coders.isQuiet = true
    default: return nil
    }
    self = .list(list)
  }

  private init?(probe arguments: ArraySlice<String>) {
    var probe = ProbeRun()
    var options: Set<String> = []
    var files: [String] = []
    for argument in arguments {
      guard argument.hasPrefix("-") else {
        files.append(argument)
        continue
      }
      guard options.insert(argument).inserted else { return nil }
      switch argument {
      case "--json": probe.form = .json
      case "--short": probe.form = .lines
      case "--explain": probe.explains = true
      case "--quiet": probe.read.coders.isQuiet = true
      default: return nil
      }
    }
    guard !files.isEmpty, !options.isSuperset(of: ["--json", "--short"]) else { return nil }
    self = .probe(probe, files: files)
  }

  /// Does it.
  public func run(_ console: Console) -> ExitStatus {
    switch self {
    case .version:
      console.print(CommandProcess.version)
      return CommandProcess.finish(.ok, console)
    case .list(let list):
      list.run(console)
      return CommandProcess.finish(.ok, console)
    case .probe(let probe, let files):
      let failures = Failures(console)
      probe.run(files, probe.read.registry(console), failures, console)
      return CommandProcess.finish(failures.status, console)
    }
  }
}
