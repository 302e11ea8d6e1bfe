// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PNGCoder

@Suite struct IndexedFramesTests {
  private static let size = Size(width: 16, height: 16)

  /// Adds a frame of 256 pixels.
  private static func add(
    _ pixels: [UInt32], to frames: IndexedFrames, blend: FrameHeader.Blend, disposal: FrameHeader.Disposal = .keep
  ) throws -> Bool {
    let frame = FrameHeader(rect: Rect(covering: size), delay: nil, disposal: disposal, blend: blend, hasAlpha: true)
    return try pixels.withUnsafeBytes { bytes throws(CoderError) -> Bool in
      guard let base = bytes.baseAddress else { return false }
      return try frames.add(
        PixelView(layout: PixelLayout(.rgba8, .straight), size: size, base: base, stride: 64), frame: frame)
    }
  }

  private static func opaque(_ number: Int) -> UInt32 { 0xFF00_0000 | UInt32(number + 1) }

  /// A palette of 255 colors and the transparent one has no room for one more, unless transparent pixels only let through
  /// what is there.
  @Test(arguments: [
    (FrameHeader.Blend.over, FrameHeader.Disposal.keep, true), (.source, .keep, false),
    (.over, .restoreBackground, false),
    (.over, .restorePrevious, true),
  ]) func makesRoomOnlyForHoles(_ blend: FrameHeader.Blend, _ disposal: FrameHeader.Disposal, _ hasRoom: Bool) throws {
    let frames = IndexedFrames(PixelLayout(.rgba8, .straight), host: MemoryHost().host)
    let first = (0..<256).map { Self.opaque(min($0, 254)) }
    var second = first
    second[7] = 0
    var third = first
    third[9] = Self.opaque(1000)
    #expect(try Self.add(first, to: frames, blend: .source))
    #expect(try Self.add(second, to: frames, blend: blend, disposal: disposal))
    #expect(try Self.add(third, to: frames, blend: .over) == hasRoom)
    #expect(frames.frames.count == (hasRoom ? 3 : 2))
    if hasRoom { #expect(frames.frames[1].indexes[7] == frames.frames[0].indexes[7]) }
  }
}
