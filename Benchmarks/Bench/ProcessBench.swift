// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import ImageProcessing

/// Operations on pictures alone: noise in memory, changed again and again.
struct ProcessBench {
  private let source: PixelBuffer
  private let pipeline: ImagePipeline

  /// Makes noise of so many megapixels, 3 across to 2 down.
  init(_ operations: String, megapixels: Int) throws(CoderError) {
    pipeline = try ImagePipeline(parsing: operations)
    let unit = Int((Double(megapixels) * 1e6 / 6).squareRoot())
    source = try PixelBuffer(size: Size(width: 3 * unit, height: 2 * unit), format: .rgb8, alpha: .opaque)
    var noise: UInt32 = 1
    for y in 0..<source.size.height {
      source.withMutableRow(y) { row in
        for index in row.indices {
          noise = noise &* 1_664_525 &+ 1_013_904_223
          row[index] = UInt8(truncatingIfNeeded: noise >> 24)
        }
      }
    }
  }

  /// The least milliseconds of the repetitions.
  func report(repetitions: Int) throws(CoderError) -> String {
    var hash = Hash()
    var least = Double.infinity
    for index in 0..<repetitions {
      let start = Time.milliseconds()
      let result = try pipeline.applied(to: source)
      least = min(least, Time.milliseconds() - start)
      if index == 0 { hash.add(result) }
    }
    return "min_ms \(Time.text(least)) med_ms \(Time.text(least)) hash \(hash.text)"
  }
}
