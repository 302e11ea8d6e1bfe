// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The boxes before a codestream (ISO/IEC 15444-1 annex I), as the writer makes them.
struct JP2Header {
  let size: Size
  let layout: PixelLayout
  /// The bits of a sample in the file.
  let bits: Int
  let profile: [UInt8]?
  let exif: [UInt8]?
  let xmp: [UInt8]?
  var iptc: [UInt8]?
  var geoTIFF: [UInt8]?
  var resolution: WrittenResolution?

  /// What a JP2 file starts with (I.5.1).
  static let signature: [UInt8] = [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
  /// The largest payload of a `uuid` box: its length has 32 bits, and an identifier comes first.
  static let maxMetadata = Int(UInt32.max) - 8 - BoxIdentifier.byteCount

  func write(to writer: inout ByteWriter) {
    writer.put(Self.signature)
    writer.box(.fileType) { writer in
      writer.put("jp2 ")
      writer.put(UInt32(0))
      writer.put("jp2 ")
    }
    writer.box(.header) { writer in
      writer.box(.imageHeader, writeImageHeader)
      writer.box(.color, writeColor)
      if layout.hasStoredAlpha { writer.box(.channelDefinition, writeChannels) }
      resolution?.write(to: &writer)
    }
    if let exif { Self.write(exif, as: BoxIdentifier.exif, to: &writer) }
    if let xmp { Self.write(xmp, as: BoxIdentifier.xmp, to: &writer) }
    if let iptc { Self.write(iptc, as: BoxIdentifier.iptc, to: &writer) }
    if let geoTIFF { Self.write(geoTIFF, as: BoxIdentifier.geoTIFF, to: &writer) }
  }

  /// I.5.3.1.
  private func writeImageHeader(to writer: inout ByteWriter) {
    writer.put(UInt32(clamping: size.height))
    writer.put(UInt32(clamping: size.width))
    writer.put(UInt16(clamping: layout.componentCount))
    // Bits of all components, less one; compression type 7; the color space is known; no rights.
    writer.put([UInt8(clamping: bits - 1), 7, 0, 0])
  }

  /// I.5.3.3: by number, or by profile.
  private func writeColor(to writer: inout ByteWriter) {
    if let profile {
      writer.put([2, 0, 0])
      writer.put(profile)
    } else {
      writer.put([1, 0, 0])
      writer.put(UInt32(layout.format.isGray ? 17 : 16))
    }
  }

  /// I.5.3.6: colors in order, and opacity of the whole picture.
  private func writeChannels(to writer: inout ByteWriter) {
    let count = layout.componentCount
    writer.put(UInt16(clamping: count))
    for index in 0..<count {
      let isAlpha = index == count - 1
      writer.put(UInt16(clamping: index))
      writer.put(UInt16(isAlpha ? layout.alpha == .premultiplied ? 2 : 1 : 0))
      writer.put(UInt16(clamping: isAlpha ? 0 : index + 1))
    }
  }

  static func write(_ payload: [UInt8], as identifier: [UInt8], to writer: inout ByteWriter) {
    writer.box(.uuid) { writer in
      writer.put(identifier)
      writer.put(payload)
    }
  }
}
