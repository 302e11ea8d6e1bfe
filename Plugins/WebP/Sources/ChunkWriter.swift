// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes the chunks of a WebP file (RFC 9649 §2.3) and the sizes that are known at the end.
struct ChunkWriter {
  private let output: ByteOutput
  /// Bytes written so far.
  private var count = 0

  /// RFC 9649 §2.4: the RIFF size is a 32-bit number, even, with room for the padding.
  static let maxPayload = Int(UInt32.max) - 9
  /// Where the flags of VP8X lie: after the RIFF header and the chunk's header.
  private static let flagsOffset = 20

  init(_ output: ByteOutput) { self.output = output }

  /// Writes the RIFF header; its size is patched by ``finish()``.
  mutating func begin() throws(CoderError) {
    try put { writer in
      writer.put(FourCC.riff)
      writer.put(UInt32(0))
      writer.put(FourCC.webP)
    }
  }

  /// Writes a VP8X chunk.
  mutating func write(_ header: ExtendedHeader) throws(CoderError) {
    var writer = ByteWriter(order: .littleEndian)
    header.write(to: &writer)
    try write(writer.bytes, as: .extended)
  }

  /// Writes an ANIM chunk.
  mutating func write(_ header: AnimationHeader) throws(CoderError) {
    var writer = ByteWriter(order: .littleEndian)
    header.write(to: &writer)
    try write(writer.bytes, as: .animation)
  }

  /// Replaces the flags of the VP8X chunk that ``write(_:)`` wrote first.
  func patchExtended(flags: ExtendedHeader.Flags) throws(CoderError) {
    try output.patch([flags.rawValue], at: Self.flagsOffset)
  }

  mutating func write(_ payload: [UInt8], as name: FourCC) throws(CoderError) {
    try put { writer in
      writer.put(name)
      writer.put(UInt32(clamping: payload.count))
      writer.put(payload)
      if payload.count & 1 == 1 { writer.put(UInt8(0)) }
    }
  }

  /// Writes a still's chunks.
  mutating func write(_ picture: EncodedPicture) throws(CoderError) {
    try reserve(picture.byteCount)
    try picture.write(to: output)
  }

  /// Writes an ANMF chunk.
  mutating func write(_ picture: EncodedPicture, frame: StoredFrame) throws(CoderError) {
    try put { writer in
      writer.put(FourCC.frame)
      writer.put(UInt32(clamping: StoredFrame.size + picture.byteCount))
      frame.write(to: &writer)
    }
    try write(picture)
  }

  /// Writes the RIFF size.
  func finish() throws(CoderError) {
    var writer = ByteWriter(order: .littleEndian)
    writer.put(UInt32(clamping: count - Chunk.headerSize))
    try output.patch(writer.bytes, at: 4)
  }

  private mutating func put(_ body: (inout ByteWriter) -> Void) throws(CoderError) {
    var writer = ByteWriter(order: .littleEndian)
    body(&writer)
    try reserve(writer.count)
    try output.write(writer.bytes)
  }

  private mutating func reserve(_ bytes: Int) throws(CoderError) {
    guard count + bytes <= Self.maxPayload else {
      throw .unsupported("a file of \(count + bytes) bytes, and WebP holds \(Self.maxPayload)")
    }
    count += bytes
  }
}
