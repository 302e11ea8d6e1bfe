// SPDX-License-Identifier: Apache-2.0

/// Which canvases to keep while an animation is played backwards.
///
/// With `s` of them beside the canvas that is drawn on, C(s + r + 1, s + 1) − 1 frames can be shown backwards so that none is
/// drawn more than `r` times, and no choice of places does better. It is the optimal checkpointing of Griewank and Walther
/// (ACM TOMS 26, 2000, algorithm 799), but that a canvas that is kept is shown without another draw.
package enum CheckpointPlan {
  /// The most frames that can be shown backwards, none of them drawn more than `draws` times.
  static func reach(slots: Int, draws: Int) -> Int {
    guard draws > 0 else { return 0 }
    // The binomial coefficient, from the smaller side; what is too large is as good as without end.
    var result = 1
    for step in 1...min(slots + 1, draws) {
      let (product, overflow) = result.multipliedReportingOverflow(by: slots + draws + 2 - step)
      guard !overflow else { return .max / 2 }
      result = product / step
    }
    return result - 1
  }

  /// Where the next canvas is to be kept.
  ///
  /// - Parameters:
  ///   - frames: How many frames follow the canvas as it is. All are going to be shown, the last one first.
  ///   - slots: How many canvases may be kept.
  /// - Returns: After how many of the frames, at least 1 and less than `frames`; nil when none is to be kept.
  package static func place(frames: Int, slots: Int) -> Int? {
    guard slots > 0, frames > 1 else { return nil }
    var draws = 1
    while reach(slots: slots, draws: draws) < frames { draws += 1 }
    // Those below it are drawn once more than now, those above it with one canvas less.
    let fewest = max(reach(slots: slots, draws: draws - 2), frames - 1 - reach(slots: slots - 1, draws: draws))
    return min(max(fewest, 0), frames - 2) + 1
  }
}
