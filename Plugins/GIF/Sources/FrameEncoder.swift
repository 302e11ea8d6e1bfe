// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Palettes

/// Writes frames as image blocks.
///
/// Pixels of an animation's frame that stay as they were may be the transparent index or the color that is on the
/// canvas: whichever makes longer strings is written.
final class FrameEncoder {
  /// Where and how a frame is shown.
  struct Control {
    var rect: Rect
    /// In 1/100 s.
    var delay: UInt16
    /// Nil for a still.
    var disposal: FrameHeader.Disposal?
  }

  private let host: CoderHost
  private let file: GIFFile
  private let options: GIFWriterOptions
  private let chooser: PaletteChooser
  /// What is shown before the next frame; nil for a still.
  private let canvas: ShownCanvas?

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(host: CoderHost, file: GIFFile, options: GIFWriterOptions, canvas: Size) throws(CoderError) {
    self.host = host
    self.file = file
    self.options = options
    chooser = PaletteChooser(file, limit: options.colors, placement: options.placement)
    self.canvas = file.isAnimation ? try ShownCanvas(size: canvas, host: host) : nil
  }

  /// Writes one frame.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when the pixels have to be kept and cannot.
  func encode(_ rows: FrameRows, _ control: Control) throws(CoderError) {
    let width = rows.size.width
    let memory = try host.allocate(bytes: 4 * width, for: "a row of pixels")
    defer { host.free(memory) }
    let row = memory.bindMemory(to: UInt32.self, capacity: width)
    let palette = try choosePalette(for: rows, control.rect, row: row)
    let mapper = try IndexMapper(palette, isDithered: options.isDithered, width: width, host: host)
    try encode(rows, control, palette, mapper, row: row)
  }

  // MARK: Palettes

  /// Chooses the palette of all frames.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  func usePalette(for histogram: ColorHistogram) throws(CoderError) { _ = try chooser.reducedPalette(for: histogram) }

  private func choosePalette(
    for rows: FrameRows, _ rect: Rect, row: UnsafeMutablePointer<UInt32>
  ) throws(CoderError) -> FramePalette {
    var frame = PaletteChooser.Frame()
    frame.colors = colors(of: rows, row: row, on: nil, rect)
    if frame.colors == nil, let canvas { frame.opaqueColors = colors(of: rows, row: row, on: canvas, rect) }
    if let palette = chooser.exactPalette(for: frame) { return palette }
    guard !options.isLossless else {
      throw .unsupported("a frame of more than \(options.colors) colors, a lossless one has \(options.colors) at most")
    }
    var histogram = try ColorHistogram()
    for y in 0..<rows.size.height {
      guard !host.isCancelled else { throw .cancelled }
      rows.load(y, into: row)
      histogram.add(row, count: rows.size.width)
    }
    return try chooser.reducedPalette(for: histogram)
  }

  /// All colors of a frame, or nil when there are too many.
  ///
  /// - Parameter canvas: Where pixels that stay as they were get their colors from; nil: they count as transparent.
  private func colors(
    of rows: FrameRows, row: UnsafeMutablePointer<UInt32>, on canvas: ShownCanvas?, _ rect: Rect
  ) -> ColorTable? {
    let table = ColorTable()
    for y in 0..<rows.size.height {
      rows.load(y, into: row)
      if let below = canvas?.row(y, of: rect) {
        for x in 0..<rows.size.width where row[x] == 0 { row[x] = below[x] }
      }
      var start = 0
      for x in 1...rows.size.width where x == rows.size.width || row[x] != row[start] {
        guard table.insert(row[start], weight: x - start, limit: options.colors) else { return nil }
        start = x
      }
    }
    return table
  }

  // MARK: Indexes

  private func encode(
    _ rows: FrameRows, _ control: Control, _ palette: FramePalette, _ mapper: IndexMapper,
    row: UnsafeMutablePointer<UInt32>
  ) throws(CoderError) {
    let count = rows.size.pixelCount
    let (bytes, overflow) = count.multipliedReportingOverflow(by: 2)
    guard !overflow else { throw .outOfMemory(bytes: count, for: "the indexes of a frame") }
    let memory = try host.allocate(bytes: bytes, for: "the indexes of a frame")
    defer { host.free(memory) }
    let indexes = memory.bindMemory(to: UInt8.self, capacity: count)
    let alternates = (memory + count).bindMemory(to: UInt8.self, capacity: count)
    let order = options.isInterlaced ? Self.interlacedOrder(rows.size.height) : nil
    var largest = 0
    for y in 0..<rows.size.height {
      guard !host.isCancelled else { throw .cancelled }
      rows.load(y, into: row)
      let start = (order?[y] ?? y) * rows.size.width
      mapper.map(row, count: rows.size.width, to: indexes + start)
      if let below = canvas?.row(y, of: control.rect) {
        choose(indexes + start, alternates + start, row: row, below: below, count: rows.size.width, palette)
      } else {
        (alternates + start).update(from: indexes + start, count: rows.size.width)
      }
      for x in start..<(start + rows.size.width) { largest = max(largest, Int(indexes[x])) }
    }
    let near = options.allowedError > 0 ? palette.nearColors(within: options.allowedError) : nil
    let minimumCodeSize = Self.bits(of: near == nil ? largest : palette.colors.count - 1)
    var hasChoices = false
    for pixel in 0..<count where alternates[pixel] != indexes[pixel] {
      if Int(alternates[pixel]) >> minimumCodeSize > 0 {
        alternates[pixel] = indexes[pixel]
      } else {
        hasChoices = true
      }
    }
    // Where pixels have a choice, the color everywhere may make for fewer codes than the longest strings do.
    var images = [
      IndexChoices(
        indexes: indexes, alternates: alternates, count: count, near: near, hasChoices: hasChoices || near != nil)
    ]
    if hasChoices, near == nil { images.append(IndexChoices(indexes: alternates, count: count)) }
    let best = try compress(images, minimumCodeSize: minimumCodeSize)
    let written = images[best.image].indexes
    var usesTransparency = false
    if let transparent = palette.transparentIndex {
      for pixel in 0..<count where written[pixel] == transparent {
        usesTransparency = true
        break
      }
    }
    var block = head(control, palette, usesTransparency: usesTransparency)
    block.append(UInt8(truncatingIfNeeded: minimumCodeSize))
    try file.put(block)
    try file.put(best.data)
    guard let canvas, let disposal = control.disposal else { return }
    canvas.draw(written, control.rect, colors: palette.colors, order: order, disposal: disposal)
  }

