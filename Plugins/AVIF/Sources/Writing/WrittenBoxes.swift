// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Rewrites the boxes around what libavif has encoded, with what it cannot say: how bright light is, and of a
/// sequence exact delays and how often it plays.
struct WrittenBoxes {
  private let bytes: FileBytes
  private let sequence: Sequence?
  /// Boxes that say how bright light is: of the primary item, and of the first track, whose alpha is another one.
  private let light: [[UInt8]]
  private let primary: Int
  /// The sample entry of the pictures' track.
  private let entry: Int
  /// Where what is rewritten ends: everything after it moves.
  private let end: Int
  /// By how many bytes.
  private var shift = 0

  /// When frames are shown.
  struct Sequence {
    let timing: FrameTicks
    let loopCount: LoopCount?
  }

  /// - Parameter sequence: Nil for a still.
  /// - Throws: ``CoderError/Code/libraryFailure`` when libavif lays a file out in another way.
  init(_ file: UnsafeRawBufferPointer, _ sequence: Sequence?, light: LightLevels) throws(CoderError) {
    let bytes = FileBytes(whole: file)
    self.bytes = bytes
    self.sequence = sequence
    self.light = light.boxes
    let boxes = bytes.boxes(in: 0..<file.count).filter { $0.type == .movie || $0.type == .meta }
    guard let last = boxes.last, let meta = boxes.first(where: { $0.type == .meta }),
      let item = bytes.children(of: meta, skipping: 4).first(where: { $0.type == .primaryItem }),
      let primary = bytes.uint16(at: item.fullContent)
    else { throw .libraryFailure("libavif encodes a file without a primary item") }
    self.primary = primary
    end = last.end
    let movie = boxes.first { $0.type == .movie }
    guard (movie == nil) == (sequence == nil) else {
      throw .libraryFailure("libavif encodes \(movie == nil ? "a sequence without" : "a still with") a MovieBox")
    }
    entry = movie.flatMap { Self.firstEntry(in: $0, bytes) }?.start ?? -1
    var growth = 0
    for box in boxes {
      var writer = ByteWriter()
      try write(box, to: &writer)
      growth += writer.count - (box.end - box.start)
    }
    shift = growth
  }

