// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

/// Where the samples of a lower resolution lie, and filters that give pixels in their place.
///
/// A resolution that was halved has every second sample, the first one included (B.5): after r halvings, sample n lies on
/// pixel n · 2ʳ of the grid. A host takes the pixels of a reduced picture for squares of 2ʳ stored pixels (imgcoder/reader.h), whose
/// centers are up to half a pixel away from there.
struct SampleLattice {
  /// One axis.
  struct Axis {
    /// For each pixel the first sample that it is made of: `taps` of them, which may lie outside of the picture.
    let starts: [Int]
    /// `taps` for each pixel, whose sum is 1.
    let weights: [Float]

    /// - Parameters:
    ///   - samples: Those of the reduced picture, on the reduced grid.
    ///   - first: The first pixel of the whole picture, on the grid.
    ///   - scale: Stored pixels to one that is delivered.
    init(_ samples: Range<Int>, first: Int, scale: Double, reduction: Int) {
      let step = Double(1 << reduction)
      var starts: [Int] = []
      var weights: [Float] = []
      for index in 0..<samples.count {
        let center = Double(first) + (Double(index) + 0.5) * scale - 0.5
        let place = center / step - Double(samples.lowerBound)
        // As far outside as rows are continued.
        let start = min(max(Int(place.rounded(.down)) - (taps / 2 - 1), -taps), samples.count)
        let row = (0..<taps).map { Self.weight(Double(start + $0) - place) }
        let sum = row.reduce(0, +)
        starts.append(start)
        weights += row.map { Float($0 / sum) }
      }
      (self.starts, self.weights) = (starts, weights)
    }

    /// Lanczos' kernel with three lobes.
    private static func weight(_ x: Double) -> Double {
      guard abs(x) > 1e-9 else { return 1 }
      guard abs(x) < 3 else { return 0 }
      return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
    }
  }

  static let taps = 6

  let across: Axis
  let down: Axis

  init(_ picture: ReferenceGrid.Area, of whole: ReferenceGrid.Area, reduction: Int) {
    let step = 1 << reduction
    var scale = (across: Double(step), down: Double(step))
    // A picture that begins beside the lattice may have another size, which the host takes to cover it exactly.
    let expected = Size(
      width: whole.size.width.dividedRoundingUp(by: step), height: whole.size.height.dividedRoundingUp(by: step))
    if picture.size != expected {
      scale.across = Double(whole.size.width) / Double(picture.size.width)
      scale.down = Double(whole.size.height) / Double(picture.size.height)
    }
    across = Axis(picture.x0..<picture.x1, first: whole.x0, scale: scale.across, reduction: reduction)
    down = Axis(picture.y0..<picture.y1, first: whole.y0, scale: scale.down, reduction: reduction)
  }
}
