// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension ImageComparison {
  /// How much alike two pictures look: SSIMULACRA2 2.1, which was fitted to what people said of compressed pictures.
  ///
  /// 100 is the same picture, 90 is hard to tell apart, 80 is high quality, 70 good, 50 medium and 30 poor; pictures with
  /// nothing in common are below 0. Samples are compared with 8 bits. Pictures with alpha are shown on a dark and on a light
  /// gray, and the lower score counts. Of animations, the first frames are compared.
  ///
  /// - Parameters:
  ///   - original: An upright picture in sRGB with sides of at least 8 pixels. Scores of sides below 113 are not comparable
  ///     with those of larger pictures.
  ///   - other: Another one of the same size.
  /// - Throws: ``CoderError/Code/unsupported`` for what it cannot judge: other colors than those of sRGB, HDR, samples of
  ///   floating point, smaller sides; ``CoderError/Code/invalidArgument`` for pictures of different sizes;
  ///   ``CoderError/Code/outOfMemory``.
  public static func ssimulacra2(_ original: Image, _ other: Image) throws(CoderError) -> Double {
    for image in [original, other] {
      if let reason = image.colorsBeyondLook { throw .unsupported(reason) }
    }
    let isOpaque = original.pixels.alpha == .opaque && other.pixels.alpha == .opaque
    return try LookReference(original.pixels, isOpaque: isOpaque).score(other.pixels)
  }
}
