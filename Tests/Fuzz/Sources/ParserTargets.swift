// SPDX-License-Identifier: Apache-2.0

import FuzzStructures
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import ImageSheets

/// The parsers that read bytes of strangers without being a reader of a format.
enum ParserTargets {
  static let all: [FuzzTarget] = [
    target("manifest", "a plugin's manifest", seeds: .files(["Registry"])) { _ = try? Manifest(json: $0) },
    target("json", "JSON, parsed and looked up", seeds: .files(["Registry"])) { bytes in
      _ = try? JSONValue(parsing: bytes, maxBytes: 1 << 20)
    },
    target("sheet", "the description of a sprite sheet", seeds: .bytes([Array(sheet.utf8)])) {
      _ = try? SheetDescription(parsing: $0)
    },
    target("icc", "a profile: its name, its colors, and a conversion", seeds: .metadata(.icc)) { bytes in
      _ = ICCProfile.name(of: bytes.span.bytes)
      _ = ICCProfile.isSRGB(bytes.span.bytes)
      for isGray in [false, true] { Self.convert(bytes, isGray: isGray, isInks: false) }
      Self.convert(bytes, isGray: false, isInks: true)
    },
    target("exif", "Exif: read, and changed", seeds: .metadata(.exif), structure: TIFFStructure.self) { bytes in
      _ = ExifProperties.read(bytes.span.bytes)
      _ = AppleMakerNote(exif: bytes)
      Self.edit(bytes, .exif, someExif)
    },
    target("xmp", "XMP: read, and changed", seeds: .metadata(.xmp)) { bytes in
      _ = XMPProperties.read(bytes)
      _ = try? GainMapParameters(xmp: bytes)
      Self.edit(bytes, .xmp, someExif)
    },
    target("iptc", "IPTC: read, and changed", seeds: .bytes([iptc])) { bytes in
      _ = IPTCProperties(bytes)
      Self.edit(bytes, .iptc, someIPTC)
    },
    target("gainmap", "the parameters of a gain map by ISO 21496-1", seeds: .bytes([gainMap])) { bytes in
      guard let parameters = try? GainMapParameters(iso: bytes) else { return }
      guard (try? GainMapParameters(iso: parameters.isoMetadata)) != nil else {
        FuzzTarget.broken("parameters that are written can be read")
      }
    },
  ]

  private static let sheet = """
    {"frames": {"a.png": {"frame": {"x": 0, "y": 0, "w": 4, "h": 4}, "rotated": false, "trimmed": false,
     "spriteSourceSize": {"x": 0, "y": 0, "w": 4, "h": 4}, "sourceSize": {"w": 4, "h": 4}, "duration": 100}},
     "meta": {"image": "a.png", "size": {"w": 8, "h": 4}, "scale": "1",
     "frameTags": [{"name": "walk", "from": 0, "to": 0, "direction": "pingpong"}]}}
    """

  /// Record 2:5, the object's name, of four letters (IPTC IIM, section 1.6).
  private static let iptc: [UInt8] = [0x1C, 2, 5, 0, 4] + Array("name".utf8)

  private static let gainMap = GainMapParameters(
    GainMapParameters.Channel(minimum: 0, maximum: 2, gamma: 1, baseOffset: 0.015625, alternateOffset: 0.015625),
    alternateHeadroom: 2
  ).isoMetadata

  private static let someExif = MetadataEdit(removing: [.gps], settingText: "Artist", of: "{TIFF}")
  private static let someIPTC = MetadataEdit(settingText: "ObjectName", of: "{IPTC}")

  private static func target(
    _ name: String, _ about: String, seeds: Seeds, structure: (any FileStructure.Type)? = nil,
    run: @escaping @Sendable ([UInt8]) -> Void
  ) -> FuzzTarget {
    FuzzTarget(
      name: "parse-\(name)", about: about, seeds: seeds, structure: structure, run: run)
  }

  private static func edit(_ bytes: [UInt8], _ kind: MetadataBlock, _ edit: MetadataEdit) {
    _ = try? edit.blocks(orientation: .right) { $0 == kind ? bytes : nil }
  }

  private static func convert(_ profile: [UInt8], isGray: Bool, isInks: Bool) {
    guard let space = try? ICCColorReader.space(profile, isGray: isGray, isInks: isInks),
      let sRGB = ColorSpace(CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true))
    else { return }
    _ = try? ColorTransform(from: space, to: sRGB, toneMapping: .bt2390)
  }
}

extension MetadataEdit {
  /// Sets one property, and takes parts out.
  init(removing removed: Set<Part> = [], settingText name: String, of dictionary: String) {
    var inner = Properties()
    inner[name] = .text("a text")
    var values = Properties()
    values[dictionary] = .dictionary(inner)
    self.init(removing: removed, setting: values)
  }
}
