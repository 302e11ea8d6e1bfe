// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Delays and loop counts, and the policy that players apply to them.
@Suite struct TimingTests {
  @Test(arguments: [(0, 100), (10, 100), (11, 11), (19, 19), (20, 20), (100, 100)])
  func browsersShowTenMillisecondsAndLessForATenthOfASecond(_ file: UInt32, _ shown: UInt32) {
    let delay = FrameDelay.milliseconds(file)
    #expect(delay.clamped(by: .browser).seconds == Double(shown) / 1000)
    #expect(delay.clamped(by: .exact) == delay)
  }

  @Test func theRuleIsExactForFractions() {
    #expect(FrameDelay(numerator: 1, denominator: 100).clamped(by: .browser) == .milliseconds(100))
    let longer = FrameDelay(numerator: 4_294_967_295, denominator: 4_294_967_295)
    #expect(longer.clamped(by: .browser) == longer)
  }

  @Test func shorterDelaysThanTheMinimumAreShownForTheMinimum() {
    let third = DelayPolicy.minimum(FrameDelay(numerator: 1, denominator: 3))
    #expect(FrameDelay.zero.clamped(by: third) == FrameDelay(numerator: 1, denominator: 3))
    #expect(FrameDelay.milliseconds(333).clamped(by: third) == FrameDelay(numerator: 1, denominator: 3))
    #expect(FrameDelay.milliseconds(334).clamped(by: third) == .milliseconds(334))
    // As long as the minimum: the file's own fraction stays.
    let same = FrameDelay(numerator: 2, denominator: 6)
    #expect(same.clamped(by: third) == same)
  }

  @Test func aDenominatorOfNothingIsAHundred() {
    #expect(FrameDelay(numerator: 5, denominator: 0) == FrameDelay(numerator: 5, denominator: 100))
  }

  @Test func durationsAreExactToTheAttosecond() {
    #expect(FrameDelay(numerator: 7, denominator: 2).duration == .milliseconds(3500))
    #expect(FrameDelay.zero.duration == .zero)
    #expect(FrameDelay(numerator: 1, denominator: 3).duration.components == (0, 333_333_333_333_333_333))
    let longest = FrameDelay(numerator: .max, denominator: 1).duration
    #expect(longest == .seconds(4_294_967_295))
    let close = FrameDelay(numerator: .max - 1, denominator: .max).duration
    #expect(close.components == (0, 999_999_999_767_169_356))
  }

  @Test func noPlaysIsWithoutEnd() {
    #expect(LoopCount(plays: 0) == .infinite)
    #expect(LoopCount(plays: 3) == .plays(3))
    #expect(LoopCount.infinite.plays == 0)
  }
}
