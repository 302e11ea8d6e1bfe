// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Rewrites the boxes around a sequence that libavif has encoded: exact delays, and how often it plays, which libavif
/// 0.11 cannot say.
struct SequenceBoxes {
  private let bytes: FileBytes
  private let timing: FrameTicks
  private let loopCount: LoopCount?
  private let movie: FileBox
  /// By how much everything behind the movie box moves.
  private var shift = 0

  /// - Throws: ``CoderError/Code/library`` when libavif lays a file out in another way.
  init(_ file: UnsafeRawBufferPointer, timing: FrameTicks, loopCount: LoopCount?) throws(CoderError) {
    bytes = FileBytes(whole: file)
    self.timing = timing
    self.loopCount = loopCount
    guard let movie = bytes.boxes(in: 0..<file.count).first(where: { $0.type == .movie }) else {
      throw .library("libavif encodes a sequence without a MovieBox")
    }
    self.movie = movie
    shift = try rebuilt(movie).count - (movie.end - movie.start)
  }

  func write(to output: ByteOutput) throws(CoderError) {
    for box in bytes.boxes(in: 0..<bytes.count) {
      if box.type == .movie || box.type == .meta {
        try output.write(try rebuilt(box))
      } else {
        try output.write(UnsafeRawBufferPointer(rebasing: bytes.raw[box.start..<box.end]))
      }
    }
  }

  /// How long the track plays in all; all ones are without end (ISO/IEC 23008-12 §9.6.1).
  private var duration: UInt64 {
    switch loopCount {
    case .infinite?: return .max
    case .plays(let count)?:
      let product = timing.total.multipliedReportingOverflow(by: UInt64(max(count, 1)))
      return product.overflow ? .max : product.partialValue
    case nil: return timing.total
    }
  }

  private func rebuilt(_ box: FileBox) throws(CoderError) -> [UInt8] {
    switch "\(box.type)" {
    case "moov", "trak", "mdia", "minf", "stbl", "dinf": return try container(box, skipping: 0)
    case "meta": return try container(box, skipping: 4)
    case "mvhd", "mdhd":
      let total = box.type == .movieHeader ? duration : timing.total
      return try header(box, [(16, number(timing.timescale)), (20, number(total))])
    case "tkhd": return try header(box, [(24, number(duration))])
    case "stts":
      let runs = timing.runs
      return boxed(
        "stts", [0, 0, 0, 0] + number(UInt32(runs.count)) + runs.flatMap { number($0.count) + number($0.ticks) })
    case "stco": return try chunkOffsets(box)
    case "iloc": return try itemPlaces(box)
    default: return copy(box)
    }
  }

  private func container(_ box: FileBox, skipping skipped: Int) throws(CoderError) -> [UInt8] {
    var payload = Array(bytes.raw[box.content..<box.content + skipped])
    for child in bytes.children(of: box, skipping: skipped) {
      payload += try rebuilt(child)
      if box.type == .track, child.type == .trackHeader, let edits { payload += edits }
    }
    return number(UInt32(payload.count + 8)) + box.type.bytes + payload
  }

  /// ISO/IEC 14496-12 §8.6.5, §8.6.6: one edit that shows all of the media; flag 1 repeats it. An edit of no length
  /// means nothing.
  private var edits: [UInt8]? {
    guard let loopCount, timing.total > 0 else { return nil }
    let isRepeated: UInt8 = loopCount == .plays(1) ? 0 : 1
    let list = [1, 0, 0, isRepeated] + number(UInt32(1)) + number(timing.total) + number(UInt64(0)) + [0, 1, 0, 0]
    return boxed("edts", boxed("elst", list))
  }

  /// A header box of version 1 with fields that are replaced.
  ///
  /// - Parameter fields: Offsets behind version and flags.
  private func header(_ box: FileBox, _ fields: [(offset: Int, bytes: [UInt8])]) throws(CoderError) -> [UInt8] {
    guard bytes.uint8(at: box.content) == 1 else {
      throw .library("libavif writes \(box.type) of another version than 1")
    }
    var copy = copy(box)
    // Without the times of creation and change the same pictures give the same file.
    for field in fields + [(0, number(UInt64(0))), (8, number(UInt64(0)))] {
      let start = box.fullContent - box.start + field.offset
      guard start + field.bytes.count <= copy.count else { throw .library("libavif writes \(box.type) too short") }
      copy.replaceSubrange(start..<start + field.bytes.count, with: field.bytes)
    }
    return copy
  }

  private func chunkOffsets(_ box: FileBox) throws(CoderError) -> [UInt8] {
    guard let count = bytes.uint32(at: box.fullContent) else { throw .library("libavif writes an empty stco") }
    var copy = copy(box)
    for index in 0..<Int(count) {
      try move(box.fullContent + 4 + index * 4, in: &copy, of: box)
    }
    return copy
  }

  /// ISO/IEC 14496-12 §8.11.3, as libavif writes it: version 0, offsets and lengths of 4 bytes, no base.
  private func itemPlaces(_ box: FileBox) throws(CoderError) -> [UInt8] {
    guard bytes.uint8(at: box.content) == 0, bytes.uint16(at: box.fullContent) == 0x4400,
      let count = bytes.uint16(at: box.fullContent + 2)
    else { throw .library("libavif writes places of items in another way") }
    var copy = copy(box)
    var offset = box.fullContent + 4
    for _ in 0..<count {
      guard let extents = bytes.uint16(at: offset + 4) else { throw .library("libavif cuts places of items") }
      for index in 0..<extents { try move(offset + 6 + index * 8, in: &copy, of: box) }
      offset += 6 + extents * 8
    }
    return copy
  }

  /// Moves a 32-bit offset in the copy of a box along with what it points at.
  private func move(_ place: Int, in copy: inout [UInt8], of box: FileBox) throws(CoderError) {
    guard let old = bytes.uint32(at: place), place + 4 <= box.end else { throw .library("libavif cuts \(box.type)") }
    guard Int(old) >= movie.end else { return }
    guard let new = UInt32(exactly: Int(old) + shift) else { throw .unsupported("a file over 4 GiB") }
    copy.replaceSubrange(place - box.start..<place - box.start + 4, with: number(new))
  }

  private func copy(_ box: FileBox) -> [UInt8] { Array(bytes.raw[box.start..<box.end]) }

  private func boxed(_ type: StaticString, _ payload: [UInt8]) -> [UInt8] {
    number(UInt32(payload.count + 8)) + FourCC(type).bytes + payload
  }

  private func number<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
