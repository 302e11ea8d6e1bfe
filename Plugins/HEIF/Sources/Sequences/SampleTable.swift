// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// One sample: a coded picture.
struct Sample {
  let offset: Int
  let size: Int
  /// When the picture is shown, in the media's timescale.
  let time: Int64
  /// Whether decoding can start here.
  var isSync: Bool
  /// Whether the picture is there to be looked at, and not only for others to refer to.
  let isShown: Bool
}

/// Where a track's samples lie, when they are shown and how long.
///
/// - Format: ISO/IEC 14496-12 §8.6.1, §8.6.2, §8.7.
/// - Complexity: Reading takes O(samples + entries), every question O(1).
struct SampleTable {
  /// In decoding order.
  private(set) var samples: [Sample] = []
  /// Units of the media's timescale for all samples that the file announces and that are shown.
  private(set) var duration: UInt64 = 0
  /// Samples that the tables announce.
  let announced: Int

  init(parsing box: BoxBytes, limits: Limits) throws(CoderError) {
    let sizes = try SampleSizes(parsing: box)
    announced = sizes.count
    // Samples that are not shown are no frames. Tables of more are held to the limit before memory is taken for them.
    if sizes.count > Self.manySamples { try limits.check(frames: sizes.count) }
    guard sizes.count > 0 else {
      throw .unsupported("the track has no samples; fragments of movies are not read", at: box.offset)
    }
    let times = try Self.times(of: box, count: sizes.count)
    duration = times.duration
    let sync = try Self.syncSamples(of: box, count: sizes.count)
    samples.reserveCapacity(sizes.count)
    try locate(in: box, sizes: sizes, times: times.shown, sync: sync)
  }

  /// Walks chunks and the samples in them. Chunks that are not there end the walk.
  private mutating func locate(
    in box: BoxBytes, sizes: SampleSizes, times: [(time: Int64, isShown: Bool)], sync: [Bool]
  ) throws(CoderError) {
    let isLarge = try box.child(.largeChunkOffset) != nil
    let chunks = try box.required(isLarge ? .largeChunkOffset : .chunkOffset)
    let offsetBytes = isLarge ? 8 : 4
    let chunkCount = try chunks.tableCount(at: 4, entryBytes: offsetBytes)
    let runs = try box.required(.sampleToChunk)
    let runCount = try runs.tableCount(at: 4, entryBytes: 12)
    for run in 0..<runCount {
      let place = 8 + run * 12
      let first = Int(try runs.uint32(at: place))
      let perChunk = Int(try runs.uint32(at: place + 4))
      let next = run + 1 < runCount ? Int(try runs.uint32(at: place + 12)) : Int.max
      guard first >= 1, next > first, perChunk >= 1 else {
        throw .malformed("chunks \(first) to \(next) of \(perChunk) samples", at: runs.offset + place)
      }
      guard try runs.uint32(at: place + 8) == 1 else {
        throw .unsupported("samples of more than one sample entry", at: runs.offset + place + 8)
      }
      guard first <= chunkCount else { return }
      for chunk in first...min(next - 1, chunkCount) {
        let start = try chunks.number(at: 8 + (chunk - 1) * offsetBytes, bytes: offsetBytes)
        guard var offset = Int(exactly: start), offset < 1 << 62 else {
          throw .malformed("a chunk at \(start)", at: chunks.offset)
        }
        for _ in 0..<perChunk {
          let index = samples.count
          guard index < sizes.count else { return }
          let size = try sizes.size(of: index)
          samples.append(
            Sample(
              offset: offset, size: size, time: times[index].time, isSync: sync[index], isShown: times[index].isShown))
          // 2^62 and 65,536 sizes of 32 bits add up without overflow.
          offset &+= size
        }
      }
    }
  }

