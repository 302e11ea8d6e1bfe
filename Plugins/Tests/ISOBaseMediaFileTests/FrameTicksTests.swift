// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin
import Testing

/// Delays in one clock, and their boxes, byte by byte.
@Suite struct FrameTicksTests {
  @Test func theClockIsTheLeastCommonMultiple() throws {
    let ticks = try FrameTicks([FrameDelay(numerator: 1, denominator: 30), .milliseconds(40), .zero])
    #expect(ticks.timescale == 150)
    #expect(ticks.ticks == [5, 6, 0])
    #expect(ticks.total == 11)
  }

  @Test func delaysAreRunsOfEqualOnes() throws {
    var writer = ByteWriter()
    try FrameTicks([.milliseconds(20), .milliseconds(20), .milliseconds(50)]).writeDelays(to: &writer)
    #expect(
      writer.bytes == [0, 0, 0, 32] + "stts".utf8 + [
        0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 5,
      ])
  }

  @Test(arguments: [(LoopCount.infinite, UInt8(1), UInt64.max), (.plays(1), 0, 11), (.plays(4), 1, 44)])
  func playsAreAnEditOfTheWholeMedia(_ loopCount: LoopCount, flag: UInt8, duration: UInt64) throws {
    let ticks = try FrameTicks([.milliseconds(50), .milliseconds(60)])
    #expect(ticks.total == 11 && ticks.timescale == 100)
    #expect(ticks.duration(of: loopCount) == duration)
    var writer = ByteWriter()
    ticks.writeEdits(playing: loopCount, to: &writer)
    #expect(
      writer.bytes == [0, 0, 0, 44] + "edts".utf8 + [0, 0, 0, 36] + "elst".utf8 + [
        1, 0, 0, flag, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
      ])
  }

  @Test func nothingIsSaidOfNothing() throws {
    var writer = ByteWriter()
    try FrameTicks([.milliseconds(50)]).writeEdits(playing: nil, to: &writer)
    try FrameTicks([.zero]).writeEdits(playing: .infinite, to: &writer)
    #expect(writer.bytes.isEmpty)
    #expect(try FrameTicks([.milliseconds(50)]).duration(of: nil) == 1)
  }
}
