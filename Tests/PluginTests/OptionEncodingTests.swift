// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Lines of a log.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Options that all formats share, in writers that follow them and in others.
@Suite struct OptionEncodingTests {
  private static let registry = EncodingPictures.registry

  static let orientationFormats: [ImageFormat] = [.avif, .heic, .jpegXL, .jpeg2000, .tiff]

  @Test(arguments: orientationFormats, 1...8) func anOrientationIsATag(_ format: ImageFormat, tag: Int) throws {
    var image = Image(try EncodingPictures.photo(Size(width: 48, height: 32)))
    image.orientation = try #require(Orientation(rawValue: tag))
    var options = EncodingPictures.lossless
    options.preservesOrientation = true
    let bytes = try Self.registry.encode(image, as: format, options: options)
    var reading = DecodeOptions()
    reading.appliesOrientation = false
    let stored = try Self.registry.decode(.bytes(bytes), options: reading)
    #expect(stored.orientation.rawValue == tag)
    #expect(EncodingPictures.rows(stored.pixels) == EncodingPictures.rows(image.pixels))
    let upright = try image.pixels.oriented(by: image.orientation)
    let shown = try Self.registry.decode(.bytes(bytes)).pixels
    #expect(EncodingPictures.rows(shown) == EncodingPictures.rows(upright))
    options.preservesOrientation = false
    let turned = try Self.registry.decode(.bytes(Self.registry.encode(image, as: format, options: options)))
    #expect(turned.header?.orientation == .up)
    #expect(EncodingPictures.rows(turned.pixels) == EncodingPictures.rows(upright))
  }

  static let plainFormats: [ImageFormat] = [.pnm, .qoi, .bmp, .ico, .icns]

  /// What changes nothing is said once, and by nobody else.
  @Test(arguments: plainFormats) func formatsWithoutCommonOptionsSaySoOnce(_ format: ImageFormat) throws {
    let log = Lines()
    var options = EncodeOptions()
    options.log = { _, line in log.add(line) }
    let image = Image(try EncodingPictures.photo(Size(width: 32, height: 32)))
    let plain = try Self.registry.encode(image, as: format, options: options)
    #expect(log.all.isEmpty)
    options.quality = 0.3
    options.isProgressive = true
    options.subsampling = .s420
    options.embeddedThumbnailSide = 8
    #expect(try Self.registry.encode(image, as: format, options: options) == plain)
    #expect(log.all.count == 4, "\(log.all)")
  }

  @Test func qualityOfTIFFIsThatOfItsCompression() throws {
    let image = Image(try EncodingPictures.photo(Size(width: 64, height: 64)))
    for (compression, lines) in [(0.0, 1), (2, 1), (5, 0), (6, 0)] {
      let log = Lines()
      var options = EncodeOptions()
      options.log = { _, line in log.add(line) }
      options.values["compression"] = .number(compression)
      options.quality = 0.2
      let low = try Self.registry.encode(image, as: .tiff, options: options)
      #expect(log.all.count == lines, "\(compression): \(log.all)")
      options.quality = 0.9
      let high = try Self.registry.encode(image, as: .tiff, options: options)
      #expect(lines == 0 ? low.count < high.count : low == high)
    }
  }

  @Test(arguments: [ImageFormat.avif, .heic, .jpeg2000, .tiff]) func subsamplingIsFollowedOrChangesNothing(
    _ format: ImageFormat
  ) throws {
    let image = Image(try EncodingPictures.photo(Size(width: 64, height: 64)))
    var options = EncodeOptions()
    if format == .tiff { options.values["compression"] = 6 }
    for subsampling in [Subsampling.s444, .s422, .s420] {
      options.subsampling = subsampling
      let header = try Self.registry.open(.bytes(Self.registry.encode(image, as: format, options: options))).header
      if format != .jpeg2000 { #expect(header.subsampling == subsampling) }
    }
    guard format == .avif || format == .heic else { return }
    options.subsampling = .s400
    let gray = try Self.registry.decode(.bytes(Self.registry.encode(image, as: format, options: options)))
    #expect(gray.pixels.format == .gray8)
  }

  @Test func everyOptionOfAVIFAndHEICIsTaken() throws {
    let image = Image(try EncodingPictures.photo(Size(width: 64, height: 48)))
    for (format, name, count) in [
      (ImageFormat.avif, "codec", 3), (.avif, "range", 2), (.avif, "tune", 2), (.avif, "bit-depth", 4),
      (.heic, "tune", 4), (.heic, "bit-depth", 4),
    ] {
      for value in 0..<count {
        var options = EncodeOptions()
        options.quality = 0.9
        options.values[name] = .number(Double(value))
        let bytes = try Self.registry.encode(image, as: format, options: options)
        let found = try Self.registry.decode(.bytes(bytes)).pixels.converted(to: image.pixels.layout)
        #expect(Self.worst(found, image.pixels) < 100, "\(format) \(name) \(value)")
      }
    }
  }

  private static func worst(_ one: PixelBuffer, _ other: PixelBuffer) -> Int {
    zip(EncodingPictures.rows(one).joined(), EncodingPictures.rows(other).joined())
      .reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }
}
