// SPDX-License-Identifier: Apache-2.0

// What the standard library has for texts inside texts is a part of its regular expressions, the largest library that a
// start would load.

extension String {
  /// Whether a text is in this one, by its bytes.
  package func has(_ text: String) -> Bool { range(of: text, from: utf8.startIndex) != nil }

  /// This text with another one wherever `text` was; `text` is not empty.
  package func exchanging(_ text: String, for other: String) -> String {
    var result = ""
    var rest = utf8.startIndex
    while let found = range(of: text, from: rest) {
      result += String(self[rest..<found.lowerBound]) + other
      rest = found.upperBound
    }
    return result + String(self[rest...])
  }

  private func range(of text: String, from start: Index) -> Range<Index>? {
    var begin = start
    while true {
      let rest = utf8[begin...]
      if rest.starts(with: text.utf8) { return begin..<utf8.index(begin, offsetBy: text.utf8.count) }
      guard begin < utf8.endIndex else { return nil }
      begin = utf8.index(after: begin)
    }
  }
}
