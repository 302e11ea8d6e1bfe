// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Thumbnails of HEIF and AVIF: which are listed, how they are turned, their colors, and that they decode.
@Suite(.needs("AVIF", "HEIF")) struct ThumbnailItemTests {
  private static func open(_ path: String) throws -> ImageDecoder {
    try EncodingPictures.registry.open(.file("\(StagedTree.fixtures("heif"))/../\(path)"))
  }

  private static func decoders(_ path: String) throws -> (file: ImageDecoder, thumbnails: [Image]) {
    let file = try open(path)
    return (file, try file.auxiliaryPictures().map { try file.decodeAuxiliary($0) })
  }

  /// Squares of 8 pixels of a gray picture: the first sample of each.
  private static func squares(_ pixels: PixelBuffer) -> [[UInt8]] {
    stride(from: 0, to: pixels.size.height, by: 8).map { y in
      pixels.withRow(y) { row in stride(from: 0, to: pixels.size.width, by: 8).map { row[$0] } }
    }
  }

  /// Of a picture that lies on its side: turned, as the picture is stored, upright.
  @Test(arguments: ["heif/valid/thumbnails-turned.heic", "avif/valid/thumbnails-turned.avif"])
  func areListedAndTurned(_ path: String) throws {
    let file = try Self.open(path)
    #expect(file.header.orientation == .right && file.header.pageCount == 1 && file.header.hiddenPageCount == 3)
    let found = try file.auxiliaryPictures()
    #expect(found.map(\.kind) == [.reduced, .reduced, .reduced] && found.map(\.typeName) == ["thmb", "thmb", "thmb"])
    #expect(found.map(\.page) == [1, 2, 3] && found.allSatisfy { $0.owner == 0 })
    #expect(
      found.map(\.size) == [
        Size(width: 32, height: 16), Size(width: 32, height: 16), Size(width: 16, height: 32),
      ])
    let shown = try found.map { try file.decodeAuxiliary($0).pixels }
    #expect(shown.allSatisfy { $0.size == Size(width: 16, height: 32) })
    let small = try #require(try file.embeddedThumbnail())
    #expect(small.header.canvas == Size(width: 32, height: 16) && small.header.orientation == .right)
    #expect(try small.image().pixels.size == Size(width: 32, height: 16))
  }

  @Test func allOfThemShowThePicture() throws {
    let (file, thumbnails) = try Self.decoders("heif/valid/thumbnails-turned.heic")
    // A quarter to the right, of rows 0 30 60 90 and 120 150 180 210.
    let upright: [[UInt8]] = [[120, 0], [150, 30], [180, 60], [210, 90]]
    for thumbnail in thumbnails { #expect(Self.squares(thumbnail.pixels) == upright) }
    let small = try #require(try file.embeddedThumbnail()).image()
    #expect(small.orientation == .right && Self.squares(small.pixels) == [[0, 30, 60, 90], [120, 150, 180, 210]])
  }

  @Test func thoseOfTilesAreDecoded() throws {
    let (file, thumbnails) = try Self.decoders("heif/valid/thumbnails-grid.heic")
    try #require(thumbnails.map(\.size) == [Size(width: 64, height: 32), Size(width: 32, height: 16)])
    let tiles = thumbnails[0].pixels
    // Four lines of eight squares, each 8 brighter than the one before.
    #expect(Self.squares(tiles).flatMap(\.self) == (0..<32).map { UInt8($0 * 8) })
    #expect(Self.squares(thumbnails[1].pixels).first == [0, 16, 32, 48])
    // The smallest with a side of 64.
    #expect(try file.embeddedThumbnail()?.header.canvas == Size(width: 64, height: 32))
  }

  @Test func withoutColorsTheyHaveThoseOfThePicture() throws {
    let file = try Self.open("heif/valid/thumbnails-colors.heic")
    let found = try file.auxiliaryPictures()
    try #require(found.count == 2)
    let (plain, own) = (try file.decodeAuxiliary(found[0]), try file.decodeAuxiliary(found[1]))
    #expect(plain.metadata[.icc] == (try file.metadata(.icc)) && plain.metadata[.icc] != nil && plain.cicp == nil)
    #expect(own.cicp == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true))
    #expect(own.metadata[.icc] == nil)
  }

  /// A thumbnail of itself, one of a thumbnail, one twice, one that is no picture; in HEIC one that is larger, and one that is
  /// not there.
  @Test(arguments: ["heif/valid/thumbnails-strange.heic", "avif/valid/thumbnails-strange.avif"])
  func whatIsNoneIsLeftOut(_ path: String) throws {
    let file = try Self.open(path)
    #expect(try file.auxiliaryPictures().map(\.size) == [Size(width: 32, height: 16)])
    #expect(try file.embeddedThumbnail()?.header.canvas == Size(width: 32, height: 16))
    #expect(try file.image().size == Size(width: 32, height: 64))
  }

  /// The corners, as libheif and libavif have them if the thumbnail is made the primary item.
  @Test(arguments: [
    ("heif/valid/thumbnail-libheif.heic", [0, 4, 2, 238, 3, 96, 6, 241, 148, 253, 244, 249]),
    ("avif/valid/thumbnail-libheif.avif", [0, 3, 36, 249, 2, 209, 15, 253, 134, 233, 242, 114]),
  ])
  func areThoseOfOtherWriters(_ path: String, _ corners: [Int]) throws {
    let (file, thumbnails) = try Self.decoders(path)
    #expect(thumbnails.map(\.size) == [Size(width: 32, height: 24)])
    let pixels = try #require(try file.embeddedThumbnail()).image().pixels
    let found = [0, 23].flatMap { y in pixels.withRow(y) { row in Array(row[..<3]) + Array(row[93..<96]) } }
    #expect(zip(found, corners).allSatisfy { abs(Int($0) - $1) <= 4 }, "\(found)")
  }

  @Test func theWritersOwnIsFound() throws {
    var options = EncodeOptions()
    options.embeddedThumbnailSide = 80
    let picture = Image(try EncodingPictures.photo(Size(width: 320, height: 240)))
    let file = try EncodingPictures.registry.open(
      .bytes(try EncodingPictures.registry.encode(picture, as: .heic, options: options)))
    #expect(try file.embeddedThumbnail()?.header.canvas == Size(width: 80, height: 60))
    options.embeddedThumbnailSide = nil
    let plain = try EncodingPictures.registry.encode(picture, as: .heic, options: options)
    #expect(try EncodingPictures.registry.open(.bytes(plain)).embeddedThumbnail() == nil)
  }

  /// As many as pages are allowed; more would make the list of all auxiliary pictures an error.
  @Test func ofManyTheFirstCount() throws {
    var options = DecodeOptions()
    options.limits.maxPages = 2
    let path = "\(StagedTree.fixtures("heif"))/valid/thumbnails-turned.heic"
    let file = try EncodingPictures.registry.open(.file(path), options: options)
    #expect(try file.auxiliaryPictures().map(\.page) == [1, 2])
  }
}
