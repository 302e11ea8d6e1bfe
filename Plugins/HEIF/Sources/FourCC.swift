// SPDX-License-Identifier: Apache-2.0

/// A name of four bytes: of a box, a brand, an item's type or a reference's.
struct FourCC: Hashable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: Four ASCII characters.
  init(_ text: StaticString) {
    rawValue = text.withUTF8Buffer { $0.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
  }

  var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - $0 * 8)) } }
}

extension FourCC: CustomStringConvertible {
  /// The name as it is written; bytes that are no printable ASCII as question marks.
  var description: String {
    String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }
}

extension FourCC {
  static let fileType = FourCC("ftyp")
  static let meta = FourCC("meta")
  static let movie = FourCC("moov")
  static let mediaData = FourCC("mdat")
  static let handler = FourCC("hdlr")
  static let primaryItem = FourCC("pitm")
  static let itemInformation = FourCC("iinf")
  static let itemInformationEntry = FourCC("infe")
  static let itemLocation = FourCC("iloc")
  static let itemReference = FourCC("iref")
  static let itemData = FourCC("idat")
  static let itemProperties = FourCC("iprp")
  static let propertyContainer = FourCC("ipco")
  static let propertyAssociation = FourCC("ipma")

  // Types of items.
  static let hevc = FourCC("hvc1")
  static let av1 = FourCC("av01")
  static let grid = FourCC("grid")
  static let overlay = FourCC("iovl")
  static let identity = FourCC("iden")
  static let toneMap = FourCC("tmap")
  static let exif = FourCC("Exif")
  static let mime = FourCC("mime")

  // Types of references.
  static let thumbnail = FourCC("thmb")
  static let auxiliary = FourCC("auxl")
  static let derivedFrom = FourCC("dimg")
  static let describes = FourCC("cdsc")
  static let premultiplied = FourCC("prem")

  // Properties.
  static let imageSize = FourCC("ispe")
  static let hevcConfiguration = FourCC("hvcC")
  static let colour = FourCC("colr")
  static let pixelInformation = FourCC("pixi")
  static let rotation = FourCC("irot")
  static let mirror = FourCC("imir")
  static let cleanAperture = FourCC("clap")
  static let auxiliaryType = FourCC("auxC")
  static let pixelAspect = FourCC("pasp")
  static let lightLevel = FourCC("clli")
  static let nclx = FourCC("nclx")
  static let profile = FourCC("prof")
  static let restrictedProfile = FourCC("rICC")
}
