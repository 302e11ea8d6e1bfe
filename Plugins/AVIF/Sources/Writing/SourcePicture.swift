// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CodedPictures
import ImageCoderPlugin

/// A picture in the planes that libavif encodes.
final class SourcePicture {
  let image: UnsafeMutablePointer<avifImage>

  /// Converts a picture of the host.
  ///
  /// - Parameters:
  ///   - stated: Bits that samples of 16 bits are said to hold.
  ///   - fixed: The depth of the frames before it.
  /// - Throws: ``CoderError/Code/unsupported`` for samples that lossless compression cannot keep.
  init(
    _ pixels: PixelView, bits stated: Int, depth fixed: Int?, settings: EncodingSettings,
    cicp: CodingIndependentCodePoints?
  ) throws(CoderError) {
    let format = pixels.layout.format
    let isDirect = format.isGray || (settings.isLossless && format.bytesPerChannel == 2)
    let depth = try Self.depth(of: pixels, bits: stated, fixed: fixed, settings: settings)
    let chroma =
      switch (format.isGray, settings.subsampling) {
      case (true, _): AVIF_PIXEL_FORMAT_YUV400
      case (_, .s444): AVIF_PIXEL_FORMAT_YUV444
      case (_, .s422): AVIF_PIXEL_FORMAT_YUV422
      default: AVIF_PIXEL_FORMAT_YUV420
      }
    guard
      let image = avifImageCreate(
        UInt32(clamping: pixels.size.width), UInt32(clamping: pixels.size.height), UInt32(depth), chroma)
    else { throw .outOfMemory(bytes: MemoryLayout<avifImage>.size, for: "a picture") }
    self.image = image
    image.pointee.yuvRange = settings.isFullRange ? AVIF_RANGE_FULL : AVIF_RANGE_LIMITED
    image.pointee.colorPrimaries = avifColorPrimaries(cicp?.primaries ?? 2)
    image.pointee.transferCharacteristics = avifTransferCharacteristics(cicp?.transfer ?? 2)
    image.pointee.matrixCoefficients = avifMatrixCoefficients(
      Self.matrix(cicp, isIdentity: settings.isLossless && !format.isGray))
    image.pointee.alphaPremultiplied = pixels.layout.alpha == .premultiplied ? AVIF_TRUE : AVIF_FALSE
    let hasAlpha = pixels.layout.alpha != .opaque
    let planes = AVIF_PLANES_YUV.rawValue | (hasAlpha ? AVIF_PLANES_A.rawValue : 0)
    guard avifImageAllocatePlanes(image, avifPlanesFlags(planes)) == AVIF_RESULT_OK else {
      throw .outOfMemory(bytes: pixels.size.pixelCount, for: "the planes of a picture")
    }
    if isDirect {
      PlaneWriter(image, depth: depth).write(pixels)
    } else {
      try convert(pixels)
    }
  }

  deinit { avifImageDestroy(image) }

  private func convert(_ pixels: PixelView) throws(CoderError) {
    var rgb = avifRGBImage()
    avifRGBImageSetDefaults(&rgb, image)
    rgb.depth = UInt32(pixels.layout.format.bytesPerChannel * 8)
    rgb.format =
      switch pixels.layout.format {
      case .rgb8: AVIF_RGB_FORMAT_RGB
      case .bgra8: AVIF_RGB_FORMAT_BGRA
      default: AVIF_RGB_FORMAT_RGBA
      }
    rgb.ignoreAlpha = pixels.layout.alpha == .opaque ? AVIF_TRUE : AVIF_FALSE
    rgb.alphaPremultiplied = image.pointee.alphaPremultiplied
    // libavif only reads from it.
    rgb.pixels = UnsafeMutablePointer(mutating: pixels.base.assumingMemoryBound(to: UInt8.self))
    guard let rowBytes = UInt32(exactly: pixels.stride) else {
      throw .unsupported("a stride of \(pixels.stride) bytes, \(UInt32.max) are allowed")
    }
    rgb.rowBytes = rowBytes
    let result = avifImageRGBToYUV(image, &rgb)
    guard result == AVIF_RESULT_OK else {
      throw .libraryFailure("libavif converts no colors: \(String(cString: avifResultToString(result)))")
    }
  }

  /// The bits per channel to store.
  private static func depth(
    of pixels: PixelView, bits stated: Int, fixed: Int?, settings: EncodingSettings
  ) throws(CoderError) -> Int {
    let bits = try pixels.bitsToStore(
      requested: settings.depth, stated: stated, fixed: fixed, isLossless: settings.isLossless, mayRound: false)
    guard let bits else {
      throw .unsupported("lossless samples of 16 bits, and AV1 holds \(fixed ?? settings.depth ?? 12)")
    }
    return bits
  }

  /// ITU-T H.273 §8.3: the matrix that was asked for if libavif converts by it and it is one; BT.601 otherwise.
  private static func matrix(_ cicp: CodingIndependentCodePoints?, isIdentity: Bool) -> UInt8 {
    if isIdentity { return 0 }
    guard let matrix = cicp?.matrix, [1, 4, 5, 6, 7, 9].contains(matrix) else { return 6 }
    return matrix
  }
}
