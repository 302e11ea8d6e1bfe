// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Which pictures of a track are shown, in which order and how long: what its edit list says of its media.
///
/// - Format: ISO/IEC 14496-12 §8.6.5, §8.6.6.
public struct EditedFrames {
  /// A picture that is shown once.
  public struct Step {
    /// The number of the frame in the media, in the order in which pictures are composed.
    public let frame: Int
    /// Units of the media's timescale.
    public var duration: UInt64
  }

  /// In the order in which they are shown.
  public private(set) var steps: [Step] = []

  /// - Parameters:
  ///   - times: When each picture is composed, sorted, and last when the media ends.
  ///   - edits: Empty for all of the media.
  ///   - timescale: Of the media.
  ///   - movieTimescale: Of the edits' durations.
  /// - Throws: ``CoderError/Code/limitExceeded`` for more steps than the limits allow frames.
  public init(
    times: [Int64], edits: [Track.Edit], timescale: UInt32, movieTimescale: UInt32, limits: Limits
  ) throws(CoderError) {
    let media = Media(times: times)
    let unit = Self.scaled(1, from: movieTimescale, to: timescale)
    guard let last = times.last, !Self.showAll(edits, of: times, timescale, movieTimescale, unit) else {
      steps = media.frames(from: .min, to: .max).map { Step(frame: $0.frame, duration: $0.duration) }
      return
    }
    /// What passes before there is a picture to show.
    var pause: UInt64 = 0
    for edit in edits {
      let length = Self.scaled(edit.duration, from: movieTimescale, to: timescale)
      if edit.mediaTime < 0 {
        if steps.isEmpty { pause += length } else { steps[steps.count - 1].duration += length }
        continue
      }
      if edit.rate == 0 {
        if let frame = media.frame(at: edit.mediaTime) { steps.append(Step(frame: frame, duration: length)) }
      } else {
        // A duration of 0 is that of the media. Durations are rounded to the movie's timescale; pictures are not cut by
        // what that makes of them.
        let end = edit.duration == 0 ? last : edit.mediaTime &+ Int64(clamping: length)
        let shown = media.frames(from: edit.mediaTime, to: media.boundary(near: end, within: Int64(clamping: unit)))
        steps += (edit.rate < 0 ? shown.reversed() : shown).map { Step(frame: $0.frame, duration: $0.duration) }
      }
      try limits.check(frames: steps.count)
    }
    guard !steps.isEmpty else { throw .unsupported("an edit list that shows no picture") }
    steps[0].duration += pause
  }

  /// Keeps the steps before the first whose picture is not there.
  ///
  /// - Parameter place: Of a frame among those that are there, or nil for one that is not.
  public mutating func keepFirst(_ place: (Int) -> Int?) {
    var kept: [Step] = []
    for step in steps {
      guard let frame = place(step.frame) else { break }
      kept.append(Step(frame: frame, duration: step.duration))
    }
    steps = kept
  }

  /// Whether one edit, or none, shows all of the media. Some writers let it begin before the first picture does, and count
  /// its duration from there.
  private static func showAll(
    _ edits: [Track.Edit], of times: [Int64], _ timescale: UInt32, _ movieTimescale: UInt32, _ unit: UInt64
  ) -> Bool {
    guard let edit = edits.first else { return true }
    guard edits.count == 1, edit.rate == 1 << 16, edit.mediaTime >= 0, let first = times.first, let last = times.last,
      edit.mediaTime <= first
    else { return false }
    let length = scaled(edit.duration, from: movieTimescale, to: timescale)
    return edit.duration == 0 || Int64(clamping: length) &+ Int64(clamping: unit) >= last &- first
  }

  /// A duration in another timescale, rounded down and bounded, so that sums of many stay below 2^63.
  private static func scaled(_ duration: UInt64, from: UInt32, to: UInt32) -> UInt64 {
    guard from > 0 else { return 0 }
    let product = duration.multipliedFullWidth(by: UInt64(to))
    guard product.high < UInt64(from) else { return longest }
    return min(UInt64(from).dividingFullWidth(product).quotient, longest)
  }

  private static let longest: UInt64 = 1 << 40
}

/// The pictures of a track on the media's timeline.
private struct Media {
  /// When each is composed, sorted, and last when the media ends.
  let times: [Int64]

  /// The pictures that are shown in a part of the media, and for how much of it. A picture without a duration is shown
  /// at its time.
  func frames(from start: Int64, to end: Int64) -> [(frame: Int, duration: UInt64)] {
    var result: [(frame: Int, duration: UInt64)] = []
    for frame in 0..<max(0, times.count - 1) where times[frame] < end {
      let (from, to) = (max(times[frame], start), min(times[frame + 1], end))
      guard to > from || times[frame] == times[frame + 1] && times[frame] >= start else { continue }
      result.append((frame, UInt64(clamping: to &- from)))
    }
    return result
  }

  /// The picture that is shown at a time.
  func frame(at time: Int64) -> Int? {
    times.dropLast().lastIndex { $0 <= time } ?? (times.count > 1 ? 0 : nil)
  }

  /// The time nearest to another one at which a picture begins or ends, or that time.
  func boundary(near time: Int64, within distance: Int64) -> Int64 {
    var (nearest, least) = (time, UInt64.max)
    for found in times where found >= time &- distance && found <= time &+ distance {
      let away = (found &- time).magnitude
      if away < least { (nearest, least) = (found, away) }
    }
    return nearest
  }
}
