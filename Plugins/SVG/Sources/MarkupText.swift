// SPDX-License-Identifier: Apache-2.0

/// The text of a document as ASCII: what is not becomes 0x80.
///
/// - Format: XML 1.0, appendix F: how the first bytes tell UTF-8 from UTF-16. An encoding that a declaration names has the
///   characters of markup where ASCII has them.
struct MarkupText {
  private let bytes: UnsafeRawBufferPointer
  /// Bytes of a character of markup.
  private let step: Int
  /// Which of them is the lower one.
  private let low: Int
  /// After a mark of the byte order.
  private let start: Int

  let count: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    let (first, second) = (bytes.count > 0 ? bytes[0] : 1, bytes.count > 1 ? bytes[1] : 1)
    switch (first, second) {
    case (0xFF, 0xFE): (start, step, low) = (2, 2, 0)
    case (0xFE, 0xFF): (start, step, low) = (2, 2, 1)
    case (UInt8(ascii: "<"), 0): (start, step, low) = (0, 2, 0)
    case (0, UInt8(ascii: "<")): (start, step, low) = (0, 2, 1)
    case (0xEF, 0xBB): (start, step, low) = (min(3, bytes.count), 1, 0)
    default: (start, step, low) = (0, 1, 0)
    }
    count = max(0, bytes.count - start) / step
  }

  /// A character; 0x80 for one that is not ASCII.
  ///
  /// - Parameter index: Less than ``count``.
  subscript(_ index: Int) -> UInt8 {
    let place = start + index * step
    guard step == 2 else { return min(bytes[place], 0x80) }
    return bytes[place + 1 - low] == 0 ? min(bytes[place + low], 0x80) : 0x80
  }

  /// Whether a word stands at a place. If the text ends within it, it may.
  func has(_ word: StaticString, at index: Int) -> Match {
    for offset in 0..<word.utf8CodeUnitCount {
      guard index + offset < count else { return .cutOff }
      if self[index + offset] != word.utf8Start[offset] { return .no }
    }
    return .yes
  }

  /// Where characters are in the file; nil in UTF-16.
  func bytes(of range: Range<Int>) -> Range<Int>? {
    step == 1 ? range.lowerBound + start..<range.upperBound + start : nil
  }

  enum Match {
    case yes
    case no
    case cutOff
  }

  /// Where a word begins that is looked for from a place on.
  func find(_ word: StaticString, from start: Int) -> Int? {
    var index = start
    while index < count {
      if self[index] == word.utf8Start[0], case .yes = has(word, at: index) { return index }
      index += 1
    }
    return nil
  }

  /// The next place from here on that is no white space.
  func afterSpace(_ start: Int) -> Int {
    var index = start
    while index < count, Self.isSpace(self[index]) { index += 1 }
    return index
  }

  /// Whether the last character that is no white space ends a tag: that of a document that is cut rarely does.
  var endsWithMarkup: Bool {
    var index = count
    while index > 0, Self.isSpace(self[index - 1]) { index -= 1 }
    return index > 0 && self[index - 1] == UInt8(ascii: ">")
  }

  static func isSpace(_ character: UInt8) -> Bool {
    character == 0x20 || character == 0x09 || character == 0x0A || character == 0x0D
  }
}
