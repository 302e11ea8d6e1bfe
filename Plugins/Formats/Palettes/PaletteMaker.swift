// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Makes a palette of few colors for a picture of many.
///
/// Boxes of colors are split where the variance within the halves gets least, the box with the largest error first;
/// then every palette color moves to the mean of the colors that are nearest to it, a few times over. Nothing is
/// random: the same pixels give the same palette.
public struct PaletteMaker {
  /// A range of bins, which are reordered as boxes are split.
  private struct Box {
    var range: Range<Int>
    var mean: SIMD4<Float>
    /// Sum of squared distances from the mean, per channel.
    var error: SIMD4<Float>
  }

  private static let refinements = 4

  private var bins: [ColorHistogram.Bin]
  private var boxes: [Box] = []

  /// A palette for the bins of a histogram.
  ///
  /// - Parameter limit: Colors at most, at least 1.
  /// - Returns: Colors as pixels: red in the low byte, then green and blue, and 255.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func palette(of bins: [ColorHistogram.Bin], limit: Int) throws(CoderError) -> [UInt32] {
    var maker = try PaletteMaker(bins: bins)
    guard !maker.bins.isEmpty else { return [0xFF00_0000] }
    maker.split(limit: max(1, limit))
    return try maker.refined(maker.boxes.map { pixel($0.mean) })
  }

  private init(bins: [ColorHistogram.Bin]) throws(CoderError) {
    self.bins = []
    // A copy, since the order changes.
    try ArrayMemory.grow(&self.bins, by: bins.count, for: "colors")
    self.bins.append(contentsOf: bins)
  }

  private mutating func split(limit: Int) {
    boxes = [box(0..<bins.count)]
    while boxes.count < limit {
      // A box of one bin has no error.
      guard let worst = boxes.indices.max(by: { boxes[$0].error.sum() < boxes[$1].error.sum() }),
        boxes[worst].error.sum() > 0, let middle = partition(boxes[worst])
      else { return }
      let range = boxes[worst].range
      boxes[worst] = box(range.lowerBound..<middle)
      boxes.append(box(middle..<range.upperBound))
    }
  }

  private func box(_ range: Range<Int>) -> Box {
    guard range.count > 1 else { return Box(range: range, mean: bins[range.lowerBound].color, error: .zero) }
    // Sums of squares of many pixels need more digits than a float has.
    var sum = SIMD4<Double>.zero
    var squares = SIMD4<Double>.zero
    var weight = 0.0
    for bin in bins[range] {
      let color = SIMD4<Double>(bin.color)
      sum += color * Double(bin.weight)
      squares += color * color * Double(bin.weight)
      weight += Double(bin.weight)
    }
    let error = squares - sum * sum / weight
    return Box(
      range: range, mean: SIMD4<Float>(sum / weight),
      error: SIMD4<Float>(error.clamped(lowerBound: .zero, upperBound: .init(repeating: .infinity))))
  }

  /// Orders a box's bins into two halves along its widest channel.
  ///
  /// - Returns: Where the second half starts, or nil when the bins cannot be told apart.
  private mutating func partition(_ box: Box) -> Int? {
    let channel =
      box.error[0] >= box.error[1] && box.error[0] >= box.error[2] ? 0 : box.error[1] >= box.error[2] ? 1 : 2
    var weights = [Double](repeating: 0, count: 256)
    var sums = [Double](repeating: 0, count: 256)
    for bin in bins[box.range] {
      let level = min(255, max(0, Int(bin.color[channel])))
      weights[level] += Double(bin.weight)
      sums[level] += Double(bin.weight * bin.color[channel])
    }
    let (weight, sum) = (weights.reduce(0, +), sums.reduce(0, +))
    var (below, sumBelow, best, threshold) = (0.0, 0.0, -1.0, 0)
    for level in 0..<255 {
      below += weights[level]
      sumBelow += sums[level]
      let above = weight - below
      guard below > 0 else { continue }
      guard above > 0 else { break }
      // The variance between the halves; what is within them is the rest.
      let between = sumBelow * sumBelow / below + (sum - sumBelow) * (sum - sumBelow) / above
      if between > best { (best, threshold) = (between, level) }
    }
    // In place: a slice of the array would be a copy.
    let middle =
      box.range.lowerBound
      + bins.withUnsafeMutableBufferPointer { bins in
        var part = UnsafeMutableBufferPointer(rebasing: bins[box.range])
        return part.partition { Int($0.color[channel]) > threshold }
      }
    return middle > box.range.lowerBound && middle < box.range.upperBound ? middle : nil
  }

  /// Moves each color to the mean of the bins that it is nearest to.
  private func refined(_ colors: [UInt32]) throws(CoderError) -> [UInt32] {
    var colors = colors
    for _ in 0..<Self.refinements {
      let search = try PaletteSearch(colors)
      var sums = [SIMD4<Float>](repeating: .zero, count: colors.count)
      for bin in bins {
        let nearest = search.nearest(red: bin.color.x, green: bin.color.y, blue: bin.color.z)
        var part = bin.color * bin.weight
        part.w = bin.weight
        sums[nearest] += part
      }
      let moved = colors.indices.map { sums[$0].w > 0 ? Self.pixel(sums[$0] / sums[$0].w) : colors[$0] }
      guard moved != colors else { break }
      colors = moved
    }
    return colors
  }

  private static func pixel(_ color: SIMD4<Float>) -> UInt32 {
    let rounded = color.clamped(lowerBound: .zero, upperBound: .init(repeating: 255)).rounded(.toNearestOrAwayFromZero)
    return UInt32(rounded.x) | UInt32(rounded.y) << 8 | UInt32(rounded.z) << 16 | 0xFF00_0000
  }
}
