// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// A file that has every fact its format can hold is converted to each format, in each way: every fact is true of the new file,
/// or the report names it.
@Suite(.needs("JPEG", "PNG", "WebP", "TIFF", "HEIF", "AVIF", "JXL", "JPEG2000", "GIF", "BMP"))
struct FactMatrixTests {
  private static let registry = EncodingPictures.registry
  private static let formats: [ImageFormat] = [
    .jpeg, .png, .webP, .tiff, .heic, .avif, .jpegXL, .jpeg2000, .gif, .bmp,
  ]
  private static let size = Size(width: 64, height: 48)

  private enum Way: CaseIterable {
    case encoded, cropped, turned, scaled, drawn

    var options: EncodeOptions {
      var options = EncodeOptions()
      options.allowsCopy = false
      switch self {
      case .encoded: break
      case .cropped: options.edit.crop = Rect(x: 16, y: 8, width: 32, height: 24)
      case .turned: options.edit.turns = [.right]
      case .scaled: options.maxSize = Size(width: 32, height: 24)
      case .drawn:
        options.edit.work = PixelWork(
          "test", changes: .drawn, size: { (size) throws(CoderError) in size },
          apply: { (pixels) throws(CoderError) in pixels })
      }
      return options
    }
  }

  /// A picture with a fact of each kind.
  private static func described() throws -> Image {
    var image = Image(try EncodingPictures.photo(size))
    var edit = MetadataEdit()
    for (name, text) in [
      ("Copyright", "A. Author"), ("GPS.Latitude", "48.25"), ("dc:title", "Harbour"), ("tiff:ImageWidth", "64"),
    ] {
      try edit.set(name, to: text)
    }
    let blocks = try edit.blocks(orientation: .up) { (_) throws(CoderError) in nil }
    image.metadata[.exif] = blocks.payloads[.exif]
    image.metadata[.xmp] = blocks.payloads[.xmp]
    // IIM 4.2 §1.5: 2:25, a keyword.
    image.metadata[.iptc] = [0x1C, 2, 25, 0, 3] + Array("sea".utf8)
    image.metadata[.text] = ContainerText.payload([
      ContainerText("a comment"), ContainerText("a plan", keyword: "DocumentName"),
    ])
    image.metadata[.geoTIFF] = geoTIFF
    image.density = Density(300)
    return image
  }

  /// Little-endian, one directory of one tag: ModelTiepoint, six doubles at 26: the picture's 0, 0 is at 1000, 2000.
  static let geoTIFF: [UInt8] = {
    let head: [UInt8] = [
      0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x82, 0x84, 12, 0, 6, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0,
    ]
    let numbers: [Double] = [0, 0, 0, 1000, 2000, 0]
    return numbers.reduce(into: head) { bytes, number in
      withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
    }
  }()

  /// What a file states, as far as conversions of this test may change it.
  private struct Facts {
    var exif: PropertyValue?
    var xmp: PropertyValue?
    var keywords: PropertyValue?
    var statedWidth: PropertyValue?
    var texts: [String]
    var hasPlace: Bool
    var density: Density?
    let size: Size

    init(_ bytes: [UInt8]) throws {
      let decoder = try FactMatrixTests.registry.open(.bytes(bytes))
      let properties = try decoder.properties()
      exif = properties["{TIFF}", "Copyright"]
      xmp = properties["{XMP}", "dc:title"]
      statedWidth = properties["{XMP}", "tiff:ImageWidth"]
      keywords = properties["{IPTC}", "Keywords"] ?? properties["{XMP}", "dc:subject"]
      texts = ContainerText.texts(in: try decoder.metadata(.text) ?? []).map(\.line)
      hasPlace = try decoder.metadata(.geoTIFF) != nil
      let across = decoder.header.resolution ?? properties["{TIFF}", "XResolution"]?.number
      density = across.map { Density($0) }
      size = decoder.header.displayedSize
    }
  }

