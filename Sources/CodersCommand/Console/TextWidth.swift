// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The columns that the text takes on a terminal. East Asian characters and emoji take two.
  var columns: Int { reduce(0) { $0 + $1.columns } }
}

extension Character {
  fileprivate var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
    return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The larger blocks that Unicode Standard Annex #11 calls wide or fullwidth.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul Jamo, leading consonants
    0x2E80...0x303E,  // CJK radicals and punctuation
    0x3041...0xA4CF,  // Kana, CJK ideographs, Yi
    0xA960...0xA97F,  // Hangul Jamo Extended-A
    0xAC00...0xD7A3,  // Hangul syllables
    0xF900...0xFAFF,  // CJK compatibility ideographs
    0xFE30...0xFE6F,  // CJK compatibility forms
    0xFF00...0xFF60,  // fullwidth forms
    0xFFE0...0xFFE6,  // fullwidth signs
    0x1F300...0x1F64F,  // pictographs
    0x20000...0x3FFFD,  // CJK ideographs, supplementary planes
  ]
}
