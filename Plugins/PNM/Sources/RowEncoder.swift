// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns rows of pixels into rows of a file.
struct RowEncoder {
  private let layout: PixelLayout
  private let size: Size
  private let kind: WrittenKind
  private let isPlain: Bool
  /// The largest sample of a file of 16-bit ones.
  private let maximum: Int

  /// - Parameter maximum: Samples of 16 bits are scaled to it.
  init(_ size: Size, _ layout: PixelLayout, kind: WrittenKind, isPlain: Bool, maximum: Int) {
    self.layout = layout
    self.size = size
    self.kind = kind
    self.isPlain = isPlain
    self.maximum = maximum
  }

  private var isDeep: Bool { layout.format.bytesPerChannel == 2 }

  /// Samples of a pixel in the file. Alpha of an opaque picture is left out.
  private var samples: Int {
    layout.alpha == .opaque ? (layout.format.isGray ? 1 : 3) : layout.format.channelCount
  }

  var header: String {
    let maximum = isDeep ? maximum : 255
    let sides = "\(size.width) \(size.height)"
    switch kind {
    case .bits: return "\(isPlain ? "P1" : "P4")\n\(sides)\n"
    case .gray: return "\(isPlain ? "P2" : "P5")\n\(sides)\n\(maximum)\n"
    case .color, .automatic: return "\(isPlain ? "P3" : "P6")\n\(sides)\n\(maximum)\n"
    case .float: return "PF\n\(sides)\n-1.0\n"
    case .arbitrary:
      let type = (layout.format.isGray ? "GRAYSCALE" : "RGB") + (layout.alpha == .opaque ? "" : "_ALPHA")
      return "P7\nWIDTH \(size.width)\nHEIGHT \(size.height)\nDEPTH \(samples)\nMAXVAL \(maximum)\n"
        + "TUPLTYPE \(type)\nENDHDR\n"
    }
  }

  /// Bytes that a row takes at most: five digits and a space for each sample, or four bytes.
  var memory: Int { size.width * samples * (isPlain ? 6 : 4) + 8 }

  /// - Returns: Bytes written.
  func encode(_ row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if kind == .bits { return encodeBits(row, to: target) }
    if kind == .float { return encodeFloats(row, to: target) }
    if isPlain { return encodeDigits(row, to: target) }
    let count = size.width * samples
    let channels = layout.format.channelCount
    guard isDeep else {
      // rgb8, rgba8, gray8 and gray-alpha8 are what the file has, unless alpha is left out.
      let bytes = row.assumingMemoryBound(to: UInt8.self)
      if channels == samples {
        target.update(from: bytes, count: count)
      } else {
        for x in 0..<size.width {
          for sample in 0..<samples { target[x * samples + sample] = bytes[x * channels + sample] }
        }
      }
      return count
    }
    let words = row.assumingMemoryBound(to: UInt16.self)
    let stored = UnsafeMutableRawPointer(target)
    for x in 0..<size.width {
      for sample in 0..<samples {
        let value = scaled(words[x * channels + sample])
        stored.storeBytes(of: value.bigEndian, toByteOffset: 2 * (x * samples + sample), as: UInt16.self)
      }
    }
    return 2 * count
  }

  private func sample(_ row: UnsafeRawPointer, _ x: Int, _ sample: Int) -> Int {
    let index = x * layout.format.channelCount + sample
    return isDeep
      ? Int(scaled(row.assumingMemoryBound(to: UInt16.self)[index]))
      : Int(row.assumingMemoryBound(to: UInt8.self)[index])
  }

  @inline(__always)
  private func scaled(_ sample: UInt16) -> UInt16 {
    maximum == 65_535 ? sample : UInt16(truncatingIfNeeded: (Int(sample) &* maximum &+ 32_767) / 65_535)
  }

  /// 1 is black: whatever is darker than the middle.
  private func encodeBits(_ row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let count = (size.width + 7) / 8
    if isPlain {
      // pbm(5): "No line should be longer than 70 characters."
      var next = target
      for x in 0..<size.width {
        next.pointee = sample(row, x, 0) < 128 ? 0x31 : 0x30
        next += 1
        if x % 70 == 69 || x == size.width - 1 {
          next.pointee = 0x0A
          next += 1
        }
      }
      return next - target
    }
    target.update(repeating: 0, count: count)
    for x in 0..<size.width where sample(row, x, 0) < 128 { target[x >> 3] |= 0x80 >> UInt8(x & 7) }
    return count
  }

  private func encodeFloats(_ row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let stored = UnsafeMutableRawPointer(target)
    for x in 0..<size.width {
      for channel in 0..<3 {
        let value =
          layout.format.isFloat
          ? row.assumingMemoryBound(to: Float.self)[4 * x + channel] : Float(sample(row, x, channel)) / 255
        stored.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: 4 * (3 * x + channel), as: UInt32.self)
      }
    }
    return 12 * size.width
  }

  /// One pixel a line, so that no line is longer than the 70 characters that pgm(5) asks for.
  private func encodeDigits(_ row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var count = 0
    for x in 0..<size.width {
      for channel in 0..<samples {
        var value = sample(row, x, channel)
        var length = 1
        var power = 10
        while value >= power {
          length += 1
          power *= 10
        }
        for place in stride(from: length - 1, through: 0, by: -1) {
          target[count + place] = UInt8(0x30 + value % 10)
          value /= 10
        }
        target[count + length] = channel == samples - 1 ? 0x0A : 0x20
        count += length + 1
      }
    }
    return count
  }
}
