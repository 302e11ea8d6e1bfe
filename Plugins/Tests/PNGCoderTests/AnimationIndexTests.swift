// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import PNGCoder

@Suite struct AnimationIndexTests {
  private static let canvas = Size(width: 10, height: 8)
  /// Frame 3: 4×2 at 6, 5 for 1/50 s; cleared afterwards, and laid over.
  private static let control: [UInt8] = [
    0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 5, 0, 1, 0, 50, 1, 1,
  ]

  private func control(_ sequence: UInt8, canvas: Bool = true) -> [UInt8] {
    var bytes = Self.control
    bytes[3] = sequence
    if canvas { (bytes[7], bytes[11], bytes[15], bytes[19]) = (10, 8, 0, 0) }
    return bytes
  }

  @Test func readsEachFieldOfFCTL() throws {
    var reader = ByteReader(Self.control.span.bytes, of: "fcTL")
    let control = try #require(try FrameControl(parsing: &reader))
    #expect(control.sequence == 3)
    #expect(control.rect == Rect(x: 6, y: 5, width: 4, height: 2))
    #expect(control.delay == FrameDelay(numerator: 1, denominator: 50))
    #expect(control.disposal == .restoreBackground)
    #expect(control.blend == .over)
    let isAtEnd = reader.isAtEnd
    #expect(isAtEnd)
  }

  @Test func writesTheFCTLThatItRead() throws {
    var reader = ByteReader(Self.control.span.bytes, of: "fcTL")
    var writer = ByteWriter()
    try #require(try FrameControl(parsing: &reader)).write(to: &writer)
    #expect(writer.bytes == Self.control)
  }

  @Test(arguments: [(24, 3), (25, 2)]) func unknownOperationsAreNoFrame(_ place: Int, _ value: UInt8) throws {
    var bytes = Self.control
    bytes[place] = value
    var reader = ByteReader(bytes.span.bytes, of: "fcTL")
    #expect(try FrameControl(parsing: &reader) == nil)
  }

  @Test func readsAndWritesACTL() throws {
    let bytes: [UInt8] = [0, 0, 1, 2, 0, 0, 0, 7]
    var reader = ByteReader(bytes.span.bytes, of: "acTL")
    let control = try AnimationControl(parsing: &reader)
    #expect(control == AnimationControl(frameCount: 258, plays: 7))
    var writer = ByteWriter()
    control.write(to: &writer)
    #expect(writer.bytes == bytes)
  }

  @Test func aShortACTLEndsTheAnimation() throws {
    for count in 0..<8 {
      var index = AnimationIndex(canvas: Self.canvas)
      try index.addControl([UInt8](repeating: 0, count: count))
      #expect(index.problem == "acTL of \(count) bytes, 8 are needed")
    }
  }

  @Test func aShortFCTLEndsTheAnimation() throws {
    for count in 0..<26 {
      var index = AnimationIndex(canvas: Self.canvas)
      try index.addControl([0, 0, 0, 2, 0, 0, 0, 0])
      try index.addFrameControl(Array(control(0).prefix(count)), limits: .standard)
      #expect(index.problem != nil, "\(count) bytes")
      #expect(index.problem?.hasPrefix(count < 4 ? "sequence number missing" : "fcTL of \(count) bytes") == true)
    }
  }

  @Test func framesOutsideTheCanvasEndTheAnimation() throws {
    var index = AnimationIndex(canvas: Size(width: 9, height: 8))
    try index.addControl([0, 0, 0, 2, 0, 0, 0, 0])
    try index.addFrameControl(control(0), limits: .standard)
    #expect(index.problem == "frame 0 at 0,0 of 10×8 on a canvas of 9×8")
  }

  /// The first frame of 2³² − 1 pixels a side neither traps nor fits.
  @Test func theLargestNumbersDoNotTrap() throws {
    var index = AnimationIndex(canvas: Self.canvas)
    try index.addControl([0, 0, 0, 2, 0, 0, 0, 0])
    try index.addFrameControl(
      [0, 0, 0, 0] + [UInt8](repeating: 255, count: 20) + [0, 0], limits: .standard)
    #expect(index.problem != nil && index.frames.isEmpty)
  }
}
