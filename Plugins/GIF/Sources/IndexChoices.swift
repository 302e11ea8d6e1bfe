// SPDX-License-Identifier: Apache-2.0

/// Which indexes the pixels of an image may have.
struct IndexChoices {
  /// What a pixel is; becomes what was written.
  let indexes: UnsafeMutablePointer<UInt8>
  /// What it may be as well, or the same once more.
  let alternates: UnsafePointer<UInt8>
  let count: Int
  /// Colors that are near to others, or nil when colors are kept.
  let near: NearColors?
  /// Whether some pixel has more than one choice.
  let hasChoices: Bool

  init(
    indexes: UnsafeMutablePointer<UInt8>, alternates: UnsafePointer<UInt8>, count: Int, near: NearColors?,
    hasChoices: Bool
  ) {
    self.indexes = indexes
    self.alternates = alternates
    self.count = count
    self.near = near
    self.hasChoices = hasChoices
  }

  /// Pixels without a choice.
  init(indexes: UnsafeMutablePointer<UInt8>, count: Int) {
    self.init(indexes: indexes, alternates: indexes, count: count, near: nil, hasChoices: false)
  }

  /// Calls `body` with each choice for a pixel and the error of it, the pixel's own first.
  @inline(__always)
  func forEach(at position: Int, _ body: (_ symbol: UInt8, _ error: Int) -> Void) {
    let (own, other) = (indexes[position], alternates[position])
    body(own, 0)
    if other != own { body(other, 0) }
    guard let near else { return }
    for entry in near.of(own) where entry.index != other { body(entry.index, entry.error) }
  }
}

/// For each color of a palette, others that may stand for it.
final class NearColors {
  struct Entry {
    var index: UInt8
    var error: Int
  }

  /// Colors that may stand for one.
  static let most = 6

  private let entries: [[Entry]]

  init(_ entries: [[Entry]]) { self.entries = entries }

  func of(_ index: UInt8) -> [Entry] { entries.indices.contains(Int(index)) ? entries[Int(index)] : [] }
}
