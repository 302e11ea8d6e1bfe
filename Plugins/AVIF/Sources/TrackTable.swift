// SPDX-License-Identifier: Apache-2.0

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
    for track in bytes.children(of: movie) where track.type == .track {
      guard let header = bytes.child(FourCC("tkhd"), of: track), let media = bytes.child(FourCC("mdia"), of: track),
        let mediaHeader = bytes.child(FourCC("mdhd"), of: media),
        let information = bytes.child(FourCC("minf"), of: media),
        let samples = bytes.child(FourCC("stbl"), of: information),
        let descriptions = bytes.child(FourCC("stsd"), of: samples),
        bytes.children(of: descriptions, skipping: 8).contains(where: { $0.type == FourCC("av01") }),
        Self.auxiliaryTarget(of: track, in: bytes) == 0
      else { continue }
      // §8.4.2: two times come before the timescale, of 64 bits each in version 1.
      let isLong = bytes.uint8(at: mediaHeader.payload) == 1
      timescale = bytes.uint32(at: mediaHeader.fullPayload + (isLong ? 16 : 8)) ?? 0
      loopCount = Self.loopCount(of: track, header: header, in: bytes)
      runs = bytes.child(FourCC("stts"), of: samples).flatMap { box in
        bytes.uint32(at: box.fullPayload).map { (box.fullPayload, $0) }
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

  /// The track that this one is auxiliary to, 0 for none.
  private static func auxiliaryTarget(of track: Box, in bytes: FileBytes) -> UInt32 {
    guard let references = bytes.child(FourCC("tref"), of: track),
      let auxiliary = bytes.child(FourCC("auxl"), of: references)
    else { return 0 }
    return bytes.uint32(at: auxiliary.payload) ?? 0
  }

  /// ISO/IEC 23008-12 §9.6.1: an edit list whose flag 1 is set is repeated until the track's duration is filled; a
  /// duration of all ones has no end.
  private static func loopCount(of track: Box, header: Box, in bytes: FileBytes) -> LoopCount? {
    guard let edits = bytes.child(FourCC("edts"), of: track), let list = bytes.child(FourCC("elst"), of: edits),
      let head = bytes.uint32(at: list.payload), let entries = bytes.uint32(at: list.fullPayload)
    else { return nil }
    guard head & 1 == 1 else { return .plays(1) }
    guard entries == 1 else { return nil }
    let segment =
      head >> 24 == 1
      ? bytes.uint64(at: list.fullPayload + 4) : bytes.uint32(at: list.fullPayload + 4).map { UInt64($0) }
    // §8.3.2: times, number and a reserved field come before the duration.
    let isLong = bytes.uint8(at: header.payload) == 1
    let duration: UInt64?
    if isLong {
      duration = bytes.uint64(at: header.fullPayload + 24)
    } else {
      duration = bytes.uint32(at: header.fullPayload + 16).map { $0 == .max ? .max : UInt64($0) }
    }
    guard let segment, let duration, segment > 0, duration > 0 else { return nil }
    if duration == .max { return .infinite }
    let plays = duration / segment + (duration % segment == 0 ? 0 : 1)
    return .plays(UInt32(clamping: plays))
  }
}
