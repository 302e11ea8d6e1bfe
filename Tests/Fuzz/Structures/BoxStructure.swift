// SPDX-License-Identifier: Apache-2.0

/// Boxes, and boxes in them (ISO/IEC 14496-12, section 4.2; JPEG 2000 and JPEG XL have the same).
package enum BoxStructure: FileStructure {
  /// Boxes that hold others, and the bytes before the first of these, with their own heads.
  private static let containers: [(name: StaticString, head: Int)] = [
    ("meta", 12), ("iprp", 8), ("ipco", 8), ("iref", 12), ("dinf", 8), ("grpl", 8), ("moov", 8), ("trak", 8),
    ("edts", 8),
    ("mdia", 8), ("minf", 8), ("stbl", 8), ("stsd", 16), ("udta", 8), ("jp2h", 8), ("res ", 8), ("jplh", 8),
  ]

  private static let deepest = 8

  private struct Box {
    let range: Range<Int>
    /// Where the boxes in it begin, or nil if it holds none.
    let inner: Int?
  }

  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    // A container is no part, or parts would overlap; one that is empty is.
    boxes(of: bytes).filter { $0.inner ?? $0.range.upperBound >= $0.range.upperBound }.map(\.range)
  }

  /// As for other formats; the boxes around a part also have their lengths changed.
  package static func rearrange(_ bytes: inout [UInt8], most: Int, _ choices: inout Choices) {
    let all = boxes(of: bytes)
    // One time of four a container goes with all that is in it.
    let parts = choices.below(4) == 0 ? all.map(\.range) : Self.parts(of: bytes)
    guard let edits = Edit.rearranging(parts, of: bytes, most: most, &choices) else { return }
    for box in all {
      guard let inner = box.inner else { continue }
      let content = inner..<box.range.upperBound
      let more = edits.filter { content.contains($0.range.lowerBound) && $0.range.upperBound <= box.range.upperBound }
        .reduce(0) { $0 + $1.bytes.count - $1.range.count }
      // A box of length 0 goes to the end of the file anyhow.
      if let length = bytes.big(at: box.range.lowerBound), length > 1 {
        bytes.setBig(length + more, at: box.range.lowerBound)
      }
    }
    Edit.apply(edits, to: &bytes)
  }

  /// The last box takes the bytes up to the end.
  package static func repair(_ bytes: inout [UInt8]) {
    var offset = 0
    while offset + 8 <= bytes.count, let length = bytes.big(at: offset) {
      guard length >= 8, length <= bytes.count - offset else {
        // 0 says the same, and 1 that the length has eight bytes.
        if length > 1 { bytes.setBig(bytes.count - offset, at: offset) }
        return
      }
      offset += length
    }
  }

  /// All boxes, outer ones before those in them.
  private static func boxes(of bytes: [UInt8]) -> [Box] {
    var boxes: [Box] = []
    find(in: 0..<bytes.count, of: bytes, depth: 0, &boxes)
    return boxes
  }

  private static func find(in range: Range<Int>, of bytes: [UInt8], depth: Int, _ found: inout [Box]) {
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound, let stated = bytes.big(at: offset) {
      let length = stated == 0 ? range.upperBound - offset : stated
      guard length >= 8, length <= range.upperBound - offset else { return }
      let box = offset..<offset + length
      let inner = containers.first { bytes.has($0.name, at: offset + 4) }.map { offset + $0.head }
      let holdsBoxes = inner.map { $0 <= box.upperBound } ?? false
      found.append(Box(range: box, inner: holdsBoxes ? inner : nil))
      if holdsBoxes, let inner, depth < deepest {
        find(in: inner..<box.upperBound, of: bytes, depth: depth + 1, &found)
      }
      offset += length
    }
  }
}
