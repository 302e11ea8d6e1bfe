// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderModel
import TestSupport
import Testing

/// What holds for every animation: compared with a list of showings, one after the other.
@Suite struct PlayerPropertyTests {
  /// A frame and how long it is shown, in milliseconds.
  struct Showing: Equatable {
    let index: Int
    let delay: Int
  }

  /// One play, written out.
  static func play(_ delays: [UInt32], _ mode: PlaybackMode) -> [Showing] {
    let forward = delays.enumerated().map { Showing(index: $0.offset, delay: Int($0.element)) }
    let inner = forward.dropFirst().dropLast()
    switch mode {
    case .forward: return forward
    case .reverse: return forward.reversed()
    case .bounce: return forward + inner.reversed()
    case .reverseBounce: return forward.reversed() + inner
    }
  }

  /// All plays, and the showing that a bounce ends with.
  static func plays(_ delays: [UInt32], _ mode: PlaybackMode, _ count: Int) -> [Showing] {
    let one = play(delays, mode)
    let comesHome = delays.count > 1 && (mode == .bounce || mode == .reverseBounce)
    return (0..<count).flatMap { _ in one } + (comesHome ? [one[0]] : [])
  }

  static func random(_ generator: inout SplitMix, zeros: Bool = true) -> [UInt32] {
    (0..<1 + generator.below(7)).map { _ in
      zeros && generator.below(4) == 0 ? 0 : UInt32(1 + generator.below(40))
    }
  }

  @Test(arguments: PlaybackMode.allCases) func whatIsShownIsWhatTheListSays(_ mode: PlaybackMode) {
    var generator = SplitMix(seed: 14)
    for _ in 0..<300 {
      let delays = Self.random(&generator)
      let count = 1 + generator.below(3)
      let list = Self.plays(delays, mode, count)
      let total = list.reduce(0) { $0 + $1.delay }
      guard total > 0 else { continue }
      var timed = AnimationPlayer(ModelSource(delays, loops: .plays(UInt32(count))), mode: mode)
      timed.start(at: .zero)
      var time = 0
      while time < total {
        var (begin, showing) = (0, list[0])
        for next in list {
          showing = next
          if time < begin + next.delay { break }
          begin += next.delay
        }
        #expect(timed.advance(to: .milliseconds(time)).index == showing.index, "\(delays) \(mode) at \(time)")
        time += 1 + generator.below(30)
      }
      let end = timed.advance(to: .milliseconds(total))
      #expect(end.index == list[list.count - 1].index)
      #expect(end.events.last == .finished)
    }
  }

  @Test(arguments: PlaybackMode.allCases) func deadlinesShowEachFrameOnceForExactlyItsDelay(_ mode: PlaybackMode) {
    var generator = SplitMix(seed: 5)
    for _ in 0..<200 {
      let delays = Self.random(&generator, zeros: false)
      let list = Self.plays(delays, mode, 2)
      var player = AnimationPlayer(ModelSource(delays, loops: .plays(2)), mode: mode)
      player.start(at: .zero)
      var shown: [Showing] = []
      var now = Duration.zero
      var step = player.advance(to: now)
      while let deadline = step.deadline {
        shown.append(Showing(index: step.index ?? -1, delay: Int((deadline - now) / .milliseconds(1))))
        #expect(player.advance(to: deadline - .nanoseconds(1)).index == step.index)
        now = deadline
        step = player.advance(to: now)
      }
      #expect(shown == list)
      #expect(player.status == .finished)
    }
  }

  @Test func reverseIsForwardMirrored() {
    var generator = SplitMix(seed: 8)
    for _ in 0..<200 {
      let delays = Self.random(&generator, zeros: false)
      let total = delays.reduce(0, +)
      var (forward, reverse) = (
        AnimationPlayer(ModelSource(delays)), AnimationPlayer(ModelSource(delays), mode: .reverse)
      )
      forward.start(at: .zero)
      reverse.start(at: .zero)
      for time in 0..<Int(total) {
        // A moment of a millisecond mirrored is the one that ends where this begins.
        let mirrored = Duration.milliseconds(Int(total) - 1 - time)
        #expect(reverse.advance(to: .milliseconds(time)).index == step(of: forward, mirrored).index)
      }
    }
  }

  /// What a player shows at a time, without changing it.
  private func step(of player: AnimationPlayer, _ time: Duration) -> AnimationPlayer.Step {
    var copy = player
    return copy.advance(to: time)
  }

  @Test(arguments: PlaybackMode.allCases) func aSeekEqualsPlayingThere(_ mode: PlaybackMode) throws {
    var generator = SplitMix(seed: 21)
    for _ in 0..<200 {
      let delays = Self.random(&generator, zeros: false)
      let one = Self.play(delays, mode)
      let index = generator.below(delays.count)
      let play = generator.below(4)
      let before = one.prefix { $0.index != index }.reduce(0) { $0 + $1.delay }
      let start = play * one.reduce(0) { $0 + $1.delay } + before
      var played = AnimationPlayer(ModelSource(delays), mode: mode)
      played.start(at: .zero)
      _ = played.advance(to: .milliseconds(start))
      var sought = AnimationPlayer(ModelSource(delays), mode: mode)
      sought.start(at: .zero)
      sought.seek(to: index, play: play, at: .milliseconds(start))
      _ = sought.advance(to: .milliseconds(start))
      for _ in 0..<20 {
        let time = Duration.milliseconds(start + generator.below(100))
        let (expected, reached) = (step(of: played, time), step(of: sought, time))
        #expect(reached == expected, "\(delays) \(mode) to \(index) of play \(play) at \(time)")
      }
    }
  }

  @Test(arguments: PlaybackMode.allCases) func aChangeToAnotherRateKeepsThePlace(_ mode: PlaybackMode) throws {
    var generator = SplitMix(seed: 3)
    let double = try PlaybackRate(2, over: 1)
    for _ in 0..<200 {
      let delays = Self.random(&generator, zeros: false)
      let change = generator.below(200)
      var changed = AnimationPlayer(ModelSource(delays), mode: mode)
      changed.start(at: .zero)
      changed.setRate(double, at: .milliseconds(change))
      var steady = AnimationPlayer(ModelSource(delays), mode: mode)
      steady.start(at: .zero)
      let later = generator.below(200)
      #expect(
        changed.advance(to: .milliseconds(change + later)).index
          == steady.advance(to: .milliseconds(change + 2 * later)).index)
    }
  }

  @Test(arguments: PlaybackMode.allCases) func aChangeToAnotherModeAndBackChangesNothing(_ mode: PlaybackMode) {
    var generator = SplitMix(seed: 34)
    for _ in 0..<300 {
      let delays = Self.random(&generator, zeros: false)
      let time = Duration.milliseconds(generator.below(400))
      var player = AnimationPlayer(ModelSource(delays), mode: mode)
      player.start(at: .zero)
      let before = player.advance(to: time)
      for other in PlaybackMode.allCases {
        player.setMode(other, at: time)
        let step = player.advance(to: time)
        #expect(step.index == before.index, "\(delays) \(mode) to \(other) at \(time)")
        // The frame ends when it would have ended.
        #expect(step.deadline == before.deadline)
        #expect(!step.isNewFrame)
      }
    }
  }
}
