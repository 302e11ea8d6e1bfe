// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import Foundation
  import ImageCodersBuiltIn

  /// Where XMP says what a property of ImageIO says (Exif 2.32 for XMP; IPTC Photo Metadata 2023.2, table of mappings).
  enum PropertyPaths {
    private static let tables: [String: [String: String]] = [
      "{TIFF}": [
        "Artist": "dc:creator", "Copyright": "dc:rights", "DateTime": "xmp:ModifyDate",
        "ImageDescription": "dc:description",
        "Software": "xmp:CreatorTool",
      ],
      // Dates as the Metadata Working Group has them, which the header of ImageIO names.
      "{Exif}": [
        "BodySerialNumber": "exifEX:BodySerialNumber", "CameraOwnerName": "exifEX:CameraOwnerName",
        "DateTimeDigitized": "xmp:CreateDate", "DateTimeOriginal": "photoshop:DateCreated", "Gamma": "exifEX:Gamma",
        "ISOSpeed": "exifEX:ISOSpeed", "ISOSpeedLatitudeyyy": "exifEX:ISOSpeedLatitudeyyy",
        "ISOSpeedLatitudezzz": "exifEX:ISOSpeedLatitudezzz",
        "LensMake": "exifEX:LensMake", "LensModel": "exifEX:LensModel", "LensSerialNumber": "exifEX:LensSerialNumber",
        "LensSpecification": "exifEX:LensSpecification", "RecommendedExposureIndex": "exifEX:RecommendedExposureIndex",
        "SensitivityType": "exifEX:SensitivityType", "StandardOutputSensitivity": "exifEX:StandardOutputSensitivity",
      ],
      "{ExifAux}": ["LensModel": "aux:Lens"],
      "{GPS}": ["GPSVersion": "exif:GPSVersionID", "DateStamp": "exif:GPSTimeStamp"],
      "{PNG}": [
        "Author": "dc:creator", "Comment": "exif:UserComment", "Copyright": "dc:rights",
        "Description": "dc:description",
        "Software": "xmp:CreatorTool", "Title": "dc:title",
      ],
      "{IPTC}": [
        "Byline": "dc:creator", "BylineTitle": "photoshop:AuthorsPosition", "Caption/Abstract": "dc:description",
        "Category": "photoshop:Category", "City": "photoshop:City", "CopyrightNotice": "dc:rights",
        "Country/PrimaryLocationCode": "Iptc4xmpCore:CountryCode", "Country/PrimaryLocationName": "photoshop:Country",
        "CreatorContactInfo": "Iptc4xmpCore:CreatorContactInfo", "Credit": "photoshop:Credit",
        "DateCreated": "photoshop:DateCreated", "DigitalCreationDate": "xmp:CreateDate",
        "DigitalCreationTime": "xmp:CreateDate", "Headline": "photoshop:Headline", "Keywords": "dc:subject",
        "ObjectAttributeReference": "Iptc4xmpCore:IntellectualGenre",
        "ObjectName": "dc:title", "OriginalTransmissionReference": "photoshop:TransmissionReference",
        "Province/State": "photoshop:State", "Scene": "Iptc4xmpCore:Scene",
        "Source": "photoshop:Source", "SpecialInstructions": "photoshop:Instructions", "StarRating": "xmp:Rating",
        "SubLocation": "Iptc4xmpCore:Location", "SubjectReference": "Iptc4xmpCore:SubjectCode",
        "SupplementalCategory": "photoshop:SupplementalCategories", "TimeCreated": "photoshop:DateCreated",
        "Urgency": "photoshop:Urgency", "UsageTerms": "xmpRights:UsageTerms",
        "Writer/Editor": "photoshop:CaptionWriter",
      ],
    ]

    /// All paths of a dictionary that are not those of its names.
    static func paths(_ dictionary: String) -> Set<String> { Set((tables[dictionary] ?? [:]).values) }

    /// The path of a property in a dictionary; nil for a dictionary that XMP does not have.
    static func path(_ dictionary: String, _ property: String) -> String? {
      if let special = tables[dictionary]?[property] { return special }
      switch dictionary {
      case "{TIFF}": return "tiff:\(property)"
      case "{Exif}": return "exif:\(property)"
      case "{GPS}": return "exif:GPS\(property)"
      case "{ExifAux}": return "aux:\(property)"
      case "{IPTC}": return "Iptc4xmpCore:\(property)"
      default: return nil
      }
    }

    // MARK: Values as text

    /// A property as XMP writes it, or nil for one that it does not have.
    ///
    /// - Parameter path: Where it is put; nil for where the property belongs.
    static func node(
      _ dictionary: String, _ property: String, value: Any, letter: String? = nil, at path: String? = nil
    ) -> XMPNode? {
      guard let path = path ?? self.path(dictionary, property) else { return nil }
      if path == "exif:Flash", let flash = integer(value) { return self.flash(flash) }
      let parts = path.split(separator: ":", maxSplits: 1).map(String.init)
      guard let space = XMPPacket.usualNamespace(of: parts[0]) else { return nil }
      let written: Any
      switch value {
      case let list as NSArray:
        if property == "GPSVersion" {
          written = list.compactMap { integer($0).map { "\($0)" } }.joined(separator: ".")
        } else if property.hasSuffix("Version") {
          // Exif's four digits: 2.3.2 is 0232.
          let digits = list.compactMap { integer($0) }
          let four =
            digits.first.map { ($0 < 10 ? "0\($0)" : "\($0)") + digits.dropFirst().map { "\($0)" }.joined() } ?? ""
          written = four.padding(toLength: 4, withPad: "0", startingAt: 0)
        } else {
          written = list.map { text(of: $0, property, in: dictionary, letter: letter) } as NSArray
        }
      case let inner as NSDictionary: written = inner
      default: written = text(of: value, property, in: dictionary, letter: letter)
      }
      return XMPNode(parts[0], parts[1], in: space, as: XMPPacket.listKind(of: path), value: written)
    }

    private static func text(of value: Any, _ property: String, in dictionary: String, letter: String?) -> String {
      if let text = value as? String { return property.hasPrefix("DateTime") ? isoDate(text) : text }
      guard let number = number(value) else { return "\(value)" }
      if dictionary == "{GPS}", let letter,
        ["Latitude", "Longitude", "DestLatitude", "DestLongitude"].contains(property)
      {
        // Exif for XMP: degrees and minutes, and the letter.
        let whole = number.rounded(.down)
        return "\(Int(exactly: whole) ?? 0),\(decimal((number - whole) * 60, places: 4))\(letter)"
      }
      if number == number.rounded(), abs(number) < 1e15, dictionary != "{Exif}" || !rational.contains(property) {
        return "\(Int64(number))"
      }
      return dictionary == "{ExifAux}" || dictionary == "{IPTC}" ? decimal(number, places: 6) : fraction(number)
    }

    /// Properties that are fractions, whole ones too.
    private static let rational: Set<String> = [
      "ApertureValue", "BrightnessValue", "DigitalZoomRatio", "ExposureBiasValue", "ExposureIndex", "ExposureTime",
      "FNumber",
      "FlashEnergy", "FocalLength", "FocalPlaneXResolution", "FocalPlaneYResolution", "Gamma", "LensSpecification",
      "MaxApertureValue", "ShutterSpeedValue", "SubjectDistance",
    ]

    /// Exif 2.32 for XMP §4.2: the bits of the property are fields of a structure.
    private static func flash(_ bits: Int) -> XMPNode {
      func node(_ name: String, _ value: XMPNode.Value) -> XMPNode {
        XMPNode(prefix: "exif", name: name, namespace: kCGImageMetadataNamespaceExif as String, value: value)
      }
      func field(_ name: String, _ text: String) -> XMPNode { node(name, .text(text)) }
      func flag(_ bit: Int) -> String { bits & bit == 0 ? "False" : "True" }
      return node(
        "Flash",
        .structure([
          field("Fired", flag(1)), field("Return", "\(bits >> 1 & 3)"), field("Mode", "\(bits >> 3 & 3)"),
          field("Function", flag(0x20)), field("RedEyeMode", flag(0x40)),
        ]))
    }

    /// The bits that a structure, or the number as text, says; nil for something else.
    static func flash(of node: XMPNode) -> Int64? {
      guard case .structure(let fields) = node.value else { return node.text.flatMap { Int64($0) } }
      func text(_ name: String) -> String { fields.first { $0.name == name }?.text?.lowercased() ?? "" }
      func flag(_ name: String, _ bit: Int64) -> Int64 { text(name) == "true" ? bit : 0 }
      func two(_ name: String, _ shift: Int64) -> Int64 { ((Int64(text(name)) ?? 0) & 3) << shift }
      return flag("Fired", 1) | two("Return", 1) | two("Mode", 3) | flag("Function", 0x20) | flag("RedEyeMode", 0x40)
    }

    /// `2024-05-01T10:07:05` of Exif's `2024:05:01 10:07:05`.
    static func isoDate(_ text: String) -> String {
      var letters = Array(text)
      guard letters.count == 19, letters[4] == ":", letters[7] == ":", letters[10] == " " else { return text }
      (letters[4], letters[7], letters[10]) = ("-", "-", "T")
      return String(letters)
    }

    private static func decimal(_ number: Double, places: Int) -> String {
      var text = String(format: "%.\(places)f", number)
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
      return text
    }

    /// The simplest fraction that is within a billionth: `1/250`.
    static func fraction(_ number: Double) -> String {
      guard number.isFinite, abs(number) < 1e9 else { return "\(number)" }
      var (before, now) = ((top: 0.0, bottom: 1.0), (top: 1.0, bottom: 0.0))
      var rest = abs(number)
      for _ in 0..<30 {
        let whole = rest.rounded(.down)
        let next = (top: whole * now.top + before.top, bottom: whole * now.bottom + before.bottom)
        guard next.top < 4e9, next.bottom < 4e9 else { break }
        (before, now) = (now, next)
        if abs(now.top / now.bottom - abs(number)) <= abs(number) * 1e-9 || rest == whole { break }
        rest = 1 / (rest - whole)
      }
      return "\(number < 0 ? "-" : "")\(Int64(now.top))/\(Int64(now.bottom))"
    }
  }
#endif
