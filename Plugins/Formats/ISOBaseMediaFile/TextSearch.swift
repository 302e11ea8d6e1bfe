// SPDX-License-Identifier: Apache-2.0

extension Collection<UInt8> {
  /// Whether an ASCII text is among these bytes, in capitals or not. What the standard library has for that is a part of its
  /// regular expressions, the largest library that a plugin would load.
  public func hasText(_ text: String) -> Bool {
    func isSame(_ one: UInt8, _ other: UInt8) -> Bool { Self.lowercased(one) == Self.lowercased(other) }
    var begin = startIndex
    while begin != endIndex {
      if self[begin...].starts(with: text.utf8, by: isSame) { return true }
      begin = index(after: begin)
    }
    return text.isEmpty
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