  /// Encodes images of the same pixels.
  ///
  /// - Returns: The sub-blocks of the smallest, and which it is.
  private func compress(
    _ images: [IndexChoices], minimumCodeSize: Int
  ) throws(CoderError) -> (data: [UInt8], image: Int) {
    var results = [Result<[UInt8], CoderError>](repeating: .failure(.cancelled), count: images.count)
    results.withUnsafeMutableBufferPointer { results in
      nonisolated(unsafe) let results = results
      host.parallelFor(images.count) { index in
        var encoder = LZWEncoder(minimumCodeSize: minimumCodeSize)
        encoder.encode(images[index]) { !host.isCancelled }
        results[index] = Result { () throws(CoderError) in try encoder.subBlocks() }
      }
    }
    guard !host.isCancelled else { throw .cancelled }
    // Without memory for one of them, the frame is not written: which one it is would be chance.
    var blocks: [[UInt8]] = []
    for result in results { blocks.append(try result.get()) }
    let best = blocks.indices.min { blocks[$0].count < blocks[$1].count } ?? 0
    return (blocks[best], best)
  }

  /// Says of each pixel of a row what it may be instead.
  private func choose(
    _ indexes: UnsafeMutablePointer<UInt8>, _ alternates: UnsafeMutablePointer<UInt8>, row: UnsafePointer<UInt32>,
    below: UnsafePointer<UInt32>, count: Int, _ palette: FramePalette
  ) {
    let transparent = palette.transparentIndex
    for x in 0..<count {
      alternates[x] = indexes[x]
      if row[x] == 0 {
        guard below[x] != 0, let own = palette.table.index(of: below[x]) else { continue }
        if transparent == nil { indexes[x] = own }
        alternates[x] = own
      } else if let transparent, palette.colors[Int(indexes[x])] == below[x] {
        (indexes[x], alternates[x]) = (transparent, indexes[x])
      }
    }
  }

  /// Where each row stands among the passes of an interlaced image.
  ///
  /// - Format: GIF89a Appendix E, Interlaced Images.
  private static func interlacedOrder(_ height: Int) -> [Int] {
    var order = [Int](repeating: 0, count: height)
    var position = 0
    for (first, step) in zip([0, 4, 2, 1], [8, 8, 4, 2]) {
      for y in stride(from: first, to: height, by: step) {
        order[y] = position
        position += 1
      }
    }
    return order
  }

  /// Bits of codes for indexes up to a largest one: 2 at least (GIF89a §22).
  private static func bits(of largest: Int) -> Int {
    var bits = 2
    while largest >> bits > 0 { bits += 1 }
    return bits
  }

  // MARK: Blocks

  /// What stands before a frame's image data.
  ///
  /// - Format: GIF89a §23, Graphic Control Extension; §20, Image Descriptor; §21, Local Color Table.
  private func head(_ control: Control, _ palette: FramePalette, usesTransparency: Bool) -> [UInt8] {
    var writer = ByteWriter(order: .littleEndian)
    var shown = GraphicControl()
    shown.disposalMethod = Self.method(control.disposal)
    shown.delay = control.delay
    shown.transparentIndex = usesTransparency ? palette.transparentIndex : nil
    if !shown.isDefault { shown.write(to: &writer) }
    let localColorCount = palette.isGlobal ? 0 : PaletteBytes.storedCount(palette.colors.count)
    ImageDescriptor(control.rect, isInterlaced: options.isInterlaced, localColorCount: localColorCount)
      .write(to: &writer)
    if !palette.isGlobal { PaletteBytes.write(palette.colors, storedCount: localColorCount, to: &writer) }
    return writer.bytes
  }

  private static func method(_ disposal: FrameHeader.Disposal?) -> UInt8 {
    switch disposal {
    case nil: 0
    case .keep: 1
    case .restoreBackground: 2
    case .restorePrevious: 3
    }
  }
}
