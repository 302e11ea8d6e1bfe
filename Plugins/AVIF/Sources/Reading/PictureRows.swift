// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin
import SharedPlanes

/// Turns the planes of a decoded picture into the host's rows.
///
/// The result does not depend on how many rows the host grants at a time: where chroma is interpolated between rows, the
/// rows beside a seam are converted once more with their neighbours.
struct PictureRows {
  private let image: avifImage
  private let crop: Rect
  private let format: PixelFormat
  private let host: CoderHost
  /// What is not left to libavif: gray, colors of more than 8 bits, and all colors where it was built without libyuv.
  private let planes: (picture: PlanarPicture, converter: PlaneConverter)?

  /// Rows that are converted before the host is looked at again, and by one thread at a time. Even.
  private static let band = 128
  /// Pixels of rows that are worth another thread's help: for frames of 480×270, to wake it took longer than it saved.
  private static let sharedPixels = 1 << 19

  /// - Throws: ``CoderError/Code/malformed`` when AV1 data and container disagree, ``CoderError/Code/unsupported`` for
  ///   matrix coefficients that are not converted.
  init(_ image: avifImage, crop: Rect, format: PixelFormat, host: CoderHost) throws(CoderError) {
    self.image = image
    self.crop = crop
    self.host = host
    self.format = format
    guard let luma = image.yuvPlanes.0 else { throw .libraryFailure("libavif gives a picture without planes") }
    guard !format.isGray || image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 else {
      throw .malformed("AV1 data with colors, the container says that there are none")
    }
    planes = try Self.planes(image, luma: luma, format: format)
  }

  /// Whether libavif was built without libyuv. Of colors of 8 bits it then makes what ``PlaneConverter`` makes, to the last bit,
  /// but one sample at a time, in four times the time.
  private static let isWithoutLibYUV = avifLibYUVVersion() == 0

  /// - Returns: nil for what libavif converts, with the arithmetic of libyuv: colors of 8 bits.
  private static func planes(
    _ image: avifImage, luma: UnsafeMutablePointer<UInt8>, format: PixelFormat
  ) throws(CoderError) -> (picture: PlanarPicture, converter: PlaneConverter)? {
    func plane(_ base: UnsafeMutablePointer<UInt8>, _ rowBytes: UInt32) -> PlanarPicture.Plane {
      PlanarPicture.Plane(base: UnsafeRawPointer(base), stride: Int(rowBytes))
    }
    guard !format.isGray || (image.depth > 8) == (format.bytesPerChannel == 2) else {
      throw .malformed("AV1 data of \(image.depth) bits, the container says \(format)")
    }
    var matrix = ColorMatrix.unspecified
    var chroma: (PlanarPicture.Plane, PlanarPicture.Plane)?
    var subsampling = Subsampling.s400
    if !format.isGray {
      guard let cb = image.yuvPlanes.1, let cr = image.yuvPlanes.2 else { return nil }
      matrix = try ColorMatrix(
        code: UInt8(clamping: image.matrixCoefficients), primaries: UInt8(clamping: image.colorPrimaries),
        transfer: UInt8(clamping: image.transferCharacteristics))
      chroma = (plane(cb, image.yuvRowBytes.1), plane(cr, image.yuvRowBytes.2))
      subsampling =
        switch image.yuvFormat {
        case AVIF_PIXEL_FORMAT_YUV420: .s420
        case AVIF_PIXEL_FORMAT_YUV422: .s422
        default: .s444
        }
      // What libavif does not convert by.
      let isOurs: Bool =
        switch matrix {
        case .yCgCoR, .constantLuminance: true
        case .identity: subsampling != .s444
        default: false
        }
      guard image.depth > 8 || isOurs || isWithoutLibYUV else { return nil }
    }
    let alpha = format.hasAlpha ? image.alphaPlane : nil
    let bits = Int(image.depth)
    let picture = try PlanarPicture(
      size: Size(width: Int(image.width), height: Int(image.height)), bits: bits, subsampling: subsampling,
      luma: plane(luma, image.yuvRowBytes.0), chroma: chroma,
      alpha: alpha.map { (plane($0, image.alphaRowBytes), bits) })
    let converter = try PlaneConverter(
      matrix, isFullRange: image.yuvRange == AVIF_RANGE_FULL, bits: bits, alphaBits: alpha == nil ? nil : bits,
      format: format, chroma: .interpolated)
    return (picture, converter)
  }

