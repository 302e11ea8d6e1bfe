// SPDX-License-Identifier: Apache-2.0

// What the standard library has for texts inside texts is a part of its regular expressions, the largest library that a
// start would load.

extension String {
  /// Whether a text is in this one, by its bytes.
  package func has(_ text: String) -> Bool {
    var begin = utf8.startIndex
    while true {
      if utf8[begin...].starts(with: text.utf8) { return true }
      guard begin < utf8.endIndex else { return false }
      begin = utf8.index(after: begin)
    }
  }
}
