// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// From where a frame can be drawn, and how many draws it takes to get there.
@Suite struct FrameCursorTests {
  private static let size = Size(width: 4, height: 4)
  private static let whole = Rect(x: 0, y: 0, width: 4, height: 4)
  private static let part = Rect(x: 0, y: 0, width: 2, height: 2)

  private static func table(_ frames: [FrameHeader]) -> FrameTable {
    FrameTable(count: frames.count, canvas: size) { (index) throws(CoderError) in frames[index] }
  }

  private static func starts(_ frames: [FrameHeader]) throws -> [Int] {
    let table = table(frames)
    return try frames.indices.map { try table.start(of: $0) }
  }

  @Test func aFrameThatCoversTheCanvasStandsAlone() throws {
    #expect(
      try Self.starts([
        FrameHeader(rect: Self.part), FrameHeader(rect: Self.whole, blend: .source),
        FrameHeader(rect: Self.whole, blend: .over, hasAlpha: false), FrameHeader(rect: Self.whole, blend: .over),
      ]) == [0, 1, 2, 2])
  }

  @Test func aPartNeedsAllSinceTheLastWhole() throws {
    #expect(
      try Self.starts([
        FrameHeader(rect: Self.whole), FrameHeader(rect: Self.part), FrameHeader(rect: Self.part),
        FrameHeader(rect: Self.whole), FrameHeader(rect: Self.part),
      ]) == [0, 0, 0, 3, 3])
  }

  @Test func whatFollowsAClearedCanvasStandsAlone() throws {
    #expect(
      try Self.starts([
        FrameHeader(rect: Self.whole, disposal: .restoreBackground), FrameHeader(rect: Self.part),
        FrameHeader(rect: Self.part, disposal: .restoreBackground), FrameHeader(rect: Self.part),
      ]) == [0, 1, 1, 1])
  }

  @Test func aPartClearedOnAnEmptyCanvasLeavesItEmpty() throws {
    #expect(
      try Self.starts([
        FrameHeader(rect: Self.part, disposal: .restoreBackground), FrameHeader(rect: Self.part),
      ]) == [0, 1])
  }

  /// A frame that covers the canvas and goes again brings back what was below it, which needs the frames before.
  @Test func whatFollowsARestoredCanvasNeedsWhatWasBelow() throws {
    #expect(
      try Self.starts([
        FrameHeader(rect: Self.part), FrameHeader(rect: Self.whole, disposal: .restorePrevious),
        FrameHeader(rect: Self.part),
      ]) == [0, 1, 0])
  }

  @Test func aReadersOwnWordCounts() throws {
    #expect(
      try Self.starts([
        FrameHeader(rect: Self.whole), FrameHeader(rect: Self.whole, dependsOn: 0), FrameHeader(rect: Self.part),
      ]) == [0, 0, 0])
  }

  @Test func framesOutsideTheFileAreRefused() {
    #expect(throws: CoderError.invalidArgument("frame index 2; the file has 2 frames, of index 0 to 1")) {
      try Self.table([FrameHeader(rect: Self.whole), FrameHeader(rect: Self.part)]).header(2)
    }
  }

  /// A cursor over 100 frames, each of which adds its number to the first byte, and its count of draws.
  private final class Run {
    var draws = 0
    private(set) var cursor: FrameCursor?

    init(checkpointBytes: Int) throws {
      let frames = table((0..<100).map { _ in FrameHeader(rect: part) })
      cursor = FrameCursor(
        canvas: try Canvas(size: size, layout: PixelLayout(.rgba8, .straight)), frames: frames,
        checkpointBytes: checkpointBytes, pool: nil
      ) { [unowned self] (index, canvas) throws(CoderError) in
        draws += 1
        let byte = canvas.pixels.row(0).assumingMemoryBound(to: UInt8.self)
        byte.pointee = byte.pointee &+ UInt8(index)
        return nil
      }
    }

    func shows(_ index: Int) throws -> Bool {
      let sum = (0...index).reduce(UInt8(0)) { $0 &+ UInt8($1) }
      let shown = try cursor?.show(index).pixels.withRow(0) { $0[0] }
      return shown == sum
    }
  }

  @Test func forwardsDrawsEachFrameOnce() throws {
    let run = try Run(checkpointBytes: 0)
    for index in 0..<100 { #expect(try run.shows(index)) }
    #expect(try run.shows(99))
    #expect(run.draws == 100)
  }

  /// 640 bytes hold ten canvases of 64: a checkpoint at 9, 19, … 99. Backwards, each block of ten costs 9 + 8 + … + 0.
  @Test func backwardsStartsAtTheNearestCheckpoint() throws {
    let run = try Run(checkpointBytes: 640)
    for index in 0..<100 { #expect(try run.shows(index)) }
    for index in (0..<99).reversed() { #expect(try run.shows(index)) }
    #expect(run.draws == 100 + 10 * 45)
  }

  @Test func anyOrderShowsTheSame() throws {
    let run = try Run(checkpointBytes: 640)
    var generator = SeededGenerator(seed: 7)
    for index in (0..<300).map({ _ in Int.random(in: 0..<100, using: &generator) }) { #expect(try run.shows(index)) }
  }

  @Test func aDrawThatFailsIsNotTakenForShown() throws {
    var fails = true
    let cursor = FrameCursor(
      canvas: try Canvas(size: Self.size, layout: PixelLayout(.rgba8, .straight)),
      frames: Self.table([FrameHeader(rect: Self.part), FrameHeader(rect: Self.part)]), checkpointBytes: 0, pool: nil
    ) { (index, _) throws(CoderError) in
      if index == 1, fails { throw .malformed("frame 1") }
      return nil
    }
    #expect(throws: CoderError.malformed("frame 1")) { try cursor.show(1) }
    fails = false
    #expect(try cursor.show(1).problem == nil)
  }
}
