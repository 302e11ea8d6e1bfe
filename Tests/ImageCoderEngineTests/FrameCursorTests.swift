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
    FrameTable(count: frames.count, canvas: size, limits: .standard) { (index) throws(CoderError) in frames[index] }
  }

  private static func starts(_ frames: [FrameHeader]) throws -> [Int] {
    let table = table(frames)
    return try frames.indices.map { try table.start(of: $0) }
  }

  /// Of a file whose bytes arrive, any number of frames may come; what is kept of them is bounded all the same.
  @Test func headersAreKeptUpToTheLimit() throws {
    var asked = 0
    let table = FrameTable(count: .max, canvas: Self.size, limits: Limits(maxFrames: 3)) {
      (index) throws(CoderError) in
      asked = max(asked, index)
      return FrameHeader(rect: Self.part)
    }
    #expect(try table.header(2) == FrameHeader(rect: Self.part))
    for index in [3, .max - 1] {
      let error = #expect(throws: CoderError.self) { try table.header(index) }
      #expect(error?.code == .limitExceeded)
    }
    // Only asking for the frame after the last allowed one tells whether there is one; those after it are never asked for.
    #expect(asked == 3)
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

  /// Frames, and whether the canvas is opaque while they are shown.
  private static let canvases: [(frames: [FrameHeader], isOpaque: Bool)] = {
    func frame(_ rect: Rect, _ disposal: FrameHeader.Disposal = .keep, alpha: Bool = false, dependsOn: Int? = nil)
      -> FrameHeader
    {
      FrameHeader(rect: rect, disposal: disposal, dependsOn: dependsOn, hasAlpha: alpha)
    }
    return [
      ([frame(whole), frame(part), frame(part)], true),
      ([frame(whole, alpha: true), frame(whole)], false),
      ([frame(whole), frame(part, alpha: true)], false),
      // The canvas starts transparent.
      ([frame(part), frame(whole)], false),
      ([frame(whole, .restorePrevious), frame(part)], false),
      ([frame(whole, .restorePrevious), frame(whole)], true),
      // So is what is disposed of; after the last frame nothing is shown.
      ([frame(whole), frame(part, .restoreBackground), frame(whole)], true),
      ([frame(whole), frame(part, .restoreBackground), frame(part)], true),
      ([frame(whole, .restoreBackground), frame(part)], false),
      ([frame(whole), frame(part, .restoreBackground)], true),
      ([frame(whole), frame(part, .restorePrevious), frame(part)], true),
      // A hole that a frame covered for a while only comes back.
      ([frame(whole), frame(part, .restoreBackground), frame(whole, .restorePrevious), frame(whole)], true),
      ([frame(whole), frame(whole, .restoreBackground), frame(whole, .restorePrevious), frame(part)], false),
      // A reader's word makes the canvas empty.
      ([frame(whole), frame(whole, dependsOn: 1)], true),
      ([frame(whole), frame(part, dependsOn: 1)], false),
    ]
  }()

  @Test(arguments: 0..<canvases.count) func headersTellAnOpaqueCanvas(_ number: Int) throws {
    let (frames, isOpaque) = Self.canvases[number]
    #expect(try Self.table(frames).keepCanvasOpaque(frames.count) == isOpaque)
    // Of the first frame alone, what follows does not count.
    #expect(try Self.table(frames).keepCanvasOpaque(1) == (frames[0].rect == Self.whole && !frames[0].hasAlpha))
  }

  @Test func framesOutsideTheFileAreRefused() {
    #expect(throws: CoderError.invalidArgument("frame index 2; the file has 2 frames, of index 0 to 1")) {
      try Self.table([FrameHeader(rect: Self.whole), FrameHeader(rect: Self.part)]).header(2)
    }
  }

  /// A cursor over frames that need all before them, each of which adds its number to the first byte, and its count of
  /// draws.
  private final class Run {
    var draws = 0
    private(set) var cursor: FrameCursor?

    init(frames count: Int = 100, checkpoints: Int) throws {
      let frames = table((0..<count).map { _ in FrameHeader(rect: part) })
      cursor = FrameCursor(
        canvas: try Canvas(size: size, layout: PixelLayout(.rgba8, .straight)), frames: frames,
        checkpointLimit: checkpoints
      ) { [unowned self] (index, canvas) throws(CoderError) in
        draws += 1
        let byte = canvas.pixels.row(0).assumingMemoryBound(to: UInt8.self)
        byte.pointee = byte.pointee &+ UInt8(truncatingIfNeeded: index)
        return nil
      }
    }

    func shows(_ index: Int) throws -> Bool {
      let sum = (0...index).reduce(UInt8(0)) { $0 &+ UInt8(truncatingIfNeeded: $1) }
      let shown = try cursor?.show(index).pixels.withRow(0) { $0[0] }
      return shown == sum
    }
  }

  @Test func forwardsDrawsEachFrameOnce() throws {
    let run = try Run(checkpoints: 0)
    for index in 0..<100 { #expect(try run.shows(index)) }
    #expect(try run.shows(99))
    #expect(run.draws == 100)
  }

  /// The fewest draws that show `frames` frames backwards, by trying every place for the next canvas.
  private static func fewestDraws(_ most: Int, slots: Int) -> [[Int]] {
    var draws = [[Int]](repeating: [Int](repeating: 0, count: most + 1), count: slots + 1)
    for slots in 0...slots {
      for frames in 1...most {
        var best = frames + draws[slots][frames - 1]
        if slots > 0 {
          for place in 1..<max(frames, 1) {
            best = min(best, place + draws[slots - 1][frames - place] + draws[slots][place - 1])
          }
        }
        draws[slots][frames] = best
      }
    }
    return draws
  }

  @Test func backwardsTakesTheFewestDrawsThatThereAre() throws {
    let fewest = Self.fewestDraws(60, slots: 7)
    for slots in 0...7 {
      for frames in 1...60 {
        let run = try Run(frames: frames, checkpoints: slots)
        run.cursor?.keepsCheckpoints = true
        for index in (0..<frames).reversed() where try !run.shows(index) {
          Issue.record("frame \(index) of \(frames) with \(slots) checkpoints")
        }
        #expect(run.draws == fewest[slots][frames], "\(frames) frames with \(slots) checkpoints")
      }
    }
  }

  /// With r draws for each of n frames, binomial(s + r, s) ≥ n for s canvases, the one that is drawn on among them.
  @Test(arguments: [(200, 19, 2), (200, 4, 6), (600, 34, 2), (600, 4, 9)])
  func longAnimationsGoBackwardsWithinTheBound(_ frames: Int, _ canvases: Int, _ draws: Int) throws {
    let run = try Run(frames: frames, checkpoints: canvases - 1)
    run.cursor?.keepsCheckpoints = true
    for index in (0..<frames).reversed() { #expect(try run.shows(index)) }
    #expect(run.draws <= draws * frames)
  }

  /// There and back: the way back is not known before its first step.
  @Test func bouncingTakesNoMoreThanTwiceTheDraws() throws {
    let run = try Run(frames: 200, checkpoints: 18)
    for _ in 0..<3 {
      for index in 0..<200 { #expect(try run.shows(index)) }
      for index in (1..<199).reversed() { #expect(try run.shows(index)) }
    }
    #expect(run.draws <= 2 * 3 * 398)
  }

  @Test func fewerCheckpointsAreKeptFromNowOn() throws {
    let run = try Run(checkpoints: 9)
    run.cursor?.keepsCheckpoints = true
    for index in (50..<100).reversed() { #expect(try run.shows(index)) }
    run.cursor?.checkpointLimit = 0
    let before = run.draws
    for index in (45..<50).reversed() { #expect(try run.shows(index)) }
    #expect(run.draws - before == 46 + 47 + 48 + 49 + 50)
  }

  @Test func anyOrderShowsTheSame() throws {
    for checkpoints in [0, 1, 2, 10] {
      let run = try Run(checkpoints: checkpoints)
      var generator = SeededGenerator(seed: 7)
      for index in (0..<300).map({ _ in Int.random(in: 0..<100, using: &generator) }) { #expect(try run.shows(index)) }
    }
  }

  /// 9 canvases among 100 frames are 16 apart, the least power of two that is not less than 100 / 10: at most 15 frames lie
  /// between one of them and the frame wanted.
  @Test func jumpsStartFromCanvasesAtEqualDistances() throws {
    let run = try Run(checkpoints: 9)
    for index in [50, 98, 3, 99] { #expect(try run.shows(index)) }
    // The way to frame 99 has been gone with canvases kept on it.
    var generator = SeededGenerator(seed: 3)
    for index in (0..<200).map({ _ in Int.random(in: 0..<100, using: &generator) }) {
      let before = run.draws
      #expect(try run.shows(index))
      #expect(run.draws - before <= 16, "frame \(index)")
    }
    // Playing backwards afterwards keeps to its bound, after the few steps that it takes to know of it: 10 canvases,
    // binomial(10 + 3, 10) = 286, so 3 draws for each of 100.
    #expect(try run.shows(99))
    let before = run.draws
    for index in (0..<99).reversed() { #expect(try run.shows(index)) }
    #expect(run.draws - before <= 3 * 100 + 4 * 16)
  }

  /// With memory for more canvases, those that were kept stay where they are.
  @Test func moreCanvasesForJumpsKeepThoseThatThereAre() throws {
    let run = try Run(checkpoints: 2)
    for index in [50, 99, 3, 98, 5] { #expect(try run.shows(index)) }
    run.cursor?.checkpointLimit = 9
    let before = run.draws
    // The canvas of frame 64 is there, and frames 65 to 70 are drawn on it.
    #expect(try run.shows(70))
    #expect(run.draws - before == 6)
  }

  @Test func whatWasHandedOutStaysAsItIs() throws {
    let run = try Run(checkpoints: 2)
    let cursor = try #require(run.cursor)
    var held: [PixelBuffer] = []
    for index in [0, 1, 2, 1, 0, 5, 3] { held.append(try cursor.show(index).pixels) }
    #expect(held.map { $0.withRow(0) { $0[0] } } == [0, 1, 3, 1, 0, 15, 6])
  }

  @Test func whatWasLetGoOfIsDrawnOn() throws {
    let run = try Run(checkpoints: 0)
    let cursor = try #require(run.cursor)
    let base = try cursor.show(0).pixels.base
    for index in 1..<100 { #expect(try cursor.show(index).pixels.base == base) }
  }

  @Test func aDrawThatFailsIsNotTakenForShown() throws {
    var fails = true
    let cursor = FrameCursor(
      canvas: try Canvas(size: Self.size, layout: PixelLayout(.rgba8, .straight)),
      frames: Self.table([FrameHeader(rect: Self.part), FrameHeader(rect: Self.part)]), checkpointLimit: 0
    ) { (index, _) throws(CoderError) in
      if index == 1, fails { throw .malformed("frame 1") }
      return nil
    }
    #expect(throws: CoderError.malformed("frame 1")) { try cursor.show(1) }
    fails = false
    #expect(try cursor.show(1).problem == nil)
  }
}
