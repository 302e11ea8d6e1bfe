// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension RowConverter {
  /// Pixels that go through the intermediate row at a time; it stays in the first-level cache.
  private static let chunk = 256

  /// Converts between layouts of integers through rows of 16-bit RGBA.
  ///
  /// Rounding to 16 bits first never changes a result of 8 bits: v rounds up from n + ½, and 257 × v rounds up to
  /// 257 n + 129, the first value that becomes n + 1, from the same v on.
  func convertThroughIntegers(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: Self.chunk * 4) { buffer in
      guard let rgba = buffer.baseAddress else { return }
      var done = 0
      while done < count {
        let part = min(Self.chunk, count - done)
        Self.load(source + done * from.format.bytesPerPixel, from.format, into: rgba, count: part)
        if from.alpha == .opaque { for i in 0..<part { rgba[4 * i + 3] = .max } }
        switch alphaStep {
        case .keep: break
        case .premultiply: Self.premultiply(rgba, count: part)
        case .unpremultiply: Self.unpremultiply(rgba, count: part)
        }
        if makesOpaque { for i in 0..<part { rgba[4 * i + 3] = .max } }
        Self.store(rgba, destination + done * to.format.bytesPerPixel, format: to.format, count: part)
        done += part
      }
    }
  }

  /// Converts where either layout is floating point, through rows of RGBA from 0 to 1.
  func convertThroughFloats(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.chunk * 4) { buffer in
      guard let rgba = buffer.baseAddress else { return }
      var done = 0
      while done < count {
        let part = min(Self.chunk, count - done)
        Self.load(source + done * from.format.bytesPerPixel, from.format, into: rgba, count: part)
        if from.alpha == .opaque { for i in 0..<part { rgba[4 * i + 3] = 1 } }
        switch alphaStep {
        case .keep: break
        case .premultiply:
          for i in 0..<part { for c in 0..<3 { rgba[4 * i + c] *= rgba[4 * i + 3] } }
        case .unpremultiply:
          for i in 0..<part {
            let alpha = rgba[4 * i + 3]
            for c in 0..<3 { rgba[4 * i + c] = alpha > 0 ? rgba[4 * i + c] / alpha : 0 }
          }
        }
        if makesOpaque { for i in 0..<part { rgba[4 * i + 3] = 1 } }
        Self.store(rgba, destination + done * to.format.bytesPerPixel, format: to.format, count: part)
        done += part
      }
    }
  }
}

// MARK: - 16-bit RGBA

extension RowConverter {
  private static func premultiply(_ rgba: UnsafeMutablePointer<UInt16>, count: Int) {
    for i in 0..<count {
      let alpha = UInt32(rgba[4 * i + 3])
      for c in 0..<3 { rgba[4 * i + c] = UInt16((UInt32(rgba[4 * i + c]) * alpha + 32_767) / 65_535) }
    }
  }

  private static func unpremultiply(_ rgba: UnsafeMutablePointer<UInt16>, count: Int) {
    for i in 0..<count {
      let alpha = UInt32(rgba[4 * i + 3])
      for c in 0..<3 {
        let color = UInt32(rgba[4 * i + c])
        rgba[4 * i + c] = alpha == 0 ? 0 : UInt16(min(65_535, (color * 65_535 + alpha / 2) / alpha))
      }
    }
  }

  private static func load(
    _ source: UnsafeRawPointer, _ format: PixelFormat, into rgba: UnsafeMutablePointer<UInt16>, count: Int
  ) {
    let channels = format.channelCount
    let isWide = format.bytesPerChannel == 2
    for i in 0..<count {
      func sample(_ channel: Int) -> UInt16 {
        let index = i * channels + channel
        return isWide
          ? source.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
          : UInt16(source.load(fromByteOffset: index, as: UInt8.self)) * 257
      }
      let pixel = rgba + 4 * i
      if format.isGray {
        pixel[0] = sample(0)
        pixel[1] = pixel[0]
        pixel[2] = pixel[0]
        pixel[3] = format.hasAlpha ? sample(1) : .max
      } else {
        pixel[0] = sample(format == .bgra8 ? 2 : 0)
        pixel[1] = sample(1)
        pixel[2] = sample(format == .bgra8 ? 0 : 2)
        pixel[3] = format.hasAlpha ? sample(3) : .max
      }
    }
  }

