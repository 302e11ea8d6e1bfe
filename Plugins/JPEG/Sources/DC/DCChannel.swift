// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Rows of one channel of a ``DCFile``, with a sample for each pixel.
final class DCChannel {
  /// Samples of the row that ``fill(_:)`` has made: at least as many as the picture has columns.
  let line: UnsafeMutablePointer<UInt8>
  private let plane: DCPlane
  private let step: Int
  /// Samples, as stored.
  private let size: Size
  private let across: LatticeKernel
  private let down: LatticeKernel
  /// Stored columns for one row of pixels, and as many as the kernel reaches on both sides.
  private let column: UnsafeMutablePointer<Float>
  private let memory: UnsafeMutableRawPointer
  private let host: CoderHost

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ index: Int, of file: DCFile, host: CoderHost) throws(CoderError) {
    let (frame, factors) = (file.frame, file.frame.channels[index])
    plane = file.planes[index]
    step = file.steps[index]
    size = DCFile.size(of: index, in: frame)
    across = LatticeKernel(factor: frame.units.widest / factors.horizontal)
    down = LatticeKernel(factor: frame.units.tallest / factors.vertical)
    self.host = host
    let floats = size.width + 2 * LatticeKernel.reach
    memory = try host.allocate(bytes: floats * 4 + size.width * across.factor, for: "rows of a channel")
    column = memory.bindMemory(to: Float.self, capacity: floats)
    line = (memory + floats * 4).bindMemory(to: UInt8.self, capacity: size.width * across.factor)
  }

  deinit { host.free(memory) }

  /// Makes the line of a row of pixels.
  func fill(_ y: Int) {
    guard across.factor > 1 || down.factor > 1 else { return copy(y) }
    gather(y)
    for place in 0..<across.factor { spread(place) }
  }

  /// T.81 A.3.3 of a block that has no other coefficient, in libjpeg's whole numbers.
  private func copy(_ y: Int) {
    let row = plane.row(y)
    for x in 0..<size.width {
      line[x] = UInt8(truncatingIfNeeded: min(max((Int(row[x]) &* step &+ 4) >> 3 &+ 128, 0), 255))
    }
  }

  /// Samples of the row by stored columns.
  private func gather(_ y: Int) {
    let weights = down.weights[y % down.factor]
    let inside = column + LatticeKernel.reach
    inside.initialize(repeating: 128.5, count: size.width)
    for (tap, weight) in weights.enumerated() where weight != 0 {
      let row = plane.row(min(max(y / down.factor + tap - LatticeKernel.reach, 0), size.height - 1))
      let scale = weight * Float(step) / 8
      for x in 0..<size.width { inside[x] += Float(row[x]) * scale }
    }
    for x in 0..<LatticeKernel.reach {
      column[x] = inside[0]
      inside[size.width + x] = inside[size.width - 1]
    }
  }

  /// Samples of the line at one place among those of a stored column.
  private func spread(_ place: Int) {
    let factor = across.factor
    across.weights[place].withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      for x in 0..<size.width {
        var sum: Float = 0
        for tap in 0..<LatticeKernel.taps { sum += column[x &+ tap] * weights[tap] }
        line[x &* factor &+ place] = UInt8(min(max(sum, 0), 255))
      }
    }
  }
}
