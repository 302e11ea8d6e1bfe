// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decodes a picture tile by tile, a row of tiles at a time, into the host's rows.
final class PictureDecoder {
  /// Tile-parts of an incomplete file are read as they are needed.
  var codestream: Codestream
  /// The contents; of an incomplete file, what is there so far.
  var contents: UnsafeRawBufferPointer
  let source: SourceView
  let host: CoderHost
  let offer: DecodeOffer
  private let reduction: Int
  let plan: DecodingPlan
  private let map: ChannelMap
  let assembler: RowAssembler
  private let isIncremental: Bool
  /// Whether ``contents`` are empty: of a part, the bytes of its tiles are read and no others.
  private let readsTilesAlone: Bool
  /// Parts of the tiles that were decoded, of an incomplete file.
  var partsShown: [Int: Int] = [:]
  /// Coarse pictures that were sent.
  var passes = 0
  /// The picture, or the part of it that is decoded, on the grid, at its resolution.
  private let area: ReferenceGrid.Area
  /// The columns and rows of tiles that are decoded.
  private let columns: Range<Int>
  private let rows: Range<Int>
  private let bytesPerPixel: Int
  private let rowBytes: Int

  private(set) var scratch: UnsafeMutableRawPointer?
  private var band: UnsafeMutableRawPointer?
  /// Rows that are done.
  private var done = 0
  /// Empty rows after those; they are sent only when more rows follow.
  private var blank = 0
  private var failure: CoderError?

  /// What became of a tile.
  private enum Outcome {
    /// Outside the picture at this resolution.
    case empty
    case shown
    case failed(CoderError)
  }

  init(
    _ codestream: Codestream, map: ChannelMap, plan: DecodingPlan, offer: DecodeOffer, isIncremental: Bool,
    source: SourceView, host: CoderHost
  ) throws(CoderError) {
    self.codestream = codestream
    self.isIncremental = isIncremental
    readsTilesAlone = !isIncremental && offer.size != offer.whole
    contents =
      isIncremental || readsTilesAlone ? UnsafeRawBufferPointer(start: nil, count: 0) : try source.contents()
    self.source = source
    self.host = host
    self.offer = offer
    self.plan = plan
    self.map = map
    reduction = Int(offer.scaleCode)
    assembler = RowAssembler(map, grid: codestream.grid, format: offer.pixelFormat)
    (columns, rows, area) = codestream.grid.tiles(
      with: offer.size == offer.whole ? nil : offer.part, reduction: reduction)
    bytesPerPixel = offer.pixelFormat.bytesPerPixel
    rowBytes = offer.size.width * bytesPerPixel
  }

  deinit {
    host.free(scratch)
    host.free(band)
  }

  /// Decodes all rows that it can.
  ///
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed`` after them.
  func decode(into sink: RowWriter) throws(CoderError) {
    let grid = codestream.grid
    scratch = try host.allocate(bytes: plan.scratchBytes, alignment: 64, for: "rows of samples")
    if isIncremental, offer.rowOrder == .any { try sendPreview(into: sink) }
    for row in rows {
      if host.isCancelled { throw .cancelled }
      let tiles = (row * grid.tilesAcross + columns.lowerBound)..<(row * grid.tilesAcross + columns.upperBound)
      if isIncremental { try wait(for: tiles) }
      let first = pixels(ofTile: tiles.lowerBound)
      let height = first.y1 - first.y0
      let shown = tiles.filter { !pixels(ofTile: $0).isEmpty }
      guard let leftmost = shown.first else { continue }
      guard shown.contains(where: { codestream.tiles[$0]?.parts.isEmpty == false }) else {
        note(missing(leftmost))
        blank += height
        continue
      }
      // Rows of files that send no coarse picture first are right or not there.
      if !plan.isProgressive, shown.contains(where: { codestream.tiles[$0]?.isWhole != true }) {
        note(missing(leftmost))
        break
      }
      if columns.count == 1 {
        try decode(tile: tiles.lowerBound, height: height, into: sink)
      } else {
        try decode(tiles, height: height, into: sink)
      }
    }
    if let failure { throw failure }
    if isIncremental { try checkRest() }
    guard done == offer.size.height else {
      throw .malformed("tiles for \(done) of \(offer.size.height) rows")
    }
  }

