// SPDX-License-Identifier: Apache-2.0

/// Finds the quality at which a file has a score: straight lines between what has been tried.
struct LookSearch {
  /// A score this near is the one that is asked for.
  static let tolerance = 0.5
  /// Qualities nearer to each other than this are not told apart.
  private static let resolution = 0.004

  let target: Double
  private let start: Double
  /// Points of score for the whole range of quality, at the start.
  private let slope: Double
  /// What has been tried, in the order of quality.
  private(set) var tried: [(quality: Double, score: Double)] = []

  /// Scores of formats at qualities are far from each other; this is between them.
  private static let usual: [(quality: Double, score: Double)] = [
    (0, 0), (0.3, 50), (0.5, 62), (0.65, 70), (0.85, 80), (0.95, 88), (1, 95),
  ]

  /// - Parameters:
  ///   - start: The quality to try first, or nil for a guess.
  ///   - slope: How much the score grows there for a quality that grows by 1.
  init(_ target: Double, start: Double? = nil, slope: Double? = nil) {
    self.target = target
    let index = Self.usual.dropFirst().firstIndex { $0.score >= target } ?? Self.usual.count - 1
    let (low, high) = (Self.usual[index - 1], Self.usual[index])
    let usualSlope = (high.score - low.score) / (high.quality - low.quality)
    self.start = min(max(start ?? low.quality + (target - low.score) / usualSlope, 0), 1)
    self.slope = max(slope ?? usualSlope, 10)
  }

  /// Takes what came of a quality.
  mutating func add(quality: Double, score: Double) {
    tried.append((quality, score))
    tried.sort { $0.quality < $1.quality }
  }

  /// The quality to try next, or nil if no other is nearer.
  var next: Double? {
    guard !tried.isEmpty else { return start }
    guard !tried.contains(where: { abs($0.score - target) <= Self.tolerance }) else { return nil }
    let below = tried.last { $0.score < target }
    let above = tried.first { $0.score >= target }
    switch (below, above) {
    case (let low?, let high?):
      let width = high.quality - low.quality
      guard width > Self.resolution else { return nil }
      let share = (target - low.score) / (high.score - low.score)
      return low.quality + width * min(max(share, 0.1), 0.9)
    case (let low?, nil):
      return low.quality < 1 ? min(1, low.quality + max((target - low.score) / slope(at: low), 0.02)) : nil
    case (nil, let high?):
      return high.quality > 0 ? max(0, high.quality - max((high.score - target) / slope(at: high), 0.02)) : nil
    case (nil, nil): return nil
    }
  }

  /// Where the score is the target by what has been tried, and how it grows there.
  var estimate: (quality: Double, slope: Double)? {
    guard let near = tried.min(by: { abs($0.score - target) < abs($1.score - target) }) else { return nil }
    let slope = slope(at: near)
    return (min(max(near.quality + (target - near.score) / slope, 0), 1), slope)
  }

  /// By the nearest other point, if there is one that says something.
  private func slope(at point: (quality: Double, score: Double)) -> Double {
    let others = tried.filter { abs($0.quality - point.quality) > Self.resolution }
    guard let other = others.min(by: { abs($0.quality - point.quality) < abs($1.quality - point.quality) }) else {
      return slope
    }
    return max((other.score - point.score) / (other.quality - point.quality), 10)
  }
}
