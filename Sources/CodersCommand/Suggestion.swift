// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension Coders {
  /// The verb that a misspelled word probably means, or nil if the word is an option, a verb, or unlike any verb.
  static func suggestion(for word: String) -> String? {
    let verbs = configuration.groupedSubcommands.flatMap { $0.subcommands }.compactMap { $0.configuration.commandName }
    guard !word.hasPrefix("-"), word != "help", !verbs.contains(word) else { return nil }
    return Spelling.closest(to: word, in: verbs)
  }
}
