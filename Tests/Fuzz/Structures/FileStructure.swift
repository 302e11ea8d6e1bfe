// SPDX-License-Identifier: Apache-2.0

/// How the bytes of a format are put together, so that a change goes further than its first check.
package protocol FileStructure: SendableMetatype {
  /// The parts that can be left out, doubled or exchanged: chunks, boxes, blocks. In order, without overlaps.
  static func parts(of bytes: [UInt8]) -> [Range<Int>]

  /// Changes the order and number of parts.
  ///
  /// - Parameter most: Bytes that there may be afterwards.
  static func rearrange(_ bytes: inout [UInt8], most: Int, _ choices: inout Choices)

  /// Makes lengths and checksums right that a change has made wrong.
  static func repair(_ bytes: inout [UInt8])
}

extension FileStructure {
  package static func rearrange(_ bytes: inout [UInt8], most: Int, _ choices: inout Choices) {
    guard let edits = Edit.rearranging(parts(of: bytes), of: bytes, most: most, &choices) else { return }
    Edit.apply(edits, to: &bytes)
  }

  /// Most formats have neither a length of the whole file nor checksums.
  package static func repair(_ bytes: inout [UInt8]) {}
}

/// Bytes in the place of others.
struct Edit {
  let range: Range<Int>
  let bytes: [UInt8]

  /// Leaves out, doubles or exchanges parts.
  ///
  /// - Returns: One or two changes, in order, without overlaps; nil for none.
  static func rearranging(
    _ parts: [Range<Int>], of bytes: [UInt8], most: Int, _ choices: inout Choices
  ) -> [Edit]? {
    guard !parts.isEmpty else { return nil }
    let part = parts[choices.below(parts.count)]
    let other = parts[choices.below(parts.count)]
    switch choices.below(3) {
    case 0: return [Edit(range: part, bytes: [])]
    case 1 where bytes.count + part.count <= most:
      return [Edit(range: other.lowerBound..<other.lowerBound, bytes: Array(bytes[part]))]
    default:
      guard part.upperBound <= other.lowerBound else { return nil }
      return [Edit(range: part, bytes: Array(bytes[other])), Edit(range: other, bytes: Array(bytes[part]))]
    }
  }

  static func apply(_ edits: [Edit], to bytes: inout [UInt8]) {
    for edit in edits.reversed() { bytes.replaceSubrange(edit.range, with: edit.bytes) }
  }
}

extension [UInt8] {
  /// A number of 4 bytes, the most significant first; nil behind the end.
  func big(at offset: Int) -> Int? {
    guard offset >= 0, offset + 4 <= count else { return nil }
    return self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A number of 4 bytes, the least significant first; nil behind the end.
  func little(at offset: Int) -> Int? {
    guard offset >= 0, offset + 4 <= count else { return nil }
    return self[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  mutating func setBig(_ value: Int, at offset: Int) {
    for place in 0..<4 { self[offset + place] = UInt8(truncatingIfNeeded: value >> (24 - 8 * place)) }
  }

  mutating func setLittle(_ value: Int, at offset: Int) {
    for place in 0..<4 { self[offset + place] = UInt8(truncatingIfNeeded: value >> (8 * place)) }
  }

  /// Whether four letters stand at an offset.
  func has(_ letters: StaticString, at offset: Int) -> Bool {
    letters.withUTF8Buffer {
      offset >= 0 && offset + $0.count <= count && self[offset..<offset + $0.count].elementsEqual($0)
    }
  }
}
