// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Depth is a channel of the picture in JPEG XL: as large as that, and with every sample, whatever the picture loses.
@Suite(.needs("JPEG", "PNG", "HEIF", "AVIF", "JXL"))
struct DepthChannelTests {
  private static let registry = EncodingPictures.registry
  private static let size = Size(width: 64, height: 48)

  /// Gray that grows by a step in each column.
  private static func slope(_ size: Size, step: Int, deep: Bool = false) throws -> PixelBuffer {
    let pixels = try PixelBuffer(size: size, format: deep ? .gray16 : .gray8, alpha: .opaque)
    for y in 0..<size.height {
      for x in 0..<size.width {
        if deep {
          pixels.row(y).storeBytes(of: UInt16(step * x + y), toByteOffset: 2 * x, as: UInt16.self)
        } else {
          pixels.row(y).storeBytes(of: UInt8(step * x), toByteOffset: x, as: UInt8.self)
        }
      }
    }
    return pixels
  }

  private static func file(_ format: ImageFormat, _ picture: Image, _ depth: PixelBuffer) throws -> [UInt8] {
    var edit = MetadataEdit()
    edit.pictures[.depth] = try registry.encode(Image(depth), as: .png)
    return try registry.editMetadata(.bytes(try registry.encode(picture, as: format)), edit).bytes
  }

  private static func photo() throws -> Image { Image(try EncodingPictures.photo(size)) }

  private static func depth(_ bytes: [UInt8]) throws -> Image {
    let file = try registry.open(.bytes(bytes))
    let found = try file.auxiliaryPictures()
    #expect(found.map(\.kind) == [.depth])
    return try file.decodeAuxiliary(try #require(found.first))
  }

  private static func convert(
    _ bytes: [UInt8], to format: ImageFormat = .jpegXL, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> EncodedFile {
    var options = EncodeOptions(allowsCopy: false)
    options.isStrict = true
    change(&options)
    return try registry.convert(.bytes(bytes), to: format, at: .memory, options: options)
  }

  /// The recipe of the fixture has 255, and 100 in columns 3 to 14 of rows 4 to 8.
  @Test(arguments: [nil, 0.5, 1] as [Double?]) func depthOfJPEGXLIsExact(_ quality: Double?) throws {
    let source = try ReportedLoss.fixture("extra-depth.jxl", of: "jxl")
    let made = try Self.convert(source) { $0.quality = quality }
    #expect(!made.changes.contains { $0.fact == .auxiliaries })
    let depth = try Self.depth(made.bytes).pixels
    #expect(depth.size == Size(width: 23, height: 17))
    for (y, row) in EncodingPictures.rows(depth).enumerated() {
      #expect(row == (0..<23).map { (3..<15).contains($0) && (4..<9).contains(y) ? 100 : 255 }, "row \(y)")
    }
    let name = try Self.registry.open(.bytes(source)).auxiliaryPictures().first?.typeName
    #expect(try Self.registry.open(.bytes(made.bytes)).auxiliaryPictures().first?.typeName == name)
  }

  @Test(arguments: [ImageFormat.jpeg, .heic, .avif])
  func depthOfTheSameSizeIsExact(_ format: ImageFormat) throws {
    let source = try Self.file(format, try Self.photo(), try Self.slope(Self.size, step: 4))
    let made = try Self.convert(source)
    #expect(!made.changes.contains { $0.fact == .auxiliaries })
    let rows = EncodingPictures.rows(try Self.depth(made.bytes).pixels)
    #expect(rows == EncodingPictures.rows(try Self.depth(source).pixels))
    // The source has lost a little.
    #expect(rows.allSatisfy { row in row.enumerated().allSatisfy { abs(Int($1) - 4 * $0) <= 4 } }, "\(rows[7])")
    // The picture has the quality that was asked for, as without depth.
    let plain = try Self.registry.encode(try Self.registry.open(.bytes(source)).image(), as: .jpegXL)
    #expect(abs(made.byteCount - plain.count) < 1500, "\(made.byteCount) and \(plain.count)")
    #expect(try Self.registry.open(.bytes(made.bytes)).header.isLossless == false)
  }

  /// Half as large: a column of the picture is half a column of depth, whose centers are 8 apart.
  @Test(arguments: [ImageFormat.jpeg, .heic, .avif])
  func otherSizesAreScaledAndNamed(_ format: ImageFormat) throws {
    let source = try Self.file(format, try Self.photo(), try Self.slope(Size(width: 32, height: 24), step: 8))
    let made = try Self.convert(source)
    #expect(made.changes.filter { $0.fact == .auxiliaries }.map(\.outcome) == [.changed])
    let depth = try Self.depth(made.bytes).pixels
    #expect(depth.size == Self.size)
    let row = EncodingPictures.rows(depth)[20]
    #expect((4..<60).allSatisfy { abs(Int(row[$0]) - (4 * $0 - 2)) <= 6 }, "\(row)")
    let cut = try Self.convert(source) { $0.edit.crop = Rect(x: 16, y: 8, width: 32, height: 24) }
    let part = try Self.depth(cut.bytes).pixels
    #expect(part.size == Size(width: 32, height: 24))
    let middle = EncodingPictures.rows(part)[10]
    #expect((2..<30).allSatisfy { abs(Int(middle[$0]) - (4 * $0 + 62)) <= 6 }, "\(middle)")
  }

  @Test func depthFollowsTurnsAndSizes() throws {
    let source = try Self.file(.heic, try Self.photo(), try Self.slope(Self.size, step: 4))
    let turned = try Self.depth(try Self.convert(source) { $0.edit.turns = [.right] }.bytes).pixels
    #expect(turned.size == Size(width: 48, height: 64))
    #expect(
      EncodingPictures.rows(turned).enumerated().allSatisfy { y, row in row.allSatisfy { abs(Int($0) - 4 * y) <= 4 } })
    let small = try Self.depth(try Self.convert(source) { $0.maxSize = Size(width: 32, height: 24) }.bytes).pixels
    #expect(small.size == Size(width: 32, height: 24))
    let row = EncodingPictures.rows(small)[12]
    #expect((2..<30).allSatisfy { abs(Int(row[$0]) - (8 * $0 + 2)) <= 6 }, "\(row)")
  }

  @Test func depthStandsBesideAlpha() throws {
    let pixels = try EncodingPictures.photo(Self.size).converted(to: PixelLayout(.rgba8, .straight))
    for y in 0..<48 {
      for x in 0..<64 { pixels.row(y).storeBytes(of: UInt8(2 * x), toByteOffset: 4 * x + 3, as: UInt8.self) }
    }
    let plain = try Self.registry.encode(Image(pixels), as: .jpegXL, options: EncodeOptions(isLossless: true))
    var edit = MetadataEdit()
    edit.pictures[.depth] = try Self.registry.encode(Image(try Self.slope(Self.size, step: 4)), as: .png)
    let made = try Self.registry.editMetadata(.bytes(plain), edit).bytes
    #expect(
      EncodingPictures.rows(try Self.depth(made).pixels) == EncodingPictures.rows(try Self.slope(Self.size, step: 4)))
    let picture = try Self.registry.decode(.bytes(made)).pixels
    #expect(picture.format == .rgba8 && EncodingPictures.rows(picture) == EncodingPictures.rows(pixels))
    // A second one has no place, nor has depth beside a picture that has lost samples.
    #expect(throws: CoderError.self) { try Self.registry.editMetadata(.bytes(made), edit) }
    let lossy = try Self.registry.encode(Image(pixels), as: .jpegXL)
    #expect(throws: CoderError.self) { try Self.registry.editMetadata(.bytes(lossy), edit) }
  }

