// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension FileWriter {
  /// Adds a page that is one picture whose rows go from the reader to the writer, without the picture in memory.
  ///
  /// - Parameter image: What the page is, with one pixel in the layout of the picture.
  /// - Returns: False if the picture is needed whole; then nothing of the page has been written.
  func addPage(
    _ rows: PictureRows, of decoder: ImageDecoder, as image: Image, problem: inout CoderError?
  ) throws(CoderError) -> Bool {
    guard page == nil, !isLightMeasured(of: image), options.edit.isIdentity, options.embeddedThumbnailSide == nil,
      let writer = writer as? any FrameRowsWriter,
      Fit.plan(displayed: rows.size, box: options.maxSize, mode: .fit).size == rows.size,
      keptOrientation(of: image) == image.orientation
    else { return false }
    if session.isCancelled { throw .cancelled }
    let colors = try WrittenColors(image, as: format, options.output, log: options.log)
    guard colors.changesNothing else { return false }
    var described = image
    colors.describe(&described, metadata: options.metadata)
    var page = Page(image: described, colors: colors, given: rows.size, size: rows.size)
    let layout = try agree(on: rows.layout, second: nil, &page)
    guard let path = try RowPath(width: rows.size.width, from: rows.layout, to: layout, on: options.background) else {
      return false
    }
    try begin(page, layout: layout, isAnimated: false)
    try addLight(of: page.image, nil)
    frameCount += 1
    let frame = FrameHeader(
      rect: Rect(covering: rows.size), delay: image.frames[0].delay, hasAlpha: layout.alpha != .opaque)
    if try writer.beginRows(frame, size: rows.size, layout: layout) {
      problem = try decoder.decodeRows(rows) { (band) throws(CoderError) in
        try path.convert(band) { (band) throws(CoderError) in try writer.add(rows: band) }
      }
      try writer.endRows()
    } else {
      let whole = try decoder.lentFrame(at: 0)
      problem = whole.problem
      try write(try converted(whole.pixels, to: layout), frame)
    }
    options.progress?(1)
    isPageWritten = true
    return true
  }
}

/// Takes bands of rows to another layout, without alpha if that has none.
private final class RowPath {
  private let flattener: RowFlattener?
  private let first: RowConverter
  private let second: RowConverter
  /// Rows before and after the second conversion; the first is in the flattener's layout.
  private let line: PixelBuffer?
  private let flat: PixelBuffer?
  private let band: PixelBuffer?
  /// The layout of the rows that come out. It may differ from that of the rows that come in although no byte changes.
  private let layout: PixelLayout

  /// - Returns: Nil if rows cannot be taken there one by one.
  init?(width: Int, from: PixelLayout, to: PixelLayout, on background: PixelColor) throws(CoderError) {
    let size = Size(width: width, height: 1)
    let bandSize = Size(width: width, height: PassingTarget.bandHeight)
    layout = to
    guard !to.format.hasAlpha, from.alpha != .opaque else {
      flattener = nil
      line = nil
      flat = nil
      first = RowConverter(from: from, to: to)
      second = RowConverter(from: to, to: to)
      band = first.isIdentity ? nil : try PixelBuffer(size: bandSize, format: to.format, alpha: to.alpha)
      return
    }
    let working = PixelLayout(
      from.format.bytesPerChannel == 1 ? .rgba8 : from.format, from.alpha == .straight ? .straight : .premultiplied)
    let flattened = RowFlattener.result(of: working)
    flattener = RowFlattener(working, on: background)
    first = RowConverter(from: from, to: working)
    second = RowConverter(from: flattened, to: to)
    line = try PixelBuffer(size: size, format: working.format, alpha: working.alpha)
    flat = try PixelBuffer(size: size, format: flattened.format, alpha: flattened.alpha)
    band = try PixelBuffer(size: bandSize, format: to.format, alpha: to.alpha)
  }

  /// - Parameter rows: At most ``PassingTarget/bandHeight`` of them.
  func convert(_ rows: PixelView, _ take: PictureRows.Taker) throws(CoderError) {
    guard let band else {
      return try take(PixelView(layout: layout, size: rows.size, base: rows.base, stride: rows.stride))
    }
    let width = rows.size.width
    for y in 0..<rows.size.height {
      let row = rows.base + y * rows.stride
      guard let flattener, let line, let flat else {
        first.convert(row, into: band.row(y), count: width)
        continue
      }
      first.convert(row, into: line.base, count: width)
      flattener.flatten(line.base, into: flat.base, count: width)
      second.convert(flat.base, into: band.row(y), count: width)
    }
    try take(PixelView(layout: layout, size: rows.size, base: UnsafeRawPointer(band.base), stride: band.stride))
  }
}
