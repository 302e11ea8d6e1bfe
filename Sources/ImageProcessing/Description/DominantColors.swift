// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// The colors that make up most of a picture.
public struct DominantColor: Sendable, Hashable {
  /// The mean of the pixels that count for it, opaque.
  public let color: PixelColor
  /// Their share of the picture's opaque pixels, above 0 to 1.
  public let share: Double

  /// The main colors of an upright picture, those of the largest share first.
  ///
  /// The picture is reduced to at most 128×128 pixels; pixels that are more than half transparent do not count. Boxes of
  /// colors are cut where that lowers their variance most, and their means settled by Lloyd's algorithm. The same picture
  /// always gives the same colors.
  ///
  /// - Parameter count: At most as many, 1 to 64. A picture of fewer colors gives fewer; a transparent one gives none.
  /// - Throws: ``CoderError/Code/invalidArgument``; ``CoderError/Code/outOfMemory``.
  public static func colors(of pixels: PixelBuffer, count: Int) throws(CoderError) -> [DominantColor] {
    guard (1...64).contains(count) else {
      throw .invalidArgument("\(count) colors of a picture; 1 to 64 are allowed")
    }
    let bytes = try pixels.reduced(to: 128).copyBytes()
    var points: [SIMD4<Float>] = []
    for i in stride(from: 0, to: bytes.count, by: 4) where bytes[i + 3] >= 128 {
      points.append(SIMD4(Float(bytes[i]), Float(bytes[i + 1]), Float(bytes[i + 2]), 1))
    }
    guard !points.isEmpty else { return [] }
    var boxes = [ColorBox(points)]
    while boxes.count < count {
      guard let index = boxes.indices.max(by: { boxes[$0].spread < boxes[$1].spread }), boxes[index].spread > 0.5,
        let halves = boxes[index].halves
      else { break }
      boxes[index] = halves.0
      boxes.append(halves.1)
    }
    let settled = settle(boxes.map(\.mean), points)
    let total = Float(points.count)
    return settled.map { mean, weight in
      func sample(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
      return DominantColor(
        color: PixelColor(red: sample(mean.x), green: sample(mean.y), blue: sample(mean.z)),
        share: Double(weight / total))
    }
  }

  /// Means to which each point is counted, the nearest, and how many points each has.
  private static func settle(_ start: [SIMD4<Float>], _ points: [SIMD4<Float>]) -> [(SIMD4<Float>, Float)] {
    var means = start
    var sums: [SIMD4<Float>] = []
    for _ in 0..<8 {
      sums = Array(repeating: .zero, count: means.count)
      for point in points {
        var (best, least) = (0, Float.infinity)
        for index in means.indices {
          let difference = point - means[index]
          let distance = (difference * difference).sum()
          if distance < least { (best, least) = (index, distance) }
        }
        sums[best] += point
      }
      sums.removeAll { $0.w == 0 }
      means = sums.map { $0 / $0.w }
    }
    let order = sums.indices.sorted { sums[$0].w == sums[$1].w ? $0 < $1 : sums[$0].w > sums[$1].w }
    return order.map { (means[$0], sums[$0].w) }
  }
}

/// Colors that are not apart yet.
private struct ColorBox {
  let points: [SIMD4<Float>]
  let mean: SIMD4<Float>
  /// The sum of squared distances from the mean, in each channel.
  let variance: SIMD4<Float>

  init(_ points: [SIMD4<Float>]) {
    self.points = points
    let mean = points.reduce(.zero, +) / Float(points.count)
    self.mean = mean
    variance = points.reduce(.zero) { $0 + ($1 - mean) * ($1 - mean) }
  }

  var spread: Float { variance.sum() }

  /// The points below and above the mean in the channel of the largest variance.
  var halves: (ColorBox, ColorBox)? {
    let channel = (0..<3).max { variance[$0] < variance[$1] } ?? 0
    let low = points.filter { $0[channel] <= mean[channel] }
    let high = points.filter { $0[channel] > mean[channel] }
    return low.isEmpty || high.isEmpty ? nil : (ColorBox(low), ColorBox(high))
  }
}
