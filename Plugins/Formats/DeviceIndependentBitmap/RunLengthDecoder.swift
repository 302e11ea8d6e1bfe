// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Takes the runs of RLE4, RLE8 and RLE24 apart.
///
/// Runs end at their row's end, and what is left over is dropped; a row begins only where the file says so. Pixels that
/// the file passes over, with a delta, an early end of a row or of the bitmap, are transparent.
///
/// - Format: MS-WMF 3.1.6, Run-Length Encoding; OS/2 Presentation Manager, bitmap compression of 24 bits.
struct RunLengthDecoder {
  private let bitmap: Bitmap
  private let colors: LookupTable<UInt32>
  private let height: Int

  /// What a walk over all runs finds.
  struct Outcome {
    /// Whether pixels were passed over.
    var hasGaps = false
    /// Rows from the first stored one that are complete.
    var rows = 0
    /// Where the source ended too early, or nil.
    var end: Int?
  }

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
    height = bitmap.size.height
    let bits = bitmap.header.bitCount
    colors = LookupTable(bits <= 8 ? bitmap.colors(bits == 4 ? 16 : 256) : [])
  }

  /// Walks over the runs.
  ///
  /// - Parameter body: Gets each row, in the order in which rows are stored.
  func rows(
    from source: SourceView, into line: PixelLine, _ body: (_ row: Int, _ line: PixelLine) throws(CoderError) -> Void
  ) throws(CoderError) -> Outcome {
    var outcome = Outcome()
    var stream = try ByteWindow(source, at: bitmap.pixelOffset, count: bitmap.header.imageByteCount)
    func finishRow() throws(CoderError) {
      try body(outcome.rows, line)
      outcome.rows &+= 1
      line.clear()
    }
    while outcome.rows < height {
      let count = try stream.next()
      if count > 0 {
        guard try run(count, &stream, line) else { break }
        continue
      }
      let escape = count < 0 ? -1 : try stream.next()
      switch escape {
      case 0:
        if line.x < line.width { outcome.hasGaps = true }
        try finishRow()
      case 1:
        if line.x < line.width || outcome.rows &+ 1 < height { outcome.hasGaps = true }
        while outcome.rows < height { try finishRow() }
      case 2:
        let (dx, dy) = (try stream.next(), try stream.next())
        guard dx >= 0, dy >= 0 else { break }
        let x = line.x
        if dx > 0 || dy > 0 { outcome.hasGaps = true }
        for _ in 0..<min(dy, height &- outcome.rows) { try finishRow() }
        line.skip(dy > 0 ? x &+ dx : dx)
        continue
      case 3...:
        guard try absolute(escape, &stream, line) else { break }
        continue
      default: break
      }
      if escape == 0 || escape == 1 { continue }
      // The source has ended. A last row that is complete lacks nothing but its end's mark.
      break
    }
    if outcome.rows < height, line.x == line.width { try finishRow() }
    if outcome.rows < height { outcome.end = stream.place }
    return outcome
  }

  /// A run of one color, or of two in turn.
  private func run(_ count: Int, _ stream: inout ByteWindow, _ line: PixelLine) throws(CoderError) -> Bool {
    let value = try stream.next()
    guard value >= 0 else { return false }
    switch bitmap.header.compression {
    case .runLength8: line.run(count, colors.base[value], colors.base[value])
    case .runLength4: line.run(count, colors.base[value >> 4], colors.base[value & 15])
    default:
      let (green, red) = (try stream.next(), try stream.next())
      guard green >= 0, red >= 0 else { return false }
      let color = Self.color(value, green, red)
      line.run(count, color, color)
    }
    return true
  }

  /// Pixels one by one, padded to 16 bits.
  private func absolute(_ count: Int, _ stream: inout ByteWindow, _ line: PixelLine) throws(CoderError) -> Bool {
    var bytes = 0
    switch bitmap.header.compression {
    case .runLength8:
      var left = count
      while left > 0 {
        let chunk = try stream.chunk(upTo: left)
        guard !chunk.isEmpty else { return false }
        line.put(chunk, colors)
        left &-= chunk.count
      }
      bytes = count
    case .runLength4:
      for index in stride(from: 0, to: count, by: 2) {
        let value = try stream.next()
        guard value >= 0 else { return false }
        line.put(colors.base[value >> 4])
        if index &+ 1 < count { line.put(colors.base[value & 15]) }
      }
      bytes = (count &+ 1) / 2
    default:
      for _ in 0..<count {
        let (blue, green, red) = (try stream.next(), try stream.next(), try stream.next())
        guard blue >= 0, green >= 0, red >= 0 else { return false }
        line.put(Self.color(blue, green, red))
      }
      bytes = count &* 3
    }
    if bytes & 1 == 1 { _ = try stream.next() }
    return true
  }

  private static func color(_ blue: Int, _ green: Int, _ red: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: blue | green << 8 | red << 16) | 0xFF00_0000
  }
}
