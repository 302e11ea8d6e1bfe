// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// In which order a track's samples are shown, and from where each is decoded.
///
/// Decoding of a picture starts at a sync sample and never goes on from an earlier one, so that a picture comes out
/// the same whatever was decoded before.
///
/// - Complexity: Making takes O(n log n), every question O(1).
struct FrameOrder {
  /// The sample of each frame.
  private let sampleOfFrame: [Int32]
  /// The frame of each sample, or -1 for one that is not shown.
  private let frameOfSample: [Int32]
  /// The sync sample from which each sample is decoded.
  private let startOfSample: [Int32]
  /// For each sync sample, the sample after the last one that may be decoded from it.
  private let endOfRun: [Int32]

  var count: Int { sampleOfFrame.count }

  init(_ samples: [Sample]) {
    let order = samples.indices.filter { samples[$0].isShown }.sorted {
      (samples[$0].time, $0) < (samples[$1].time, $1)
    }
    sampleOfFrame = order.map { Int32(truncatingIfNeeded: $0) }
    var frames = [Int32](repeating: -1, count: samples.count)
    for (frame, sample) in order.enumerated() { frames[sample] = Int32(truncatingIfNeeded: frame) }
    frameOfSample = frames

    var starts = [Int32](repeating: 0, count: samples.count)
    var ends = [Int32](repeating: Int32(truncatingIfNeeded: samples.count), count: samples.count)
    var (sync, previous) = (0, 0)
    for (index, sample) in samples.enumerated() {
      if sample.isSync, index > 0 {
        ends[sync] = Int32(truncatingIfNeeded: index)
        (previous, sync) = (sync, index)
      }
      // Leading pictures are decoded after a sync sample, are shown before it, and may refer to what is before it
      // (ITU-T H.265 §3, RASL pictures).
      let isLeading = sample.isShown && sample.time < samples[sync].time
      starts[index] = Int32(truncatingIfNeeded: isLeading ? previous : sync)
      if isLeading, previous != sync { ends[previous] = Int32(truncatingIfNeeded: index + 1) }
    }
    startOfSample = starts
    endOfRun = ends
  }

  func sample(of frame: Int) -> Int { Int(sampleOfFrame[frame]) }
  /// - Returns: nil for a number that is no sample, and for one that is not shown.
  func frame(of sample: Int) -> Int? {
    guard frameOfSample.indices.contains(sample), frameOfSample[sample] >= 0 else { return nil }
    return Int(frameOfSample[sample])
  }
  func start(of frame: Int) -> Int { Int(startOfSample[sample(of: frame)]) }
  func end(of start: Int) -> Int { Int(endOfRun[start]) }
}