  /// The pixels of a tile at the picture's resolution.
  private func pixels(ofTile index: Int) -> ReferenceGrid.Area {
    codestream.grid.pixels(in: codestream.grid.tile(index), reduction: reduction)
  }

  private func note(_ error: CoderError) {
    if failure == nil { failure = error }
  }

  private func missing(_ index: Int) -> CoderError {
    let message = "tile \(index) of \(codestream.grid.tileCount) is not complete"
    return codestream.isTruncated
      ? .truncated(message, at: readsTilesAlone ? source.size : contents.count) : .malformed(message)
  }

  /// Decodes a tile as wide as the picture.
  private func decode(tile index: Int, height: Int, into sink: RowWriter) throws(CoderError) {
    let tile: DecodedTile
    do throws(CoderError) {
      tile = try decode(try stream(ofTile: index), tile: index)
    } catch {
      guard error.code.group == .file else { throw error }
      note(error)
      blank += height
      return
    }
    try flushBlank(into: sink)
    guard let scratch else { return }
    let area = pixels(ofTile: index)
    var y = 0
    while y < height {
      let rows = try sink.rows(at: done, count: height - y)
      try check(rows)
      for line in 0..<rows.count {
        assembler.write(
          tile, y: area.y0 + y + line, area: area, to: rows.base + line * rows.stride,
          scratch: scratch.assumingMemoryBound(to: Int32.self))
      }
      try sink.done(at: done, count: rows.count, pass: passes)
      done += rows.count
      y += rows.count
    }
  }

  /// Decodes a row of tiles, several at a time.
  private func decode(_ tiles: Range<Int>, height: Int, into sink: RowWriter) throws(CoderError) {
    // Tiles go straight into the host's rows when it grants all of them.
    var base: UnsafeMutableRawPointer?
    var stride = rowBytes
    if blank == 0 {
      let rows = try sink.rows(at: done, count: height)
      try check(rows)
      if rows.count == height {
        base = rows.base
        stride = rows.stride
      }
    }
    let isDirect = base != nil
    if base == nil {
      if band == nil {
        band = try host.allocate(bytes: plan.bandBytes, alignment: 64, for: "a row of tiles")
      }
      base = band
    }
    guard let base else { return }
    let outcomes = run(tiles, base: base, stride: stride)
    var isShown = false
    for (index, outcome) in zip(tiles, outcomes) {
      switch outcome {
      case .empty: break
      case .shown: isShown = true
      case .failed(let error):
        guard error.code.group == .file else { throw error }
        note(error)
        clear(tile: index, base: base, stride: stride)
      }
    }
    guard isShown else {
      blank += height
      return
    }
    if isDirect {
      try sink.done(at: done, count: height)
      done += height
      return
    }
    try flushBlank(into: sink)
    var y = 0
    while y < height {
      let rows = try sink.rows(at: done, count: height - y)
      try check(rows)
      for line in 0..<rows.count {
        (rows.base + line * rows.stride).copyMemory(from: base + (y + line) * stride, byteCount: rowBytes)
      }
      try sink.done(at: done, count: rows.count, pass: passes)
      done += rows.count
      y += rows.count
    }
  }

  /// Decodes tiles on the host's threads. What comes out does not depend on how many there are.
  private func run(_ tiles: Range<Int>, base: UnsafeMutableRawPointer, stride: Int) -> [Outcome] {
    var outcomes = [Outcome](repeating: .empty, count: tiles.count)
    outcomes.withUnsafeMutableBufferPointer { run(tiles, base: base, stride: stride, outcomes: $0) }
    return outcomes
  }

