// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderModel
import Testing

/// Starting, pausing, seeking, changes while it plays, events, sources that grow, and frames that are missing or damaged.
@Suite struct PlayerCommandTests {
  static let three: [UInt32] = [100, 200, 300]

  static func started(
    _ source: ModelSource, _ mode: PlaybackMode = .forward, late: LateFramePolicy = .dropFrames
  ) -> AnimationPlayer {
    var player = AnimationPlayer(source, mode: mode, late: late)
    player.start(at: .zero)
    return player
  }

  @Test func aPlayThroughHasTheseEvents() {
    var player = Self.started(ModelSource(Self.three, loops: .plays(2)))
    #expect(player.advance(to: .zero).events == [.started, .frame(index: 0, dropped: 0)])
    #expect(player.advance(to: .milliseconds(50)).events == [])
    #expect(player.advance(to: .milliseconds(100)).events == [.frame(index: 1, dropped: 0)])
    #expect(player.advance(to: .milliseconds(650)).events == [.loop(plays: 1), .frame(index: 0, dropped: 1)])
    #expect(
      player.advance(to: .milliseconds(5000)).events == [.loop(plays: 2), .frame(index: 2, dropped: 1), .finished])
    #expect(player.advance(to: .milliseconds(6000)).events == [])
    // The next start begins anew.
    player.start(at: .milliseconds(7000))
    let again = player.advance(to: .milliseconds(7150))
    #expect(again.index == 1)
    #expect(again.events == [.started, .frame(index: 1, dropped: 1)])
  }

  @Test func manyPlaysAtOnceAreOneEvent() {
    var player = Self.started(ModelSource(Self.three))
    _ = player.advance(to: .zero)
    let step = player.advance(to: .milliseconds(60_050))
    #expect(step.events == [.loop(plays: 100), .frame(index: 0, dropped: 299)])
  }

  @Test func aBounceComesHome() {
    var player = Self.started(ModelSource(Self.three, loops: .plays(1)), .bounce)
    var shown: [Int] = []
    var step = player.advance(to: .zero)
    while let deadline = step.deadline {
      if step.isNewFrame, let index = step.index { shown.append(index) }
      step = player.advance(to: deadline)
    }
    #expect(shown == [0, 1, 2, 1, 0])
    #expect(step.events == [.finished])
  }

  @Test func nothingMovesBeforeTheStart() {
    var player = AnimationPlayer(ModelSource(Self.three))
    let step = player.advance(to: .seconds(10))
    #expect(step.index == 0)
    #expect(step.deadline == nil)
    #expect(step.events == [.frame(index: 0, dropped: 0)])
    player.start(at: .seconds(20))
    #expect(player.advance(to: .milliseconds(20_100)).index == 1)
  }

  @Test func aPauseKeepsTheTimeOfAFrame() {
    var player = Self.started(ModelSource(Self.three))
    player.pause(at: .milliseconds(150))
    #expect(player.advance(to: .milliseconds(900)).index == 1)
    player.start(at: .milliseconds(1000))
    let step = player.advance(to: .milliseconds(1149))
    #expect(step.index == 1)
    #expect(step.events == [.resumed])
    #expect(player.advance(to: .milliseconds(1150)).index == 2)
  }

  @Test func stoppingGoesBack() {
    var player = Self.started(ModelSource(Self.three))
    _ = player.advance(to: .milliseconds(650))
    player.stop()
    #expect(player.status == .stopped)
    #expect(player.advance(to: .milliseconds(700)).index == 0)
    player.start(at: .milliseconds(1000))
    #expect(
      player.advance(to: .milliseconds(1600)).events == [.started, .loop(plays: 1), .frame(index: 0, dropped: 2)])
  }

  @Test func aSeekShowsTheFrameForItsFullDelay() {
    var player = Self.started(ModelSource(Self.three))
    _ = player.advance(to: .milliseconds(20))
    player.seek(to: 2, at: .milliseconds(50))
    let step = player.advance(to: .milliseconds(50))
    #expect(step.index == 2)
    #expect(step.deadline == .milliseconds(350))
    #expect(step.events == [.frame(index: 2, dropped: 0)])
    // Others are ignored.
    player.seek(to: 3, at: .milliseconds(60))
    player.seek(to: -1, at: .milliseconds(60))
    #expect(player.advance(to: .milliseconds(60)).index == 2)
  }

  @Test func theRateChangesFromATimeOn() throws {
    var player = Self.started(ModelSource(Self.three))
    player.setRate(try PlaybackRate(2.0), at: .milliseconds(150))
    #expect(player.advance(to: .nanoseconds(224_999_999)).index == 1)
    #expect(player.advance(to: .milliseconds(225)).index == 2)
    player.setRate(try PlaybackRate(0.0), at: .milliseconds(300))
    let still = player.advance(to: .seconds(100))
    #expect(still.index == 2)
    #expect(still.deadline == nil)
  }

  @Test(arguments: [-1, -.infinity, .infinity, .nan, 1001.0]) func refusesRates(_ rate: Double) {
    #expect(throws: CoderError.self) { try PlaybackRate(rate) }
  }

  @Test func theModeChangesWithinAFrame() {
    var player = Self.started(ModelSource(Self.three))
    _ = player.advance(to: .milliseconds(150))
    // 50 ms of frame 1 have gone; it stays for 150 ms more and then goes to 0.
    player.setMode(.reverse, at: .milliseconds(150))
    let step = player.advance(to: .milliseconds(150))
    #expect(step.index == 1)
    #expect(step.events == [])
    #expect(step.deadline == .milliseconds(300))
    #expect(player.advance(to: .milliseconds(300)).events == [.frame(index: 0, dropped: 0)])
    // Backwards as before: to frame 2 after the whole of 0 and of 1.
    player.setMode(.bounce, at: .milliseconds(350))
    #expect(player.advance(to: .milliseconds(400)).index == 1)
  }

  @Test func theNumberOfPlaysCanBeOverridden() {
    var player = AnimationPlayer(ModelSource(Self.three, loops: .plays(1)), loopCount: .infinite)
    player.start(at: .zero)
    #expect(player.advance(to: .milliseconds(6000)).index == 0)
    player.loopCount = .plays(3)
    #expect(player.advance(to: .milliseconds(6010)).events == [.frame(index: 2, dropped: 0), .finished])
  }

  // MARK: Showing all

  @Test func showAllGoesOneFrameAStep() {
    var player = Self.started(ModelSource(Self.three), late: .showAll)
    #expect(player.advance(to: .zero).index == 0)
    let late = player.advance(to: .milliseconds(450))
    #expect(late.index == 1)
    #expect(late.deadline == .nanoseconds(450_000_001))
    let next = player.advance(to: .milliseconds(451))
    #expect(next.index == 2)
    #expect(next.deadline == .milliseconds(750))
  }

  @Test(arguments: PlaybackMode.allCases) func showAllOnTimeShowsWhatTheTimeSays(_ mode: PlaybackMode) {
    let source = ModelSource(Self.three, loops: .plays(3))
    var (byTime, byTick) = (Self.started(source, mode), Self.started(source, mode, late: .showAll))
    var time: Duration? = .zero
    while let now = time {
      let (expected, step) = (byTime.advance(to: now), byTick.advance(to: now))
      #expect(step == expected)
      time = expected.deadline
    }
    #expect(byTick.status == .finished)
  }

  @Test func showAllShowsFramesWithoutADelayForAStep() {
    var player = Self.started(ModelSource([100, 0, 100]), late: .showAll)
    _ = player.advance(to: .zero)
    #expect(player.advance(to: .milliseconds(100)).index == 1)
    #expect(player.advance(to: .milliseconds(101)).index == 2)
  }

  @Test func showAllWaitsForAMissingFrame() {
    var player = Self.started(ModelSource(Self.three), late: .showAll)
    _ = player.advance(to: .zero)
    let missing = player.advance(to: .milliseconds(100)) { _ in .missing }
    #expect(missing == AnimationPlayer.Step(index: 0, deadline: nil, events: [.missed(index: 1)]))
    // Time stood still: frame 1 has its full delay.
    let there = player.advance(to: .milliseconds(1000))
    #expect(
      there == AnimationPlayer.Step(index: 1, deadline: .milliseconds(1200), events: [.frame(index: 1, dropped: 0)]))
  }

  // MARK: Frames that are not there

  @Test func aMissingFrameIsReplacedByTheNearestBeforeIt() {
    var player = Self.started(ModelSource(Self.three))
    _ = player.advance(to: .zero)
    // Frame 1 became ready meanwhile, frame 2 did not.
    let step = player.advance(to: .milliseconds(350)) { $0 == 2 ? .missing : .ready }
    #expect(step.index == 1)
    #expect(step.events == [.frame(index: 1, dropped: 0), .missed(index: 2)])
    #expect(step.deadline == .milliseconds(600))
    #expect(player.advance(to: .milliseconds(360)) { $0 == 2 ? .missing : .ready }.events == [])
    #expect(player.advance(to: .milliseconds(370)).events == [.frame(index: 2, dropped: 0)])
  }

  @Test(arguments: LatePolicyCase.allCases) func aCorruptFrameRepeatsTheOneBeforeForItsDelay(_ late: LatePolicyCase) {
    let damage = CoderError.malformed("no pixels")
    for corrupt in 0..<3 {
      var player = Self.started(ModelSource(Self.three, loops: .plays(2)), late: late.policy)
      var (shown, reports): ([Int?], Int) = ([], 0)
      for time in [0, 100, 300, 600, 700, 900, 1200] {
        let step = player.advance(to: .milliseconds(time)) { $0 == corrupt ? .corrupt(damage) : .ready }
        shown.append(step.index)
        reports += step.events.count { $0 == .corrupt(index: corrupt, damage) }
      }
      let expected: [[Int?]] = [[nil, 1, 2, 2, 1, 2, 2], [0, 0, 2, 0, 0, 2, 2], [0, 1, 1, 0, 1, 1, 1]]
      #expect(shown == expected[corrupt])
      #expect(reports == 1)
      #expect(player.status == .finished)
    }
  }

  enum LatePolicyCase: CaseIterable {
    case dropFrames, showAll

    var policy: LateFramePolicy { self == .dropFrames ? .dropFrames : .showAll }
  }

  // MARK: Growing

  @Test(arguments: LatePolicyCase.allCases) func aGrowingSourceIsWaitedFor(_ late: LatePolicyCase) {
    let source = ModelSource(Self.three, known: 2)
    var player = Self.started(source, late: late.policy)
    _ = player.advance(to: .zero)
    _ = player.advance(to: .milliseconds(100))
    let waiting = player.advance(to: .milliseconds(300))
    #expect(waiting == AnimationPlayer.Step(index: 1, deadline: nil, events: [.waiting]))
    #expect(player.advance(to: .milliseconds(700)).events == [])
    source.grow(to: 3, isComplete: true)
    let grown = player.advance(to: .milliseconds(1000))
    #expect(grown.events == [.grew(frameCount: 3), .resumed, .frame(index: 2, dropped: 0)])
    #expect(grown.deadline == .milliseconds(1300))
    #expect(player.advance(to: .milliseconds(1300)).events == [.loop(plays: 1), .frame(index: 0, dropped: 0)])
  }

  @Test func whatArrivesWhileNobodyAsksIsNoLateness() {
    let source = ModelSource(Self.three, known: 1)
    var player = Self.started(source)
    _ = player.advance(to: .zero)
    source.grow(to: 3, isComplete: true)
    // Nobody knows whether frame 1 was there in time: it begins now.
    #expect(player.advance(to: .milliseconds(250)).events == [.grew(frameCount: 3), .frame(index: 1, dropped: 0)])
    #expect(player.advance(to: .milliseconds(250)).deadline == .milliseconds(450))
  }

  @Test(arguments: [PlaybackMode.reverse, .reverseBounce])
  func whatBeginsAtTheEndWaitsOnTheFirstFrame(_ mode: PlaybackMode) {
    let source = ModelSource(Self.three, known: 1)
    var player = Self.started(source, mode)
    #expect(player.advance(to: .zero).events == [.started, .frame(index: 0, dropped: 0), .waiting])
    source.grow(to: 3)
    #expect(player.advance(to: .milliseconds(500)).events == [.grew(frameCount: 3)])
    source.grow(to: 3, isComplete: true)
    let step = player.advance(to: .milliseconds(900))
    #expect(step.events == [.resumed, .frame(index: 2, dropped: 0)])
    #expect(step.deadline == .milliseconds(1200))
  }

  @Test func aSourceWithoutAFrameIsWaitedFor() {
    let source = ModelSource(Self.three, known: 0)
    var player = Self.started(source)
    #expect(player.advance(to: .zero) == AnimationPlayer.Step(index: nil, deadline: nil, events: [.started, .waiting]))
    source.grow(to: 1)
    #expect(player.advance(to: .milliseconds(40)).index == 0)
  }

  @Test func fractionsOfATickDoNotHoldUpAGrowingSource() {
    let third = FrameDelay(numerator: 1, denominator: 3)
    let source = ModelSource([third, third, FrameDelay(numerator: 1, denominator: 7)], known: 1)
    var player = Self.started(source)
    _ = player.advance(to: .seconds(1))
    source.grow(to: 3, isComplete: true)
    #expect(player.advance(to: .seconds(2)).index == 1)
  }
}
