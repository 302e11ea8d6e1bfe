// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin

/// How the decoded picture is to be shown: which part of it, and which way up.
///
/// ISO/IEC 23000-22 §7.3.6.7: clap is applied before irot, and irot before imir.
struct Presentation {
  /// The crop of the decoded picture.
  let crop: Rect
  let orientation: Orientation

  init(_ image: avifImage) {
    let full = Size(width: Int(image.width), height: Int(image.height))
    crop = Self.crop(of: image, in: full) ?? Rect(covering: full)
    let turns = image.transformFlags & AVIF_TRANSFORM_IROT.rawValue != 0 ? Int(image.irot.angle & 3) : 0
    let mirror =
      image.transformFlags & AVIF_TRANSFORM_IMIR.rawValue != 0 ? Int(avif_mirror_direction(image.imir) & 1) : nil
    orientation = ImageTransform(turns: turns, mirror: mirror).orientation
  }

  /// ISO/IEC 14496-12 §12.1.4: the aperture's size and the place of its center, as fractions. Only apertures of whole
  /// pixels inside the picture count; others are ignored, as libavif's own tools do.
  private static func crop(of image: avifImage, in full: Size) -> Rect? {
    guard image.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0 else { return nil }
    let box = image.clap
    guard let (x, width) = span(box.widthN, box.widthD, box.horizOffN, box.horizOffD, full.width),
      let (y, height) = span(box.heightN, box.heightD, box.vertOffN, box.vertOffD, full.height)
    else { return nil }
    return Rect(x: x, y: y, width: width, height: height)
  }

  private static func span(
    _ sizeN: UInt32, _ sizeD: UInt32, _ offsetN: UInt32, _ offsetD: UInt32, _ full: Int
  ) -> (Int, Int)? {
    // All are signed numbers in the box's meaning. The products stay below 2^63: 32 bits times 31 bits.
    let (sizeN, sizeD) = (Int(Int32(bitPattern: sizeN)), Int(Int32(bitPattern: sizeD)))
    let (offsetN, offsetD) = (Int(Int32(bitPattern: offsetN)), Int(Int32(bitPattern: offsetD)))
    guard sizeD > 0, offsetD > 0, sizeN > 0, sizeN % sizeD == 0 else { return nil }
    let size = sizeN / sizeD
    guard size <= full else { return nil }
    // First pixel: full / 2 + offset - size / 2.
    let doubled = (full - size) * offsetD + 2 * offsetN
    guard doubled >= 0, doubled % (2 * offsetD) == 0 else { return nil }
    let first = doubled / (2 * offsetD)
    return first <= full - size ? (first, size) : nil
  }
}
