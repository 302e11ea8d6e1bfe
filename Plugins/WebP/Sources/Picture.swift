// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// One picture of a WebP file: the still, or a frame of the animation.
struct Picture {
  /// On the canvas.
  let rect: Rect
  let kind: Bitstream.Kind
  /// Whether some pixel may be not opaque.
  let hasAlpha: Bool
  /// Whether the alpha plane beside a lossy picture is itself compressed.
  let hasCompressedAlpha: Bool
  /// The bytes that libwebp decodes: from the ALPH chunk's header, if there is one, to the end of the VP8 or VP8L
  /// chunk, or as far as the source goes. An incremental source may turn out to end before.
  let bytes: Range<Int>
  /// Where the VP8 or VP8L chunk begins in the source.
  let bitstream: Int
  /// What the ALPH chunk holds.
  let alphaPayload: Range<Int>?
  /// Whether `bytes` is all that its chunks announce.
  private let isWhole: Bool

  let delay: FrameDelay?
  let disposal: FrameHeader.Disposal
  let blend: FrameHeader.Blend

  /// Reads the only picture of a still file.
  ///
  /// - Parameters:
  ///   - chunk: A `VP8 ` or `VP8L` chunk.
  ///   - alpha: The ALPH chunk before it.
  ///   - end: Where the RIFF chunk or the source ends.
  ///   - announced: Where the RIFF chunk ends by its own size.
  init(
    still chunk: Chunk, alpha: Chunk?, in source: SourceView, before end: Int, announced: Int
  ) throws(CoderError) {
    guard chunk.end <= announced else {
      throw .malformed(
        "a bitstream of \(chunk.size) bytes, the RIFF size leaves \(announced - chunk.payload)", at: chunk.offset)
    }
    let bitstream = try Bitstream(parsing: source, in: chunk, before: end)
    try self.init(
      bitstream, in: chunk, alpha: alpha, source: source, before: end, rect: Rect(covering: bitstream.size))
  }

  /// Reads a frame (RFC 9649 §2.7.1.2).
  ///
  /// - Parameter chunk: An ANMF chunk.
  init(frame chunk: Chunk, in source: SourceView, before end: Int, canvas: Size) throws(CoderError) {
    guard chunk.size >= StoredFrame.size else {
      throw .malformed("an ANMF chunk of \(chunk.size) bytes, 16 are needed", at: chunk.offset)
    }
    let count = StoredFrame.size
    var reader = try source.reader(at: chunk.payload, count: count, order: .littleEndian, of: "a frame's header")
    guard reader.count == count, chunk.payload + count <= end else {
      throw .truncated("the frame's header needs 16 bytes", at: chunk.payload)
    }
    let stored = try StoredFrame(parsing: &reader)
    let rect = stored.rect
    guard rect.isInside(canvas) else {
      throw .malformed("a frame at \(rect.x),\(rect.y) of \(rect.size) on a canvas of \(canvas)", at: chunk.payload)
    }
    let limit = min(chunk.end, end)
    var alpha: Chunk?
    var offset = chunk.payload + count
    while let inner = try Chunk(parsing: source, at: offset, before: limit) {
      offset = inner.next
      guard inner.end <= chunk.end else {
        throw .malformed(
          "a chunk of \(inner.size) bytes, its frame leaves \(chunk.end - inner.payload)", at: inner.offset)
      }
      switch inner.name {
      case .alpha: alpha = inner
      case .lossy, .lossless:
        let bitstream = try Bitstream(parsing: source, in: inner, before: limit)
        guard bitstream.size == rect.size else {
          throw .malformed("a bitstream of \(bitstream.size) in a frame of \(rect.size)", at: inner.payload)
        }
        try self.init(
          bitstream, in: inner, alpha: alpha, source: source, before: limit, rect: rect,
          delay: .milliseconds(UInt32(stored.milliseconds)), disposal: stored.disposal, blend: stored.blend)
        return
      default: continue
      }
    }
    // What ends inside a frame is cut, however little of the frame is of use.
    if chunk.end <= end { _ = try source.view(at: chunk.end - 1, count: 1) }
    throw min(end, source.size) < chunk.end
      ? .truncated("the frame is cut before its bitstream", at: min(end, source.size))
      : .malformed("a frame without a bitstream", at: chunk.offset)
  }

  private init(
    _ bitstream: Bitstream, in chunk: Chunk, alpha: Chunk?, source: SourceView, before limit: Int, rect: Rect,
    delay: FrameDelay? = nil, disposal: FrameHeader.Disposal = .keep, blend: FrameHeader.Blend = .source
  ) throws(CoderError) {
    // RFC 9649 §2.7.1.2: a VP8L bitstream carries its own alpha, and an ALPH chunk beside it is ignored.
    let alpha = bitstream.kind == .lossy ? alpha : nil
    self.rect = rect
    kind = bitstream.kind
    hasAlpha = alpha != nil || bitstream.usesAlpha
    // RFC 9649 §2.7.1.3: the two lowest bits say how the plane is compressed.
    hasCompressedAlpha =
      try alpha.map { chunk throws(CoderError) in
        let reader = try source.reader(at: chunk.payload, count: 1)
        return reader.isAtEnd ? true : try reader.uint8(at: 0) & 3 != 0
      } ?? false
    bytes = (alpha?.offset ?? chunk.offset)..<min(chunk.end, limit)
    self.bitstream = chunk.offset
    alphaPayload = alpha.map { $0.payload..<$0.end }
    isWhole = chunk.end <= limit
    self.delay = delay
    self.disposal = disposal
    self.blend = blend
  }

  /// Whether a source has all bytes that the picture's chunks announce.
  func isWhole(in source: SourceView) -> Bool { isWhole && bytes.upperBound <= source.size }

  /// Bytes that libwebp takes while it decodes: an estimate from above, without Huffman tables, which grow with the
  /// file and not with the picture.
  var decodingMemory: Int {
    let pixels = rect.size.pixelCount
    switch kind {
    // A few rows of macroblocks; and the alpha plane, with its own bitstream's pixels when it is compressed.
    case .lossy: return 1 << 16 &+ rect.width &* 256 &+ (hasAlpha ? pixels &* (hasCompressedAlpha ? 5 : 1) : 0)
    // The whole picture in 32 bits, and a cache of 16 rows in and out.
    case .lossless: return 1 << 20 &+ pixels &* 4 &+ rect.width &* 128
    }
  }
}
