// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

extension Coders {
  /// The verb that a misspelled word probably means, or nil if the word is an option, a verb, or unlike any verb.
  static func suggestion(for word: String) -> String? {
    let verbs = configuration.groupedSubcommands.flatMap { $0.subcommands }.compactMap { $0.configuration.commandName }
    guard !word.hasPrefix("-"), word != "help", !verbs.contains(word) else { return nil }
    return Spelling.closest(to: word, in: verbs)
  }

  /// What to say of the first option that the verb does not have, or nil if it has all of them.
  ///
  /// ArgumentParser looks for such an option last, after arguments that are missing and whatever a verb checks itself: then
  /// its value is taken for a file.
  static func complaint(aboutOptionsOf arguments: [String]) -> String? {
    guard
      let verb = configuration.groupedSubcommands.flatMap({ $0.subcommands }).first(where: {
        $0.configuration.commandName == arguments.first
      })
    else { return nil }
    let options = options(of: verb)
    guard let unknown = unknownOption(in: arguments.dropFirst(), options) else { return nil }
    let question = Spelling.closest(to: unknown, in: options.keys.sorted()).map { ". Did you mean '\($0)'?" } ?? ""
    return "Unknown option '\(unknown.printable)'\(question)"
  }

  /// - Parameter options: Those that the verb has, and whether the argument after each is its value whatever it is.
  private static func unknownOption(in arguments: ArraySlice<String>, _ options: [String: Bool]) -> String? {
    var isValue = false
    for argument in arguments.prefix(while: { $0 != "--" }) {
      guard !isValue else {
        isValue = false
        continue
      }
      // A number below 0 is a value that somebody forgot to join.
      guard let first = argument.dropFirst().first, argument.hasPrefix("-"), !first.isNumber, first != "." else {
        continue
      }
      let isLong = first == "-"
      let name = isLong ? String(argument.prefix { $0 != "=" }) : "-\(first)"
      guard let takesAnything = options[name] else { return name }
      isValue = takesAnything && name == argument
    }
    return nil
  }

  /// The names of a verb's options, as ArgumentParser lists them for other programs.
  private static func options(of verb: any ParsableCommand.Type) -> [String: Bool] {
    var options = ["-h": false, "--help": false, "--version": false]
    guard let value = try? JSONValue(parsing: Array(verb._dumpHelp().utf8)),
      let command = try? JSONNode(value, name: "help").object()["command"]?.object(),
      let arguments = try? command["arguments"]?.list()
    else { return options }
    for argument in arguments {
      guard let argument = try? argument.object(), let names = try? argument["names"]?.list() else { continue }
      let takesAnything = (try? argument["parsingStrategy"]?.string()) == "unconditional"
      for name in names {
        guard let name = try? name.object(), let text = try? name["name"]?.string() else { continue }
        let isLong = (try? name["kind"]?.string()) == "long"
        options[isLong ? "--\(text)" : "-\(text)"] = takesAnything
      }
    }
    return options
  }
}
