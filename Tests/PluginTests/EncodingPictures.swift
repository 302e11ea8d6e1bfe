// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport

/// Pictures that tests of writers encode, and the registry that encodes them.
enum EncodingPictures {
  static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  /// A portable map of samples of some bits: every value there is, as gray or in another order for each color.
  static func map(bits: Int, isGray: Bool) -> [UInt8] {
    let count = 1 << bits
    let height = max(count, 4096) / 64
    var bytes = [UInt8]("\(isGray ? "P5" : "P6")\n64 \(height)\n\(count - 1)\n".utf8)
    for index in 0..<(64 * height) {
      let value = index % count
      for sample in isGray ? [value] : [value, (value * 7 + 3) % count, count - 1 - value] {
        bytes += [UInt8(sample >> 8), UInt8(sample & 255)]
      }
    }
    return bytes
  }

  /// Slopes and noise, opaque.
  static func photo(_ size: Size, gray: Bool = false) throws -> PixelBuffer {
    var random = SplitMix(seed: 11)
    let pixels = try PixelBuffer(size: size, format: gray ? .gray8 : .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<pixels.rowBytes { row[x] = UInt8((x / 3 + y) / 4 % 200 + random.below(40)) }
    }
    return pixels
  }

  /// A step of an animation: a box walks over a noisy ground, and every third step a part of the ground is transparent.
  static func walk(_ step: Int) throws -> PixelBuffer {
    var random = SplitMix(seed: 4)
    let pixels = try PixelBuffer(size: Size(width: 96, height: 64), format: .rgba8, alpha: .straight)
    for y in 0..<64 {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<96 {
        let isBox = (20..<30).contains(y) && (7 * step..<7 * step + 10).contains(x)
        let isHole = step % 3 == 1 && (40..<50).contains(y) && (50..<70).contains(x)
        for channel in 0..<3 {
          let ground = UInt8(60 + random.below(120))
          row[4 * x + channel] = isHole ? 0 : isBox ? UInt8(80 * channel) : ground
        }
        row[4 * x + 3] = isHole ? 0 : 255
      }
    }
    return pixels
  }

  static func rows(_ pixels: PixelBuffer) -> [[UInt8]] {
    (0..<pixels.size.height).map { y in pixels.withRow(y) { [UInt8]($0) } }
  }

  static var lossless: EncodeOptions {
    var options = EncodeOptions()
    options.isLossless = true
    return options
  }
}
