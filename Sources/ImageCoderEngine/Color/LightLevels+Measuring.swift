// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension LightLevels {
  /// The light of a picture in PQ (CTA-861.3 annex P): of its brightest pixel, and of its pixels on average, each by the
  /// largest of red, green and blue. What cannot be seen has none.
  ///
  /// - Parameter pixels: Of integers.
  static func measured(in pixels: PixelBuffer) throws(CoderError) -> LightLevels {
    let pixels = try pixels.alpha == .premultiplied ? pixels.converted(to: PixelLayout(.rgba16, .straight)) : pixels
    let format = pixels.format
    guard !format.isFloat else { return LightLevels() }
    let isDeep = format.bytesPerChannel == 2
    let maximum = isDeep ? 65_535 : 255
    var counts = [Int](repeating: 0, count: maximum + 1)
    let (channels, colors) = (format.channelCount, format.isGray ? 1 : 3)
    let hasAlpha = pixels.alpha != .opaque && format.hasAlpha
    counts.withUnsafeMutableBufferPointer { counts in
      for y in 0..<pixels.size.height {
        let row = UnsafeRawPointer(pixels.row(y))
        func sample(_ index: Int) -> Int {
          isDeep
            ? Int(row.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self))
            : Int(row.load(fromByteOffset: index, as: UInt8.self))
        }
        for x in 0..<pixels.size.width {
          let index = x &* channels
          if hasAlpha, sample(index &+ colors) == 0 { continue }
          var most = sample(index)
          if colors == 3 { most = max(most, sample(index &+ 1), sample(index &+ 2)) }
          counts[most] &+= 1
        }
      }
    }
    var light = LightLevels()
    guard let brightest = counts.lastIndex(where: { $0 > 0 }) else { return light }
    var sum = 0.0
    for (code, count) in counts.enumerated() where count > 0 {
      sum += Double(count) * ToneCurve.luminance(pq: Double(code) / Double(maximum))
    }
    light.contentPeak = nits(ToneCurve.luminance(pq: Double(brightest) / Double(maximum)))
    light.frameAveragePeak = nits(sum / Double(pixels.size.pixelCount))
    return light
  }
}
