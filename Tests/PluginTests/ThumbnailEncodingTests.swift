// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Thumbnails inside of files: they are there, are no pages, and are decoded in place of the picture.
@Suite struct ThumbnailEncodingTests {
  private static let registry = EncodingPictures.registry

  struct Case: CustomTestStringConvertible {
    let format: ImageFormat
    var values: [String: OptionValue] = [:]
    var isGray = false
    var orientation = Orientation.up
    var testDescription: String { "\(format) \(values) \(isGray ? "gray" : "color") \(orientation)" }
  }

  static let cases = [
    Case(format: .tiff), Case(format: .tiff, isGray: true), Case(format: .tiff, values: ["compression": 6]),
    Case(format: .tiff, values: ["tile": 64, "bigtiff": 2]), Case(format: .tiff, orientation: .right),
    Case(format: .heic), Case(format: .heic, isGray: true), Case(format: .heic, values: ["bit-depth": 2]),
    Case(format: .heic, orientation: .left),
  ]

  private static func small(_ bytes: [UInt8]) throws -> [[UInt8]] {
    var options = DecodeOptions()
    options.size = .fitting(Size(width: 40, height: 40))
    let image = try registry.decode(.bytes(bytes), options: options)
    #expect(max(image.size.width, image.size.height) == 40)
    return EncodingPictures.rows(image.pixels)
  }

  @Test(arguments: cases) func aThumbnailStandsForItsPicture(_ item: Case) throws {
    var image = Image(try EncodingPictures.photo(Size(width: 320, height: 240), gray: item.isGray))
    image.orientation = item.orientation
    var options = EncodeOptions()
    options.values = item.values
    options.preservesOrientation = true
    options.embeddedThumbnailSide = 100
    let bytes = try Self.registry.encode(image, as: item.format, options: options)
    options.embeddedThumbnailSide = nil
    let without = try Self.registry.encode(image, as: item.format, options: options)
    #expect(bytes.count > without.count)
    let whole = try Self.registry.decode(.bytes(bytes))
    #expect(whole.header?.pageCount == 1)
    #expect(
      EncodingPictures.rows(whole.pixels) == EncodingPictures.rows(try Self.registry.decode(.bytes(without)).pixels))
    // The picture's own bytes are in the middle: the thumbnail does not need them.
    var broken = bytes
    for index in bytes.count / 2..<bytes.count / 2 + 400 { broken[index] = 0x55 }
    let damaged = try? Self.registry.decode(.bytes(broken))
    #expect(
      damaged.map { $0.problem != nil || EncodingPictures.rows($0.pixels) != EncodingPictures.rows(whole.pixels) }
        ?? true)
    #expect(try Self.small(broken) == Self.small(bytes))
  }

  @Test(arguments: [ImageFormat.tiff, .heic]) func eachPageHasItsOwn(_ format: ImageFormat) throws {
    let pages = try [300, 200, 90].map { Image(try EncodingPictures.photo(Size(width: $0, height: 120))) }
    var options = EncodeOptions()
    options.embeddedThumbnailSide = 64
    let decoder = try Self.registry.open(.bytes(Self.registry.encode(pages, as: format, options: options)))
    #expect(decoder.header.pageCount == 3)
  }

  @Test(arguments: [ImageFormat.tiff, .heic]) func aPictureThatIsSmallHasNone(_ format: ImageFormat) throws {
    let image = Image(try EncodingPictures.photo(Size(width: 60, height: 40)))
    var options = EncodeOptions()
    let without = try Self.registry.encode(image, as: format, options: options)
    options.embeddedThumbnailSide = 64
    #expect(try Self.registry.encode(image, as: format, options: options) == without)
  }
}
