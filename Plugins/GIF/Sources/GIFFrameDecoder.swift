// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decodes images of one file into rows, with working memory that is kept from image to image.
final class GIFFrameDecoder {
  /// Indexes decoded at a time.
  private static let batch = 16_384
  /// Room for a batch after the widest row, which is held as long as its end has not come.
  private static let indexCount = batch + LZWDecoder.slack + Int(UInt16.max)
  /// Bytes that decoding takes, whatever the image.
  static let memory = indexCount + LZWDecoder.memorySize

  private let host: CoderHost
  private var lzw: LZWDecoder
  private let indexes: UnsafeMutablePointer<UInt8>

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(host: CoderHost) throws(CoderError) {
    self.host = host
    let memory = try host.allocate(bytes: Self.indexCount, for: "decoded indexes")
    indexes = memory.bindMemory(to: UInt8.self, capacity: Self.indexCount)
    do throws(CoderError) {
      lzw = try LZWDecoder(host: host)
    } catch {
      host.free(memory)
      throw error
    }
  }

  deinit {
    lzw.release(to: host)
    host.free(indexes)
  }

  /// Decodes the part of an image that lies on the canvas.
  ///
  /// - Parameters:
  ///   - visible: Pixels, from the image's top left corner, that reach the sink.
  ///   - showsCoarseRows: Whether rows of the early passes stand in for later ones while bytes are waited for.
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed`` after the rows that could be decoded.
  func decode(
    _ image: GIFImageBlock, of bytes: GIFBytes, palette: GIFPalette, format: PixelFormat, visible: Size,
    showsCoarseRows: Bool, into sink: RowSink
  ) throws(CoderError) {
    guard (1...11).contains(image.minimumCodeSize) else {
      throw .malformed("minimum code size \(image.minimumCodeSize), 1 to 11 are allowed", at: image.dataOffset)
    }
    lzw.start(
      in: bytes.available, isComplete: bytes.isComplete, at: image.dataOffset + 1,
      minimumCodeSize: Int(image.minimumCodeSize))
    var failure: CoderError?
    palette.pixels.withUnsafeBufferPointer { pixels in
      guard let base = pixels.baseAddress else { return }
      let expander = IndexExpander(palette: base, format: format)
      do throws(CoderError) {
        var rows = RowPlacement(
          sink: sink, stored: image.size, visible: visible, isInterlaced: image.descriptor.isInterlaced,
          rowBytes: visible.width * format.bytesPerPixel, showsCoarseRows: showsCoarseRows)
        do throws(CoderError) {
          try decode(image, of: bytes, expander: expander, rows: &rows)
        } catch {
          // What the sink answered ends the decode at once; rows before damage are shown.
          if error.code.group == .file { try rows.end() }
          throw error
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func decode(
    _ image: GIFImageBlock, of bytes: GIFBytes, expander: IndexExpander, rows: inout RowPlacement
  ) throws(CoderError) {
    let width = image.size.width
    // Indexes of a row whose end has not come. It is drawn as a whole: a sink may lend rows that show an earlier frame.
    var held = 0
    try rows.begin()
    while !rows.isComplete {
      guard !host.isCancelled else { throw .cancelled }
      let decoded = lzw.decode(into: indexes + held, until: Self.batch)
      let count = held + decoded.count
      var taken = 0
      while count - taken >= width, !rows.isComplete {
        if let row = rows.current { expander.expand(indexes + taken, count: rows.visible.width, to: row) }
        taken += width
        try rows.advance()
      }
      held = count - taken
      indexes.update(from: indexes + taken, count: held)
      guard !rows.isComplete else { return }
      if case .endOfAvailable = decoded.stop {
        try rows.show()
        let available = try bytes.wait(for: lzw.neededCount)
        lzw.resume(in: available, isComplete: bytes.isComplete)
      } else {
        try check(decoded.stop, rows: rows)
      }
    }
  }

  /// Says why an image stays incomplete.
  private func check(_ stop: LZWDecoder.Stop, rows: RowPlacement) throws(CoderError) {
    let found = "image data with \(rows.decodedCount) of \(rows.stored.height) rows"
    switch stop {
    case .full, .endOfAvailable: return
    case .endOfBytes: throw .truncated(found, at: lzw.offset)
    case .endOfBlocks: throw .malformed("\(found), all are needed", at: lzw.offset)
    case .endOfInformation: throw .malformed("\(found) before the end code, all are needed", at: lzw.position)
    case .invalidCode(let code):
      throw .malformed(
        "code \(code) after \(rows.decodedCount) rows, less than the next free one is allowed", at: lzw.position)
    }
  }
}