  /// Writes all of the crop to memory.
  func fill(_ target: PixelTarget) throws(CoderError) {
    try convert(0..<crop.height, to: target.base, stride: target.stride)
  }

  /// - Parameter range: Rows of the crop that are decoded.
  func deliver(_ range: Range<Int>, into sink: RowSink) throws(CoderError) {
    var y = range.lowerBound
    while y < range.upperBound {
      if host.isCancelled { throw .cancelled }
      let rows = try sink.rows(at: y, count: range.upperBound - y)
      let end = min(y + rows.count, range.upperBound)
      try convert(y..<end, to: rows.base, stride: rows.stride)
      try sink.done(at: y, count: end - y)
      y = end
    }
  }

  /// Converts rows of the crop to memory that begins with the first of them.
  private func convert(_ range: Range<Int>, to memory: UnsafeMutableRawPointer, stride: Int) throws(CoderError) {
    let bands = (range.count + Self.band - 1) / Self.band
    guard bands > 1, range.count * crop.width >= Self.sharedPixels else {
      return try convertBand(range, to: memory, stride: stride)
    }
    let failures = UnsafeMutablePointer<CoderError?>.allocate(capacity: bands)
    failures.initialize(repeating: nil, count: bands)
    defer {
      failures.deinitialize(count: bands)
      failures.deallocate()
    }
    host.parallelFor(bands) { index in
      if host.isCancelled {
        failures[index] = .cancelled
        return
      }
      let start = range.lowerBound + index * Self.band
      let band = start..<min(start + Self.band, range.upperBound)
      let base = memory + (start - range.lowerBound) * stride
      do throws(CoderError) {
        try convertBand(band, to: base, stride: stride)
      } catch {
        failures[index] = error
      }
    }
    for index in 0..<bands {
      if let failure = failures[index] { throw failure }
    }
  }

  private func convertBand(_ range: Range<Int>, to base: UnsafeMutableRawPointer, stride: Int) throws(CoderError) {
    if let planes {
      let rect = Rect(x: crop.x, y: crop.y + range.lowerBound, width: crop.width, height: range.count)
      try planes.converter.convert(planes.picture, rect, to: base, stride: stride)
    } else if crop.x == 0, crop.width == Int(image.width) {
      try convertWide(range, to: base, stride: stride)
    } else {
      try convertNarrow(range, to: base, stride: stride)
    }
  }

