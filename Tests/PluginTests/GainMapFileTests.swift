// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Gain maps that are put into files without encoding anything again.
@Suite struct GainMapFileTests {
  private static let registry = EncodingPictures.registry

  private static func file(_ name: String, of folder: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures(folder))/valid/\(name)")))
  }

  private static func map(_ bytes: [UInt8]) throws -> GainMap {
    try #require(try registry.open(.bytes(bytes)).gainMap())
  }

  /// A JPEG with a map of half its sides.
  private static func jpeg() throws -> [UInt8] {
    let source = try file("gain-map.avif", of: "avif")
    return try registry.convert(.bytes(source), to: .jpeg, at: .memory, options: EncodeOptions(quality: 0.9)).bytes
  }

  private static func box(_ type: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
    let size = size ?? content.count + 8
    return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + content
  }

  @Test func jpegInJPEGXLShowsItsMap() throws {
    let jpeg = try Self.jpeg()
    let made = try #require(try Self.registry.transcode(.bytes(jpeg), to: .jpegXL))
    let (old, new) = (try Self.map(jpeg), try Self.map(made))
    #expect(new.parameters == old.parameters && new.pixels.size == old.pixels.size)
    // The same coefficients, by another inverse transform.
    for (first, second) in zip(EncodingPictures.rows(new.pixels), EncodingPictures.rows(old.pixels)) {
      #expect(zip(first, second).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    }
    #expect(try Self.registry.transcode(.bytes(made), to: .jpeg) == jpeg)
  }

  @Test func mapOfATurnedJPEGLiesAsItsPictureInJPEGXL() throws {
    var edit = MetadataEdit()
    edit.values["{TIFF}", "Orientation"] = .integer(6)
    let jpeg = try Self.registry.editMetadata(.bytes(try Self.jpeg()), edit).bytes
    let made = try #require(try Self.registry.transcode(.bytes(jpeg), to: .jpegXL))
    let decoder = try Self.registry.open(.bytes(made))
    #expect(decoder.header.orientation.rawValue == 6)
    let map = try Self.map(made)
    #expect(map.pixels.size == Size(width: 8, height: 12))
    #expect(try Self.map(jpeg).pixels.size == Size(width: 8, height: 12))
    #expect(try Self.registry.transcode(.bytes(made), to: .jpeg) == jpeg)
  }

  @Test func samplesOfAMapThatStaysAreKeptInJPEG() throws {
    let jpeg = try Self.jpeg()
    var options = EncodeOptions(quality: 0.3, allowsCopy: false)
    options.metadata = []
    let made = try Self.registry.convert(.bytes(jpeg), to: .jpeg, at: .memory, options: options).bytes
    #expect(EncodingPictures.rows(try Self.map(made).pixels) == EncodingPictures.rows(try Self.map(jpeg).pixels))
    #expect(made.suffix(200) == jpeg.suffix(200))
  }

  /// The gain is in the primaries of the other rendition, which a profile says.
  @Test func profileOfTheOtherRenditionGoesThroughEachFormat() throws {
    let pixels = try EncodingPictures.photo(Size(width: 96, height: 72))
    let profile = try #require(
      try Self.registry.open(
        .bytes(
          try Self.registry.encode(
            Image(pixels), as: .png, options: EncodeOptions(color: .convert(to: .displayP3))))
      ).metadata(.icc))
    var parameters = GainMapParameters(
      GainMapParameters.Channel(minimum: -1, maximum: 2.5), alternateHeadroom: 2.5, usesBaseColors: false)
    parameters.green.gamma = 2
    var parts = GainMapParts(
      file: try Self.registry.encode(
        Image(try EncodingPictures.photo(Size(width: 48, height: 36), gray: true)), as: .jpegXL),
      iso: parameters.isoMetadata, xmp: nil)
    parts.alternateProfile = profile
    let base = try Self.registry.encode(Image(pixels), as: .jpegXL)
    let attached = try Self.registry.apply(.attachGainMap(parts), to: .bytes(base))
    var file = try #require(attached.file).bytes
    for format in [ImageFormat.heic, .jpegXL, .avif, .jpegXL, .jpeg, .jpegXL] {
      let map = try Self.map(file)
      #expect(map.parameters == parameters && map.alternateProfile == profile, "before \(format)")
      #expect(map.pixels.size == Size(width: 48, height: 36) && map.pixels.format == .gray8)
      file = try Self.registry.convert(.bytes(file), to: format, at: .memory).bytes
    }
    #expect(try Self.map(file).alternateProfile == profile)
  }

  private static let formats: [ImageFormat] = [.jpeg, .heic, .avif, .jpegXL]

  /// Gains are numbers for each channel, and no colors that eyes see: they stay where a map is cut, and so encoded anew.
  @Test(arguments: formats, formats) func gainsOfThreeChannelsStayNear(
    _ first: ImageFormat, _ second: ImageFormat
  ) throws {
    let gains = try PixelBuffer(size: Size(width: 48, height: 36), format: .rgb8, alpha: .opaque)
    for y in 0..<36 {
      let row = gains.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<48 {
        let isHighlight = (12..<24).contains(x) && (8..<18).contains(y)
        let values = isHighlight ? [250, 20, 120] : [5 * x, 7 * y, 255 - 2 * x - 3 * y]
        for channel in 0..<3 { row[3 * x + channel] = UInt8(values[channel]) }
      }
    }
    var settings = EncodeOptions(quality: 0.97)
    settings.subsampling = .s444
    settings.isLossless = first == .jpegXL
    let parameters = GainMapParameters(.init(minimum: 0, maximum: 2.5), alternateHeadroom: 2.5)
    let parts = GainMapParts(
      file: try Self.registry.encode(Image(gains), as: first, options: settings), iso: parameters.isoMetadata, xmp: nil)
    let base = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 96, height: 72))), as: first)
    let file = try #require(try Self.registry.apply(.attachGainMap(parts), to: .bytes(base)).file).bytes
    var cutting = EncodeOptions()
    cutting.edit.crop = Rect(x: 0, y: 0, width: 64, height: 48)
    let made = try Self.registry.convert(.bytes(file), to: second, at: .memory, options: cutting)
    #expect(!made.changes.contains { $0.fact == .gainMap })
    let (old, new) = (try Self.map(file).pixels, try Self.map(made.bytes).pixels)
    try #require(new.size == Size(width: 32, height: 24) && new.format == .rgb8)
    let rows = zip(EncodingPictures.rows(new), EncodingPictures.rows(old))
    let most = rows.map { zip($0, $1).map { abs(Int($0) - Int($1)) }.max() ?? 0 }.max() ?? 0
    #expect(most <= (second == .jpegXL ? 0 : 16), "\(first) to \(second): off by \(most)")
  }

  /// By hand: version 0, sizes of 16, 8 and 32 bits, no colors, and the codestream.
  @Test func boxOfJPEGXLFollowsThePicture() throws {
    let stream = try Self.registry.encode(
      Image(try EncodingPictures.photo(Size(width: 8, height: 8))), as: .jpegXL)
    try #require(stream.starts(with: [0xFF, 0x0A]))
    let head =
      [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A] + Self.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
    let iso = GainMapParameters(.init(minimum: 0, maximum: 1), alternateHeadroom: 1).isoMetadata
    // The map in two parts; the picture in a box that reaches to the end, after another map.
    let half = stream.count / 2
    let map =
      head + Self.box("jxlp", [0, 0, 0, 0] + stream[..<half]) + Self.box("jxlp", [0x80, 0, 0, 1] + stream[half...])
    let source = head + Self.box("jhgm", [9]) + Self.box("jxlc", stream, size: 0)
    let made = try Self.registry.apply(
      .attachGainMap(GainMapParts(file: map, iso: iso, xmp: nil)), to: .bytes(source))
    let content = [0, 0, UInt8(iso.count)] + iso + [0, 0, 0, 0, 0] + stream
    #expect(made.file?.bytes == head + Self.box("jxlc", stream) + Self.box("jhgm", content))
    let bare = try Self.registry.apply(
      .attachGainMap(GainMapParts(file: stream, iso: iso, xmp: nil)), to: .bytes(stream))
    #expect(bare.file?.bytes == made.file?.bytes)
  }

  /// x265 enlarges the picture, which is turned besides.
  @Test func toneMapOfHEICHasTheSizeThatIsShown() throws {
    var image = Image(try EncodingPictures.photo(Size(width: 50, height: 70)))
    image.orientation = .right
    var options = EncodeOptions()
    options.preservesOrientation = true
    let base = try Self.registry.encode(image, as: .heic, options: options)
    let map = try Self.registry.encode(
      Image(try EncodingPictures.photo(Size(width: 25, height: 35), gray: true)), as: .heic)
    let iso = GainMapParameters(.init(minimum: 0, maximum: 1), alternateHeadroom: 1).isoMetadata
    let made = try Self.registry.apply(
      .attachGainMap(GainMapParts(file: map, iso: iso, xmp: nil)), to: .bytes(base))
    let file = try #require(made.file).bytes
    #expect(try Self.map(file).pixels.size == Size(width: 35, height: 25))
    // ispe, version and flags, 70×50.
    let wanted = Array("ispe".utf8) + [0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 0, 50]
    #expect((0..<(file.count - wanted.count)).contains { file[$0..<($0 + wanted.count)].elementsEqual(wanted) })
  }
}
