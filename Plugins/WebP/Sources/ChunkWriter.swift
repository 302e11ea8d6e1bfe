// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes the chunks of a WebP file (RFC 9649 §2.3) and the sizes that are known at the end.
struct ChunkWriter {
  private let output: ByteOutput
  /// Bytes written so far.
  private var count = 0

  /// RFC 9649 §2.4: the RIFF size is a 32-bit number, even, with room for the padding.
  static let maxPayload = Int(UInt32.max) - 9
  /// Where the flags of VP8X lie: behind the RIFF header and the chunk's header.
  private static let flagsOffset = 20

  init(_ output: ByteOutput) { self.output = output }

  /// Writes the RIFF header; its size is patched by ``finish()``.
  mutating func begin() throws(CoderError) {
    try put(FourCC.riff.bytes + Self.number(0, bytes: 4) + FourCC.webP.bytes)
  }

  /// Writes a VP8X chunk (RFC 9649 §2.7).
  mutating func writeExtended(flags: WebPFile.Flags, canvas: Size) throws(CoderError) {
    try write(
      [flags.rawValue, 0, 0, 0] + Self.number(canvas.width - 1, bytes: 3) + Self.number(canvas.height - 1, bytes: 3),
      as: .extended)
  }

  /// Replaces the flags of the VP8X chunk that ``writeExtended(flags:canvas:)`` wrote first.
  func patchExtended(flags: WebPFile.Flags) throws(CoderError) {
    try output.patch([flags.rawValue], at: Self.flagsOffset)
  }

  mutating func write(_ payload: [UInt8], as name: FourCC) throws(CoderError) {
    try put(name.bytes + Self.number(payload.count, bytes: 4))
    try put(payload)
    if payload.count & 1 == 1 { try put([0]) }
  }

  /// Writes a still's chunks.
  mutating func write(_ picture: EncodedPicture) throws(CoderError) {
    try reserve(picture.byteCount)
    try picture.write(to: output)
  }

  /// Writes a frame (RFC 9649 §2.7.1.2).
  mutating func write(_ picture: EncodedPicture, frame: FrameHeader, milliseconds: Int) throws(CoderError) {
    let flags = (frame.disposal == .restoreBackground ? 1 : 0) | (frame.blend == .source ? 2 : 0)
    try put(FourCC.frame.bytes + Self.number(16 + picture.byteCount, bytes: 4))
    try put(Self.number(frame.rect.x / 2, bytes: 3) + Self.number(frame.rect.y / 2, bytes: 3))
    try put(Self.number(frame.rect.width - 1, bytes: 3) + Self.number(frame.rect.height - 1, bytes: 3))
    try put(Self.number(milliseconds, bytes: 3) + Self.number(flags, bytes: 1))
    try write(picture)
  }

  /// Writes the RIFF size.
  func finish() throws(CoderError) {
    try output.patch(Self.number(count - 8, bytes: 4), at: 4)
  }

  private mutating func put(_ bytes: [UInt8]) throws(CoderError) {
    try reserve(bytes.count)
    try output.write(bytes)
  }

  private mutating func reserve(_ bytes: Int) throws(CoderError) {
    guard count + bytes <= Self.maxPayload else {
      throw .unsupported("a file of \(count + bytes) bytes, and WebP holds \(Self.maxPayload)")
    }
    count += bytes
  }

  private static func number(_ value: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