  private static func store(
    _ rgba: UnsafeMutablePointer<UInt16>, _ destination: UnsafeMutableRawPointer, format: PixelFormat, count: Int
  ) {
    let channels = format.channelCount
    let isWide = format.bytesPerChannel == 2
    for i in 0..<count {
      func put(_ value: UInt16, _ channel: Int) {
        let index = i * channels + channel
        if isWide {
          destination.storeBytes(of: value, toByteOffset: 2 * index, as: UInt16.self)
        } else {
          let narrow = UInt8(truncatingIfNeeded: (UInt32(value) * 255 + 32_895) >> 16)
          destination.storeBytes(of: narrow, toByteOffset: index, as: UInt8.self)
        }
      }
      let pixel = rgba + 4 * i
      if format.isGray {
        let luma = 299 * UInt32(pixel[0]) + 587 * UInt32(pixel[1]) + 114 * UInt32(pixel[2])
        put(UInt16((luma + 500) / 1_000), 0)
        if format.hasAlpha { put(pixel[3], 1) }
      } else {
        put(pixel[format == .bgra8 ? 2 : 0], 0)
        put(pixel[1], 1)
        put(pixel[format == .bgra8 ? 0 : 2], 2)
        if format.hasAlpha { put(pixel[3], 3) }
      }
    }
  }
}

// MARK: - Float RGBA

extension RowConverter {
  private static func load(
    _ source: UnsafeRawPointer, _ format: PixelFormat, into rgba: UnsafeMutablePointer<Float>, count: Int
  ) {
    switch format {
    case .rgbaFloat32: load(SampleFloat32.self, source, format, into: rgba, count: count)
    case .rgbaFloat16: load(SampleFloat16.self, source, format, into: rgba, count: count)
    case .gray16, .grayAlpha16, .rgb16, .rgba16: load(Sample16.self, source, format, into: rgba, count: count)
    default: load(Sample8.self, source, format, into: rgba, count: count)
    }
  }

  @inline(__always)
  private static func load<Sample: PixelSample>(
    _: Sample.Type, _ source: UnsafeRawPointer, _ format: PixelFormat, into rgba: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    let channels = format.channelCount
    for i in 0..<count {
      func sample(_ channel: Int) -> Float { Sample.read(source, i * channels + channel) / Sample.maximum }
      let pixel = rgba + 4 * i
      if format.isGray {
        pixel[0] = sample(0)
        pixel[1] = pixel[0]
        pixel[2] = pixel[0]
        pixel[3] = format.hasAlpha ? sample(1) : 1
      } else {
        pixel[0] = sample(format == .bgra8 ? 2 : 0)
        pixel[1] = sample(1)
        pixel[2] = sample(format == .bgra8 ? 0 : 2)
        pixel[3] = format.hasAlpha ? sample(3) : 1
      }
    }
  }

  private static func store(
    _ rgba: UnsafeMutablePointer<Float>, _ destination: UnsafeMutableRawPointer, format: PixelFormat, count: Int
  ) {
    switch format {
    case .rgbaFloat32: store(SampleFloat32.self, rgba, destination, format: format, count: count)
    case .rgbaFloat16: store(SampleFloat16.self, rgba, destination, format: format, count: count)
    case .gray16, .grayAlpha16, .rgb16, .rgba16: store(Sample16.self, rgba, destination, format: format, count: count)
    default: store(Sample8.self, rgba, destination, format: format, count: count)
    }
  }

  @inline(__always)
  private static func store<Sample: PixelSample>(
    _: Sample.Type, _ rgba: UnsafeMutablePointer<Float>, _ destination: UnsafeMutableRawPointer, format: PixelFormat,
    count: Int
  ) {
    let channels = format.channelCount
    for i in 0..<count {
      func put(_ value: Float, _ channel: Int) {
        Sample.write(value * Sample.maximum, destination, i * channels + channel)
      }
      let pixel = rgba + 4 * i
      if format.isGray {
        put(0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2], 0)
        if format.hasAlpha { put(pixel[3], 1) }
      } else {
        put(pixel[format == .bgra8 ? 2 : 0], 0)
        put(pixel[1], 1)
        put(pixel[format == .bgra8 ? 0 : 2], 2)
        if format.hasAlpha { put(pixel[3], 3) }
      }
    }
  }
}
