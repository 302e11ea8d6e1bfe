// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension Coders {
  /// The verb that a misspelled word probably means, or nil if the word is an option, a verb, or unlike any verb.
  static func suggestion(for word: String) -> String? {
    let verbs = configuration.groupedSubcommands.flatMap { $0.subcommands }.compactMap { $0.configuration.commandName }
    guard !word.hasPrefix("-"), word != "help", !verbs.contains(word) else { return nil }
    let closest = verbs.map { (verb: $0, distance: editDistance($0, word)) }.min { $0.distance < $1.distance }
    // A third of the letters may be wrong.
    guard let closest, closest.distance <= max(1, closest.verb.count / 3) else { return nil }
    return closest.verb
  }

  /// The number of letters to insert, remove or replace to turn one word into the other.
  private static func editDistance(_ one: String, _ other: String) -> Int {
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, candidate) in other.enumerated() {
        let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (letter == candidate ? 0 : 1))
        (diagonal, row[j + 1]) = (row[j + 1], next)
      }
    }
    return row[other.count]
  }
}