  /// - Parameter outcomes: One for each tile; each thread writes those of its own tiles.
  private func run(
    _ tiles: Range<Int>, base: UnsafeMutableRawPointer, stride: Int, outcomes: UnsafeMutableBufferPointer<Outcome>
  ) {
    let workers = plan.workers
    // The host's memory is for the session's own thread alone.
    let streams = tiles.map { pixels(ofTile: $0).isEmpty ? nil : streamResult(ofTile: $0) }
    host.parallelFor(workers) { worker in
      guard let scratch else { return }
      let room = (scratch + worker * plan.scratchBytesPerWorker).assumingMemoryBound(to: Int32.self)
      for place in Swift.stride(from: worker, to: tiles.count, by: workers) {
        let index = tiles.lowerBound + place
        guard let stream = streams[place] else { continue }
        let area = pixels(ofTile: index)
        do throws(CoderError) {
          let tile = try decode(try stream.get(), tile: index)
          let left = base + (area.x0 - self.area.x0) * bytesPerPixel
          for y in area.y0..<area.y1 {
            assembler.write(tile, y: y, area: area, to: left + (y - area.y0) * stride, scratch: room)
          }
          outcomes[place] = .shown
        } catch {
          outcomes[place] = .failed(error)
        }
      }
    }
  }

  private func streamResult(ofTile index: Int) -> Result<TileStream, CoderError> {
    do throws(CoderError) {
      return .success(try stream(ofTile: index))
    } catch {
      return .failure(error)
    }
  }

  /// What the library is to read of a tile, after the checks of its size.
  private func stream(ofTile index: Int) throws(CoderError) -> TileStream {
    guard let tile = codestream.tiles[index], !tile.parts.isEmpty else { throw missing(index) }
    let wanted = plan.wanted(in: index, of: codestream, map: map)
    try plan.check(tile: index, of: codestream, wanted: wanted, at: tile.parts[0].data.lowerBound)
    return try TileStream(
      tile, area: codestream.grid.tile(index), of: codestream, in: readsTilesAlone ? nil : contents, from: source,
      host: host)
  }

  /// Decodes one tile's planes. A tile that is cut is shown as far as it goes.
  ///
  /// - Threads: Any.
  private func decode(_ stream: TileStream, tile index: Int) throws(CoderError) -> DecodedTile {
    if host.isCancelled { throw .cancelled }
    let messages = LibraryMessages(host)
    let wanted = plan.wanted(in: index, of: codestream, map: map)
    if let decoded = decode(stream, tile: index, wanted: wanted, messages: messages) { return decoded }
    if host.isCancelled { throw .cancelled }
    guard let tile = codestream.tiles[index], tile.isWhole else { throw missing(index) }
    throw .malformed(
      "openjpeg cannot decode tile \(index): \(messages.error ?? "it gives no reason")",
      at: tile.parts[0].data.lowerBound)
  }

  /// Decodes what there is of a tile, or nothing.
  func decode(_ stream: TileStream, tile index: Int, wanted: [Int]?, messages: LibraryMessages) -> DecodedTile? {
    withExtendedLifetime((stream, messages)) {
      DecodedTile.decode(
        stream, area: codestream.grid.tile(index), grid: codestream.grid, reduction: reduction, wanted: wanted,
        levels: { codestream.style(of: $0, in: index)?.levels ?? 0 }, messages: messages)
    }
  }

  private func clear(tile index: Int, base: UnsafeMutableRawPointer, stride: Int) {
    let area = pixels(ofTile: index)
    guard !area.isEmpty else { return }
    let left = base + (area.x0 - self.area.x0) * bytesPerPixel
    for y in 0..<area.size.height {
      (left + y * stride).initializeMemory(as: UInt8.self, repeating: 0, count: area.size.width * bytesPerPixel)
    }
  }

  /// Sends the rows that have nothing to show, now that more follow.
  private func flushBlank(into sink: RowWriter) throws(CoderError) {
    while blank > 0 {
      let rows = try sink.rows(at: done, count: blank)
      try check(rows)
      for line in 0..<rows.count {
        (rows.base + line * rows.stride).initializeMemory(as: UInt8.self, repeating: 0, count: rowBytes)
      }
      try sink.done(at: done, count: rows.count, pass: passes)
      done += rows.count
      blank -= rows.count
    }
  }

  func check(_ rows: RowWriter.Rows) throws(CoderError) {
    guard rows.stride >= rowBytes, rows.count > 0 else {
      throw .libraryFailure("the host grants a stride of \(rows.stride) bytes for rows of \(rowBytes)")
    }
  }
}