  /// When each sample is shown, if it is: decoding times of `stts` and offsets of `ctts`.
  private static func times(
    of box: BoxBytes, count: Int
  ) throws(CoderError) -> (shown: [(time: Int64, isShown: Bool)], duration: UInt64) {
    let table = try box.required(.timeToSample)
    let runCount = try table.tableCount(at: 4, entryBytes: 8)
    var deltas: [UInt32] = []
    deltas.reserveCapacity(count)
    var shown: [(time: Int64, isShown: Bool)] = []
    shown.reserveCapacity(count)
    var time: UInt64 = 0
    for run in 0..<runCount {
      let delta = try table.uint32(at: 12 + run * 8)
      for _ in 0..<min(Int(try table.uint32(at: 8 + run * 8)), count - shown.count) {
        // Counts are bounded by the frame limit, so sums stay far below 2^63.
        shown.append((Int64(truncatingIfNeeded: time), true))
        deltas.append(delta)
        time &+= UInt64(delta)
      }
    }
    guard shown.count == count else {
      throw .malformed("times of \(shown.count) samples, where \(count) have sizes", at: table.offset)
    }
    var hidden: UInt64 = 0
    guard let offsets = try box.child(.compositionOffset) else { return (shown, time) }
    let offsetCount = try offsets.tableCount(at: 4, entryBytes: 8)
    var index = 0
    for entry in 0..<offsetCount {
      let raw = try offsets.uint32(at: 12 + entry * 8)
      // Offsets of version 0 are unsigned, and writers that put negative ones there exist; none are above 2^31.
      let offset = Int64(Int32(bitPattern: raw))
      // The lowest number says that a sample is not shown (§8.6.1.3). Other writers put it far away from the others.
      let isFar = offset.magnitude > max(time, 1).multipliedReportingOverflow(by: Self.farthest).partialValue
      for _ in 0..<min(Int(try offsets.uint32(at: 8 + entry * 8)), count - index) {
        if isFar {
          shown[index].isShown = false
          hidden &+= UInt64(deltas[index])
        } else {
          shown[index].time &+= offset
        }
        index += 1
      }
    }
    return (shown, time &- hidden)
  }

  private static let manySamples = 65_536
  /// Durations of the whole track that lie between a sample's decoding and its composition at most.
  private static let farthest: UInt64 = 64

  /// Which samples are sync samples; all of them without a table.
  private static func syncSamples(of box: BoxBytes, count: Int) throws(CoderError) -> [Bool] {
    guard let table = try box.child(.syncSample) else { return Array(repeating: true, count: count) }
    var result = Array(repeating: false, count: count)
    // Decoding has to start somewhere.
    result[0] = true
    for entry in 0..<(try table.tableCount(at: 4, entryBytes: 4)) {
      let number = Int(try table.uint32(at: 8 + entry * 4))
      if number >= 1, number <= count { result[number - 1] = true }
    }
    return result
  }
}

/// The sizes of a track's samples, `stsz` or `stz2` (ISO/IEC 14496-12 §8.7.3).
struct SampleSizes {
  let count: Int
  private let box: BoxBytes
  /// The common size of all samples, or 0.
  private let common: Int
  /// Bits of one size.
  private let width: Int

  init(parsing table: BoxBytes) throws(CoderError) {
    if let plain = try table.child(.sampleSize) {
      box = plain
      common = Int(try plain.uint32(at: 4))
      width = 32
      count = common > 0 ? Int(try plain.uint32(at: 8)) : try plain.tableCount(at: 8, entryBytes: 4)
    } else {
      box = try table.required(.compactSampleSize)
      common = 0
      width = Int(try box.uint8(at: 7))
      guard width == 4 || width == 8 || width == 16 else {
        throw .malformed("sample sizes of \(width) bits", at: box.offset + 7)
      }
      count = Int(try box.uint32(at: 8))
      guard (count * width + 7) / 8 <= box.count - 12 else {
        throw .malformed("\(count) sample sizes of \(width) bits in \(box.count) bytes", at: box.offset + 8)
      }
    }
  }

  func size(of index: Int) throws(CoderError) -> Int {
    if common > 0 { return common }
    guard width != 4 else {
      let pair = try box.uint8(at: 12 + index / 2)
      return Int(index % 2 == 0 ? pair >> 4 : pair & 15)
    }
    return Int(try box.number(at: 12 + index * (width / 8), bytes: width / 8))
  }
}
