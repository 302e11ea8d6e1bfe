// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Finds the chunks of one part.
///
/// - Format: OpenEXR File Layout, "Offset Tables" and "Chunks".
final class ChunkTable {
  /// Which chunk: of scan lines, the column is 0.
  struct Place: Hashable {
    let level: Level
    let column: Int
    let row: Int
  }

  let grid: ChunkGrid
  private let source: SourceView
  private let host: CoderHost
  private let file: EXRFile
  private let part: PartHeader
  /// Offsets that were found by going through the chunks of a file without a table, 0 for those that are missing.
  private var found: [UInt64]?
  /// Entries of the table that were read together, from ``firstRead`` on.
  private var entries: [UInt64] = []
  private var firstRead = 0

  /// Entries that are read at a time: chunks lie elsewhere, and a source goes back and forth for each.
  private static let entriesAtOnce = 512

  init(_ part: PartHeader, of file: EXRFile, in source: SourceView, host: CoderHost) {
    self.part = part
    self.file = file
    self.source = source
    self.host = host
    grid = ChunkGrid(window: part.dataWindow, tiles: part.tiles, rows: part.compression?.rows ?? 1)
  }

  /// The bytes of a chunk in the file, which may go on after the end of it.
  ///
  /// - Parameter most: Bytes of the chunk without compression.
  func content(of place: Place, most: Int) throws(CoderError) -> Range<Int> {
    let number = grid.first(of: place.level) + place.row * grid.counts(place.level).width + place.column
    guard number < part.chunkCount else {
      throw .malformed("chunk \(number) of a table of \(part.chunkCount)", at: part.table)
    }
    let offset = try offset(ofChunk: number)
    guard offset >= file.firstChunk else {
      throw .malformed("chunk \(number) begins at \(offset), before all chunks", at: part.table + 8 * number)
    }
    var reader = try source.reader(at: offset, count: headerBytes, order: .littleEndian, of: "a chunk's header")
    if file.isMultiPart {
      let stated = try reader.int32("the part of a chunk")
      guard stated == part.index else {
        throw .malformed("a chunk of part \(stated), where one of part \(part.index) is to be", at: offset)
      }
    }
    let stated = try coordinates(&reader)
    guard stated == place else {
      throw .malformed("another chunk where chunk \(number) is to be", at: offset)
    }
    let size = try reader.int32("the size of a chunk")
    guard size >= 0, size <= most else {
      throw .malformed("a chunk of \(size) bytes, at most \(most) are needed", at: reader.offset - 4)
    }
    return reader.offset..<(reader.offset + size)
  }

  /// Bytes before the content of a chunk.
  private var headerBytes: Int { (file.isMultiPart ? 4 : 0) + (part.tiles == nil ? 4 : 16) + 4 }

  /// Which chunk a header says it is; nil for none of the part.
  private func coordinates(_ reader: inout ByteReader) throws(CoderError) -> Place? {
    if part.tiles != nil {
      let (column, row) = (try reader.int32("a tile's column"), try reader.int32("a tile's row"))
      return Place(
        level: Level(x: try reader.int32("a tile's level"), y: try reader.int32("a tile's level")), column: column,
        row: row)
    }
    let row = try reader.int32("the row of a chunk") - part.dataWindow.y.lowerBound
    return row >= 0 && row % grid.rows == 0 ? Place(level: Level(), column: 0, row: row / grid.rows) : nil
  }

  private func offset(ofChunk number: Int) throws(CoderError) -> Int {
    if let found { return try Self.known(found[number], number) }
    if !entries.indices.contains(number - firstRead) { try readEntries(from: number) }
    let stated = entries[number - firstRead]
    if stated != 0 { return Int(clamping: stated) }
    // The file was never finished: its writer fills the table in the end.
    try findChunks()
    return try Self.known(found?[number] ?? 0, number)
  }

  /// - Throws: ``CoderError/Code/truncated`` if the first one is not there.
  private func readEntries(from number: Int) throws(CoderError) {
    let count = min(Self.entriesAtOnce, part.chunkCount - number)
    let reader = try source.reader(
      at: part.table + 8 * number, count: 8 * count, order: .littleEndian, of: "the table of chunks")
    entries = [try reader.uint64(at: 0)]
    firstRead = number
    for index in 1..<max(1, count) {
      guard let entry = try? reader.uint64(at: 8 * index) else { return }
      entries.append(entry)
    }
  }

  private static func known(_ offset: UInt64, _ number: Int) throws(CoderError) -> Int {
    guard offset != 0 else { throw .truncated("chunk \(number) is not in the file, which was not finished") }
    return Int(clamping: offset)
  }

  /// Goes through all chunks, as far as they follow one another.
  private func findChunks() throws(CoderError) {
    let (bytes, overflow) = part.chunkCount.multipliedReportingOverflow(by: 8)
    guard !overflow else { throw .malformed("a table of \(part.chunkCount) chunks", at: part.table) }
    try host.limits.check(memory: bytes)
    var table: [UInt64] = []
    try ArrayMemory.grow(&table, by: part.chunkCount, for: "the table of chunks")
    table.append(contentsOf: repeatElement(0, count: part.chunkCount))
    var offset = file.firstChunk
    while offset < source.size, !host.isCancelled {
      guard let (number, end) = try chunk(at: offset) else { break }
      if let number, number < table.count { table[number] = UInt64(offset) }
      offset = end
    }
    if host.isCancelled { throw .cancelled }
    found = table
  }

  /// The number of a chunk if it is of this part, and where the next one begins; nil for what is no chunk.
  private func chunk(at offset: Int) throws(CoderError) -> (number: Int?, end: Int)? {
    var reader = try source.reader(at: offset, count: 48, order: .littleEndian, of: "a chunk's header")
    do throws(CoderError) {
      let index = file.isMultiPart ? try reader.int32("the part of a chunk") : part.index
      guard let owner = file.parts.first(where: { $0.index == index }) else { return nil }
      if index != part.index || owner.isDeep {
        try reader.skip(owner.tiles == nil ? 4 : 16)
        var size = 0
        if owner.isDeep {
          let (table, samples) = (try reader.uint64(), try reader.uint64())
          try reader.skip(8)
          size = Int(clamping: table.addingReportingOverflow(samples).partialValue)
        } else {
          size = try reader.int32("the size of a chunk")
        }
        let (end, overflow) = reader.offset.addingReportingOverflow(size)
        return size >= 0 && !overflow ? (nil, end) : nil
      }
      let place = try coordinates(&reader)
      let size = try reader.int32("the size of a chunk")
      guard let place, size >= 0, grid.levels.contains(place.level) else { return nil }
      let counts = grid.counts(place.level)
      guard (0..<counts.width).contains(place.column), (0..<counts.height).contains(place.row) else { return nil }
      let number = grid.first(of: place.level) + place.row * counts.width + place.column
      return (number, reader.offset + size)
    } catch {
      guard error.code == .truncated || error.code == .malformed else { throw error }
      return nil
    }
  }
}
