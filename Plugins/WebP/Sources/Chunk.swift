// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The name of a chunk, four bytes as they lie in the file.
struct FourCC: Equatable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: Four ASCII characters.
  init(_ text: StaticString) {
    rawValue = text.withUTF8Buffer { bytes in
      bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// The name's bytes.
  var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) } }

  static let riff = FourCC("RIFF")
  static let webP = FourCC("WEBP")
  static let lossy = FourCC("VP8 ")
  static let lossless = FourCC("VP8L")
  static let extended = FourCC("VP8X")
  static let alpha = FourCC("ALPH")
  static let animation = FourCC("ANIM")
  static let frame = FourCC("ANMF")
  static let colorProfile = FourCC("ICCP")
  static let exif = FourCC("EXIF")
  static let xmp = FourCC("XMP ")
}

/// Where a chunk lies (RFC 9649 §2.3): name, 32-bit size, payload, and one byte of padding behind an odd size.
struct Chunk {
  let name: FourCC
  /// Of the name.
  let offset: Int
  /// Bytes of payload that the chunk announces.
  let size: Int

  var payload: Int { offset + Chunk.headerSize }
  /// Behind the payload, without padding.
  var end: Int { payload + size }
  /// Where the next chunk starts.
  var next: Int { end + (size & 1) }

  static let headerSize = 8

  /// Reads a chunk's header.
  ///
  /// - Parameter limit: Where the enclosing chunk or the source ends.
  /// - Returns: nil when fewer than 8 bytes are left.
  init?(parsing source: SourceView, at offset: Int, before limit: Int) throws(CoderError) {
    guard limit >= Chunk.headerSize, offset <= limit - Chunk.headerSize else { return nil }
    let bytes = try source.view(at: offset, count: Chunk.headerSize)
    guard bytes.count == Chunk.headerSize else { return nil }
    name = FourCC(rawValue: bytes.uint32(at: 0))
    self.offset = offset
    // Offsets and 32-bit sizes add up without overflow: no source is near 2^63 bytes.
    size = Int(bytes.uint32(at: 4))
  }
}

extension UnsafeRawBufferPointer {
  /// A little-endian number; the caller has checked that its bytes are there.
  func uint16(at offset: Int) -> Int { Int(self[offset]) | Int(self[offset + 1]) << 8 }
  func uint24(at offset: Int) -> Int { uint16(at: offset) | Int(self[offset + 2]) << 16 }
  func uint32(at offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: uint24(at: offset) | Int(self[offset + 3]) << 24) }
}
