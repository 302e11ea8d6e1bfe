// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The IHDR chunk (PNG Third Edition §11.2.1).
struct ImageHeaderChunk {
  /// How samples make a color; the raw value is IHDR's, a sum of 1 palette, 2 color, 4 alpha.
  enum ColorType: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6

    var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
    var isGray: Bool { self == .gray || self == .grayAlpha }

    var bitDepths: [Int] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgba: [8, 16]
      }
    }
  }

  let canvas: Size
  /// The bit depth of a sample, or of a palette index.
  let bitDepth: Int
  let colorType: ColorType
  let isInterlaced: Bool

  static let length = 13

  /// Reads the chunk's data.
  ///
  /// - Parameter reader: Of the data alone, 13 bytes.
  /// - Throws: ``CoderError/Code/malformed`` at the chunk's data for a value that is not allowed.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let offset = reader.offset
    guard reader.count == Self.length else {
      throw .malformed("IHDR of \(reader.count) bytes, 13 are needed", at: offset)
    }
    let (width, height) = (try reader.uint32("the width"), try reader.uint32("the height"))
    guard width > 0, height > 0, width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF else {
      throw .malformed("an image of \(width)×\(height), 1 to 2147483647 are allowed", at: offset)
    }
    let (bitDepth, type) = (Int(try reader.uint8("the bit depth")), try reader.uint8("the color type"))
    guard let colorType = ColorType(rawValue: type) else {
      throw .malformed("color type \(type), 0, 2, 3, 4 and 6 are known", at: offset)
    }
    guard colorType.bitDepths.contains(bitDepth) else {
      throw .malformed("bit depth \(bitDepth) with color type \(type), \(colorType.bitDepths) are allowed", at: offset)
    }
    let compression = try reader.uint8("the compression method")
    guard compression == 0 else {
      throw .malformed("compression method \(compression), only 0 is known", at: offset)
    }
    let filter = try reader.uint8("the filter method")
    guard filter == 0 else { throw .malformed("filter method \(filter), only 0 is known", at: offset) }
    let interlace = try reader.uint8("the interlace method")
    guard interlace <= 1 else { throw .malformed("interlace method \(interlace), 0 and 1 are known", at: offset) }
    self.init(
      canvas: Size(width: Int(width), height: Int(height)), bitDepth: bitDepth, colorType: colorType,
      isInterlaced: interlace == 1)
  }

  init(canvas: Size, bitDepth: Int, colorType: ColorType, isInterlaced: Bool) {
    self.canvas = canvas
    self.bitDepth = bitDepth
    self.colorType = colorType
    self.isInterlaced = isInterlaced
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(clamping: canvas.width))
    writer.put(UInt32(clamping: canvas.height))
    writer.put([UInt8(clamping: bitDepth), colorType.rawValue, 0, 0, isInterlaced ? 1 : 0])
  }

  /// The whole chunk.
  var chunk: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return LibPNG.chunk(.ihdr, writer.bytes)
  }

  /// The same for a picture of another size, a frame.
  func resized(_ size: Size) -> ImageHeaderChunk {
    ImageHeaderChunk(canvas: size, bitDepth: bitDepth, colorType: colorType, isInterlaced: isInterlaced)
  }

  /// Bytes of a picture's filtered rows, those of its passes not rounded up.
  func inflatedBytes(of size: Size) -> Int {
    let channels =
      switch colorType {
      case .gray, .palette: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgba: 4
      }
    // Sides have 31 bits, and a pixel has at most 64.
    let row = (size.width * channels * bitDepth + 7) / 8 + 1
    let (bytes, overflow) = row.multipliedReportingOverflow(by: size.height)
    return overflow ? .max : bytes
  }

  /// The narrowest pixel format that holds every pixel.
  ///
  /// - Parameter hasTransparency: Whether there is a tRNS chunk.
  func pixelFormat(hasTransparency: Bool) -> PixelFormat {
    let hasAlpha = colorType.hasAlpha || hasTransparency
    switch (colorType.isGray, bitDepth == 16) {
    case (true, false): return hasAlpha ? .grayAlpha8 : .gray8
    case (true, true): return hasAlpha ? .grayAlpha16 : .gray16
    case (false, false): return hasAlpha ? .rgba8 : .rgb8
    case (false, true): return hasAlpha ? .rgba16 : .rgb16
    }
  }
}