  @Test(arguments: formats) func everyFactIsTrueOrNamed(_ source: ImageFormat) throws {
    let file = try Self.registry.encode(try Self.described(), as: source)
    let before = try Facts(file)
    for target in Self.formats {
      for way in Way.allCases {
        let made = try Self.registry.convert(.bytes(file), to: target, at: .memory, options: way.options)
        let after = try Facts(made.bytes)
        let what: Comment = "\(source) to \(target), \(way)"
        func isNamed(_ fact: Fact) -> Bool { made.changes.contains { $0.fact == fact } }
        #expect(after.exif == before.exif || isNamed(.exif), what)
        #expect(after.xmp == before.xmp || isNamed(.xmp), what)
        #expect(after.keywords == before.keywords || isNamed(.iptc) || isNamed(.xmp), what)
        #expect(after.texts == before.texts || isNamed(.texts), what)
        #expect(after.hasPlace == before.hasPlace || isNamed(.georeference), what)
        if let density = before.density, !isNamed(.density), !isNamed(.exif) {
          #expect(after.density.map { abs($0.horizontal - density.horizontal) < 1 } ?? false, what)
        }
        if case .text(let width)? = after.statedWidth { #expect(width == "\(after.size.width)", what) }
      }
    }
  }

  /// Exif's first directory has more than Exif names: titles of Windows, what printers want.
  @Test(arguments: formats) func fieldsOfOthersGoAlong(_ source: ImageFormat) throws {
    var image = Image(try EncodingPictures.photo(Self.size))
    // XPTitle of six bytes at 38, StripOffsets of another file, and PrintImageMatching of five bytes at 44.
    let exif: [UInt8] =
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 3, 0, 0x11, 1, 4, 0, 1, 0, 0, 0, 9, 0, 0, 0]
      + [0x9B, 0x9C, 1, 0, 6, 0, 0, 0, 50, 0, 0, 0, 0xA5, 0xC4, 7, 0, 5, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 0]
      + [0x54, 0, 0x69, 0, 0, 0] + Array("Print".utf8)
    image.metadata[.exif] = exif
    let file = try Self.registry.encode(image, as: source)
    for target in Self.formats {
      let made = try Self.registry.convert(.bytes(file), to: target, at: .memory, options: Way.cropped.options)
      if made.changes.contains(where: { $0.fact == .exif }) { continue }
      // The first directory of a TIFF file is that of Exif.
      let kept = target == .tiff ? made.bytes : try Self.registry.open(.bytes(made.bytes)).metadata(.exif) ?? []
      let expected = try Self.registry.open(.bytes(file)).metadata(.exif) ?? []
      for field in [Array("T\0i\0".utf8), Array("Print".utf8)] {
        #expect(kept.contains(field) == expected.contains(field), "\(source) to \(target): \(field)")
      }
      #expect(expected.contains(Array("T\0i\0".utf8)) || [.gif, .bmp].contains(source))
    }
  }

  /// Thumbnails of the whole picture show what is not to be seen any more.
  @Test(arguments: [ImageFormat.jpeg, .webP, .png, .heic, .tiff]) func thumbnailsShowNoMoreThanThePicture(
    _ target: ImageFormat
  ) throws {
    var writing = EncodeOptions()
    writing.embeddedThumbnailSide = 16
    let file = try Self.registry.encode(try Self.described(), as: .jpeg, options: writing)
    for way in Way.allCases {
      let made = try Self.registry.convert(.bytes(file), to: target, at: .memory, options: way.options)
      let exif = try #require(try Self.registry.open(.bytes(made.bytes)).metadata(.exif))
      let hasThumbnail = zip(exif, exif.dropFirst()).contains { $0 == 0xFF && $1 == 0xD8 }
      // A second directory of a TIFF file is a page.
      #expect(hasThumbnail == (target != .tiff && (way == .encoded || way == .scaled)), "\(way) to \(target)")
      #expect(made.changes.contains { $0.fact == .thumbnail } == !hasThumbnail)
    }
  }

  /// A quarter turn makes rows of columns: 300 by 150 become 150 by 300. A half turn does not.
  @Test(arguments: [(Orientation.right, 150.0), (.down, 300), (.up, 300)]) func densityTurnsWithThePicture(
    _ turn: Orientation, _ across: Double
  ) throws {
    var image = Image(try EncodingPictures.photo(Self.size))
    image.density = Density(300, vertical: 150)
    let file = try Self.registry.encode(image, as: .png)
    var options = EncodeOptions()
    options.allowsCopy = false
    if turn != .up { options.edit.turns = [turn] }
    let made = try Self.registry.convert(.bytes(file), to: .png, at: .memory, options: options)
    let header = try Self.registry.open(.bytes(made.bytes)).header
    #expect(abs((header.resolution ?? 0) - across) < 0.1)
    #expect(abs((header.pixelAspect ?? 0) - (across == 300 ? 0.5 : 2)) < 0.001)
  }

  /// Light of floating point cannot be kept exactly where it has to become codes.
  @Test func losslessIsRefusedWhereColorsAreConverted() throws {
    let light = try PixelBuffer(size: Size(width: 4, height: 4), format: .rgbaFloat32, alpha: .opaque)
    var options = EncodeOptions()
    options.isLossless = true
    #expect(throws: CoderError.self) { try Self.registry.encode(Image(light), as: .png, options: options) }
  }

  @Test func strictConversionsLoseNothing() throws {
    let file = try Self.registry.encode(try Self.described(), as: .tiff)
    var options = EncodeOptions()
    options.isStrict = true
    #expect(throws: CoderError.self) {
      try Self.registry.convert(.bytes(file), to: .bmp, at: .memory, options: options)
    }
    #expect(try Self.registry.convert(.bytes(file), to: .tiff, at: .memory, options: options).changes.isEmpty)
  }
}
