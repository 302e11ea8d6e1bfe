// SPDX-License-Identifier: Apache-2.0

public import CSharedPlanes
public import ImageCoderPlugin

/// Turns planes of luma and chroma into rows of pixels (ITU-T H.273 §8.3).
///
/// Gray, the identity matrix and alpha are exact: each sample becomes the nearest one of the format. Colors of 8 bits by
/// weights are the nearest unless they are within 0.0002 of the middle between two samples; others are computed in
/// floating point, and within 0.53 of 65,535 of the exact value.
///
/// - Threads: Any number; nothing changes after it is made.
public struct PlaneConverter: Sendable {
  /// What chroma samples mean between the pixels of subsampled pictures.
  public enum Chroma: Sendable {
    /// A sample counts for all pixels that it covers, as in libheif.
    case repeated
    /// Samples lie in the middle of the pixels that they cover, and are interpolated, as in libavif.
    case interpolated
  }

  /// Where colors of more than 8 bits are rounded.
  public enum Rounding: Sendable {
    /// To the samples of the format.
    case once
    /// To the bits of the picture first: pixels are samples of that depth, spread over the format's, as in libheif.
    case atStoredDepth
  }

  private let matrix: ColorMatrix
  private let isFullRange: Bool
  private let bits: Int
  private let format: PixelFormat
  private let chroma: Chroma
  private let levels: [UInt16]
  private let steps: [UInt16]
  private let alpha: AlphaConverter?

  /// - Parameters:
  ///   - bits: Of luma and chroma, 8 to 16.
  ///   - alphaBits: Of the alpha planes of the pictures, or nil when they have none.
  ///   - format: Of the pixels; no floating point.
  /// - Throws: ``CoderError/Code/unsupported``.
  public init(
    _ matrix: ColorMatrix, isFullRange: Bool, bits: Int, alphaBits: Int? = nil, format: PixelFormat,
    chroma: Chroma = .repeated, rounding: Rounding = .once
  ) throws(CoderError) {
    guard (8...16).contains(bits), !format.isFloat else {
      throw .libraryFailure("samples of \(bits) bits as \(format)")
    }
    if case .yCgCoR = matrix, !isFullRange { throw .unsupported("YCgCo-R of limited range") }
    self.matrix = matrix
    self.isFullRange = isFullRange
    self.bits = bits
    self.format = format
    self.chroma = chroma
    let top = format.bytesPerChannel == 2 ? 65_535 : 255
    levels = Self.levels(bits: bits, isFullRange: isFullRange, top: top)
    let isStepped = rounding == .atStoredDepth && (1 << bits) - 1 != top
    steps = isStepped ? Self.levels(bits: bits, isFullRange: true, top: top) : []
    alpha = try alphaBits.map { bits throws(CoderError) in try AlphaConverter(bits: bits, format: format) }
  }

  /// What each stored sample becomes, to the nearest; empty where samples stay as they are.
  static func levels(bits: Int, isFullRange: Bool, top: Int) -> [UInt16] {
    let largest = (1 << bits) - 1
    if isFullRange && largest == top { return [] }
    let black = isFullRange ? 0 : 16 << (bits - 8)
    let span = isFullRange ? largest : 219 << (bits - 8)
    return (0...largest).map { UInt16((min(max($0 - black, 0), span) * top * 2 + span) / (2 * span)) }
  }

  /// Converts a rectangle of a picture, with its alpha; pictures without an alpha plane become opaque.
  ///
  /// - Parameters:
  ///   - pixels: Memory of the rectangle's first pixel.
  ///   - stride: Bytes from one row of pixels to the next.
  /// - Throws: ``CoderError/Code/libraryFailure`` when the picture is not of the converter's depth, or a size does not fit.
  public func convert(
    _ picture: PlanarPicture, _ rect: Rect, to pixels: UnsafeMutableRawPointer, stride: Int
  ) throws(CoderError) {
    guard picture.bits == bits, picture.alphaBits == alpha?.bits else {
      throw .libraryFailure("planes of \(picture.bits) bits, where \(bits) were announced")
    }
    var part = try planes_part(rect, of: picture, to: pixels, stride: stride, format: format)
    var planes = picture.planes
    // H.273 has the identity matrix for planes of one size alone; with fewer chroma samples it means that nobody said.
    let matrix = matrix == .identity && picture.isSubsampled ? ColorMatrix.unspecified : matrix
    var conversion = planes_conversion(matrix, isFullRange: isFullRange, bits: bits)
    conversion.is_interpolated = chroma == .interpolated ? 1 : 0
    var layout = planes_layout(format)
    levels.withUnsafeBufferPointer { levels in
      steps.withUnsafeBufferPointer { steps in
        conversion.levels = levels.isEmpty ? nil : levels.baseAddress
        conversion.steps = steps.isEmpty ? nil : steps.baseAddress
        guard let alpha else { return planes_read(&planes, &conversion, &layout, &part) }
        alpha.levels.withUnsafeBufferPointer { levels in
          conversion.alpha_levels = levels.isEmpty ? nil : levels.baseAddress
          planes_read(&planes, &conversion, &layout, &part)
        }
      }
    }
  }
}

