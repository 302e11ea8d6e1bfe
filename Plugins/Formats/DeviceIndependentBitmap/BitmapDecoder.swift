// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Decodes the pixels of a bitmap into a sink.
public final class BitmapDecoder {
  public let bitmap: Bitmap
  private let source: SourceView
  private let host: CoderHost
  /// What a walk over all runs found; made when it is first asked for, or by decoding.
  private var runs: RunLengthDecoder.Outcome?

  public init(_ bitmap: Bitmap, in source: SourceView, host: CoderHost) {
    self.bitmap = bitmap
    self.source = source
    self.host = host
  }

  /// Whether bytes arrive, and the end of the source is not known yet.
  private var isIncremental: Bool { source.size == .max }

  /// Whether every pixel is opaque. Of runs, that is known when all of them have been walked over; until all have
  /// arrived, some may be not.
  public func isOpaque() throws(CoderError) -> Bool {
    switch bitmap.header.compression {
    case .runLength4, .runLength8, .runLength24: runs == nil && isIncremental ? false : try !walked().hasGaps
    default: !bitmap.hasAlpha
    }
  }

  /// Whether the source ends before the pixels do.
  public func isTruncated() throws(CoderError) -> Bool {
    switch bitmap.header.compression {
    case .runLength4, .runLength8, .runLength24: try walked().end != nil
    case .huffman:
      try HuffmanDecoder(bitmap).rows(from: source, into: line()) { (_, _) throws(CoderError) in }.end != nil
    default: storedRows < bitmap.size.height
    }
  }

  /// Rows that lie wholly in the source; the padding of the last one may be missing.
  private var storedRows: Int {
    let bytes = source.size &- bitmap.pixelOffset
    guard bytes >= bitmap.rowBytes, bitmap.stride > 0 else { return 0 }
    return min(bitmap.size.height, (bytes &- bitmap.rowBytes) / bitmap.stride &+ 1)
  }

  /// Says what ``decode(_:into:)`` delivers.
  public func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try checkPixels()
    let layout = bitmap.layout(for: request.pixelFormat, isOpaque: try isOpaque())
    // Rows from the bottom up come from the top only when the top is there.
    let hasTop = !bitmap.isBottomUp || (!isIncremental && storedRows == bitmap.size.height)
    return DecodeOffer(
      request, size: bitmap.size, pixelFormat: layout.format, alpha: layout.alpha,
      rowOrder: bitmap.isCompressed || !hasTop ? .any : .topDown, memory: bitmap.size.width &* 4 &+ (1 << 20))
  }

  /// A bitmap that is a file of another format has no pixels of its own: the host opens that file.
  private func checkPixels() throws(CoderError) {
    guard !bitmap.isEmbedded else {
      throw .unsupported(
        "pixels of a bitmap that is a \(bitmap.header.compression.rawValue) file, which needs the coder of that format")
    }
  }

  public func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try checkPixels()
    guard offer.size == bitmap.size else {
      throw .invalidArgument("an offer of \(offer.size) for a bitmap of \(bitmap.size)")
    }
    switch bitmap.header.compression {
    case .runLength4, .runLength8, .runLength24:
      let line = try line()
      let unpacker = RowUnpacker(wordsAs: offer.pixelFormat)
      let outcome = try RunLengthDecoder(bitmap).rows(from: source, into: line) { (row, line) throws(CoderError) in
        try deliver(line, row, unpacker, sink)
      }
      if let end = outcome.end { throw truncated(rows: outcome.rows, at: end) }
      runs = outcome
    case .huffman:
      let unpacker = RowUnpacker(wordsAs: offer.pixelFormat)
      let outcome = try HuffmanDecoder(bitmap).rows(from: source, into: line()) { (row, line) throws(CoderError) in
        try deliver(line, row, unpacker, sink)
      }
      if let error = outcome.error { throw error }
      if let end = outcome.end { throw truncated(rows: outcome.rows, at: end) }
    case .none, .bitFields, .jpeg, .png: try decodeRows(offer, into: sink)
    }
  }

  private func decodeRows(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let unpacker = RowUnpacker(bitmap, format: offer.pixelFormat, hasAlpha: offer.alpha != .opaque)
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    let goesBackwards = bitmap.isBottomUp && offer.rowOrder == .topDown
    var window = RowWindow(bitmap, in: source, goesBackwards: goesBackwards)
    var done = 0
    while done < height {
      let count = try window.show(goesBackwards ? bitmap.flipped(done) : done)
      guard count > 0 else { throw truncated(rows: done, at: source.size) }
      // In the order of a file that is stored from the bottom up, rows come from the bottom.
      var y = bitmap.isBottomUp && !goesBackwards ? height &- done &- count : done
      let end = y &+ count
      while y < end {
        let rows = try sink.rows(at: y, count: end &- y)
        let granted = min(rows.count, end &- y)
        for turn in 0..<granted {
          // Memory is read in its order: a processor looks ahead that way alone.
          let index = bitmap.isBottomUp ? granted &- 1 &- turn : turn
          guard let row = window.row(bitmap.flipped(y &+ index)) else { break }
          unpacker.unpack(row, into: rows.base + index &* rows.stride, count: width)
          if turn & 63 == 63, host.isCancelled { throw .cancelled }
        }
        try sink.done(at: y, count: granted)
        y &+= granted
      }
      done &+= count
    }
  }

  private func walked() throws(CoderError) -> RunLengthDecoder.Outcome {
    if let runs { return runs }
    let found = try RunLengthDecoder(bitmap).rows(from: source, into: line()) { (_, _) throws(CoderError) in }
    runs = found
    return found
  }

  private func line() throws(CoderError) -> PixelLine { try PixelLine(width: bitmap.size.width, host: host) }

  private func deliver(
    _ line: PixelLine, _ row: Int, _ unpacker: RowUnpacker, _ sink: RowSink
  ) throws(CoderError) {
    let y = bitmap.flipped(row)
    let rows = try sink.rows(at: y)
    unpacker.unpack(line.words, into: rows.base, count: line.width)
    try sink.done(at: y)
  }

  private func truncated(rows: Int, at end: Int) -> CoderError {
    .truncated("the file has \(rows) of the bitmap's \(bitmap.size.height) rows", at: end)
  }
}
