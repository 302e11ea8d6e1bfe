// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport

/// The plugins that the project builds.
enum Staged {
  static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())
}

/// Pictures to write.
enum Pictures {
  static let size = Size(width: 40, height: 32)

  /// Decodes to RGBA of 8 bits.
  static var rgba: DecodeOptions {
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    return options
  }

  /// Samples that nothing predicts, alpha among them.
  static func noise(_ format: PixelFormat, seed: UInt64, size: Size = size) throws(CoderError) -> PixelBuffer {
    var random = SplitMix(seed: seed)
    let buffer = try PixelBuffer(size: size, format: format, alpha: .straight)
    for y in 0..<size.height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for index in 0..<buffer.rowBytes { row[index] = UInt8(random.below(256)) }
    }
    return buffer
  }

  /// A picture like a photograph: slopes, an edge and some noise.
  static func photo(_ size: Size, seed: UInt64 = 1) throws(CoderError) -> PixelBuffer {
    var random = SplitMix(seed: seed)
    let buffer = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        for channel in 0..<3 {
          let slope = (x * (channel + 1) + y * (3 - channel)) / 3 % 200
          row[3 * x + channel] = UInt8(slope + (x > size.width / 2 ? 30 : 0) + random.below(12))
        }
      }
    }
    return buffer
  }

  /// Opaque, of few colors.
  static func flat(_ step: Int) throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .rgba8, alpha: .straight)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isMarked = (x + step) / 8 % 3 == y / 8 % 3
        buffer.set(x, y, isMarked ? 0xFF20_60A0 : 0xFF00_0000 | UInt32(x / 10) * 0x40)
      }
    }
    return buffer
  }

  /// A step of an animation: a box walks over a ground with a hole, and leaves the hole open every third step.
  static func walk(_ step: Int) throws(CoderError) -> PixelBuffer {
    let buffer = try flat(0)
    for y in 12..<20 {
      for x in (3 * step)..<(3 * step + 9) { buffer.set(x, y, 0xFF00_FF00 | UInt32(step)) }
    }
    if step % 3 == 0 {
      for y in 2..<6 { for x in 20..<30 { buffer.set(x, y, 0) } }
    }
    return buffer
  }
}

extension PixelBuffer {
  /// Sets a pixel of an RGBA buffer: alpha is the highest byte, red the lowest.
  func set(_ x: Int, _ y: Int, _ pixel: UInt32) {
    (row(y) + 4 * x).storeBytes(of: pixel.littleEndian, as: UInt32.self)
  }

  /// All rows' bytes.
  var samples: [UInt8] { (0..<size.height).flatMap { y in withRow(y) { [UInt8]($0) } } }

  /// The peak signal-to-noise ratio against a buffer of the same size and 8-bit format, decibels.
  func peakSignalToNoise(_ other: PixelBuffer) -> Double {
    let errors = zip(samples, other.samples).map { (Double($0) - Double($1)) * (Double($0) - Double($1)) }
    let sum = errors.reduce(0, +)
    return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(errors.count) / sum)
  }
}

/// Payloads that formats keep.
enum Payloads {
  /// An ICC profile for RGB: primaries of sRGB and a gamma of 2.2 (ICC.1:2001-04, version 2 with matrices and curves).
  static let profile: [UInt8] = {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
      Array("XYZ ".utf8) + number(0) + [x, y, z].flatMap { number(Int(($0 * 65_536).rounded())) }
    }
    let name = Array("gamma 2.2".utf8) + [0]
    let description =
      Array("desc".utf8) + number(0) + number(name.count) + name + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
    // One entry: an exponent with eight bits behind the point.
    let curve = Array("curv".utf8) + number(0) + number(1) + [2, 51]
    let tags: [(String, [UInt8])] = [
      ("desc", description), ("cprt", Array("text".utf8) + number(0) + Array("none".utf8) + [0]),
      ("wtpt", xyz(0.9642, 1, 0.8249)), ("rXYZ", xyz(0.4360, 0.2225, 0.0139)), ("gXYZ", xyz(0.3851, 0.7169, 0.0971)),
      ("bXYZ", xyz(0.1431, 0.0606, 0.7141)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    var (table, data) = (number(tags.count), [UInt8]())
    for (tag, value) in tags {
      table += Array(tag.utf8) + number(128 + 4 + 12 * tags.count + data.count) + number(value.count)
      data += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }
    var head = [UInt8](repeating: 0, count: 128)
    head.replaceSubrange(0..<4, with: number(128 + table.count + data.count))
    head.replaceSubrange(8..<12, with: [2, 0x40, 0, 0])
    head.replaceSubrange(12..<24, with: Array("mntrRGB XYZ ".utf8))
    head.replaceSubrange(24..<36, with: [7, 234, 0, 11, 0, 21, 0, 0, 0, 0, 0, 0])
    head.replaceSubrange(36..<40, with: Array("acsp".utf8))
    head.replaceSubrange(68..<80, with: [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D])
    return head + table + data
  }()

  /// Exif with a maker and, in its own directory, a sensitivity of 200 (Exif 2.32 §4.6).
  static let exif: [UInt8] =
    Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 3]
    + [0x01, 0x0F, 0, 2, 0, 0, 0, 7, 0, 0, 0, 68]  // Make, seven letters at 68
    + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0]  // Orientation
    + [0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 50]  // Exif directory at 50
    + [0, 0, 0, 0, 0, 1, 0x88, 0x27, 0, 3, 0, 0, 0, 1, 0, 200, 0, 0, 0, 0, 0, 0]
    + Array("Coders".utf8) + [0, 0]

  static let packet = Array(
    "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/><?xpacket end=\"w\"?>"
      .utf8
  )
}

extension [UInt8] {
  /// Whether bytes occur one after the other.
  func has(_ bytes: [UInt8]) -> Bool {
    indices.dropLast(bytes.count - 1).contains { Array(self[$0..<($0 + bytes.count)]) == bytes }
  }
}
