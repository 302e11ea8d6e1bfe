// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Rewrites the boxes around a sequence that libavif has encoded: exact delays, and how often it plays, which libavif
/// 0.11 cannot say.
struct SequenceBoxes {
  private let bytes: FileBytes
  private let timing: FrameTicks
  private let loopCount: LoopCount?
  private let movie: Box
  /// By how many bytes everything after the movie box moves.
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
    var writer = ByteWriter()
    try write(movie, to: &writer)
    shift = writer.count - (movie.end - movie.start)
  }

  func write(to output: ByteOutput) throws(CoderError) {
    for box in bytes.boxes(in: 0..<bytes.count) {
      if box.type == .movie || box.type == .meta {
        var writer = ByteWriter(capacity: box.end - box.start)
        try write(box, to: &writer)
        try output.write(writer.bytes)
      } else {
        try output.write(UnsafeRawBufferPointer(rebasing: bytes.raw[box.start..<box.end]))
      }
    }
  }

  private var duration: UInt64 { timing.duration(of: loopCount) }

  /// Writes a box of libavif's, changed where that is needed.
  private func write(_ box: Box, to writer: inout ByteWriter) throws(CoderError) {
    switch "\(box.type)" {
    case "moov", "trak", "mdia", "minf", "stbl", "dinf": try writeContainer(box, skipping: 0, to: &writer)
    case "meta": try writeContainer(box, skipping: 4, to: &writer)
    case "mvhd": try writeHeader(box, (16, timing.timescale), (20, duration), to: &writer)
    case "mdhd": try writeHeader(box, (16, timing.timescale), (20, timing.total), to: &writer)
    case "tkhd": try writeHeader(box, nil, (24, duration), to: &writer)
    case "stts": timing.writeDelays(to: &writer)
    case "stco": try writeChunkOffsets(box, to: &writer)
    case "iloc": try writeItemPlaces(box, to: &writer)
    default: copy(box, to: &writer)
    }
  }

  private func writeContainer(_ box: Box, skipping skipped: Int, to writer: inout ByteWriter) throws(CoderError) {
    let start = writer.count
    writer.put(UInt32(0))
    writer.put(box.type)
    writer.put(Array(bytes.raw[box.content..<box.content + skipped]))
    for child in bytes.children(of: box, skipping: skipped) {
      try write(child, to: &writer)
      if box.type == .track, child.type == .trackHeader { timing.writeEdits(playing: loopCount, to: &writer) }
    }
    writer.replace(UInt32(clamping: writer.count - start), at: start)
  }

  /// Writes a header box of version 1 with another timescale and duration.
  ///
  /// - Parameters:
  ///   - timescale: With its offset after version and flags; nil when the box has none.
  ///   - duration: With its offset.
  private func writeHeader(
    _ box: Box, _ timescale: (offset: Int, value: UInt32)?, _ duration: (offset: Int, value: UInt64),
    to writer: inout ByteWriter
  ) throws(CoderError) {
    guard bytes.uint8(at: box.content) == 1 else {
      throw .library("libavif writes \(box.type) of another version than 1")
    }
    guard box.fullContent + duration.offset + 8 <= box.end else {
      throw .library("libavif writes \(box.type) too short")
    }
    let start = writer.count + box.fullContent - box.start
    copy(box, to: &writer)
    // Without the times of creation and change the same pictures give the same file.
    writer.replace(UInt64(0), at: start)
    writer.replace(UInt64(0), at: start + 8)
    if let timescale { writer.replace(timescale.value, at: start + timescale.offset) }
    writer.replace(duration.value, at: start + duration.offset)
  }

  private func writeChunkOffsets(_ box: Box, to writer: inout ByteWriter) throws(CoderError) {
    guard let count = bytes.uint32(at: box.fullContent) else { throw .library("libavif writes an empty stco") }
    let start = writer.count
    copy(box, to: &writer)
    for index in 0..<Int(count) {
      try move(box.fullContent + 4 + index * 4, of: box, in: &writer, at: start)
    }
  }

  /// ISO/IEC 14496-12 §8.11.3, as libavif writes it: version 0, offsets and lengths of 4 bytes, no base.
  private func writeItemPlaces(_ box: Box, to writer: inout ByteWriter) throws(CoderError) {
    guard bytes.uint8(at: box.content) == 0, bytes.uint16(at: box.fullContent) == 0x4400,
      let count = bytes.uint16(at: box.fullContent + 2)
    else { throw .library("libavif writes places of items in another way") }
    let start = writer.count
    copy(box, to: &writer)
    var offset = box.fullContent + 4
    for _ in 0..<count {
      guard let extents = bytes.uint16(at: offset + 4) else { throw .library("libavif cuts places of items") }
      for index in 0..<extents { try move(offset + 6 + index * 8, of: box, in: &writer, at: start) }
      offset += 6 + extents * 8
    }
  }

  /// Moves a 32-bit offset along with what it points at.
  ///
  /// - Parameters:
  ///   - place: In libavif's file, inside `box`.
  ///   - start: Of the box in what is written.
  private func move(_ place: Int, of box: Box, in writer: inout ByteWriter, at start: Int) throws(CoderError) {
    guard let old = bytes.uint32(at: place), place + 4 <= box.end else { throw .library("libavif cuts \(box.type)") }
    guard Int(old) >= movie.end else { return }
    guard let new = UInt32(exactly: Int(old) + shift) else { throw .unsupported("a file over 4 GiB") }
    writer.replace(new, at: start + place - box.start)
  }

  private func copy(_ box: Box, to writer: inout ByteWriter) { writer.put(Array(bytes.raw[box.start..<box.end])) }
}
