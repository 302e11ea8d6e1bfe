// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
public import ImageCoderModel
import ImageCoders

extension SheetDescription {
  /// The path of the picture: the one that the description names, or else the one that has the JSON's name.
  ///
  /// - Parameter path: The path of the JSON.
  /// - Throws: ``CoderError/Code/malformed`` if the description names no picture and there is none of its name, or if it names
  ///   one that is not in the JSON's folder.
  public func picturePath(beside path: String) throws(CoderError) -> String {
    guard let image else {
      if let picture = Self.pictureNamed(as: path) { return picture }
      throw CoderError.malformed("meta.image is missing, and no picture of the same name lies beside the JSON")
        .annotated(file: path)
    }
    let parts = image.split(separator: "/", omittingEmptySubsequences: false)
    let isInside =
      parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." } && !image.utf8.contains(0)
      && !image.utf8.contains(UInt8(ascii: "\\"))
    guard isInside else {
      throw CoderError.malformed(
        "meta.image is \(image.quoted); the name of a file in the same folder, or in one below, is allowed"
      ).annotated(file: path)
    }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return image }
    return path[...slash] + image
  }

  /// Extensions of pictures that sheets have, the likeliest first.
  private static let extensions = ["png", "webp", "avif", "jxl", "jpg", "jpeg", "gif", "bmp", "tga", "tif", "tiff"]

  private static func pictureNamed(as path: String) -> String? {
    guard path.lowercased().hasSuffix(".json") else { return nil }
    return extensions.lazy.map { path.dropLast(4) + $0 }.first { access($0, F_OK) == 0 }
  }

  /// Where the frames are in a picture.
  ///
  /// - Parameters:
  ///   - indexes: The frames that are wanted.
  ///   - picture: The size of the picture.
  /// - Throws: ``CoderError/Code/malformed`` for a frame that is empty, not inside the picture, or not inside its own
  ///   untrimmed size; ``CoderError/Code/limitExceeded`` for an untrimmed size that the limits do not allow.
  func sprites(_ indexes: [Int], in picture: Size, limits: Limits) throws(CoderError) -> [SpriteSheet.Sprite] {
    var sprites: [SpriteSheet.Sprite] = []
    for index in indexes { sprites.append(try Self.sprite(frames[index], index, in: picture, limits)) }
    return sprites
  }

  private static func sprite(
    _ frame: SheetFrame, _ index: Int, in picture: Size, _ limits: Limits
  ) throws(CoderError) -> SpriteSheet.Sprite {
    let name = "frame \(frame.name.quoted) of index \(index)"
    let given = frame.rectangle
    guard !given.isEmpty else { throw .malformed("\(name) is of \(given.size); at least 1×1 is needed") }
    let region = region(of: frame)
    guard let region = region.first(where: { $0.isInside(picture) }) else {
      throw .malformed(
        "\(name) is at \(given.x),\(given.y) and of \(given.size)\(frame.isTurned ? ", turned" : ""), which is not inside "
          + "the picture of \(picture)")
    }
    var sprite = SpriteSheet.Sprite(region, isTurned: frame.isTurned)
    guard frame.isTrimmed else { return sprite }
    let upright = sprite.size
    let part = Rect(
      x: frame.trimmedRectangle.x, y: frame.trimmedRectangle.y, width: upright.width, height: upright.height)
    guard part.isInside(frame.untrimmedSize) else {
      throw .malformed(
        "\(name) is of \(upright) at \(part.x),\(part.y) of its source, which is not inside \(frame.untrimmedSize)")
    }
    try limits.check(canvas: frame.untrimmedSize)
    sprite.untrimmedSize = frame.untrimmedSize
    (sprite.offsetX, sprite.offsetY) = (part.x, part.y)
    return sprite
  }

  /// Where a frame may be, the likeliest first.
  ///
  /// Sides are those before a frame was turned. Writers that give them as they lie in the picture are known by the size
  /// of the frame's source, or since nothing else fits.
  private static func region(of frame: SheetFrame) -> [Rect] {
    guard frame.isTurned else { return [frame.rectangle] }
    let given = frame.rectangle
    let turned = Rect(x: given.x, y: given.y, width: given.height, height: given.width)
    return frame.trimmedRectangle.size == given.size.transposed ? [given, turned] : [turned, given]
  }
}
