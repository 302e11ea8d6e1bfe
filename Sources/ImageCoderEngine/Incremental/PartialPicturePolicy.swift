// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// When and how to show the partial picture of an incremental decode.
///
///     var policy = PartialPicturePolicy()
///     policy.thresholds = [0, 0.35, 0.65]
///     …
///     if policy.shows(decoder.progress, at: clock.now - start) {
///       view.image = try decoder.picture(blur: policy.blur)
///     }
public struct PartialPicturePolicy: Sendable {
  /// Pictures with a lower ``IncrementalProgress/quality`` are not shown.
  public var minimumQuality = 0.0
  /// Qualities at which a new picture is shown, in ascending order. If empty, each change is shown.
  public var thresholds: [Double] = []
  /// The minimum time between two pictures.
  public var minimumInterval = Duration.zero
  /// The blur of a picture with only coarse passes so far: its radius at quality 0, as a share of the longer side. The
  /// blur decreases as the quality grows, and is 0 for a complete picture.
  public var blur = 0.0

  private var shownProgress: IncrementalProgress?
  private var shownAt: Duration?

  /// Makes a policy that shows every change, without a blur.
  public init() {}

  /// Whether a picture should be shown now. If so, it counts as shown.
  ///
  /// - Parameter now: The time since any fixed moment.
  public mutating func shows(_ progress: IncrementalProgress, at now: Duration) -> Bool {
    guard progress.quality > 0 || progress.framesComplete > 0, progress != shownProgress else { return false }
    guard progress.framesComplete > 0 || progress.quality >= minimumQuality else { return false }
    if let shownAt, now - shownAt < minimumInterval { return false }
    if let before = shownProgress, before.framesComplete == progress.framesComplete, !thresholds.isEmpty {
      let isCrossed = thresholds.contains { before.quality < $0 && progress.quality >= $0 }
      guard isCrossed else { return false }
    }
    shownProgress = progress
    shownAt = now
    return true
  }
}
