// SPDX-License-Identifier: Apache-2.0

import CRollingMemory
import ImageCoderPlugin

/// Memory for a whole picture of which the rows that were delivered are not kept, for a host that takes some rows at a time.
struct PassingRows: ~Copyable {
  /// Bytes of it that are there at a time, an estimate from above: what libwebp writes in a step, and three huge pages.
  static func memory(for offer: DecodeOffer) -> Int {
    let row = offer.size.width &* offer.pixelFormat.bytesPerPixel
    return min(offer.size.height &* row, BitstreamInput.rowsOfStep &* 2 &* row &+ 6 << 20)
  }

  /// Rows that libwebp may have written after the last one that it says is done: those of a macroblock, of the filter that
  /// looks further, and of its cache.
  private static let rowsAhead = 64

  private var memory = rolling_memory()
  /// Bytes of a row, and from one to the next.
  private let rowBytes: Int

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ offer: DecodeOffer) throws(CoderError) {
    rowBytes = offer.size.width * offer.pixelFormat.bytesPerPixel
    let bytes = rowBytes * offer.size.height
    guard rolling_memory_map(&memory, UInt64(bytes)) != 0 else { throw .outOfMemory(bytes: bytes, for: "rows") }
  }

  deinit {
    var memory = memory
    rolling_memory_unmap(&memory)
  }

  /// The rows of the whole picture.
  var place: FrameDecoder.Place { FrameDecoder.Place(base: UnsafeMutableRawPointer(memory.base), stride: rowBytes) }

  /// Gives rows on, and forgets them.
  ///
  /// - Parameter first: Rows before it were given on already.
  mutating func deliver(_ rows: Range<Int>, after first: Int, into sink: RowSink) throws(CoderError) {
    let end = rows.upperBound
    var y = max(first, rows.lowerBound)
    while y < end {
      let granted = try sink.rows(at: y, count: end - y)
      for row in 0..<granted.count {
        (granted.base + row * granted.stride).copyMemory(from: memory.base + (y + row) * rowBytes, byteCount: rowBytes)
      }
      try sink.done(at: y, count: granted.count)
      y += granted.count
    }
    guard rolling_memory_use(&memory, UInt64(end * rowBytes), UInt64((end + Self.rowsAhead) * rowBytes)) != 0 else {
      throw .outOfMemory(bytes: 2 << 20, for: "rows")
    }
  }
}
