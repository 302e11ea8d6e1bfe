// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The types of boxes of a JP2 file (ISO/IEC 15444-1 table I.2).
extension FourCC {
  static let fileType = FourCC("ftyp")
  static let header = FourCC("jp2h")
  static let codestream = FourCC("jp2c")
  static let imageHeader = FourCC("ihdr")
  static let color = FourCC("colr")
  static let palette = FourCC("pclr")
  static let componentMapping = FourCC("cmap")
  static let channelDefinition = FourCC("cdef")
  static let resolution = FourCC("res ")
  static let captureResolution = FourCC("resc")
  static let displayResolution = FourCC("resd")
  static let uuid = FourCC("uuid")
  /// ISO/IEC 19566-5.
  static let jumbf = FourCC("jumb")
}

/// The identifiers of boxes of type `uuid` that hold metadata.
enum BoxIdentifier {
  static let exif = [UInt8]("JpgTiffExif->JP2".utf8)
  /// Adobe's.
  static let adobeExif: [UInt8] = [
    0x05, 0x37, 0xCD, 0xAB, 0x9D, 0x0C, 0x44, 0x31, 0xA7, 0x2A, 0xFA, 0x56, 0x1F, 0x2A, 0x11, 0x3E,
  ]
  /// XMP Specification Part 3, 1.1.4.
  static let xmp: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]
  static let iptc: [UInt8] = [
    0x33, 0xC7, 0xA4, 0xD2, 0xB8, 0x1D, 0x47, 0x23, 0xA0, 0xBA, 0xF1, 0xA3, 0xE0, 0x97, 0xAD, 0x38,
  ]
  /// GeoJP2: a TIFF file of one pixel with the tags of GeoTIFF.
  static let geoTIFF: [UInt8] = [
    0xB1, 0x4B, 0xF8, 0xBD, 0x08, 0x3D, 0x4B, 0x43, 0xA5, 0xAE, 0x8C, 0xD7, 0xD5, 0xA6, 0xCE, 0x03,
  ]
  /// The place on the Earth as six numbers, by MapInfo and others.
  static let worldFile: [UInt8] = [
    0x96, 0xA9, 0xF1, 0xF1, 0xDC, 0x98, 0x40, 0x2D, 0xA7, 0xAE, 0xD6, 0x8E, 0x34, 0x45, 0x18, 0x09,
  ]
  static let byteCount = 16
}