  /// Converts whole rows of the picture through memory of its own, and copies what the crop has of them.
  private func convertNarrow(_ range: Range<Int>, to base: UnsafeMutableRawPointer, stride: Int) throws(CoderError) {
    let pixel = format.bytesPerPixel
    let wide = Int(image.width) * pixel
    let step = 16
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: wide * step, alignment: 16)
    defer { scratch.deallocate() }
    var y = range.lowerBound
    while y < range.upperBound {
      let end = min(y + step, range.upperBound)
      try convertWide(y..<end, to: scratch, stride: wide)
      for row in y..<end {
        (base + (row - range.lowerBound) * stride).copyMemory(
          from: scratch + (row - y) * wide + crop.x * pixel, byteCount: crop.width * pixel)
      }
      y = end
    }
  }

  private func convertWide(_ range: Range<Int>, to base: UnsafeMutableRawPointer, stride: Int) throws(CoderError) {
    let first = crop.y + range.lowerBound
    let end = crop.y + range.upperBound
    guard image.yuvFormat == AVIF_PIXEL_FORMAT_YUV420 else {
      return try libraryConvert(first..<end, to: base, stride: stride)
    }
    // Rows 2n - 1 and 2n lie between the same two rows of chroma, so a seam at an even row touches these two.
    let height = Int(image.height)
    let evenFirst = (first + 1) / 2 * 2
    let evenEnd = end == height ? end : end / 2 * 2
    let hasPairs = evenFirst < evenEnd
    if hasPairs {
      try libraryConvert(evenFirst..<evenEnd, to: base + (evenFirst - first) * stride, stride: stride)
    }
    // The first and the last row of the picture have neighbours on one side only: a seam there is one when they come alone.
    let seams = [evenFirst, evenEnd].filter { !hasPairs || $0 > 0 && $0 < height }
    guard !seams.isEmpty else { return }
    let wide = Int(image.width) * format.bytesPerPixel
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: wide * 4, alignment: 16)
    defer { scratch.deallocate() }
    for seam in seams {
      let above = max(0, seam - 2)
      try libraryConvert(above..<min(seam + 2, height), to: scratch, stride: wide)
      for row in [seam - 1, seam] where row >= first && row < end {
        (base + (row - first) * stride).copyMemory(from: scratch + (row - above) * wide, byteCount: wide)
      }
    }
  }

  /// Converts rows of the picture as if they were a picture of their own. The first is even.
  private func libraryConvert(_ range: Range<Int>, to base: UnsafeMutableRawPointer, stride: Int) throws(CoderError) {
    var view = image
    view.height = UInt32(range.count)
    // Reserved matrices say nothing, and libavif knows none of them.
    let matrix = try ColorMatrix(
      code: UInt8(clamping: image.matrixCoefficients), primaries: UInt8(clamping: image.colorPrimaries),
      transfer: UInt8(clamping: image.transferCharacteristics))
    if matrix == .unspecified { view.matrixCoefficients = 2 }
    let chroma = range.lowerBound >> (image.yuvFormat == AVIF_PIXEL_FORMAT_YUV420 ? 1 : 0)
    view.yuvPlanes.0 = image.yuvPlanes.0.map { $0 + range.lowerBound * Int(image.yuvRowBytes.0) }
    view.yuvPlanes.1 = image.yuvPlanes.1.map { $0 + chroma * Int(image.yuvRowBytes.1) }
    view.yuvPlanes.2 = image.yuvPlanes.2.map { $0 + chroma * Int(image.yuvRowBytes.2) }
    view.alphaPlane = image.alphaPlane.map { $0 + range.lowerBound * Int(image.alphaRowBytes) }
    var rgb = avifRGBImage()
    avifRGBImageSetDefaults(&rgb, &view)
    rgb.depth = UInt32(format.bytesPerChannel * 8)
    rgb.format =
      switch format {
      case .rgb8: AVIF_RGB_FORMAT_RGB
      case .bgra8: AVIF_RGB_FORMAT_BGRA
      default: AVIF_RGB_FORMAT_RGBA
      }
    rgb.alphaPremultiplied = image.alphaPremultiplied
    // Without an alpha plane libavif writes opaque alpha, but only when it is not to ignore alpha.
    rgb.ignoreAlpha = format.hasAlpha ? AVIF_FALSE : AVIF_TRUE
    rgb.pixels = base.assumingMemoryBound(to: UInt8.self)
    guard let rowBytes = UInt32(exactly: stride) else { throw .libraryFailure("a stride of \(stride) bytes") }
    rgb.rowBytes = rowBytes
    switch avifImageYUVToRGB(&view, &rgb) {
    case AVIF_RESULT_OK: return
    case AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_REFORMAT_FAILED:
      throw .unsupported(
        "matrix coefficients \(image.matrixCoefficients) with \(image.depth) bits, which libavif does not convert")
    case let result: throw .libraryFailure("libavif converts no colors: \(String(cString: avifResultToString(result)))")
    }
  }
}
