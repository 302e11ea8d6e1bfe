// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// How neighbors are weighed.
enum ResamplingFilter: Sendable {
  /// Lanczos with three lobes: sharp, with faint halos along edges.
  case lanczos
  /// Hermite's cubic, which has no lobes: softer, without halos.
  case hermite

  /// How far it reaches, in pixels of the result.
  var support: Double { self == .lanczos ? 3 : 1 }
}

/// What each pixel of a result takes from the cells of one axis: the weights of a filter.
///
/// A cell is `factor` source pixels that have been averaged, cell 0 starting at source pixel 0; the last cell may have
/// fewer. The kernel is stretched by the reduction, so that nothing aliases, and cut off where the picture ends.
struct FilterTable {
  /// Source pixels of a cell.
  let factor: Int
  /// Cells that any result pixel takes something from.
  let cells: Range<Int>
  /// The first cell of each result pixel, counted from `cells.lowerBound`.
  let starts: [Int]
  /// Cells that each result pixel takes something from: at least 1.
  let counts: [Int]
  /// `stride` weights for each result pixel, zero after its count; they sum to 1. Each is there `repeats` times.
  let weights: [Float]
  /// A multiple of 8.
  let stride: Int
  /// Whether each result pixel is one source pixel.
  let isCopy: Bool

  /// The largest of `counts`.
  let maximumCount: Int

  /// Cells after the last that weights of 0 may meet.
  var padding: Int { maximumCount + 8 }

  /// - Throws: ``CoderError/Code/outOfMemory``.
  /// - Parameters:
  ///   - length: Source pixels on the axis.
  ///   - offset: Where the region starts, in source pixels.
  ///   - extent: Of the region, in source pixels.
  ///   - count: Result pixels.
  ///   - factor: Source pixels to a cell; 1 unless the reduction is large.
  ///   - repeats: How often each weight is there.
  ///   - filter: How neighbors are weighed.
  init(
    length: Int, offset: Double, extent: Double, count: Int, factor: Int, repeats: Int,
    filter: ResamplingFilter = .lanczos
  ) throws(CoderError) {
    let scale = extent / Double(count)
    self.factor = factor
    if scale == 1, factor == 1, offset == offset.rounded(.down) {
      let first = Int(offset)
      self.cells = first..<(first + count)
      try ArrayMemory.check(bytes: 8 * repeats * count * MemoryLayout<Float>.stride, for: "weights")
      self.starts = Array(0..<count)
      self.counts = Array(repeating: 1, count: count)
      self.weights = (0..<(8 * repeats * count)).map { $0 % (8 * repeats) < repeats ? 1 : 0 }
      self.stride = 8
      self.isCopy = true
      self.maximumCount = 1
      return
    }
    let total = (length + factor - 1) / factor
    let kernel = Kernel(scale: scale, factor: factor, length: length, filter: filter)
    var ranges: [Range<Int>] = []
    try ArrayMemory.check(bytes: count * MemoryLayout<Range<Int>>.stride, for: "weights")
    ranges.reserveCapacity(count)
    for i in 0..<count { ranges.append(kernel.cells(around: offset + (Double(i) + 0.5) * scale, total: total)) }
    let first = ranges[0].lowerBound
    let end = ranges[count - 1].upperBound
    let maximum = ranges.reduce(1) { max($0, $1.count) }
    let stride = (maximum + 7) & ~7
    self.cells = first..<end
    self.starts = ranges.map { $0.lowerBound - first }
    self.counts = ranges.map(\.count)
    self.stride = stride
    self.isCopy = false
    self.maximumCount = maximum
    try ArrayMemory.check(bytes: stride * repeats * count * MemoryLayout<Float>.stride, for: "weights")
    self.weights = [Float](unsafeUninitializedCapacity: stride * repeats * count) { buffer, initialized in
      buffer.initialize(repeating: 0)
      withUnsafeTemporaryAllocation(of: Double.self, capacity: maximum + 2) { scratch in
        for i in 0..<count {
          let center = offset + (Double(i) + 0.5) * scale
          kernel.weigh(ranges[i], around: center, scratch: scratch)
          for k in 0..<ranges[i].count {
            let weight = Float(scratch[k + 1])
            for r in 0..<repeats { buffer[(i * stride + k) * repeats + r] = weight }
          }
        }
      }
      initialized = stride * repeats * count
    }
  }

