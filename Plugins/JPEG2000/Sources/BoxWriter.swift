// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Makes the boxes in front of a codestream (ISO/IEC 15444-1 annex I).
enum BoxWriter {
  /// A box with its header.
  static func box(_ type: UInt32, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + 8)
    bytes.append(uint32: payload.count + 8)
    bytes.append(uint32: Int(type))
    bytes += payload
    return bytes
  }

  /// The largest payload of a box whose length has 32 bits and of the identifier in it.
  static let maxMetadata = Int(UInt32.max) - 8 - 16

  /// Signature and file type (I.5.1, I.5.2).
  static var start: [UInt8] {
    let brand = [UInt8]("jp2 ".utf8)
    return Box.signatureBytes + box(Box.fileType, brand + [0, 0, 0, 0] + brand)
  }

  /// The header (I.5.3).
  static func header(of size: Size, layout: PixelLayout, bits: Int, profile: [UInt8]?) -> [UInt8] {
    var image: [UInt8] = []
    image.append(uint32: size.height)
    image.append(uint32: size.width)
    image.append(uint16: layout.componentCount)
    // Bits of all components, less one; compression type 7; the colour space is known; no rights.
    image += [UInt8(clamping: bits - 1), 7, 0, 0]
    var boxes = box(Box.imageHeader, image)
    boxes += box(Box.colour, colour(layout, profile: profile))
    if layout.hasStoredAlpha { boxes += box(Box.channelDefinition, channels(layout)) }
    return box(Box.header, boxes)
  }

  /// I.5.3.3: by number, or by profile.
  private static func colour(_ layout: PixelLayout, profile: [UInt8]?) -> [UInt8] {
    if let profile { return [2, 0, 0] + profile }
    var bytes: [UInt8] = [1, 0, 0]
    bytes.append(uint32: layout.format.isGray ? 17 : 16)
    return bytes
  }

  /// I.5.3.6: colours in order, and opacity of the whole picture.
  private static func channels(_ layout: PixelLayout) -> [UInt8] {
    let count = layout.componentCount
    var bytes: [UInt8] = []
    bytes.append(uint16: count)
    for index in 0..<count {
      let isAlpha = index == count - 1
      bytes.append(uint16: index)
      bytes.append(uint16: isAlpha ? layout.alpha == .premultiplied ? 2 : 1 : 0)
      bytes.append(uint16: isAlpha ? 0 : index + 1)
    }
    return bytes
  }

  /// A box of metadata.
  static func metadata(_ identifier: [UInt8], _ payload: [UInt8]) -> [UInt8] { box(Box.uuid, identifier + payload) }
}
