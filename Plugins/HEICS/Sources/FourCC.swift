// SPDX-License-Identifier: Apache-2.0

/// The name of a box, a brand or a handler: four bytes as they lie in the file.
struct FourCC: Hashable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: Four ASCII characters.
  init(_ text: StaticString) {
    rawValue = text.withUTF8Buffer { bytes in bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
  }

  // ISO/IEC 14496-12, in the order of its sections.
  static let fileType = FourCC("ftyp")
  static let meta = FourCC("meta")
  static let mediaData = FourCC("mdat")
  static let movie = FourCC("moov")
  static let movieExtends = FourCC("mvex")
  static let track = FourCC("trak")
  static let trackHeader = FourCC("tkhd")
  static let trackReference = FourCC("tref")
  static let edit = FourCC("edts")
  static let editList = FourCC("elst")
  static let media = FourCC("mdia")
  static let mediaHeader = FourCC("mdhd")
  static let handler = FourCC("hdlr")
  static let mediaInformation = FourCC("minf")
  static let sampleTable = FourCC("stbl")
  static let sampleDescription = FourCC("stsd")
  static let timeToSample = FourCC("stts")
  static let compositionOffset = FourCC("ctts")
  static let syncSample = FourCC("stss")
  static let sampleSize = FourCC("stsz")
  static let compactSampleSize = FourCC("stz2")
  static let sampleToChunk = FourCC("stsc")
  static let chunkOffset = FourCC("stco")
  static let largeChunkOffset = FourCC("co64")
  static let cleanAperture = FourCC("clap")
  static let pixelAspectRatio = FourCC("pasp")
  static let colour = FourCC("colr")
  static let codePoints = FourCC("nclx")
  static let profile = FourCC("prof")
  static let restrictedProfile = FourCC("rICC")
  // ISO/IEC 23008-12.
  static let auxiliaryType = FourCC("auxi")
  static let picture = FourCC("pict")
  static let video = FourCC("vide")
  static let auxiliary = FourCC("auxl")
  static let premultiplied = FourCC("prem")
  static let thumbnail = FourCC("thmb")
  static let imageSequence = FourCC("msf1")
  // ISO/IEC 14496-15.
  static let hvc1 = FourCC("hvc1")
  static let hev1 = FourCC("hev1")
  static let configuration = FourCC("hvcC")
}

extension FourCC: CustomStringConvertible {
  var description: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * UInt32($0))) }
    return String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }
}
