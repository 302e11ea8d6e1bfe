// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders
import TestSupport
import Testing

/// Auxiliary pictures of HEIF, AVIF and JPEG XL: which there are, and that they decode.
@Suite(.needs("AVIF", "HEIF", "JXL")) struct AuxiliaryItemTests {
  private static func open(_ name: String) throws -> ImageDecoder {
    let folder = name.hasSuffix(".avif") ? "avif" : name.hasSuffix(".jxl") ? "jxl" : "heif"
    let path = "\(StagedTree.fixtures(folder))/valid/\(name)"
    return try EncodingPictures.registry.open(.bytes([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))))
  }

  /// ISO 21496-1 of the fixtures: one channel from 0 to 2, gamma 1, offsets 1/64.
  private static let metadata: [UInt8] =
    [0, 0, 0, 0, 0]
    + [0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 64, 1, 64].flatMap { [0, 0, 0, UInt8($0)] }

  @Test func kindsAreThoseOfTheirNames() throws {
    let file = try Self.open("auxiliary-kinds.heic")
    let found = try file.auxiliaryPictures()
    #expect(found.map(\.kind) == [.depth, .disparity, .matte, .other])
    #expect(
      found.map(\.typeName) == [
        "urn:mpeg:hevc:2015:auxid:2", "urn:mpeg:hevc:2015:auxid:2",
        "urn:com:apple:photo:2020:aux:semanticskymatte",
        "tag:apple.com,2023:photo:aux:styledeltamap",
      ])
    #expect(found.map(\.page) == [1, 2, 3, 4])
    #expect(found.allSatisfy { $0.owner == 0 && $0.size == Size(width: 32, height: 32) })
    // All show what the page shows.
    let shown = try EncodingPictures.rows(file.image().pixels)
    for picture in found { #expect(try EncodingPictures.rows(file.decodeAuxiliary(picture).pixels) == shown) }
    var none = try #require(found.first)
    none.page = 5
    #expect(throws: CoderError.self) { try file.decodeAuxiliary(none) }
  }

  @Test(arguments: ["tone-map.heic", "tone-map-primary.heic"])
  func aToneMapIsAGainMap(_ name: String) throws {
    let file = try Self.open(name)
    let found = try file.auxiliaryPictures()
    let map = try #require(found.first)
    #expect(found.count == 1 && map.kind == .gainMap && map.typeName == "tmap" && map.owner == 0)
    #expect(map.gainMapMetadata == Self.metadata)
    #expect(
      map.alternateColors == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 9, isFullRange: true))
    #expect(map.alternateProfile == nil)
    #expect(try file.decodeAuxiliary(map).size == Size(width: 64, height: 64))
  }

  @Test func aGainMapThatNothingTurnsLiesAsItsPicture() throws {
    let file = try Self.open("gain-map-lies-as-stored.heic")
    #expect(file.header.orientation == .right)
    let found = try #require(try file.auxiliaryPictures().first)
    #expect(found.kind == .gainMap && found.typeName == "urn:com:samsung:photo:2024:aux:hdrgainmap")
    let map = try #require(try file.gainMap())
    #expect(map.parameters.red.maximum == 2 && map.pixels.size == Size(width: 32, height: 48))
    // Squares of 16 pixels, from 0 to 250 along the stored rows: the first of them is at the top right now.
    let corners = [(31, 0), (0, 0), (31, 47), (0, 47)].map { x, y in map.pixels.withRow(y) { $0[x] } }
    #expect(corners == [0, 150, 100, 250])
  }

  @Test func alphaIsInThePixels() throws {
    #expect(try Self.open("alpha.heic").auxiliaryPictures().isEmpty)
  }

  @Test func aGainMapOfAVIFIsAPage() throws {
    let file = try Self.open("gain-map.avif")
    let map = try #require(try file.auxiliaryPictures().first)
    #expect(map.kind == .gainMap && map.typeName == "tmap" && map.page == 1 && map.owner == 0)
    #expect(map.gainMapMetadata == Self.metadata)
    #expect(
      map.alternateColors == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 9, isFullRange: true))
    #expect(map.size == Size(width: 12, height: 8))
    let gray = try file.decodeAuxiliary(map).pixels
    #expect(gray.format == .gray8 && gray.size == Size(width: 12, height: 8))
    #expect(try file.image().size == Size(width: 24, height: 16))
  }

  @Test func depthOfAVIFIsAPage() throws {
    let file = try Self.open("depth.avif")
    let depth = try #require(try file.auxiliaryPictures().first)
    #expect(depth.kind == .depth && depth.typeName == "urn:mpeg:mpegB:cicp:systems:auxiliary:depth")
    #expect(try file.decodeAuxiliary(depth).pixels.size == Size(width: 12, height: 8))
  }

  @Test(arguments: ["no-brand", "order", "version", "turned"])
  func toneMapsOfAVIFThatBreakARuleDoNotCount(_ name: String) throws {
    #expect(try Self.open("gain-map-\(name).avif").auxiliaryPictures().isEmpty)
  }

  @Test(arguments: ["gain-map", "gain-map-early", "gain-map-compressed"])
  func aGainMapOfJPEGXLIsAFileInside(_ name: String) throws {
    let file = try Self.open("\(name).jxl")
    let found = try file.auxiliaryPictures()
    let map = try #require(found.first)
    #expect(found.count == 1 && map.kind == .gainMap && map.typeName == "jhgm" && map.page == 1)
    #expect(map.gainMapMetadata == Self.metadata)
    #expect(
      map.alternateColors == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true))
    let gray = try file.decodeAuxiliary(map).pixels
    #expect(gray.format == .gray8 && gray.size == Size(width: 6, height: 4))
  }

  @Test(arguments: ["gain-map-version", "gain-map-cut"])
  func aGainMapOfJPEGXLThatIsNotKnownIsLeftOut(_ name: String) throws {
    #expect(try Self.open("\(name).jxl").auxiliaryPictures().isEmpty)
  }

  /// Without the tone map there is Apple's own.
  @Test(arguments: ["no-brand", "order", "version", "turned"])
  func toneMapsThatBreakARuleDoNotCount(_ name: String) throws {
    let found = try Self.open("tone-map-\(name).heic").auxiliaryPictures()
    #expect(found.map(\.typeName) == ["urn:com:apple:photo:2020:aux:hdrgainmap"])
    #expect(found.first?.kind == .gainMap && found.first?.gainMapMetadata == nil)
  }
}