  /// Colors are converted, and samples of what they become are kept on the way.
  @Test func picturesWithDepthAreConvertedAsOthers() throws {
    let pixels = try EncodingPictures.photo(Self.size).converted(to: PixelLayout(.rgba8, .premultiplied))
    let source = try Self.file(.heic, Image(pixels), try Self.slope(Self.size, step: 4))
    let made = try Self.convert(source) { ($0.isStrict, $0.color) = (false, .convert(to: .displayP3)) }
    #expect(try Self.depth(made.bytes).pixels.size == Self.size)
    let plain = try Self.convert(source) {
      ($0.isStrict, $0.color, $0.metadata) = (false, .convert(to: .displayP3), [.icc])
    }
    let files = try [made, plain].map { try Self.registry.open(.bytes($0.bytes)) }
    #expect(try files[1].auxiliaryPictures().isEmpty)
    #expect(files[0].header.cicp == files[1].header.cicp && files[0].header.alpha == files[1].header.alpha)
    #expect(try files[0].metadata(.icc) == files[1].metadata(.icc))
    #expect(try EncodingPictures.rows(files[0].image().pixels) == EncodingPictures.rows(files[1].image().pixels))
  }

  @Test func deepDepthKeepsItsBits() throws {
    var image = try Self.photo()
    image.metadata[.xmp] = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"></x:xmpmeta>".utf8)
    image.orientation = .right
    var options = EncodeOptions(isLossless: true)
    options.preservesOrientation = true
    let plain = try Self.registry.encode(image, as: .jpegXL, options: options)
    // Metadata stands between the header and the picture.
    #expect(try Self.registry.open(.bytes(plain)).header.isLossless)
    let turned = try Self.slope(Size(width: 48, height: 64), step: 1300, deep: true)
    var edit = MetadataEdit()
    edit.pictures[.depth] = try Self.registry.encode(Image(turned), as: .png)
    let made = try Self.registry.editMetadata(.bytes(plain), edit).bytes
    let depth = try Self.depth(made)
    #expect(depth.pixels.format == .gray16 && depth.header?.bitsPerChannel == 16)
    #expect(EncodingPictures.rows(depth.pixels) == EncodingPictures.rows(turned))
    let file = try Self.registry.open(.bytes(made))
    #expect(file.header.orientation == .right)
    #expect(try file.metadata(.xmp) == image.metadata[.xmp])
  }

  @Test func whatHasNoChannelIsNamed() throws {
    var edit = MetadataEdit()
    for kind in [PageKind.depth, .disparity, .matte] {
      edit.pictures[kind] = try Self.registry.encode(Image(try Self.slope(Self.size, step: 4)), as: .png)
    }
    let source = try Self.registry.editMetadata(
      .bytes(try Self.registry.encode(try Self.photo(), as: .heic)), edit
    ).bytes
    let made = try Self.convert(source) { $0.isStrict = false }
    let left = made.changes.filter { $0.fact == .auxiliaries && $0.outcome == .dropped }
    #expect(left.count == 1 && left[0].reason.hasPrefix("2 (disparity, matte)"), "\(made.changes)")
    #expect(try Self.depth(made.bytes).pixels.size == Self.size)
    let searched = try Self.convert(source) { ($0.isStrict, $0.maxFileSize) = (false, 100_000) }
    #expect(searched.changes.contains { $0.fact == .auxiliaries && $0.reason.hasPrefix("3 (depth, disparity, matte)") })
    #expect(try Self.registry.open(.bytes(searched.bytes)).auxiliaryPictures().isEmpty)
  }
}
