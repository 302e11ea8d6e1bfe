// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Thumbnails that are safe to publish.
@Suite struct ThumbnailPresetTests {
  private static let registry = EncodingPictures.registry
  /// The header of an Exif payload in little-endian order, and one entry: a camera's name.
  private static let exif: [UInt8] =
    Array("II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, 0x0F, 1, 2, 0, 4, 0, 0, 0, 0x4D, 0x61, 0x6B, 0, 0, 0, 0, 0]

  private static func photo(_ profile: MatrixProfile, as format: ImageFormat) throws -> ByteSource {
    var image = Image(try EncodingPictures.photo(Size(width: 160, height: 120)))
    image.metadata = [.icc: profile.bytes, .exif: exif, .xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)]
    var options = EncodeOptions()
    options.embeddedThumbnailSide = format == .jpeg ? 64 : nil
    return .bytes(try registry.encode(image, as: format, options: options))
  }

  private static func kinds(_ file: EncodedFile) throws -> Set<MetadataKind> {
    Set(try registry.decode(.bytes(file.bytes)).metadata.keys)
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webP, .avif, .jpegXL]) func nothingOfThePhotographerIsLeft(
    _ format: ImageFormat
  ) async throws {
    var preset = ThumbnailPreset.web.sized(width: 40, height: 0)
    preset.format = format
    let plain = try await Self.registry.async.makeThumbnail(of: Self.photo(.sRGB, as: .jpeg), preset)
    #expect(try await Self.registry.async.decode(.bytes(plain.bytes)).size == Size(width: 40, height: 30))
    #expect(try Self.kinds(plain) == [])
    #expect(!plain.bytes.contains(Array("Mak".utf8)) && !plain.bytes.contains(Array("xmpmeta".utf8)))
    let wide = try await Self.registry.async.makeThumbnail(of: Self.photo(.displayP3, as: .jpeg), preset)
    #expect(try Self.kinds(wide) == [])
    // Without its profile, this one would have other colors.
    preset.color = .asStored
    let stored = try await Self.registry.async.makeThumbnail(of: Self.photo(.displayP3, as: .jpeg), preset)
    #expect(try Self.kinds(stored) == [.icc])
    #expect(try await Self.registry.async.decode(.bytes(stored.bytes)).metadata[.icc] == MatrixProfile.displayP3.bytes)
  }

  @Test func aPresetMayKeepEverything() throws {
    var preset = ThumbnailPreset(size: Size(width: 40, height: 40), mode: .fill, format: .png)
    preset.output.metadata = Set(MetadataKind.allCases)
    preset.output.writesSRGBProfile = true
    let made = try Self.registry.makeThumbnail(of: Self.photo(.sRGB, as: .jpeg), preset)
    #expect(try Self.kinds(made) == [.icc, .exif, .xmp])
    #expect(try Self.registry.decode(.bytes(made.bytes)).size == Size(width: 40, height: 40))
  }

  @Test func theFormatFollowsThePicture() throws {
    let made = try Self.registry.makeThumbnail(of: Self.photo(.sRGB, as: .jpeg))
    #expect(made.format == .jpeg)
    #expect(try Self.registry.open(.bytes(made.bytes)).header.format == .jpeg)
    let exact = try Self.registry.makeThumbnail(of: Self.photo(.sRGB, as: .png))
    #expect(try Self.registry.open(.bytes(exact.bytes)).header.format == .png)
  }

  @Test func aPartOfAPictureIsAnErrorUnlessSomebodyListens() throws {
    let whole = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 160, height: 120))), as: .png)
    let source = ByteSource.bytes(whole.prefix(whole.count / 2))
    #expect { try Self.registry.makeThumbnail(of: source) } throws: { ($0 as? CoderError)?.code == .truncated }
    var problems: [CoderError.Code] = []
    let made = try Self.registry.makeThumbnail(of: source) { problems.append($0.code) }
    #expect(problems == [.truncated] && made.byteCount > 0)
    let strict = DecodeOptions(isStrict: true)
    #expect(throws: CoderError.self) { try Self.registry.makeThumbnail(of: source, reading: strict) { _ in } }
  }

  @Test func theLimitsOfTheReadingApply() throws {
    var reading = DecodeOptions(allowedFormats: [.png])
    #expect { try Self.registry.makeThumbnail(of: Self.photo(.sRGB, as: .jpeg), reading: reading) } throws: {
      ($0 as? CoderError)?.code == .unsupported
    }
    reading.allowedFormats = nil
    reading.limits.maxPixels = 100
    #expect { try Self.registry.makeThumbnail(of: Self.photo(.sRGB, as: .jpeg), reading: reading) } throws: {
      ($0 as? CoderError)?.code == .limitExceeded
    }
  }
}
