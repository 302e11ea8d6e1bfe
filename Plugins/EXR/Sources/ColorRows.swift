// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Takes the rows of chunks and puts the chosen channels on the canvas.
final class ColorRows {
  private let choice: ChannelChoice
  private let layout: ChunkLayout
  private let pixels: PixelRows
  private let canvas: CanvasRows
  /// The columns and rows of the data that are on the canvas.
  private let visible: (x: Range<Int>, y: Range<Int>)
  /// What makes colors of luminance and chroma, or nil for other channels.
  private let chroma: ChromaRows?

  init(
    _ choice: ChannelChoice, layout: ChunkLayout, pixels: PixelRows, canvas: CanvasRows,
    visible: (x: Range<Int>, y: Range<Int>), chroma: ChromaRows?
  ) {
    self.choice = choice
    self.layout = layout
    self.pixels = pixels
    self.canvas = canvas
    self.visible = visible
    self.chroma = chroma
  }

  /// Puts the rows of blocks on the canvas that lie side by side.
  ///
  /// - Parameter blocks: Those that are damaged leave their columns empty.
  func add(_ blocks: [ChunkRow.Block]) throws(CoderError) {
    guard let first = blocks.first else { return }
    let rows = first.y..<(first.y + first.size.height)
    let whole = blocks.filter { $0.problem == nil }
    guard !whole.isEmpty else {
      // Rows that wait for chroma are not right without it.
      let waiting = chroma?.restart() ?? 0..<0
      canvas.skip(waiting.clamped(to: visible.y).count + rows.clamped(to: visible.y).count)
      return
    }
    var offsets = [Int](repeating: 0, count: whole.count)
    for row in rows where row < visible.y.upperBound || chroma != nil {
      if let chroma {
        try add(row, of: whole[0], at: offsets[0], to: chroma)
      } else if row >= visible.y.lowerBound {
        try canvas.begin(isWhole: whole.count == blocks.count)
        for (block, offset) in zip(whole, offsets) { put(row, of: block, at: offset) }
        try canvas.end()
      }
      for (place, block) in whole.enumerated() { offsets[place] += layout.bytes(ofRow: row, width: block.size.width) }
    }
  }

  /// Writes what waits for chroma at the end of the picture.
  func finish() throws(CoderError) {
    try chroma?.finish { (row, planes) throws(CoderError) in try self.putWhole(row, planes) }
  }

  private func put(_ row: Int, of block: ChunkRow.Block, at offset: Int) {
    guard let base = block.bytes.baseAddress else { return }
    let part = (block.x..<(block.x + block.size.width)).clamped(to: visible.x)
    guard !part.isEmpty else { return }
    let start = UnsafeRawPointer(base + offset)
    func samples(_ place: Int, _ index: Int) -> UnsafeRawPointer {
      let type = layout.channels[place].type
      let first = layout.offset(of: place, row: row, width: block.size.width)
      return pixels.samples(
        start + first + (part.lowerBound - block.x) * type.bytes, type: type, count: part.count, index: index)
    }
    let alpha = choice.alpha.map { samples($0, 3) } ?? pixels.ones
    let planes: PixelRows.Planes
    switch choice.colors {
    case .rgb(let red, let green, let blue):
      planes = PixelRows.Planes(
        red: red.map { samples($0, 0) } ?? pixels.zeros, green: green.map { samples($0, 1) } ?? pixels.zeros,
        blue: blue.map { samples($0, 2) } ?? pixels.zeros, alpha: alpha)
    case .gray(let place), .chroma(let place, _, _):
      let gray = samples(place, 0)
      planes = PixelRows.Planes(red: gray, green: gray, blue: gray, alpha: alpha)
    }
    canvas.put(part, planes: planes)
  }

  private func add(_ row: Int, of block: ChunkRow.Block, at offset: Int, to chroma: ChromaRows) throws(CoderError) {
    guard case .chroma(let luminance, let red, let blue) = choice.colors, let base = block.bytes.baseAddress else {
      return
    }
    let width = block.size.width
    func fill(_ target: UnsafeMutablePointer<Float>, _ place: Int) {
      let channel = layout.channels[place]
      let stored = base + offset + layout.offset(of: place, row: row, width: width)
      for x in 0..<(width / channel.sampling.width) { target[x] = Self.sample(of: channel.type, stored, at: x) }
    }
    try chroma.add(
      row: row,
      fill: { light, alpha in
        fill(light, luminance)
        if let place = choice.alpha { fill(alpha, place) } else { alpha.update(repeating: 1, count: width) }
      },
      fillChroma: { redTarget, blueTarget in
        fill(redTarget, red)
        fill(blueTarget, blue)
      },
      write: { (row, planes) throws(CoderError) in try self.putWhole(row, planes) })
  }

  private static func sample(of type: Channel.SampleType, _ stored: UnsafeRawPointer, at x: Int) -> Float {
    switch type {
    case .half: Float(Float16(bitPattern: stored.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self)))
    case .float: stored.loadUnaligned(fromByteOffset: 4 * x, as: Float.self)
    case .uint: Float(stored.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
    }
  }

  /// Puts a row of all columns of the data on the canvas, if it belongs there.
  private func putWhole(_ row: Int, _ planes: PixelRows.Planes) throws(CoderError) {
    guard visible.y.contains(row) else { return }
    let first = visible.x.lowerBound * pixels.format.bytesPerChannel
    try canvas.begin(isWhole: true)
    canvas.put(
      visible.x,
      planes: PixelRows.Planes(
        red: planes.red + first, green: planes.green + first, blue: planes.blue + first, alpha: planes.alpha + first))
    try canvas.end()
  }
}
