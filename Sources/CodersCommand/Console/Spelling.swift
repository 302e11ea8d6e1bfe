// SPDX-License-Identifier: Apache-2.0

/// What a misspelled word probably means.
enum Spelling {
  /// The word that is closest, or nil if none is close: a third of the letters may be wrong.
  static func closest(to word: String, in words: some Sequence<String>) -> String? {
    let closest = words.map { (word: $0, distance: editDistance($0, word)) }.min { $0.distance < $1.distance }
    guard let closest, closest.distance <= max(1, closest.word.count / 3) else { return nil }
    return closest.word
  }

  /// `; did you mean WORD?`, or nothing if no word is close.
  static func question(_ word: String, in words: some Sequence<String>) -> String {
    closest(to: word, in: words).map { "; did you mean \($0)?" } ?? ""
  }

  /// The number of letters to insert, remove, replace or exchange with the next to turn one word into the other.
  private static func editDistance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one), Array(other))
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        let isSame = one[i] == other[j]
        var distance = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (isSame ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          distance = min(distance, rows[i - 1][j - 1] + 1)
        }
        row.append(distance)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
