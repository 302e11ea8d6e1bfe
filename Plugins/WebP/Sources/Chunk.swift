// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension FourCC {
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
  /// A manifest store of C2PA, its specification's Annex A.
  static let credentials = FourCC("C2PA")
}

/// Where a chunk lies (RFC 9649 §2.3): name, 32-bit size, payload, and one byte of padding after an odd size.
struct Chunk {
  let name: FourCC
  /// The offset of the name.
  let offset: Int
  /// Bytes of payload that the chunk announces.
  let size: Int

  var payload: Int { offset + Chunk.headerSize }
  /// Where the payload ends, without padding.
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
    var reader = try source.reader(
      at: offset, count: Chunk.headerSize, order: .littleEndian, of: "a chunk's header")
    guard reader.count == Chunk.headerSize else { return nil }
    name = try reader.fourCC("the name")
    self.offset = offset
    // Offsets and 32-bit sizes add up without overflow: no source is near 2^63 bytes.
    size = Int(try reader.uint32("the size"))
  }
}
