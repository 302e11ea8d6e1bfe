// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension PixelBuffer {
  /// A picture with the samples given, row by row.
  convenience init(_ size: Size, _ format: PixelFormat, _ alpha: AlphaMode, bytes: [UInt8]) throws {
    try self.init(size: size, format: format, alpha: alpha)
    precondition(bytes.count == byteCount)
    base.copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// A picture in floating point, with the numbers given, row by row.
  convenience init(_ size: Size, floats: [Double], _ format: PixelFormat) throws {
    try self.init(size: size, format: format, alpha: .straight)
    precondition(floats.count == 4 * size.pixelCount)
    for (index, value) in floats.enumerated() { setSample(index, Float(value)) }
  }

  /// A picture of random samples: numbers of 0 … 1 in formats of floating point, color at most alpha where it is
  /// premultiplied, and full alpha where it is opaque.
  convenience init(random size: Size, _ format: PixelFormat, _ alpha: AlphaMode, seed: UInt64) throws {
    try self.init(size: size, format: format, alpha: alpha)
    var generator = SeededGenerator(seed: seed)
    let channels = format.channelCount
    for i in 0..<size.pixelCount {
      let isOpaque = self.alpha == .opaque
      let opacity = isOpaque ? 1 : Float(generator.byte()) / 255
      for c in 0..<channels {
        var value = Float(generator.byte()) / 255
        if format.hasAlpha, c == channels - 1 { value = opacity } else if alpha == .premultiplied { value *= opacity }
        setSample(i * channels + c, value)
      }
    }
  }

  private func setSample(_ index: Int, _ value: Float) {
    switch format {
    case .rgbaFloat32: base.storeBytes(of: value, toByteOffset: 4 * index, as: Float.self)
    case .rgbaFloat16: base.storeBytes(of: Float16(value), toByteOffset: 2 * index, as: Float16.self)
    case .gray16, .grayAlpha16, .rgb16, .rgba16:
      base.storeBytes(of: UInt16(value * 65_535), toByteOffset: 2 * index, as: UInt16.self)
    default: base.storeBytes(of: UInt8(value * 255), toByteOffset: index, as: UInt8.self)
    }
  }

  /// All samples, row by row, of the range 0 … 1.
  var samples: [Double] {
    (0..<(size.pixelCount * format.channelCount)).map { index in
      switch format {
      case .rgbaFloat32: Double(base.load(fromByteOffset: 4 * index, as: Float.self))
      case .rgbaFloat16: Double(base.load(fromByteOffset: 2 * index, as: Float16.self))
      case .gray16, .grayAlpha16, .rgb16, .rgba16:
        Double(base.load(fromByteOffset: 2 * index, as: UInt16.self)) / 65_535
      default: Double(base.load(fromByteOffset: index, as: UInt8.self)) / 255
      }
    }
  }

  /// The bytes of all rows.
  var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: base, count: byteCount)) }

  /// The samples of a format of 16 bits.
  var words: [UInt16] { (0..<(byteCount / 2)).map { base.load(fromByteOffset: 2 * $0, as: UInt16.self) } }
}

extension PixelLayout {
  /// Every format with every alpha mode that it can have.
  static let all: [PixelLayout] = PixelFormat.allCases.flatMap { format in
    format.hasAlpha
      ? [AlphaMode.opaque, .straight, .premultiplied].map { PixelLayout(format, $0) } : [PixelLayout(format, .opaque)]
  }
}
