// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Colors of files on their way through decoders and thumbnails.
@Suite struct ColorConversionTests {
  private static let registry = EncodingPictures.registry
  private static let sRGB = CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)

  /// Four bands of plain colors.
  private static func bands(_ colors: [[UInt8]], _ size: Size = Size(width: 64, height: 64)) throws -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      buffer.withMutableRow(y) { row in
        for x in 0..<size.width { for c in 0..<3 { row[x * 3 + c] = colors[x * colors.count / size.width][c] } }
      }
    }
    return buffer
  }

  private static let colors: [[UInt8]] = [[200, 100, 50], [30, 200, 90], [128, 128, 128], [255, 255, 255]]
  /// The same in Display P3's place, as sRGB.
  private static let converted: [[UInt8]] = [[215, 93, 31], [0, 204, 73], [128, 128, 128], [255, 255, 255]]

  private static func file(
    _ format: ImageFormat, _ profile: [UInt8]?, cicp: CodingIndependentCodePoints? = nil
  ) throws -> [UInt8] {
    var image = Image(try bands(colors))
    if let profile { image.metadata[.icc] = profile }
    image.cicp = cicp
    return try registry.encode(image, as: format)
  }

  /// The middle of each band.
  private static func middles(_ pixels: PixelBuffer) throws -> [[UInt8]] {
    let pixels = try pixels.converted(to: PixelLayout(.rgb8, .opaque))
    return pixels.withRow(pixels.size.height / 2) { row in
      (0..<4).map { band in
        let x = (2 * band + 1) * pixels.size.width / 8
        return (0..<3).map { row[x * 3 + $0] }
      }
    }
  }

  // What nobody asked for becomes sRGB, which is what everybody takes such files for.
  @Test(arguments: [ImageFormat.pnm, .qoi]) func colorsAskedForAreWrittenWhereTheyCannotBeStated(_ format: ImageFormat)
    throws
  {
    let source = ByteSource.bytes(try Self.file(.png, MatrixProfile.displayP3.bytes))
    func made(_ color: OutputColor) throws -> [[UInt8]] {
      let file = try Self.registry.convert(source, to: format, at: .memory, reading: DecodeOptions(color: color))
      return try Self.middles(try Self.registry.decode(.bytes(file.bytes)).pixels)
    }
    #expect(try made(.convert(to: .displayP3)) == Self.colors)
    #expect(try made(.asStored) == Self.converted)
    #expect(throws: CoderError.self) { try made(.convert(to: .rec2100PQ)) }
  }

  @Test(arguments: [ImageFormat.png, .tiff, .webP])
  func decodedColorsAreThoseAskedFor(_ format: ImageFormat) throws {
    let source = ByteSource.bytes(try Self.file(format, MatrixProfile.displayP3.bytes))
    let stored = try Self.registry.decode(source)
    #expect(stored.metadata[.icc] == MatrixProfile.displayP3.bytes && stored.cicp == nil)
    guard format != .webP else { return }
    #expect(try Self.middles(stored.pixels) == Self.colors)
    let image = try Self.registry.decode(source, options: DecodeOptions(color: .convert(to: .sRGB)))
    #expect(try Self.middles(image.pixels) == Self.converted)
    #expect(image.metadata[.icc] == nil && image.cicp == Self.sRGB)
    // To the space that it has: nothing but the words for it.
    let same = try Self.registry.decode(source, options: DecodeOptions(color: .convert(to: .displayP3)))
    #expect(try Self.middles(same.pixels) == Self.colors)
    #expect(same.cicp?.primaries == 12 && same.metadata[.icc] != nil)
  }

  @Test func reducedColorsAreTheSame() throws {
    let source = ByteSource.bytes(try Self.file(.png, MatrixProfile.displayP3.bytes))
    for format in [PixelFormat.rgb8, .bgra8, .rgba16, .rgbaFloat32] {
      let options = DecodeOptions(
        size: .fitting(Size(width: 32, height: 32)), pixelFormat: format, color: .convert(to: .sRGB))
      let image = try Self.registry.decode(source, options: options)
      #expect(image.size == Size(width: 32, height: 32))
      #expect(try Self.middles(image.pixels) == Self.converted, "\(format)")
    }
  }

  @Test func untaggedColorsStayAndSayNothing() throws {
    let image = try Self.registry.decode(
      .bytes(try Self.file(.png, nil)), options: DecodeOptions(color: .convert(to: .sRGB)))
    #expect(try Self.middles(image.pixels) == Self.colors)
    #expect(image.metadata[.icc] == nil && image.cicp == nil)
    let wide = try Self.registry.decode(
      .bytes(try Self.file(.png, nil)), options: DecodeOptions(color: .convert(to: .displayP3)))
    #expect(wide.cicp?.primaries == 12)
    // 200 100 50 of sRGB in Display P3, worked out by hand.
    #expect(try Self.middles(wide.pixels)[0] == [187, 105, 62])
  }

  @Test func aProfileThatLiesIsLeftOutWithAWarning() throws {
    var bytes = MatrixProfile.displayP3.bytes
    bytes.replaceSubrange(128..<132, with: [255, 255, 255, 255])
    let source = ByteSource.bytes(try Self.file(.png, bytes))
    let warnings = Warnings()
    var options = DecodeOptions(color: .convert(to: .sRGB))
    options.log = { severity, message in if severity == .warning { warnings.add(message) } }
    let image = try Self.registry.decode(source, options: options)
    #expect(try Self.middles(image.pixels) == Self.colors)
    #expect(image.metadata[.icc] == nil)
    #expect(
      warnings.all == [
        "the ICC profile is not used: 4294967295 tags, 100 are allowed; colors are taken for sRGB"
      ])
  }

  @Test func aProfileAsATargetIsWrittenWithThePicture() throws {
    let source = ByteSource.bytes(try Self.file(.png, MatrixProfile.displayP3.bytes))
    let adobe = MatrixProfile.adobeRGB.bytes
    let image = try Self.registry.decode(source, options: DecodeOptions(color: .convert(to: .profile(adobe))))
    #expect(image.metadata[.icc] == adobe && image.cicp == nil)
    #expect(try Self.middles(image.pixels)[2] == [127, 127, 127])
    let wrong = DecodeOptions(color: .convert(to: .profile([1, 2, 3])))
    #expect { try Self.registry.decode(source, options: wrong) } throws: {
      ($0 as? CoderError)?.code == .invalidArgument
    }
  }

  @Test func codePointsOfPNGAreConverted() throws {
    let points = CodingIndependentCodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
    let source = ByteSource.bytes(try Self.file(.png, nil, cicp: points))
    let decoder = try Self.registry.open(source, options: DecodeOptions(color: .convert(to: .sRGB)))
    #expect(decoder.colorDescription == "Display P3, CICP")
    #expect(try Self.middles(decoder.image().pixels) == Self.converted)
  }

  @Test func copiesHaveTheColorsAskedFor() throws {
    let bytes = try Self.file(.png, MatrixProfile.displayP3.bytes)
    let source = ByteSource.bytes(bytes)
    let copy = try Self.registry.convert(source, to: .png, at: .memory)
    #expect(copy.bytes == bytes)
    let reading = DecodeOptions(color: .convert(to: .sRGB))
    let made = try Self.registry.convert(source, to: .png, at: .memory, reading: reading)
    let image = try Self.registry.decode(.bytes(made.bytes))
    #expect(try Self.middles(image.pixels) == Self.converted)
    #expect(image.metadata[.icc] == nil)
    // Nor are the coefficients of a JPEG moved, which have other colors.
    var writing = EncodeOptions()
    writing.quality = 1
    writing.edit.turns = [.down]
    let photo = ByteSource.bytes(try Self.file(.jpeg, MatrixProfile.displayP3.bytes))
    let turned = try Self.registry.convert(photo, to: .jpeg, at: .memory, options: writing, reading: reading)
    let shown = try Self.registry.decode(.bytes(turned.bytes))
    #expect(shown.metadata[.icc] == nil)
    #expect(abs(Int(try Self.middles(shown.pixels)[3][0]) - 215) <= 6)
    // A profile that lies goes, too.
    var lie = MatrixProfile.displayP3.bytes
    lie.replaceSubrange(128..<132, with: [255, 255, 255, 255])
    let freed = try Self.registry.convert(
      .bytes(try Self.file(.png, lie)), to: .png, at: .memory, reading: reading)
    #expect(try Self.registry.decode(.bytes(freed.bytes)).metadata[.icc] == nil)
    // Nothing to convert: nothing to encode.
    let plain = try Self.file(.png, nil)
    #expect(try Self.registry.convert(.bytes(plain), to: .png, at: .memory, reading: reading).bytes == plain)
  }

  /// Adobe RGB as cameras say it: ColorSpace is 65535, InteroperabilityIndex R03.
  private static let camera: [UInt8] =
    [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
    + [0, 2, 0xA0, 0x01, 0, 3, 0, 0, 0, 1, 0xFF, 0xFF, 0, 0, 0xA0, 0x05, 0, 4, 0, 0, 0, 1, 0, 0, 0, 56, 0, 0, 0, 0]
    + [0, 1, 0, 1, 0, 2, 0, 0, 0, 4, 0x52, 0x30, 0x33, 0, 0, 0, 0, 0]

  @Test func exifFollowsTheColors() throws {
    var image = Image(try Self.bands(Self.colors))
    image.metadata[.exif] = Self.camera
    var writing = EncodeOptions()
    writing.quality = 1
    writing.subsampling = .s444
    let source = ByteSource.bytes(try Self.registry.encode(image, as: .jpeg, options: writing))
    #expect(try Self.registry.open(source).colorDescription == "Adobe RGB (1998), Exif")
    var reading = DecodeOptions(color: .convert(to: .sRGB))
    let made = try Self.registry.convert(source, to: .jpeg, at: .memory, options: writing, reading: reading)
    let converted = try Self.registry.open(.bytes(made.bytes))
    #expect(converted.colorDescription == "sRGB, Exif")
    #expect(try converted.properties()["{Exif}", "ColorSpace"] == .integer(1))
    // 200 100 50 of Adobe RGB: Little CMS gives 227.08 for red, and JPEG's rounding is 2.
    #expect(abs(Int(try Self.middles(converted.image().pixels)[0][0]) - 227) <= 2)
    reading.color = .convert(to: .displayP3)
    let wide = try Self.registry.decode(source, options: reading)
    // Neither of the two that Exif has a name for.
    #expect(wide.metadata[.exif] == Self.camera.replacing(Array("R03".utf8), with: [0, 0, 0]))
  }

  @Test(arguments: [ImageFormat.gif, .webP, .png]) func framesAreConverted(_ format: ImageFormat) throws {
    let first = try Self.bands(Self.colors)
    let second = try Self.bands(Self.colors.reversed())
    var image = Image(frames: [
      Frame(pixels: first, delay: FrameDelay(numerator: 1, denominator: 10)),
      Frame(pixels: second, delay: FrameDelay(numerator: 1, denominator: 10)),
    ])
    image.metadata[.icc] = MatrixProfile.displayP3.bytes
    var writing = EncodeOptions()
    writing.isLossless = true
    let source = ByteSource.bytes(try Self.registry.encode(image, as: format, options: writing))
    let decoder = try Self.registry.open(source, options: DecodeOptions(color: .convert(to: .sRGB)))
    #expect(try Self.middles(decoder.frame(at: 1).pixels) == Self.converted.reversed())
    #expect(try Self.middles(decoder.frame(at: 0).pixels) == Self.converted)
    #expect(try Self.registry.open(source).colorDescription == "Display P3, ICC")
  }

  @Test func arrivingPicturesAreConverted() throws {
    let bytes = try Self.file(.png, MatrixProfile.displayP3.bytes)
    let decoder = Self.registry.makeIncrementalDecoder(options: DecodeOptions(color: .convert(to: .sRGB)))
    for part in stride(from: 0, to: bytes.count, by: 100) {
      try decoder.append(Array(bytes[part..<min(part + 100, bytes.count)]))
      if let shown = try decoder.picture(), decoder.progress.finalRows > 40 {
        #expect(try Self.middles(shown.pixels) == Self.converted)
      }
    }
    #expect(try Self.middles(decoder.finish().pixels) == Self.converted)
  }

  private static func pq(_ nits: [Double], _ points: CodingIndependentCodePoints) throws -> Image {
    let size = Size(width: 64, height: 64)
    let buffer = try PixelBuffer(size: size, format: .rgba16, alpha: .opaque)
    for y in 0..<size.height {
      buffer.withMutableRow(y) { row in
        for x in 0..<size.width {
          let value = UInt16((ToneCurve.pq(luminance: nits[x * 4 / size.width]) * 65_535).rounded())
          for c in 0..<4 { row.storeBytes(of: c == 3 ? .max : value, toByteOffset: x * 8 + c * 2, as: UInt16.self) }
        }
      }
    }
    var image = Image(buffer)
    image.cicp = points
    return image
  }

  @Test(arguments: [ImageFormat.png, .avif, .jpegXL, .heic]) func thumbnailsOfHDRLookRight(_ format: ImageFormat) throws
  {
    let points = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
    var writing = EncodeOptions()
    writing.quality = format == .png ? nil : 0.99
    let picture = try Self.pq([10, 50, 100, 1000], points)
    let source = ByteSource.bytes(try Self.registry.encode(picture, as: format, options: writing))
    #expect(try Self.registry.open(source).colorDescription == "BT.2100 PQ, CICP")
    var preset = ThumbnailPreset.web.sized(width: 32, height: 32)
    preset.format = .png
    let made = try Self.registry.makeThumbnail(of: source, preset)
    let grays = try Self.middles(Self.registry.decode(.bytes(made.bytes)).pixels)
    // BT.2390 at a peak of 1000 nit, which is measured.
    for (found, expected) in zip(grays, [63, 136, 186, 255]) {
      #expect(found.allSatisfy { abs(Int($0) - expected) <= (format == .png ? 1 : 3) }, "\(grays)")
    }
  }
}

/// Messages of a decode.
private final class Warnings: @unchecked Sendable {
  // Unchecked: one thread decodes, and the test looks when it is done.
  private(set) var all: [String] = []
  func add(_ message: String) { all.append(message) }
}
