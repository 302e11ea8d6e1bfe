// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decodes the pixels of a part, or of a smaller picture in it, from the top; all of them, or those of a rectangle, of which
/// only the chunks that it touches are read.
///
/// Chunks that are damaged are left out: where others follow, their rows are empty. At a chunk that the file has not all of, the
/// picture ends.
struct PictureDecoder {
  /// What is shown of the data.
  enum View: Equatable {
    /// What is on the canvas; all of a smaller picture, which shows the same.
    case canvas(Level)
    case data(Level)

    var level: Level {
      switch self {
      case .canvas(let level), .data(let level): level
      }
    }
  }

  let part: PartHeader
  let view: View
  /// What is delivered, in the size of the view.
  let shown: Rect
  let choice: ChannelChoice
  let compression: Compression
  let format: PixelFormat
  private let grid: ChunkGrid
  private let layout: ChunkLayout

  /// Decompressed bytes that are worth being held, so that each processor has work.
  private static let batchBytes = 4 << 20
  private static let mostChunks = 64

  /// - Parameter shown: Inside the size of the view; nil for all of it.
  init(_ part: PartHeader, _ view: View = .canvas(Level()), shown: Rect? = nil) throws(CoderError) {
    guard let compression = part.compression else {
      throw .unsupported("compression \(part.storedCompression), 0 to \(Compression.dwab.rawValue) are known")
    }
    self.part = part
    self.view = view
    self.shown = shown ?? Rect(covering: part.size(of: view))
    self.compression = compression
    choice = ChannelChoice(part.channels)
    try choice.check(part.channels)
    format = part.pixelFormat
    grid = ChunkGrid(window: part.dataWindow, tiles: part.tiles, rows: compression.rows)
    layout = ChunkLayout(part.channels)
  }

  var level: Level { view.level }

  /// The size of what is delivered.
  var size: Size { shown.size }

  /// Where the data lie in what is delivered; they may reach beyond it.
  private var origin: (x: Int, y: Int) {
    guard view == .canvas(Level()) else { return (-shown.x, -shown.y) }
    return (
      part.dataWindow.x.lowerBound - part.displayWindow.x.lowerBound - shown.x,
      part.dataWindow.y.lowerBound - part.displayWindow.y.lowerBound - shown.y
    )
  }

  /// The columns and rows of the data that are delivered.
  private var visible: (x: Range<Int>, y: Range<Int>) {
    let data = grid.size(of: level)
    func part(of data: Int, at origin: Int, on canvas: Int) -> Range<Int> {
      let first = max(0, -origin)
      return first..<max(first, min(data, canvas - origin))
    }
    return (
      part(of: data.width, at: origin.x, on: size.width), part(of: data.height, at: origin.y, on: size.height)
    )
  }

  /// Columns of chunks that are delivered.
  private var columns: Range<Int> {
    let width = grid.chunkSize(level).width
    let x = visible.x
    return x.isEmpty ? 0..<0 : x.lowerBound / width..<(x.upperBound - 1) / width + 1
  }

  private func chunkBytes() throws(CoderError) -> Int {
    guard let bytes = layout.bytes(of: grid.chunkSize(level), firstRow: 0) else {
      throw .unsupported("chunks of \(grid.chunkSize(level)) in \(part.channels.count) channels")
    }
    return bytes
  }

  /// Chunks that are held at a time: a row of tiles, or some chunks of scan lines.
  private func chunksAtOnce() throws(CoderError) -> Int {
    guard part.tiles == nil else { return max(1, columns.count) }
    return min(max(2, Self.batchBytes / max(1, try chunkBytes())), Self.mostChunks, grid.counts(level).height)
  }

