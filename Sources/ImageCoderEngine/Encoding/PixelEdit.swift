// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Changes of an upright picture before it is scaled: a part is cut out, then turned and mirrored.
package struct PixelEdit: Sendable, Hashable {
  /// The part that is kept, in upright pixels, or nil for the whole picture.
  package var crop: Rect?
  /// How the part is turned and mirrored, one after the other: `right` turns it clockwise.
  package var turns: [Orientation] = []

  /// Whether a file that is stored turned, with a tag that says so, is to be stored upright.
  package var storesUpright = false

  /// Makes an edit that changes nothing.
  package init() {}

  /// Whether an upright picture stays as it is.
  package var isIdentity: Bool { crop == nil && turns.isEmpty }

  /// The size of an edited picture.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a part that is not inside the picture.
  package func size(of picture: Size) throws(CoderError) -> Size {
    let part = try crop.map { (rect) throws(CoderError) in try Self.inside(rect, picture).size } ?? picture
    return turns.reduce(part) { $1.displayed($0) }
  }

  /// The edited picture; it may share memory with the given one.
  ///
  /// - Parameter pixels: Upright.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a part that is not inside; ``CoderError/Code/outOfMemory``.
  package func applied(to pixels: PixelBuffer) throws(CoderError) -> PixelBuffer {
    var pixels = pixels
    if let crop { pixels = try pixels.region(try Self.inside(crop, pixels.size)) }
    for turn in turns { pixels = try pixels.oriented(by: turn) }
    return pixels
  }

  private static func inside(_ rect: Rect, _ picture: Size) throws(CoderError) -> Rect {
    guard !rect.isEmpty, rect.isInside(picture) else {
      throw .invalidArgument("a part of \(rect.size) at \(rect.x),\(rect.y) is not inside the picture of \(picture)")
    }
    return rect
  }
}
