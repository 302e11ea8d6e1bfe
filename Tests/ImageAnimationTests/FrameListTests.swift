// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Pictures one after the other, each with a delay.
@Suite struct FrameListTests {
  static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// A picture of one gray pixel.
  static func pixel(_ gray: UInt8) throws -> PixelBuffer {
    try PixelBuffer(copying: [gray], size: Size(width: 1, height: 1), format: .gray8)
  }

  @Test func picturesKeepTheirOrderAndDelays() throws {
    let pictures = try [10, 20, 30].map(Self.pixel)
    let delays = [FrameDelay.milliseconds(5), .zero, FrameDelay(numerator: 1, denominator: 3)]
    let list = try FrameList(pictures, delays: delays, loopCount: .plays(2))
    #expect(list.frameCount == 3)
    #expect(list.size == Size(width: 1, height: 1))
    #expect(list.loopCount == .plays(2))
    #expect(list.frameByteCount == 1)
    // No delay is too short.
    #expect((0..<3).map(list.delay) == delays)
    #expect(try (0..<3).map { try list.frame(at: $0).pixels.copyBytes() } == [[10], [20], [30]])
    #expect(try (0..<3).map { try list.frame(at: $0).delay } == delays)
    #expect(list.poster.pixels.copyBytes() == [10])
  }

  @Test func oneDelayIsForAll() throws {
    let list = try FrameList(try [1, 2].map(Self.pixel), delay: .milliseconds(40))
    #expect((0..<2).map(list.delay) == [.milliseconds(40), .milliseconds(40)])
    #expect(list.duration == .milliseconds(80))
  }

  @Test func refusesNoPicturesAndOtherNumbersOfDelays() throws {
    let pictures = try [1, 2].map(Self.pixel)
    let wrong: [() throws -> FrameList] = [
      { try FrameList([PixelBuffer](), delay: .zero) },
      { try FrameList([ByteSource](), delay: .zero) },
      { try FrameList(pictures, delays: []) },
      { try FrameList(pictures, delays: [.zero]) },
      { try FrameList(pictures, delays: [.zero, .zero, .zero]) },
    ]
    for make in wrong {
      let error = #expect(throws: CoderError.self) { try make() }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func aFrameThatThereIsNotIsAnError() throws {
    let list = try FrameList([try Self.pixel(1)], delay: .milliseconds(40))
    for index in [-1, 1, Int.max, Int.min] {
      let error = #expect(throws: CoderError.self) { try list.frame(at: index) }
      #expect(error?.code == .invalidArgument)
      #expect(list.delay(at: index) == .zero)
    }
  }

  @Test func filesAreDecodedWhenTheyAreAskedFor() throws {
    let folder = StagedTree.fixtures("png")
    // The second one is no picture: that is known when it is asked for.
    let sources: [ByteSource] = [
      .file("\(folder)/valid/rgb8.png"), .bytes([1, 2, 3]), .file("\(folder)/valid/apng-loop-3.png"),
    ]
    let list = try FrameList(sources, delay: .milliseconds(100), registry: Self.registry)
    #expect(try list.frame(at: 0).pixels.copyBytes() == Self.registry.decode(sources[0]).pixels.copyBytes())
    #expect(throws: CoderError.self) { try list.frame(at: 1) }
    #expect(try list.frame(at: 2).pixels.copyBytes() == Self.registry.decode(sources[2]).pixels.copyBytes())
    // The first one has to be a picture.
    #expect(throws: CoderError.self) {
      try FrameList([.bytes([1, 2, 3])], delay: .zero, registry: Self.registry)
    }
  }
}
