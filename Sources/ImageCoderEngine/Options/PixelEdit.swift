// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Work on the pixels of a picture that this module does not know.
package struct PixelWork: Sendable, Hashable {
  /// Names what is done; the same key always means the same.
  package let key: String
  /// What it does to a picture.
  package let changes: PictureChanges
  /// The size of the result for a picture of a size.
  package let size: @Sendable (Size) throws(CoderError) -> Size
  /// Makes the result. It may be called on any thread.
  package let apply: @Sendable (PixelBuffer) throws(CoderError) -> PixelBuffer

  package init(
    _ key: String, changes: PictureChanges, size: @escaping @Sendable (Size) throws(CoderError) -> Size,
    apply: @escaping @Sendable (PixelBuffer) throws(CoderError) -> PixelBuffer
  ) {
    self.key = key
    self.changes = changes
    self.size = size
    self.apply = apply
  }

  package static func == (a: PixelWork, b: PixelWork) -> Bool { a.key == b.key }

  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Changes of an upright picture before it is scaled: a part is cut out, then turned and mirrored, then worked on.
package struct PixelEdit: Sendable, Hashable {
  /// The part that is kept, in upright pixels, or nil for the whole picture.
  package var crop: Rect?
  /// How the part is turned and mirrored, one after the other: `right` turns it clockwise.
  package var turns: [Orientation] = []

  /// What is done to the pixels then, or nil.
  package var work: PixelWork?

  /// Whether a file that is stored turned, with a tag that says so, is to be stored upright.
  package var storesUpright = false

  /// Makes an edit that changes nothing.
  package init() {}

  /// Whether an upright picture stays as it is.
  package var isIdentity: Bool { crop == nil && turns.isEmpty && work == nil }

  /// What it does to a picture.
  package var changes: PictureChanges {
    var changes: PictureChanges = []
    if crop != nil { changes.insert(.cropped) }
    if !turns.isEmpty { changes.insert(.turned) }
    return changes.union(work?.changes ?? [])
  }

  /// The size of an edited picture.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a part that is not inside the picture.
  package func size(of picture: Size) throws(CoderError) -> Size {
    let part = try crop.map { (rect) throws(CoderError) in try Self.inside(rect, picture).size } ?? picture
    let turned = turns.reduce(part) { $1.displayed($0) }
    return try work.map { (work) throws(CoderError) in try work.size(turned) } ?? turned
  }

  /// The edited picture; it may share memory with the given one.
  ///
  /// - Parameter pixels: Upright.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a part that is not inside; ``CoderError/Code/outOfMemory``.
  package func applied(to pixels: PixelBuffer) throws(CoderError) -> PixelBuffer {
    var pixels = pixels
    if let crop { pixels = try pixels.region(try Self.inside(crop, pixels.size)) }
    for turn in turns { pixels = try pixels.oriented(by: turn) }
    if let work { pixels = try work.apply(pixels) }
    return pixels
  }

  private static func inside(_ rect: Rect, _ picture: Size) throws(CoderError) -> Rect {
    guard !rect.isEmpty, rect.isInside(picture) else {
      throw .invalidArgument("a part of \(rect.size) at \(rect.x),\(rect.y) is not inside the picture of \(picture)")
    }
    return rect
  }
}
