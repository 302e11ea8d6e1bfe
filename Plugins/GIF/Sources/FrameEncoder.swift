// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Chooses palettes and writes frames as image blocks.
final class FrameEncoder {
  /// What stands beside a frame's pixels in its Graphic Control Extension.
  struct Control {
    var rect: Rect
    /// In 1/100 s.
    var delay: UInt16
    /// As stored: 0 to 3.
    var disposalMethod: UInt8
  }

  private let host: CoderHost
  private let library: LibGIF
  private let options: GIFWriterOptions
  /// Writes what stands between the global palette and the first frame.
  private let putPreamble: () throws(CoderError) -> Void
  private let canvas: Size
  /// The colours of the global palette when it holds them exactly.
  private var globalTable: ColorTable?
  private var hasScreen = false

  init(
    host: CoderHost, library: LibGIF, options: GIFWriterOptions, canvas: Size,
    putPreamble: @escaping () throws(CoderError) -> Void
  ) {
    self.host = host
    self.library = library
    self.options = options
    self.canvas = canvas
    self.putPreamble = putPreamble
  }

  /// Writes one frame.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when the pixels have to be kept and cannot.
  func encode(_ rows: FrameRows, _ control: Control) throws(CoderError) {
    let width = rows.size.width
    let memory = try host.allocate(bytes: 5 * width, for: "a row of pixels")
    defer { host.free(memory) }
    let row = memory.bindMemory(to: UInt32.self, capacity: width)
    let indexes = (memory + 4 * width).bindMemory(to: UInt8.self, capacity: width)

    let choice = try choosePalette(for: rows, row: row)
    if !hasScreen {
      hasScreen = true
      try library.putScreen(canvas, palette: choice.palette)
      try putPreamble()
      globalTable = choice.table
    }
    try putControl(control, transparentIndex: choice.transparentIndex)
    let isInterlaced = options.isInterlaced
    try library.putImage(
      control.rect, isInterlaced: isInterlaced, palette: choice.isGlobal ? nil : choice.palette)
    if isInterlaced {
      try putInterlaced(rows, row: row, mapper: choice.mapper)
    } else {
      for y in 0..<rows.size.height {
        guard !host.isCancelled else { throw .cancelled }
        rows.load(y, into: row)
        choice.mapper.map(row, count: width, to: indexes)
        try library.putRow(indexes, count: width)
      }
    }
  }

  private struct Choice {
    var palette: [UInt32]
    var transparentIndex: Int?
    var mapper: IndexMapper
    /// The palette's colours when it has all of the frame's.
    var table: ColorTable?
    var isGlobal: Bool
  }

  private func choosePalette(
    for rows: FrameRows, row: UnsafeMutablePointer<UInt32>
  ) throws(CoderError) -> Choice {
    guard let table = exactTable(for: rows, row: row) else { return try reducedPalette(for: rows, row: row) }
    var chosen = table
    var isGlobal = !hasScreen
    if let globalTable, table.colors.allSatisfy({ globalTable.index(of: $0) != nil }) {
      chosen = globalTable
      isGlobal = true
    }
    return Choice(
      palette: chosen.colors, transparentIndex: chosen.index(of: 0).map { Int($0) }, mapper: IndexMapper(exact: chosen),
      table: chosen, isGlobal: isGlobal)
  }

  /// All colours of a frame, or nil when there are too many.
  private func exactTable(for rows: FrameRows, row: UnsafeMutablePointer<UInt32>) -> ColorTable? {
    let table = ColorTable()
    for y in 0..<rows.size.height {
      rows.load(y, into: row)
      var last = ~row[0]
      for x in 0..<rows.size.width where row[x] != last {
        last = row[x]
        guard table.insert(last, limit: options.colors) else { return nil }
      }
    }
    return table
  }

  private func reducedPalette(
    for rows: FrameRows, row: UnsafeMutablePointer<UInt32>
  ) throws(CoderError) -> Choice {
    guard !options.isLossless else {
      throw .unsupported("a frame of more than \(options.colors) colours, a lossless one has \(options.colors) at most")
    }
    var histogram = ColorHistogram()
    for y in 0..<rows.size.height {
      guard !host.isCancelled else { throw .cancelled }
      rows.load(y, into: row)
      histogram.add(row, count: rows.size.width)
    }
    let hasTransparency = histogram.hasTransparency
    var palette = PaletteMaker.palette(of: histogram, limit: options.colors - (hasTransparency ? 1 : 0))
    let mapper = try IndexMapper(
      nearest: PaletteSearch(palette), transparentIndex: hasTransparency ? palette.count : nil,
      isDithered: options.isDithered, width: rows.size.width, host: host)
    let transparentIndex = hasTransparency ? palette.count : nil
    if hasTransparency { palette.append(0) }
    return Choice(
      palette: palette, transparentIndex: transparentIndex, mapper: mapper, table: nil, isGlobal: !hasScreen)
  }

  /// GIF89a §23, Graphic Control Extension.
  private func putControl(_ control: Control, transparentIndex: Int?) throws(CoderError) {
    guard control.delay > 0 || control.disposalMethod > 0 || transparentIndex != nil else { return }
    let flags = control.disposalMethod << 2 | (transparentIndex == nil ? 0 : 1)
    let bytes = [
      flags, UInt8(truncatingIfNeeded: control.delay), UInt8(truncatingIfNeeded: control.delay >> 8),
      UInt8(truncatingIfNeeded: transparentIndex ?? 0),
    ]
    try library.putExtension(0xF9, [bytes[...]])
  }

  /// Maps all rows from the top and then writes them in the order of Appendix E.
  private func putInterlaced(
    _ rows: FrameRows, row: UnsafeMutablePointer<UInt32>, mapper: IndexMapper
  ) throws(CoderError) {
    let size = rows.size
    let memory = try host.allocate(bytes: size.pixelCount, for: "the indexes of an interlaced frame")
    defer { host.free(memory) }
    let indexes = memory.bindMemory(to: UInt8.self, capacity: size.pixelCount)
    for y in 0..<size.height {
      guard !host.isCancelled else { throw .cancelled }
      rows.load(y, into: row)
      mapper.map(row, count: size.width, to: indexes + y * size.width)
    }
    for (first, step) in zip([0, 4, 2, 1], [8, 8, 4, 2]) {
      for y in stride(from: first, to: size.height, by: step) {
        try library.putRow(indexes + y * size.width, count: size.width)
      }
    }
  }
}
