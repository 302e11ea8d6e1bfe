// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin
import Testing

@testable import HEIFCoder

/// What edit lists make of three pictures of 1,001 units each.
@Suite struct PresentationTests {
  private func steps(
    _ edits: [Track.Edit], movieTimescale: UInt32 = 30_000, start: Int64 = 0, limits: Limits = .standard
  ) throws(CoderError) -> [[UInt64]] {
    let presentation = try EditedFrames(
      times: [0, 1001, 2002, 3003].map { $0 + start }, edits: edits, timescale: 30_000,
      movieTimescale: movieTimescale, limits: limits)
    return presentation.steps.map { [UInt64($0.frame), $0.duration] }
  }

  private static let whole: [[UInt64]] = [[0, 1001], [1, 1001], [2, 1001]]

  @Test func durationsInACoarserTimescaleCutNoPicture() throws {
    // 3,003 of 30,000 are 100.1 of 1,000, and 60.06 of 600.
    #expect(try steps([Track.Edit(duration: 100, mediaTime: 0)], movieTimescale: 1000) == Self.whole)
    let twice = [Track.Edit](repeating: Track.Edit(duration: 60, mediaTime: 0), count: 2)
    #expect(try steps(twice, movieTimescale: 600) == Self.whole + Self.whole)
    // Where units are the same, one more than two pictures is within a unit of their end.
    #expect(try steps([Track.Edit(duration: 2003, mediaTime: 0)]) == [[0, 1001], [1, 1001]])
    #expect(try steps([Track.Edit(duration: 2004, mediaTime: 0)]) == [[0, 1001], [1, 1001], [2, 2]])
  }

  @Test func oneEditOfTheMediasDurationShowsAllOfIt() throws {
    #expect(try steps([Track.Edit(duration: 3003, mediaTime: 0)], start: 2002) == Self.whole)
    #expect(try steps([Track.Edit(duration: 0, mediaTime: 0)]) == Self.whole)
    #expect(try steps([]) == Self.whole)
  }

  @Test func aPartBeginsInsideAPicture() throws {
    let edits = [Track.Edit(duration: 1500, mediaTime: 500), Track.Edit(duration: 10, mediaTime: -1)]
    #expect(try steps(edits) == [[0, 501], [1, 1009]])
  }

  @Test func hugeNumbersAreBounded() throws {
    let edits = [
      Track.Edit(duration: .max, mediaTime: -1), Track.Edit(duration: .max, mediaTime: .max, rate: 0),
      Track.Edit(duration: .max, mediaTime: 0, rate: .min),
    ]
    let found = try steps(edits, movieTimescale: 1)
    #expect(found == [[2, 2 << 40], [2, 1001], [1, 1001], [0, 1001]])
  }

  @Test func whatIsShownOftenIsLimited() {
    let edits = [Track.Edit](repeating: Track.Edit(duration: 3003, mediaTime: 0), count: 1000)
    #expect(throws: CoderError.self) { try steps(edits, limits: Limits(maxFrames: 100)) }
  }

  @Test func anEditListWithoutAPictureIsUnsupported() {
    #expect(throws: CoderError.unsupported("an edit list that shows no picture")) {
      try steps([Track.Edit(duration: 10, mediaTime: -1)])
    }
  }
}
