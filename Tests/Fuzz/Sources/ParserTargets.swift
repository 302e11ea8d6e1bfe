// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
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
    target(
      "sheet", "the description of a sprite sheet, written again, and a picture cut by it",
      seeds: .bytes([sheet, aseprite].map { Array($0.utf8) }), run: Self.sheet),
    target(
      "properties", "properties as JSON, written again", seeds: .bytes([Array(properties.utf8)]), run: Self.properties),
    target("c2pa", "content credentials", seeds: .metadata(.c2pa), structure: BoxStructure.self) { bytes in
      _ = CredentialsClaim(store: bytes)?.words
    },
    target(
      "motion", "bytes after a picture that may be a video, and what says so", seeds: .bytes([movie, [0] + movie]),
      run: Self.motion),
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

  /// A trimmed frame, and one that was turned.
  private static let aseprite = """
    {"frames": [{"filename": "a 0", "frame": {"x": 0, "y": 0, "w": 3, "h": 2}, "rotated": true, "trimmed": true,
     "spriteSourceSize": {"x": 1, "y": 0, "w": 3, "h": 2}, "sourceSize": {"w": 6, "h": 5}, "delay": [1, 25]},
     {"filename": "b/1", "frame": {"x": 4, "y": 2, "w": 4, "h": 2}}], "meta": {"app": "http://www.aseprite.org/",
     "image": "a.png", "format": "RGBA8888", "size": {"w": 16, "h": 8}, "scale": "0.5", "loops": 3}}
    """

  /// What is understood can be written and is understood again; each frame is cut or refused, within the limits.
  private static func sheet(_ bytes: [UInt8]) {
    guard let description = try? SheetDescription(parsing: bytes) else { return }
    guard (try? SheetDescription(parsing: description.json())) != nil else {
      FuzzTarget.broken("a description that is written can be read")
    }
    guard let picture = try? PixelBuffer(size: Size(width: 16, height: 8), format: .rgba8, alpha: .straight),
      let sheet = try? SpriteSheet(picture, description, limits: ReaderTargets.limits)
    else { return }
    for index in 0..<min(sheet.frameCount, 16) { _ = try? sheet.frame(at: index) }
  }

  private static let properties = """
    {"{TIFF}": {"Artist": "a", "Orientation": 6}, "{GIF}": {"DelayTime": 0.04, "LoopCount": 0}, "list": [1, -2.5, "x", {}],
     "large": 18446744073709551615, "none": null}
    """

  /// What was read and written once stays as it is.
  private static func properties(_ bytes: [UInt8]) {
    guard let properties = try? JSONDecoder().decode(Properties.self, from: Data(bytes)),
      let written = try? JSONEncoder().encode(properties)
    else { return }
    guard (try? JSONDecoder().decode(Properties.self, from: written)) == properties else {
      FuzzTarget.broken("properties that are written are read as the same")
    }
  }

  /// The smallest movie: a brand, an empty `moov`, and a byte of media.
  static let movie: [UInt8] =
    [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0, 0, 0, 0, 8] + Array("moov".utf8) + [0, 0, 0, 9]
    + Array("mdat".utf8) + [7]

  /// A video that is found is whole by itself, and can be said to be there.
  private static func motion(_ bytes: [UInt8]) {
    guard let range = MotionPhoto.video(in: bytes) else { return }
    let video = Array(bytes[range])
    guard MotionPhoto.video(in: video) == 0..<video.count else {
      FuzzTarget.broken("a video that was found is one without what stands around it")
    }
    let packet = try? MotionPhoto.packet(nil, video: video, format: .jpeg, keepsItems: true)
    guard let packet, MotionPhoto.isStated(inFile: XMPProperties.read(packet)) else {
      FuzzTarget.broken("a packet says that there is a video")
    }
  }

  /// Record 2:5, the object's name, of four letters (IPTC IIM, section 1.6).
  private static let iptc: [UInt8] = [0x1C, 2, 5, 0, 4] + Array("name".utf8)

  static let gainMap = GainMapParameters(
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
