// SPDX-License-Identifier: Apache-2.0

import CPNGShim
import ImageCoderPlugin

/// Frames that were held until it was known what all of them have in common.
extension PNGWriter {
  /// Holds the pixels of a frame, or writes them.
  func take(_ pixels: PixelView, frame: FrameHeader, header: ImageHeader) throws(CoderError) {
    if mayBeKeyed {
      keyed = try KeyedFrames(pixels.layout, host: host)
      mayBeKeyed = false
    }
    if let keyed {
      if try keyed.add(pixels, frame: frame) { return }
      try write(keyed, key: nil, header: header)
      self.keyed = nil
    }
    if framesWritten == 0 { try writeLead(header, layout: pixels.layout) }
    try writeFrame(pixels, frame: frame, canvas: header.canvas)
  }

  /// Writes frames with a palette, or in gray: neighbors in gray are alike, indexes are not.
  func write(_ indexed: IndexedFrames, header: ImageHeader) throws(CoderError) {
    isIndexed = hasProfile || indexed.bitDepth < 8 || !indexed.becomesGray()
    let layout = PixelLayout(.gray8, .opaque)
    if isIndexed {
      indexed.sortPalette()
      indexDepth = indexed.bitDepth
    }
    try writeLead(header, layout: layout, palette: isIndexed ? indexed : nil)
    let hole = isIndexed && indexed.frames.count > 1 ? indexed.holeNumber : nil
    let canvas = try canvas(header, hole: hole)
    for held in indexed.frames {
      try write(held.indexes, held.header, layout: layout, header: header, on: canvas)
    }
  }

  /// Writes frames of colors.
  ///
  /// - Parameter key: How they can do without alpha, or nil if they cannot.
  func write(_ keyed: KeyedFrames, key: KeyedFrames.Key?, header: ImageHeader) throws(CoderError) {
    guard let layout, !keyed.frames.isEmpty else { return }
    let stored = key == nil ? layout : PixelLayout(layout.format, .opaque)
    try writeLead(header, layout: stored, key: key)
    let canvas = try canvas(header, hole: keyed.hole)
    for held in keyed.frames {
      try write(held.pixels, held.header, layout: stored, header: header, on: canvas)
    }
  }

  private func canvas<Pixel>(_ header: ImageHeader, hole: Pixel?) throws(CoderError) -> HeldCanvas<Pixel>? {
    guard let hole else { return nil }
    return try HeldCanvas(header.canvas, hole: hole, host: host)
  }

  /// Writes a frame as it came or, if that is smaller, with the pixels in its holes that are below them: scattered
  /// holes cost more than those.
  ///
  /// - Parameter canvas: Nil if there are no holes.
  private func write<Pixel>(
    _ pixels: UnsafeMutablePointer<Pixel>, _ frame: FrameHeader, layout: PixelLayout, header: ImageHeader,
    on canvas: HeldCanvas<Pixel>?
  ) throws(CoderError) {
    let rect = frame.rect
    func view(_ pixels: UnsafeMutablePointer<Pixel>) -> PixelView {
      PixelView(
        layout: layout, size: rect.size, base: UnsafeRawPointer(pixels),
        stride: MemoryLayout<Pixel>.stride * rect.width)
    }
    defer { canvas?.draw(pixels, frame) }
    guard let canvas, framesWritten > 0, frame.blend == .over, let filled = try canvas.filled(pixels, rect) else {
      return try writeFrame(view(pixels), frame: frame, canvas: header.canvas)
    }
    defer { host.free(filled) }
    var other = frame
    other.blend = .source
    if try measure(view(filled), other) < measure(view(pixels), frame) {
      try writeFrame(view(filled), frame: other, canvas: header.canvas)
    } else {
      try writeFrame(view(pixels), frame: frame, canvas: header.canvas)
    }
  }

  private func measure(_ pixels: PixelView, _ frame: FrameHeader) throws(CoderError) -> Int {
    var image = image(pixels, frame: frame, rect: frame.rect)
    return try LibPNG.measure(&image, host: host)
  }

  /// Makes indexes that were held pixels again, now that no palette has all of their colors.
  func giveBack(_ indexed: IndexedFrames, layout: PixelLayout, header: ImageHeader) throws(CoderError) {
    guard let first = indexed.frames.first else { return }
    // The first frame is the canvas, so none is larger.
    let memory = try host.allocate(
      bytes: first.header.rect.size.pixelCount * layout.format.bytesPerPixel, for: "a frame")
    defer { host.free(memory) }
    for held in indexed.frames {
      indexed.expand(held, rows: 0..<held.header.rect.height, into: memory)
      try take(
        PixelView(
          layout: layout, size: held.header.rect.size, base: UnsafeRawPointer(memory),
          stride: held.header.rect.width * layout.format.bytesPerPixel), frame: held.header, header: header)
    }
  }

  /// Gives the first rows of a frame that is held, a few at a time.
  func expand(
    _ held: IndexedFrames.Frame, of indexed: IndexedFrames, rows: Int, _ body: (PixelView) throws(CoderError) -> Void
  ) throws(CoderError) {
    guard let layout, rows > 0 else { return }
    let (most, stride) = (min(64, rows), held.header.rect.width * layout.format.bytesPerPixel)
    let memory = try host.allocate(bytes: most * stride, for: "rows of a frame")
    defer { host.free(memory) }
    var first = 0
    while first < rows {
      let count = min(most, rows - first)
      indexed.expand(held, rows: first..<(first + count), into: memory)
      try body(
        PixelView(
          layout: layout, size: Size(width: held.header.rect.width, height: count), base: UnsafeRawPointer(memory),
          stride: stride))
      first += count
    }
  }
}
