// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The IHDR chunk (PNG Third Edition §11.2.1).
struct ImageHeaderChunk {
  /// How samples make a colour; the raw value is IHDR's, a sum of 1 palette, 2 colour, 4 alpha.
  enum ColourType: UInt8 {
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
  /// Of a sample, or of a palette index.
  let bitDepth: Int
  let colourType: ColourType
  let isInterlaced: Bool

  static let length = 13

  /// - Parameter data: Of the chunk; 13 bytes.
  init(_ data: [UInt8], at offset: Int) throws(CoderError) {
    guard data.count == Self.length, let width = data.bigEndian32(at: 0), let height = data.bigEndian32(at: 4) else {
      throw .malformed("IHDR of \(data.count) bytes, 13 are needed", at: offset)
    }
    guard width > 0, height > 0, width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF else {
      throw .malformed("an image of \(width)×\(height), 1 to 2147483647 are allowed", at: offset)
    }
    guard let colourType = ColourType(rawValue: data[9]) else {
      throw .malformed("colour type \(data[9]), 0, 2, 3, 4 and 6 are known", at: offset)
    }
    guard colourType.bitDepths.contains(Int(data[8])) else {
      throw .malformed(
        "bit depth \(data[8]) with colour type \(data[9]), \(colourType.bitDepths) are allowed", at: offset)
    }
    guard data[10] == 0 else { throw .malformed("compression method \(data[10]), only 0 is known", at: offset) }
    guard data[11] == 0 else { throw .malformed("filter method \(data[11]), only 0 is known", at: offset) }
    guard data[12] <= 1 else { throw .malformed("interlace method \(data[12]), 0 and 1 are known", at: offset) }
    self.init(
      canvas: Size(width: Int(width), height: Int(height)), bitDepth: Int(data[8]), colourType: colourType,
      isInterlaced: data[12] == 1)
  }

  init(canvas: Size, bitDepth: Int, colourType: ColourType, isInterlaced: Bool) {
    self.canvas = canvas
    self.bitDepth = bitDepth
    self.colourType = colourType
    self.isInterlaced = isInterlaced
  }

  /// The chunk's data.
  var data: [UInt8] {
    UInt32(clamping: canvas.width).bigEndianBytes + UInt32(clamping: canvas.height).bigEndianBytes
      + [UInt8(clamping: bitDepth), colourType.rawValue, 0, 0, isInterlaced ? 1 : 0]
  }

  /// The same for a picture of another size, a frame.
  func resized(_ size: Size) -> ImageHeaderChunk {
    ImageHeaderChunk(canvas: size, bitDepth: bitDepth, colourType: colourType, isInterlaced: isInterlaced)
  }

  /// The narrowest pixel format that holds every pixel. There is none for 16-bit RGB without alpha.
  ///
  /// - Parameter hasTransparency: Whether there is a tRNS chunk.
  func pixelFormat(hasTransparency: Bool) -> PixelFormat {
    let hasAlpha = colourType.hasAlpha || hasTransparency
    switch (colourType.isGray, bitDepth == 16) {
    case (true, false): return hasAlpha ? .grayAlpha8 : .gray8
    case (true, true): return hasAlpha ? .grayAlpha16 : .gray16
    case (false, false): return hasAlpha ? .rgba8 : .rgb8
    case (false, true): return .rgba16
    }
  }
}
