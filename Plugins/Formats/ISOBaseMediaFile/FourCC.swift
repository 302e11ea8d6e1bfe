// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

// ISO/IEC 14496-12, in the order of its sections.
extension FourCC {
  public static let fileType = FourCC("ftyp")
  public static let mediaData = FourCC("mdat")
  public static let movie = FourCC("moov")
  public static let movieHeader = FourCC("mvhd")
  public static let track = FourCC("trak")
  public static let trackHeader = FourCC("tkhd")
  public static let trackReference = FourCC("tref")
  public static let media = FourCC("mdia")
  public static let mediaHeader = FourCC("mdhd")
  public static let handler = FourCC("hdlr")
  public static let mediaInformation = FourCC("minf")
  public static let sampleTable = FourCC("stbl")
  public static let sampleDescription = FourCC("stsd")
  public static let timeToSample = FourCC("stts")
  public static let compositionOffset = FourCC("ctts")
  public static let syncSample = FourCC("stss")
  public static let edit = FourCC("edts")
  public static let editList = FourCC("elst")
  public static let sampleSize = FourCC("stsz")
  public static let compactSampleSize = FourCC("stz2")
  public static let sampleToChunk = FourCC("stsc")
  public static let chunkOffset = FourCC("stco")
  public static let largeChunkOffset = FourCC("co64")
  public static let meta = FourCC("meta")
  public static let itemLocation = FourCC("iloc")
  public static let primaryItem = FourCC("pitm")
  public static let itemInformation = FourCC("iinf")
  public static let itemInformationEntry = FourCC("infe")
  public static let itemData = FourCC("idat")
  public static let itemReference = FourCC("iref")
  public static let itemProperties = FourCC("iprp")
  public static let propertyContainer = FourCC("ipco")
  public static let propertyAssociation = FourCC("ipma")
  public static let free = FourCC("skip")
  public static let video = FourCC("vide")
  public static let mime = FourCC("mime")
  public static let cleanAperture = FourCC("clap")
  public static let pixelAspectRatio = FourCC("pasp")
  public static let color = FourCC("colr")
  public static let nclx = FourCC("nclx")
  public static let profile = FourCC("prof")
  public static let restrictedProfile = FourCC("rICC")
  public static let lightLevel = FourCC("clli")
  public static let masteringDisplay = FourCC("mdcv")
  public static let contentVolume = FourCC("cclv")
}

// ISO/IEC 23008-12.
extension FourCC {
  public static let imageSequence = FourCC("msf1")
  public static let picture = FourCC("pict")
  public static let auxiliaryTypeInformation = FourCC("auxi")
  // Types of items.
  public static let grid = FourCC("grid")
  public static let overlay = FourCC("iovl")
  public static let identity = FourCC("iden")
  public static let toneMap = FourCC("tmap")
  public static let jpeg = FourCC("jpeg")
  public static let exif = FourCC("Exif")
  // Groups of items (ISO/IEC 14496-12 §8.18).
  public static let groups = FourCC("grpl")
  public static let stereoPair = FourCC("ster")
  public static let burst = FourCC("brst")
  /// The video of a motion photo.
  public static let motionVideo = FourCC("mpvd")
  public static let alternatives = FourCC("altr")
  // Types of references.
  public static let thumbnail = FourCC("thmb")
  public static let auxiliary = FourCC("auxl")
  public static let derivedFrom = FourCC("dimg")
  public static let describes = FourCC("cdsc")
  public static let predictedFrom = FourCC("pred")
  public static let premultiplied = FourCC("prem")
  // Properties.
  public static let imageSize = FourCC("ispe")
  public static let pixelInformation = FourCC("pixi")
  public static let rotation = FourCC("irot")
  public static let mirror = FourCC("imir")
  public static let auxiliaryType = FourCC("auxC")
  public static let jpegConfiguration = FourCC("jpgC")
}

// ISO/IEC 23001-17.
extension FourCC {
  public static let uncompressed = FourCC("unci")
  public static let uncompressedConfiguration = FourCC("uncC")
  public static let componentDefinition = FourCC("cmpd")
  public static let compressionConfiguration = FourCC("cmpC")
  public static let compressedUnits = FourCC("icef")
}

// ISO/IEC 14496-15 and the AV1 Image File Format.
extension FourCC {
  public static let hvc1 = FourCC("hvc1")
  public static let hev1 = FourCC("hev1")
  public static let hevcConfiguration = FourCC("hvcC")
  public static let av01 = FourCC("av01")
}