/// Writes luma of one picture into the alpha channel of another one's pixels. Alpha has the full range
/// (ISO/IEC 23000-22 §7.3.5), and each sample becomes the nearest one of the format.
public struct AlphaConverter: Sendable {
  let bits: Int
  private let format: PixelFormat
  let levels: [UInt16]

  /// - Throws: ``CoderError/Code/libraryFailure`` for a format without alpha.
  public init(bits: Int, format: PixelFormat) throws(CoderError) {
    guard (8...16).contains(bits), !format.isFloat else { throw .libraryFailure("alpha of \(bits) bits as \(format)") }
    self.bits = bits
    self.format = format
    levels = PlaneConverter.levels(bits: bits, isFullRange: true, top: format.bytesPerChannel == 2 ? 65_535 : 255)
  }

  /// - Parameter picture: Whose luma is alpha.
  public func convert(
    _ picture: PlanarPicture, _ rect: Rect, to pixels: UnsafeMutableRawPointer, stride: Int
  ) throws(CoderError) {
    guard picture.bits == bits, format.hasAlpha else {
      throw .libraryFailure("alpha of \(picture.bits) bits, where \(bits) were announced, as \(format)")
    }
    var part = try planes_part(rect, of: picture, to: pixels, stride: stride, format: format)
    var planes = picture.planes
    planes.plane.3 = planes.plane.0
    planes.stride.3 = planes.stride.0
    planes.alpha_bits = planes.bits
    var conversion = planes_conversion()
    var layout = planes_layout(format)
    levels.withUnsafeBufferPointer { levels in
      conversion.alpha_levels = levels.isEmpty ? nil : levels.baseAddress
      planes_read_alpha(&planes, &conversion, &layout, &part)
    }
  }
}

extension planes_conversion {
  /// Without its tables.
  public init(_ matrix: ColorMatrix, isFullRange: Bool, bits: Int) {
    self.init()
    let unit = Float(1 << (bits - 8))
    let largest = Float((1 << bits) - 1)
    is_full_range = isFullRange ? 1 : 0
    luma_black = isFullRange ? 0 : 16 * unit
    luma_span = isFullRange ? largest : 219 * unit
    chroma_middle = 128 * unit
    chroma_span = isFullRange ? largest : 224 * unit
    switch matrix {
    case .identity: kind = UInt32(PLANES_IDENTITY)
    case .yCgCo: kind = UInt32(PLANES_YCGCO)
    case .yCgCoR(let bits):
      kind = UInt32(PLANES_YCGCO_R)
      extra_bits = UInt32(bits)
    case .weights(let red, let blue):
      kind = UInt32(PLANES_WEIGHTS)
      kr = Float(red)
      kb = Float(blue)
    case .constantLuminance(let red, let blue, let curve):
      kind = UInt32(PLANES_CONSTANT)
      kr = Float(red)
      kb = Float(blue)
      transfer = UInt32(curve.number)
      let number = transfer
      // §8.3: N is what luma of all light but that of one color is, and P what luma of that color lacks to 1.
      func differences(_ weight: Double) -> (Double, Double) {
        (2 * planes_code_of_light(number, 1 - weight), 2 * (1 - planes_code_of_light(number, weight)))
      }
      self.differences = (differences(blue), differences(red))
    }
  }
}

extension ColorMatrix.Transfer {
  fileprivate var number: Int {
    switch self {
    case .bt2020: Int(PLANES_BT2020)
    case .sRGB: Int(PLANES_SRGB)
    case .linear: Int(PLANES_LINEAR)
    case .pq: Int(PLANES_PQ)
    }
  }
}

extension planes_layout {
  init(_ format: PixelFormat) {
    self.init(
      channels: UInt32(format.channelCount), bytes_per_channel: UInt32(format.bytesPerChannel),
      is_bgr: format == .bgra8 ? 1 : 0)
  }
}

extension planes_part {
  /// - Throws: ``CoderError/Code/libraryFailure`` when the rectangle is not inside the picture, or rows do not fit the stride.
  init(
    _ rect: Rect, of picture: PlanarPicture, to pixels: UnsafeMutableRawPointer, stride: Int, format: PixelFormat
  ) throws(CoderError) {
    guard rect.isInside(picture.size), !rect.isEmpty, stride >= rect.width * format.bytesPerPixel else {
      throw .libraryFailure("\(rect.size) of a picture of \(picture.size), in rows of \(stride) bytes")
    }
    self.init(
      x: rect.x, y: rect.y, width: rect.width, height: rect.height,
      pixels: pixels.assumingMemoryBound(to: UInt8.self), stride: stride)
  }
}
