// SPDX-License-Identifier: Apache-2.0

/// Names and forms of the tags that Exif payloads have, under ImageIO's names.
///
/// - Format: TIFF 6.0 §8, Exif 2.32 (CIPA DC-008-2019) tables 4, 5, 7, 8 and 15.
enum ExifTags {
  /// How a tag's value is shown.
  enum Form {
    /// By its type: a number or text, several numbers as a list.
    case plain
    /// A list, also of one number.
    case list
    /// As ``plain``, and bytes without a type as they are.
    case any
    /// Four digits, "0232", as the numbers of a version: 2, 3, 2.
    case version
    /// Bytes as numbers.
    case bytes
    /// One byte as a number.
    case byte
    /// Text after eight bytes that name its encoding.
    case comment
    /// Degrees, minutes and seconds as degrees.
    case degrees
    /// Hours, minutes and seconds as text, "10:07:05.50".
    case time
  }

  struct Tag {
    let name: String
    let form: Form
  }

  static let tiff: [UInt16: Tag] = [
    0x0103: plain("Compression"), 0x0106: plain("PhotometricInterpretation"), 0x010D: plain("DocumentName"),
    0x010E: plain("ImageDescription"), 0x010F: plain("Make"), 0x0110: plain("Model"), 0x0112: plain("Orientation"),
    0x011A: plain("XResolution"), 0x011B: plain("YResolution"), 0x0128: plain("ResolutionUnit"),
    0x012D: plain("TransferFunction"), 0x0131: plain("Software"), 0x0132: plain("DateTime"), 0x013B: plain("Artist"),
    0x013C: plain("HostComputer"), 0x013E: list("WhitePoint"), 0x013F: list("PrimaryChromaticities"),
    0x8298: plain("Copyright"),
  ]

  /// Tags of Apple's note have no names, but numbers, as ImageIO shows them.
  static let apple = Dictionary(
    uniqueKeysWithValues: (1...255 as ClosedRange<UInt16>).map { ($0, Tag(name: "\($0)", form: .any)) })

  static let exif: [UInt16: Tag] = [
    0x829A: plain("ExposureTime"), 0x829D: plain("FNumber"), 0x8822: plain("ExposureProgram"),
    0x8824: plain("SpectralSensitivity"), 0x8827: list("ISOSpeedRatings"), 0x8830: plain("SensitivityType"),
    0x8831: plain("StandardOutputSensitivity"), 0x8832: plain("RecommendedExposureIndex"), 0x8833: plain("ISOSpeed"),
    0x8834: plain("ISOSpeedLatitudeyyy"), 0x8835: plain("ISOSpeedLatitudezzz"),
    0x9000: Tag(name: "ExifVersion", form: .version), 0x9003: plain("DateTimeOriginal"),
    0x9004: plain("DateTimeDigitized"), 0x9010: plain("OffsetTime"), 0x9011: plain("OffsetTimeOriginal"),
    0x9012: plain("OffsetTimeDigitized"), 0x9101: Tag(name: "ComponentsConfiguration", form: .bytes),
    0x9102: plain("CompressedBitsPerPixel"), 0x9201: plain("ShutterSpeedValue"), 0x9202: plain("ApertureValue"),
    0x9203: plain("BrightnessValue"), 0x9204: plain("ExposureBiasValue"), 0x9205: plain("MaxApertureValue"),
    0x9206: plain("SubjectDistance"), 0x9207: plain("MeteringMode"), 0x9208: plain("LightSource"),
    0x9209: plain("Flash"), 0x920A: plain("FocalLength"), 0x9214: list("SubjectArea"),
    0x9286: Tag(name: "UserComment", form: .comment), 0x9290: plain("SubsecTime"), 0x9291: plain("SubsecTimeOriginal"),
    0x9292: plain("SubsecTimeDigitized"), 0xA000: Tag(name: "FlashPixVersion", form: .version),
    0xA001: plain("ColorSpace"), 0xA002: plain("PixelXDimension"), 0xA003: plain("PixelYDimension"),
    0xA004: plain("RelatedSoundFile"), 0xA20B: plain("FlashEnergy"), 0xA20E: plain("FocalPlaneXResolution"),
    0xA20F: plain("FocalPlaneYResolution"), 0xA210: plain("FocalPlaneResolutionUnit"), 0xA214: list("SubjectLocation"),
    0xA215: plain("ExposureIndex"), 0xA217: plain("SensingMethod"), 0xA300: Tag(name: "FileSource", form: .byte),
    0xA301: Tag(name: "SceneType", form: .byte), 0xA302: Tag(name: "CFAPattern", form: .bytes),
    0xA401: plain("CustomRendered"), 0xA402: plain("ExposureMode"), 0xA403: plain("WhiteBalance"),
    0xA404: plain("DigitalZoomRatio"), 0xA405: plain("FocalLenIn35mmFilm"), 0xA406: plain("SceneCaptureType"),
    0xA407: plain("GainControl"), 0xA408: plain("Contrast"), 0xA409: plain("Saturation"), 0xA40A: plain("Sharpness"),
    0xA40C: plain("SubjectDistRange"), 0xA420: plain("ImageUniqueID"), 0xA430: plain("CameraOwnerName"),
    0xA431: plain("BodySerialNumber"), 0xA432: list("LensSpecification"), 0xA433: plain("LensMake"),
    0xA434: plain("LensModel"), 0xA435: plain("LensSerialNumber"), 0xA460: plain("CompositeImage"),
    0xA500: plain("Gamma"),
  ]

  static let gps: [UInt16: Tag] = [
    0x0000: Tag(name: "GPSVersion", form: .bytes), 0x0001: plain("LatitudeRef"),
    0x0002: Tag(name: "Latitude", form: .degrees), 0x0003: plain("LongitudeRef"),
    0x0004: Tag(name: "Longitude", form: .degrees), 0x0005: Tag(name: "AltitudeRef", form: .byte),
    0x0006: plain("Altitude"), 0x0007: Tag(name: "TimeStamp", form: .time), 0x0008: plain("Satellites"),
    0x0009: plain("Status"), 0x000A: plain("MeasureMode"), 0x000B: plain("DOP"), 0x000C: plain("SpeedRef"),
    0x000D: plain("Speed"), 0x000E: plain("TrackRef"), 0x000F: plain("Track"), 0x0010: plain("ImgDirectionRef"),
    0x0011: plain("ImgDirection"), 0x0012: plain("MapDatum"), 0x0013: plain("DestLatitudeRef"),
    0x0014: Tag(name: "DestLatitude", form: .degrees), 0x0015: plain("DestLongitudeRef"),
    0x0016: Tag(name: "DestLongitude", form: .degrees), 0x0017: plain("DestBearingRef"),
    0x0018: plain("DestBearing"), 0x0019: plain("DestDistanceRef"), 0x001A: plain("DestDistance"),
    0x001B: Tag(name: "ProcessingMethod", form: .comment), 0x001C: Tag(name: "AreaInformation", form: .comment),
    0x001D: plain("DateStamp"), 0x001E: plain("Differential"), 0x001F: plain("HPositioningError"),
  ]

  private static func plain(_ name: String) -> Tag { Tag(name: name, form: .plain) }
  private static func list(_ name: String) -> Tag { Tag(name: name, form: .list) }
}
