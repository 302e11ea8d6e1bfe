// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// When what there is of an incremental image is worth showing, and how.
///
///     var policy = PartialPicturePolicy()
///     policy.thresholds = [0, 0.35, 0.65]
///     …
///     if policy.shows(decoder.progress, at: clock.now - start) {
///       view.image = try decoder.picture(blur: policy.blur)
///     }
public struct PartialPicturePolicy: Sendable {
  /// Pictures of less than this ``IncrementalProgress/quality`` are not shown.
  public var minimumQuality = 0.0
  /// Qualities at which a picture is shown anew, ascending. Empty for each change.
  public var thresholds: [Double] = []
  /// The least time between two pictures.
  public var minimumInterval = Duration.zero
  /// The blur of a picture of which only coarse passes are there: its radius at quality 0, as a share of the longer side.
  /// It is smaller the better the picture is, and gone when it is complete.
  public var blur = 0.0

  private var shownProgress: IncrementalProgress?
  private var shownAt: Duration?

  public init() {}

  /// Whether a picture is worth showing now. One that is counts as shown.
  ///
  /// - Parameter now: Time since any fixed moment.
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
