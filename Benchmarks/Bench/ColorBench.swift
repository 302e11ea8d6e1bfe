// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders

/// Conversion of colors alone: rows in memory, from Display P3 to sRGB.
struct ColorBench {
  private let source: PixelBuffer

  /// Makes 4 megapixels of noise, the worst case for tables.
  init(bits: Int) throws(CoderError) {
    let size = Size(width: 2048, height: 2048)
    source = try PixelBuffer(size: size, format: bits == 8 ? .rgb8 : .rgba16, alpha: .opaque)
    var noise: UInt32 = 1
    for y in 0..<size.height {
      source.withMutableRow(y) { row in
        for index in row.indices {
          noise = noise &* 1_664_525 &+ 1_013_904_223
          row[index] = UInt8(truncatingIfNeeded: noise >> 24)
        }
      }
    }
  }

  /// Pixels in a microsecond, the best of the repetitions, into memory that is there, as Little CMS is called; the tables are
  /// made once, outside of them.
  func report(repetitions: Int) throws(CoderError) -> String {
    guard let color = try ColorTransform(from: .displayP3, to: .sRGB, toneMapping: .clip) else {
      throw .libraryFailure("nothing to convert")
    }
    let pool = PixelPool()
    var hash = Hash()
    var least = Double.infinity
    for index in 0...repetitions {
      let start = Time.milliseconds()
      let result = try source.converted(to: source.layout, color: color, pool: pool)
      // The first makes the tables and gets the memory.
      if index > 0 { least = min(least, Time.milliseconds() - start) } else { hash.add(result) }
    }
    return "min_ms \(Time.text(least)) megapixels_per_s \(Time.text(4.194304 / least * 1000)) hash \(hash.text)"
  }
}
