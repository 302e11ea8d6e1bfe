// SPDX-License-Identifier: Apache-2.0

/// Finds the quality at which a file has a score: straight lines between what has been tried, beside the usual scores of
/// these qualities.
package struct LookSearch {
  /// A score this near is the one that is asked for.
  package static let tolerance = 0.5
  /// Qualities nearer to each other than this are not told apart.
  private static let resolution = 0.004
  /// How much a score grows where the usual one grows by 1.
  private static let slopes = 0.4...2.5
  /// Files after which one that is so many points better than asked will do.
  private static let enough = (files: 5, points: 2.0)
  /// Two qualities whose usual scores are this near, and whose scores grow so many times as much, are the sides of a jump:
  /// the encoder goes about the picture in another way, and no quality between them has a score between theirs.
  private static let jump = (near: 1.0, growth: 4.0)
  /// A step that would miss by this share of itself is not tried to see that it does.
  private static let doubt = 0.3

  package let target: Double
  private let curve: LookCurve
  private let tolerance: Double
  private let start: Double
  private let slope: Double
  /// What has been tried, in the order of quality.
  package private(set) var tried: [Trial] = []

  package struct Trial {
    package let quality: Double
    /// The score that is usual at this quality.
    package let usual: Double
    package let score: Double
  }

  /// - Parameters:
  ///   - tolerance: How near a score has to be.
  ///   - start: The usual score of the quality to try first, or nil for the target.
  ///   - slope: How much the score grows where the usual one grows by 1.
  package init(
    _ target: Double, along curve: LookCurve, tolerance: Double = Self.tolerance, start: Double? = nil,
    slope: Double = 1
  ) {
    self.target = target
    self.curve = curve
    self.tolerance = tolerance
    self.start = start ?? target
    self.slope = slope
  }

  /// Takes what came of a quality.
  package mutating func add(quality: Double, score: Double) {
    tried.append(Trial(quality: quality, usual: curve.score(at: quality), score: score))
    tried.sort { $0.quality < $1.quality }
  }

  /// The quality to try next, or nil if no other is nearer.
  package var next: Double? {
    guard !tried.isEmpty else { return curve.quality(at: start) }
    guard !tried.contains(where: { abs($0.score - target) <= tolerance }) else { return nil }
    let below = tried.last { $0.score < target }
    let above = tried.first { $0.score >= target }
    if let above, tried.count >= Self.enough.files, above.score <= target + Self.enough.points { return nil }
    switch (below, above) {
    case (let low?, let high?): return between(low, high)
    case (let low?, nil): return low.quality < 1 ? max(beyond(low), curve.taken(low.quality + step)).clamped : nil
    case (nil, let high?):
      guard high.quality > 0, !isLowest(high) else { return nil }
      return min(beyond(high), curve.taken(high.quality - step)).clamped
    case (nil, nil): return nil
    }
  }

  /// The usual score at which this picture has the target by what has been tried, and how its scores grow there.
  package var estimate: (usual: Double, slope: Double)? {
    guard let near = tried.min(by: { abs($0.score - target) < abs($1.score - target) }) else { return nil }
    let slope = slope(at: near)
    return (near.usual + (target - near.score) / slope, slope)
  }

  /// Qualities that are at least this far apart may make different files.
  private var step: Double { curve.steps.map { 1 / $0 } ?? 0.01 }

  private func between(_ low: Trial, _ high: Trial) -> Double? {
    let share = min(max((target - low.score) / (high.score - low.score), 0.1), 0.9)
    let quality = curve.quality(at: low.usual + share * (high.usual - low.usual))
    guard let steps = curve.steps else {
      let (usual, found) = (high.usual - low.usual, high.score - low.score)
      guard usual >= Self.jump.near || found <= usual * Self.jump.growth else { return nil }
      return high.quality - low.quality > Self.resolution ? quality : nil
    }
    // Of whole steps one that has not been tried.
    let (first, last) = ((low.quality * steps).rounded() + 1, (high.quality * steps).rounded() - 1)
    return first <= last ? min(max((quality * steps).rounded(), first), last) / steps : nil
  }

  /// Whether the quality one step below would be too low, as far as the slope tells.
  private func isLowest(_ point: Trial) -> Bool {
    guard curve.steps != nil else { return false }
    let fall = slope(at: point) * (point.usual - curve.score(at: point.quality - step))
    return point.score - fall < target - tolerance - Self.doubt * fall
  }

  /// Where the target is by the slope at a point, when all points are on one side of it.
  private func beyond(_ point: Trial) -> Double {
    curve.quality(at: point.usual + (target - point.score) / slope(at: point))
  }

  /// By the nearest other point, if there is one that says something.
  private func slope(at point: Trial) -> Double {
    let others = tried.filter { abs($0.quality - point.quality) > Self.resolution }
    guard let other = others.min(by: { abs($0.usual - point.usual) < abs($1.usual - point.usual) }) else {
      return slope
    }
    let found = (other.score - point.score) / (other.usual - point.usual)
    return min(max(found, Self.slopes.lowerBound), Self.slopes.upperBound)
  }
}

extension Double {
  fileprivate var clamped: Double { min(max(self, 0), 1) }
}