  private static func firstEntry(in movie: Box, _ bytes: FileBytes) -> Box? {
    var box = movie
    for type in [.track, .media, .mediaInformation, .sampleTable, .sampleDescription] as [FourCC] {
      guard let child = bytes.child(type, of: box) else { return nil }
      box = child
    }
    return bytes.children(of: box, skipping: 8).first { _ in true }
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

  /// Writes a box of libavif's, changed where that is needed.
  private func write(_ box: Box, to writer: inout ByteWriter) throws(CoderError) {
    switch "\(box.type)" {
    case "moov", "trak", "mdia", "minf", "stbl", "dinf", "iprp": try writeContainer(box, skipping: 0, to: &writer)
    case "meta": try writeContainer(box, skipping: 4, to: &writer)
    case "stsd": try writeContainer(box, skipping: 8, to: &writer)
    case "stco": try writeChunkOffsets(box, to: &writer)
    case "iloc": try writeItemPlaces(box, to: &writer)
    case "ipco": try writeContainer(box, skipping: 0, with: light, to: &writer)
    case "ipma": try writeAssociations(box, to: &writer)
    // ISO/IEC 14496-12 §12.1.3: the fields of a sample entry for pictures.
    case _ where box.start == entry: try writeContainer(box, skipping: 78, with: light, to: &writer)
    default:
      guard let sequence else { return copy(box, to: &writer) }
      try write(box, of: sequence, to: &writer)
    }
  }

  private func write(_ box: Box, of sequence: Sequence, to writer: inout ByteWriter) throws(CoderError) {
    let timing = sequence.timing
    let duration = timing.duration(of: sequence.loopCount)
    switch "\(box.type)" {
    case "mvhd": try writeHeader(box, (16, timing.timescale), (20, duration), to: &writer)
    case "mdhd": try writeHeader(box, (16, timing.timescale), (20, timing.total), to: &writer)
    case "tkhd":
      try writeHeader(box, nil, (24, duration), to: &writer)
      timing.writeEdits(playing: sequence.loopCount, to: &writer)
    // Of libavif 1.0 and later.
    case "edts": break
    case "stts": timing.writeDelays(to: &writer)
    default: copy(box, to: &writer)
    }
  }

  private func writeContainer(
    _ box: Box, skipping skipped: Int, with added: [[UInt8]] = [], to writer: inout ByteWriter
  ) throws(CoderError) {
    guard box.content + skipped <= box.end else { throw .libraryFailure("libavif writes \(box.type) too short") }
    let start = writer.count
    writer.put(UInt32(0))
    writer.put(box.type)
    writer.put(Array(bytes.raw[box.content..<box.content + skipped]))
    for child in bytes.children(of: box, skipping: skipped) { try write(child, to: &writer) }
    for child in added { writer.put(child) }
    writer.replace(UInt32(clamping: writer.count - start), at: start)
  }

  /// ISO/IEC 23008-12 §9.3.2, as libavif writes it: numbers of items have 16 bits, those of properties 7. What describes
  /// a picture comes before what turns it.
  private func writeAssociations(_ box: Box, to writer: inout ByteWriter) throws(CoderError) {
    guard !light.isEmpty else { return copy(box, to: &writer) }
    let known = bytes.boxes(in: 0..<bytes.count).first { $0.type == .meta }
      .flatMap { meta in bytes.children(of: meta, skipping: 4).first { $0.type == .itemProperties } }
      .flatMap { bytes.child(.propertyContainer, of: $0) }
      .map { bytes.children(of: $0, skipping: 0).reduce(0) { count, _ in count + 1 } }
    guard let known, known + light.count <= 0x7F, bytes.uint32(at: box.content) == 0,
      let count = bytes.uint32(at: box.fullContent)
    else { throw .libraryFailure("libavif associates properties in another way") }
    let start = writer.count
    writer.put(Array(bytes.raw[box.start..<box.fullContent + 4]))
    var offset = box.fullContent + 4
    for _ in 0..<count {
      guard let id = bytes.uint16(at: offset), let uses = bytes.uint8(at: offset + 2), offset + 3 + uses <= box.end
      else {
        throw .libraryFailure("libavif cuts the association of properties")
      }
      let isPrimary = id == primary
      writer.put(UInt16(clamping: id))
      writer.put(UInt8(clamping: uses + (isPrimary ? light.count : 0)))
      if isPrimary { for index in light.indices { writer.put(UInt8(clamping: known + 1 + index)) } }
      writer.put(Array(bytes.raw[offset + 3..<offset + 3 + uses]))
      offset += 3 + uses
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
      throw .libraryFailure("libavif writes \(box.type) of another version than 1")
    }
    guard box.fullContent + duration.offset + 8 <= box.end else {
      throw .libraryFailure("libavif writes \(box.type) too short")
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
    guard let count = bytes.uint32(at: box.fullContent) else { throw .libraryFailure("libavif writes an empty stco") }
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
    else { throw .libraryFailure("libavif writes places of items in another way") }
    let start = writer.count
    copy(box, to: &writer)
    var offset = box.fullContent + 4
    for _ in 0..<count {
      guard let extents = bytes.uint16(at: offset + 4) else { throw .libraryFailure("libavif cuts places of items") }
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
    guard let old = bytes.uint32(at: place), place + 4 <= box.end else {
      throw .libraryFailure("libavif cuts \(box.type)")
    }
    guard Int(old) >= end else { return }
    guard let new = UInt32(exactly: Int(old) + shift) else { throw .unsupported("a file over 4 GiB") }
    writer.replace(new, at: start + place - box.start)
  }

  private func copy(_ box: Box, to writer: inout ByteWriter) { writer.put(Array(bytes.raw[box.start..<box.end])) }
}
