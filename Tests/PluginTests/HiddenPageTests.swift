// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders
import TestSupport
import Testing

/// Hidden pages of the formats that have them: what each is, whose, how large, and what it shows.
@Suite struct HiddenPageTests {
  /// What a hidden page of a fixture is. Pixels are those of another decoder, or of the recipe.
  struct Expected: CustomTestStringConvertible, Sendable {
    let kind: PageKind
    let name: String
    let page: Int
    let size: Size
    /// A pixel's samples as they are decoded, and where it is.
    let pixel: [UInt8]
    let x: Int
    let y: Int

    init(_ kind: PageKind, name: String = "", page: Int, width: Int, height: Int, pixel: [UInt8], x: Int, y: Int) {
      (self.kind, self.name, self.page, self.pixel, self.x, self.y) = (kind, name, page, pixel, x, y)
      size = Size(width: width, height: height)
    }

    var testDescription: String { "\(kind) \(page)" }
  }

  private static let tiff: [Expected] = [
    Expected(.reduced, page: 2, width: 12, height: 9, pixel: [0x17, 0, 0x4A], x: 1, y: 0),
    Expected(.matte, name: "transparency mask", page: 3, width: 23, height: 17, pixel: [255], x: 22, y: 16),
  ]
  private static let depth = "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"

  @Test(
    .needs("TIFF", "AVIF"),
    arguments: [
      ("tiff/valid/reduced-is-no-page.tif", tiff),
      (
        "avif/valid/depth.avif",
        [Expected(.depth, name: depth, page: 1, width: 12, height: 8, pixel: [243], x: 1, y: 0)]
      ),
      (
        "avif/valid/gain-map.avif",
        [Expected(.gainMap, name: "tmap", page: 1, width: 12, height: 8, pixel: [33], x: 11, y: 7)]
      ),
    ])
  func areWhatTheFileHas(_ path: String, _ expected: [Expected]) throws {
    let decoder = try EncodingPictures.registry.open(.file(StagedTree.fixtures(path)))
    let found = try decoder.auxiliaryPictures()
    #expect(decoder.header.hiddenPageCount == expected.count)
    try #require(found.count == expected.count)
    for (picture, expected) in zip(found, expected) {
      #expect(picture.kind == expected.kind && picture.typeName == expected.name)
      #expect(picture.owner == 0 && picture.page == expected.page && picture.size == expected.size)
      let pixels = try decoder.decodeAuxiliary(picture).pixels
      #expect(pixels.size == expected.size)
      let start = expected.x * expected.pixel.count
      #expect(pixels.withRow(expected.y) { Array($0[start..<start + expected.pixel.count]) } == expected.pixel)
    }
  }

  /// A camera's file with the camera's own JPEG after its samples: a fixture, with a second directory that names a JPEG file.
  private static func cameraFile(preview: [UInt8]) throws -> [UInt8] {
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures("raw"))/valid/rggb.dng")))
    func put(_ number: Int, bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(number >> (8 * $0) & 0xFF) } }
    func number(at place: Int, bytes: Int) -> Int { (0..<bytes).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) } }
    let first = number(at: 4, bytes: 4)
    let link = first + 2 + 12 * number(at: first, bytes: 2)
    file += [UInt8](repeating: 0, count: file.count % 2)
    let place = file.count
    file += preview + [UInt8](repeating: 0, count: preview.count % 2)
    file.replaceSubrange(link..<link + 4, with: put(file.count, bytes: 4))
    // TIFF 6.0 §2: the tag, its type (3: 16 bits, 4: 32 bits), one value.
    let fields = [
      (254, 4, 1), (256, 4, 37), (257, 4, 29), (258, 3, 8), (259, 3, 7), (262, 3, 6), (273, 4, place), (277, 3, 3),
      (278, 4, 29), (279, 4, preview.count),
    ]
    file += put(fields.count, bytes: 2)
    for (tag, type, value) in fields {
      file += put(tag, bytes: 2) + put(type, bytes: 2) + put(1, bytes: 4) + put(value, bytes: 4)
    }
    return file + put(0, bytes: 4)
  }

  /// The picture that the camera made is as good as one that is developed, and far cheaper.
  @Test(.needs("RAW", "JPEG")) func aCamerasPreviewIsItsThumbnail() throws {
    let registry = EncodingPictures.registry
    let jpeg = [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures("jpeg"))/valid/baseline-444.jpg")))
    let file = ByteSource.bytes(try Self.cameraFile(preview: jpeg))
    let decoder = try registry.open(file)
    let found = try decoder.auxiliaryPictures()
    try #require(found.count == 1)
    #expect(found[0].kind == .preview && found[0].typeName == "camera preview" && found[0].owner == 0)
    let shown = try registry.decode(.bytes(jpeg))
    #expect(found[0].size == shown.size)
    let thumbnail = DecodeOptions.thumbnail(width: 8, height: 8)
    #expect(thumbnail.thumbnailQuality == DecodeOptions().thumbnailQuality)
    let small = try registry.decode(file, options: thumbnail)
    let expected = try registry.decode(.bytes(jpeg), options: thumbnail)
    #expect(small.size == expected.size)
    #expect(EncodingPictures.rows(small.pixels) == EncodingPictures.rows(expected.pixels))
    #expect(try registry.open(file, options: thumbnail).page == 1)
    // Larger than the preview, or as a picture, the samples are developed.
    let large = DecodeOptions.thumbnail(width: shown.size.width + 1, height: 64)
    #expect(try registry.open(file, options: large).page == 0)
    #expect(try registry.decode(file).size == decoder.header.displayedSize)
  }
}
