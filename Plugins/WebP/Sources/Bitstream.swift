// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the header of a VP8 or VP8L bitstream says.
struct Bitstream {
  /// Which of WebP's two compressions.
  enum Kind {
    case lossy
    case lossless
  }

  let kind: Kind
  let size: Size
  /// Whether VP8L's hint says that some pixel is not opaque; lossy pictures have an ALPH chunk instead.
  let usesAlpha: Bool

  /// Reads the header of a bitstream.
  ///
  /// - Parameters:
  ///   - chunk: A `VP8 ` or `VP8L` chunk.
  ///   - limit: Where the enclosing chunk or the source ends.
  /// - Throws: ``CoderError/Code/truncated`` when the header is cut, ``CoderError/Code/malformed``,
  ///   ``CoderError/Code/unsupported``.
  init(parsing source: SourceView, in chunk: Chunk, before limit: Int) throws(CoderError) {
    kind = chunk.name == .lossless ? .lossless : .lossy
    let needed = kind == .lossless ? 5 : 10
    guard chunk.size >= needed else {
      throw .malformed("a bitstream of \(chunk.size) bytes, its header needs \(needed)", at: chunk.offset)
    }
    let header = try source.reader(at: chunk.payload, count: needed, order: .littleEndian, of: "a bitstream's header")
    guard header.count == needed, chunk.payload + needed <= limit else {
      throw .truncated("the header of a bitstream needs \(needed) bytes", at: chunk.payload)
    }
    switch kind {
    case .lossy:
      // RFC 6386 §9.1: frame tag, start code, and 14 bits of each side with 2 bits of a scale that is not applied.
      let tag = try header.unsigned(bytes: 3, at: 0, "the frame tag")
      guard tag & 1 == 0, tag >> 1 & 7 <= 3, tag >> 4 & 1 == 1 else {
        throw .malformed("VP8 frame tag \(tag), a shown key frame of profile 0 to 3 is needed", at: chunk.payload)
      }
      let startCode = try header.unsigned(bytes: 3, at: 3, "the start code")
      guard startCode == 0x2a_019d else {
        throw .malformed("VP8 start code \(startCode), 2752925 is needed", at: chunk.payload + 3)
      }
      size = Size(
        width: Int(try header.uint16(at: 6, "the width") & 0x3fff),
        height: Int(try header.uint16(at: 8, "the height") & 0x3fff))
      usesAlpha = false
    case .lossless:
      // RFC 9649 §3.4: signature, 14 bits of each side less 1, alpha hint, version.
      let signature = try header.uint8(at: 0, "the signature")
      guard signature == 0x2f else { throw .malformed("VP8L signature \(signature), 47 is needed", at: chunk.payload) }
      let fields = try header.uint32(at: 1, "the picture's size")
      guard fields >> 29 == 0 else {
        throw .unsupported("VP8L version \(fields >> 29), 0 is known", at: chunk.payload + 4)
      }
      size = Size(width: Int(fields & 0x3fff) + 1, height: Int(fields >> 14 & 0x3fff) + 1)
      usesAlpha = fields >> 28 & 1 == 1
    }
    guard !size.isEmpty else { throw .malformed("a picture of \(size)", at: chunk.payload + 6) }
  }
}
