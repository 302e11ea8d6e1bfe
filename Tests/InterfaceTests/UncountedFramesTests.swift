// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// A reader that never learns how many frames its file has, with hidden pages, in this process and in a worker.
@Suite struct UncountedFramesTests {
  private static let folder = ForeignPlugin.folder("UncountedPlugin", "uncounted", defining: ["TELLS_CALLS"])
  private static let registries = [
    CoderRegistry(searchPath: .only([folder.path]), preferences: CoderPreferences()),
    IsolationWorker.registry(of: [folder.path]),
  ]

  /// - Parameter levels: The gray level of each frame; 0 is damaged.
  private static func file(poster: UInt8 = 0, _ levels: [UInt8]) -> ByteSource {
    .bytes(Array("REEL".utf8) + [poster] + levels)
  }

  private static func levels(_ image: Image) -> [UInt8] { image.frames.map { $0.pixels.withRow(0) { $0[0] } } }

  private static func fact(_ name: String, of decoder: ImageDecoder) throws -> PropertyValue? {
    try decoder.properties()["{Reel}", name]
  }

  @Test(arguments: registries.indices) func framesAreReadToTheEnd(_ registry: Int) throws {
    let decoder = try Self.registries[registry].open(Self.file(poster: 3, [10, 20, 30, 40, 50]))
    #expect(
      decoder.header.sequence
        == FrameSequence(isCounted: false, duration: 83.5, posterFrame: 3, access: .firstFrame))
    #expect(decoder.header.frameCount == 1)
    #expect(try decoder.frameHeader(at: 0).isKey)
    #expect(try Self.levels(decoder.image()) == [10, 20, 30, 40, 50])
    #expect(try Self.fact("WalkedBack", of: decoder) == .integer(0))
    #expect(decoder.frameCount == 5)
    #expect(throws: CoderError.self) { try decoder.frame(at: 5) }
  }

  /// Opening, and showing the first frames, does not read the rest.
  @Test(arguments: registries.indices) func onlyFramesThatAreShownAreDescribed(_ registry: Int) throws {
    let decoder = try Self.registries[registry].open(Self.file([UInt8](repeating: 7, count: 200)))
    #expect(try Self.fact("FramesDescribed", of: decoder) == .integer(registry == 0 ? 0 : 1))
    _ = try decoder.frame(at: 0)
    _ = try decoder.frame(at: 1)
    // The frame after the one that is shown tells whether that is drawn over.
    #expect(try Self.fact("FramesDescribed", of: decoder) == .integer(3))
  }

  @Test(arguments: registries.indices) func aThumbnailShowsThePosterFrame(_ registry: Int) throws {
    let coders = Self.registries[registry]
    let options = DecodeOptions.thumbnail(width: 4, height: 2)
    #expect(try Self.levels(coders.decode(Self.file(poster: 3, [10, 20, 30, 40]), options: options)) == [40])
    #expect(try Self.levels(coders.decode(Self.file([10, 20]), options: options)) == [10])
    // The first frame alone, in its own size, is the first frame.
    var first = DecodeOptions()
    first.firstFrameOnly = true
    #expect(try Self.levels(coders.decode(Self.file(poster: 3, [10, 20, 30, 40]), options: first)) == [10])
  }

  @Test(arguments: registries.indices) func damageEndsTheFrames(_ registry: Int) throws {
    let decoder = try Self.registries[registry].open(Self.file([10, 20, 0, 40]))
    let image = try decoder.image()
    #expect(Self.levels(image) == [10, 20])
    #expect(image.problem?.code == .malformed)
    // The damaged one is counted, so that a program that asks for all frames learns of it.
    #expect(decoder.frameCount == 3)
  }

  @Test(arguments: registries.indices) func framesAreLimited(_ registry: Int) throws {
    var options = DecodeOptions()
    options.limits.maxFrames = 3
    let coders = Self.registries[registry]
    let error = #expect(throws: CoderError.self) {
      try coders.decode(Self.file([10, 20, 30, 40, 50]), options: options)
    }
    #expect(error?.limit == .maxFrames)
    #expect(try coders.decode(Self.file([10, 20, 30]), options: options).frames.count == 3)
  }

  @Test(arguments: registries.indices) func hiddenPagesAreAuxiliaryPictures(_ registry: Int) throws {
    let decoder = try Self.registries[registry].open(Self.file([10]))
    #expect(decoder.header.pageCount == 1 && decoder.header.hiddenPageCount == 2)
    let found = try decoder.auxiliaryPictures()
    #expect(found.map(\.kind) == [.gainMap, .other] && found.map(\.page) == [1, 2])
    try #require(found.count == 2)
    #expect(found[0].typeName == "a map" && found[0].size == Size(width: 1, height: 1))
    #expect(found[0].gainMapMetadata == [1, 2, 3, 4, 5] && found[0].alternateProfile == [6, 7, 8])
    #expect(
      found[0].alternateColors
        == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 9, isFullRange: false))
    // The code points are no colors of the map's samples.
    let map = try decoder.decodeAuxiliary(found[0])
    #expect(map.cicp == nil && Self.levels(map) == [9])
    // A name is cut off, and a kind of the future is another one.
    #expect(found[1].typeName == String(repeating: "n", count: PageRole.longestName))
  }

  @Test func awaitedFramesEndToo() async throws {
    let coders = Self.registries[0].async
    var levels: [UInt8] = []
    for try await frame in try await coders.open(Self.file([10, 20, 30])).frames {
      levels.append(frame.pixels.withRow(0) { $0[0] })
    }
    #expect(levels == [10, 20, 30])
  }
}