  /// Source pixels that the cells cover.
  func sourceRange(length: Int) -> Range<Int> {
    (cells.lowerBound * factor)..<min(cells.upperBound * factor, length)
  }
}

/// The kernel of one axis, sampled at cells.
private struct Kernel {
  /// Source pixels to one unit of the kernel: at least 1.
  let unit: Double
  let factor: Int
  let length: Int
  let filter: ResamplingFilter

  init(scale: Double, factor: Int, length: Int, filter: ResamplingFilter) {
    self.filter = filter
    self.unit = max(scale, 1)
    self.factor = factor
    self.length = length
  }

  /// The cells whose centres lie under the kernel: never empty, inside the picture.
  func cells(around center: Double, total: Int) -> Range<Int> {
    let middle = center / Double(factor)
    let support = filter.support * unit / Double(factor)
    let lower = min(max(Int(middle - support + 0.5), 0), total - 1)
    let upper = min(Int(middle + support + 0.5), total)
    return lower..<max(upper, lower + 1)
  }

  /// Writes the weights of the cells to `scratch`, from index 1 on; they sum to 1.
  func weigh(_ cells: Range<Int>, around center: Double, scratch: UnsafeMutableBufferPointer<Double>) {
    let step = Double(factor) / unit
    let start = (Double(factor) * (Double(cells.lowerBound) - 0.5) - center) / unit
    // sin(πx/3) by rotation: one multiplication in place of a call for each weight.
    let turn = (sine: sin(.pi * step / 3), cosine: cos(.pi * step / 3))
    var sine = sin(.pi * start / 3)
    var cosine = cos(.pi * start / 3)
    for k in 0..<(cells.count + 2) {
      scratch[k] = value(at: start + Double(k) * step, sine: sine)
      (sine, cosine) = (sine * turn.cosine + cosine * turn.sine, cosine * turn.cosine - sine * turn.sine)
    }
    sharpen(scratch, count: cells.count)
    let last = length / factor
    if length % factor != 0, cells.upperBound == last + 1 {
      // The last cell has fewer pixels: less weight, and a center of its own.
      let x = (Double(last * factor + length) / 2 - center) / unit
      let share = Double(length % factor) / Double(factor)
      scratch[cells.count] = share * value(at: x, sine: sin(.pi * x / 3))
    }
    var sum = 0.0
    for k in 1...cells.count { sum += scratch[k] }
    // A kernel that ends between two cells leaves the nearest one.
    if sum == 0 { (scratch[1], sum) = (1, 1) }
    for k in 1...cells.count { scratch[k] /= sum }
  }

  /// Makes up for what averaging over a cell has blurred, to the second order.
  ///
  /// A mean of n pixels has a variance of (n² - 1) / 12, (1 - 1/n²) / 12 in cells; taking half of that times the
  /// second difference away from the kernel keeps the sum's variance what it was.
  private func sharpen(_ scratch: UnsafeMutableBufferPointer<Double>, count: Int) {
    guard factor > 1, filter == .lanczos else { return }
    let share = (1 - 1 / Double(factor * factor)) / 24
    var before = scratch[0]
    for k in 1...count {
      let value = scratch[k]
      scratch[k] = value - share * (before - 2 * value + scratch[k + 1])
      before = value
    }
  }

  /// sinc(x) sinc(x/3), with sin(πx) from the sine of a third of its angle.
  private func value(at x: Double, sine: Double) -> Double {
    guard abs(x) < filter.support else { return 0 }
    if filter == .hermite { return (2 * abs(x) - 3) * x * x + 1 }
    guard abs(x) > 1e-6 else { return 1 }
    let square = sine * sine
    return square * (9 - 12 * square) / (.pi * .pi * x * x)
  }
}