  /// Bytes that decoding holds.
  func memory() throws(CoderError) -> Int {
    let chunk = try chunkBytes()
    guard let rows = ChunkRow.memory(chunkBytes: chunk, count: try chunksAtOnce()) else { return .max }
    let others = PixelRows.memory(width: grid.size(of: level).width) + chroma
    let scratch = compression == .uncompressed ? 0 : 2 * ChunkDecompressor.scratch(chunkBytes: chunk)
    let (sum, overflow) = rows.addingReportingOverflow(others + scratch)
    return overflow ? .max : sum
  }

  private var chroma: Int {
    guard case .chroma(_, let red, _) = choice.colors else { return 0 }
    return ChromaRows.memory(width: part.dataWindow.size.width, sampling: part.channels[red].sampling)
  }

  /// The rows of chunks that are needed; chroma is needed above and below what is delivered.
  private var chunkRows: Range<Int> {
    var (first, end) = (visible.y.lowerBound, visible.y.upperBound)
    guard first < end, !visible.x.isEmpty else { return 0..<0 }
    if case .chroma(_, let red, _) = choice.colors {
      let step = part.channels[red].sampling.height
      first = first / step * step
      end = min(grid.size(of: level).height, (end - 1) / step * step + step + 1)
    }
    let height = grid.chunkSize(level).height
    return first / height..<(end - 1) / height + 1
  }

  func decode(_ table: ChunkTable, in source: SourceView, host: CoderHost, into sink: RowSink) throws(CoderError) {
    try host.limits.check(memory: try memory())
    let pixels = try PixelRows(format: format, width: grid.size(of: level).width, host: host)
    let canvas = CanvasRows(sink, size: size, x: origin.x, columns: visible.x, pixels: pixels)
    let colors = ColorRows(
      choice, layout: layout, pixels: pixels, canvas: canvas, visible: visible, chroma: try chromaRows(host))
    let chunks = try ChunkRow(chunkBytes: try chunkBytes(), count: try chunksAtOnce(), host: host)
    let codec =
      compression == .uncompressed
      ? nil : try ChunkDecompressor(part.channels, compression: compression, chunk: grid.chunkSize(level))
    var problem: CoderError?
    canvas.skip(origin.y)
    var row = chunkRows.lowerBound
    while row < chunkRows.upperBound {
      guard !host.isCancelled else { throw .cancelled }
      chunks.begin()
      let rows = part.tiles == nil ? min(try chunksAtOnce(), chunkRows.upperBound - row) : 1
      for row in row..<(row + rows) {
        for column in part.tiles == nil ? 0..<1 : columns {
          try read(column: column, row: row, to: chunks, table, in: source)
        }
      }
      chunks.decompress(with: codec, compression: compression)
      let sideBySide = part.tiles == nil ? chunks.blocks.map { [$0] } : [chunks.blocks]
      for blocks in sideBySide {
        problem = problem ?? blocks.lazy.compactMap(\.problem).first
        if let end = blocks.lazy.compactMap(\.problem).first(where: { $0.code == .truncated }) { throw problem ?? end }
        try colors.add(blocks)
      }
      row += rows
    }
    try colors.finish()
    try canvas.finish(isWhole: problem == nil)
    if let problem { throw problem }
  }

  private func chromaRows(_ host: CoderHost) throws(CoderError) -> ChromaRows? {
    guard case .chroma(_, let red, _) = choice.colors else { return nil }
    return try ChromaRows(
      width: part.dataWindow.size.width, sampling: part.channels[red].sampling, primaries: part.primaries ?? .standard,
      isHalf: format == .rgbaFloat16, host: host)
  }

  private func read(
    column: Int, row: Int, to chunks: ChunkRow, _ table: ChunkTable, in source: SourceView
  ) throws(CoderError) {
    let (chunk, all) = (grid.chunkSize(level), grid.size(of: level))
    let (x, y) = (column * chunk.width, row * chunk.height)
    try chunks.read(
      ChunkTable.Place(level: level, column: column, row: row), x: x, y: y,
      size: Size(width: min(chunk.width, all.width - x), height: min(chunk.height, all.height - y)), layout: layout,
      from: table, in: source)
  }
}
