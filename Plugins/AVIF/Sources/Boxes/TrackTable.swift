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
  /// What of the media is shown when; empty for all of it.
  private(set) var edits: [Track.Edit] = []
  /// Units of a second in which edits count.
  private(set) var movieTimescale: UInt32 = 0
  /// Boxes of the sample entry.
  private(set) var entryBoxes: [BoxBytes] = []
  /// Where the first sample lies in the file, or nil if the tables do not say.
  private(set) var firstSample: Range<Int>?
  /// Where the boxes of the track and of its alpha begin.
  private var used: Set<Int> = []

  /// Finds the track that libavif shows: the first with AV1 samples that is not auxiliary to another one.
  init?(_ movie: Box, in bytes: FileBytes) {
    let boxes = (try? bytes.payload(of: movie)?.children()) ?? []
    let tracks = boxes.filter { $0.type == .track }.compactMap { box in
      (try? Track(parsing: box)).map { (start: box.offset, track: $0) }
    }
    for (start, track) in tracks {
      guard track.formats.contains(.av01), track.target(of: .auxiliary) ?? 0 == 0 else { continue }
      used = [start]
      for (start, other) in tracks where other.refers(to: track.identifier, as: .auxiliary) && Self.isAlpha(other) {
        used.insert(start)
      }
      timescale = track.timescale
      loopCount = Self.loopCount(of: track)
      runs = (try? track.sampleTable.child(.timeToSample)).flatMap { table in
        (try? table.uint32(at: 4)).map { (table.offset + 4, $0) }
      }
      edits = track.edits
      movieTimescale = boxes.first { $0.type == .movieHeader }.flatMap { Self.movieTimescale(of: $0) } ?? timescale
      entryBoxes = (try? track.entryBoxes()) ?? []
      firstSample = try? Self.firstSample(of: track.sampleTable)
      return
    }
    return nil
  }

  /// ISO/IEC 14496-12 §8.2.2, or nil if the movie does not say.
  private static func movieTimescale(of header: BoxBytes) -> UInt32? {
    guard let version = try? header.uint8(at: 0), let found = try? header.uint32(at: version == 1 ? 20 : 12) else {
      return nil
    }
    return found > 0 ? found : nil
  }

  /// The frames that are shown, by the edit list.
  ///
  /// - Parameter delays: Of all frames of the media.
  /// - Throws: ``CoderError/Code/limitExceeded``. An edit list that shows nothing does not count.
  func steps(_ delays: [UInt32], limits: Limits) throws(CoderError) -> [EditedFrames.Step] {
    var times: [Int64] = [0]
    times.reserveCapacity(delays.count + 1)
    for delay in delays { times.append((times.last ?? 0) + Int64(delay)) }
    func frames(_ edits: [Track.Edit]) throws(CoderError) -> [EditedFrames.Step] {
      try EditedFrames(
        times: times, edits: edits, timescale: timescale, movieTimescale: movieTimescale, limits: limits
      ).steps
    }
    do throws(CoderError) {
      return try frames(edits)
    } catch {
      guard error.code == .unsupported else { throw error }
      return try frames([])
    }
  }

  /// ISO/IEC 14496-12 §8.7.3 and §8.7.5: the first chunk begins with the first sample.
  private static func firstSample(of table: BoxBytes) throws(CoderError) -> Range<Int>? {
    guard let sizes = try table.child(.sampleSize) else { return nil }
    let common = try sizes.uint32(at: 4)
    let size = Int(common > 0 ? common : try sizes.uint32(at: 12))
    let start: UInt64
    if let chunks = try table.child(.chunkOffset) {
      start = UInt64(try chunks.uint32(at: 8))
    } else {
      start = try table.required(.largeChunkOffset).number(at: 8, bytes: 8)
    }
    guard let first = Int(exactly: start), case let end = first.addingReportingOverflow(size), !end.overflow else {
      return nil
    }
    return first..<end.partialValue
  }

  /// Whether a track, whose payload begins there, is shown.
  func isUsed(_ payload: Int) -> Bool { used.contains(payload) }

  /// ISO/IEC 23008-12 §7.5.3. Tracks that do not say what they are for are alpha, as in libavif.
  private static func isAlpha(_ track: Track) -> Bool {
    guard let box = try? track.entryBoxes().first(where: { $0.type == .auxiliaryTypeInformation }),
      let text = try? box.copy(at: 4, count: box.count - 4)
    else { return true }
    return AuxiliaryKind(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)) == .alpha
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
