// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// The timing of the track that a sequence's pictures are in (ISO/IEC 14496-12 §8).
struct TrackTable {
  /// Ticks per second.
  let timescale: UInt32
  /// What the edit list says of repetitions, or nil when the file has none.
  let loopCount: LoopCount?
  /// Where the number of entries of the TimeToSampleBox stands, and that number.
  let runs: (place: Int, count: UInt32)?

  /// Finds the track that libavif shows: the first with AV1 samples that is not auxiliary to another one.
  init?(_ movie: Box, in bytes: FileBytes) {
    let boxes = try? bytes.payload(of: movie)?.children()
    for box in boxes ?? [] where box.type == .track {
      guard let track = try? Track(parsing: box), track.formats.contains(.av01), track.target(of: .auxiliary) ?? 0 == 0
      else { continue }
      timescale = track.timescale
      loopCount = Self.loopCount(of: track)
      runs = (try? track.sampleTable.child(.timeToSample)).flatMap { table in
        (try? table.uint32(at: 4)).map { (table.offset + 4, $0) }
      }
      return
    }
    return nil
  }

  /// Each frame's delay in ticks.
  ///
  /// - Parameter count: Frames of the track; when the table has fewer, its last delay holds for the others.
  func delays(of count: Int, in bytes: FileBytes) -> [UInt32] {
    var delays: [UInt32] = []
    delays.reserveCapacity(count)
    var last: UInt32 = 1
    if let runs {
      var offset = runs.place + 4
      for _ in 0..<runs.count {
        guard delays.count < count, let samples = bytes.uint32(at: offset), let delta = bytes.uint32(at: offset + 4)
        else { break }
        last = delta
        delays.append(contentsOf: repeatElement(delta, count: min(Int(samples), count - delays.count)))
        offset += 8
      }
    }
    delays.append(contentsOf: repeatElement(last, count: count - delays.count))
    return delays
  }

  /// ISO/IEC 23008-12 §9.6.1. As in libavif, one edit alone can be repeated.
  private static func loopCount(of track: Track) -> LoopCount? {
    if case .repeated(let length, let edits) = track.repetition {
      guard edits == 1, length > 0, track.duration != 0 else { return nil }
    }
    return track.loopCount
  }
}
