// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import Testing

/// A clock that goes on when somebody sleeps, and by as much as is slept.
final class ModelClock: Clock {
  struct Instant: InstantProtocol {
    var time: Duration

    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private let time = Mutex(Duration.zero)

  var now: Instant { Instant(time: time.withLock { $0 }) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline.time) }
  }

  /// Goes on without a sleep.
  func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}

/// The sequence of frames, by a clock of the test.
@Suite struct PlaybackTests {
  /// A frame that was shown, and when.
  struct Shown: Equatable {
    let index: Int
    let time: Duration
    let gray: UInt8
  }

  /// A source of which one frame cannot be decoded.
  struct Damaged: FrameSource {
    let size = Size(width: 1, height: 1)
    let frameCount = 3
    let loopCount = LoopCount.plays(2)
    func delay(at index: Int) -> FrameDelay { .milliseconds(10) }
    func frame(at index: Int) throws(CoderError) -> Frame {
      guard index != 1 else { throw .malformed("no pixels") }
      return Frame(pixels: try PixelBuffer(copying: [UInt8(index)], size: size, format: .gray8))
    }
  }

  static func run(
    _ source: any FrameSource, _ mode: PlaybackMode = .forward, taking limit: Int = .max
  ) async -> (shown: [Shown], events: [AnimationPlayer.Event]) {
    let clock = ModelClock()
    var (shown, events): ([Shown], [AnimationPlayer.Event]) = ([], [])
    for await frame in Playback(source, mode: mode, clock: clock) {
      let gray = frame.frame.pixels.copyBytes()[0]
      shown.append(Shown(index: frame.index, time: clock.now.time, gray: gray))
      events += frame.events
      if shown.count == limit { break }
    }
    return (shown, events)
  }

  @Test func framesComeWhenTheirTimeHasCome() async {
    let (shown, events) = await Self.run(ModelSource([100, 200, 300], loops: .plays(2)))
    let times = [0, 100, 300, 600, 700, 900]
    #expect(
      shown
        == times.enumerated().map {
          Shown(index: $0.offset % 3, time: .milliseconds($0.element), gray: UInt8($0.offset % 3))
        })
    #expect(events.prefix(2) == [.started, .frame(index: 0, dropped: 0)])
    #expect(events.contains(.loop(plays: 1)))
  }

  @Test func aBounceComesHome() async {
    let (shown, _) = await Self.run(ModelSource([100, 200, 300], loops: .plays(1)), .bounce)
    #expect(shown.map(\.index) == [0, 1, 2, 1, 0])
    #expect(shown.map(\.time) == [0, 100, 300, 600, 800].map { .milliseconds($0) })
  }

  @Test func anEndlessAnimationEndsWithItsTask() async {
    let (shown, _) = await Self.run(ModelSource([10, 20]), taking: 1000)
    #expect(shown.count == 1000)
    #expect(shown.last?.time == .milliseconds(30 * 499 + 10))
    let task = Task { await Self.run(ModelSource([10, 20])) }
    task.cancel()
    // It returns; how far it came is chance.
    _ = await task.value
  }

  @Test func aStillPictureIsShownOnce() async {
    let (shown, events) = await Self.run(ModelSource([0]))
    #expect(shown.map(\.index) == [0])
    #expect(events == [.started, .frame(index: 0, dropped: 0), .still])
    #expect(await Self.run(ModelSource([0, 0])).shown.map(\.index) == [0])
  }

  @Test func aFrameThatCannotBeDecodedIsReportedOnce() async {
    let (shown, events) = await Self.run(Damaged())
    #expect(shown.map(\.index) == [0, 2, 0, 2])
    // The one before it stayed for its delay.
    #expect(shown.map(\.time) == [0, 20, 30, 50].map { .milliseconds($0) })
    #expect(events.count { $0 == .corrupt(index: 1, .malformed("no pixels")) } == 1)
  }

  @Test func aLateConsumerMissesFrames() async {
    let clock = ModelClock()
    var shown: [Int] = []
    var dropped = 0
    for await frame in Playback(ModelSource([10, 10, 10, 10], loops: .plays(2)), clock: clock) {
      shown.append(frame.index)
      for case .frame(_, let count) in frame.events { dropped += count }
      // Takes longer than a frame.
      clock.pass(.milliseconds(15))
    }
    // At 0, 15, 30, 45, 60 and 75 ms.
    #expect(shown == [0, 1, 3, 0, 2, 3])
    #expect(dropped == 2)
  }

  @Test func commandsWakeTheSequence() async throws {
    let clock = ModelClock()
    let playback = Playback(ModelSource([10, 20, 30]), clock: clock)
    var shown: [Int] = []
    for await frame in playback {
      shown.append(frame.index)
      switch shown.count {
      case 2: playback.seek(to: 0)
      case 4: playback.setMode(.reverse)
      case 6: playback.setRate(try PlaybackRate(2.0))
      default: break
      }
      if shown.count == 8 { break }
    }
    #expect(shown == [0, 1, 0, 1, 0, 2, 1, 0])
    // 10 ms and a seek, 10 ms, 20 ms of frame 1 and 10 of frame 0; then twice as fast: 15 ms of frame 2, 10 ms of frame 1.
    #expect(clock.now.time == .milliseconds(75))
  }

  @Test func aPausedPlaybackWaitsForItsStart() async {
    let playback = Playback(ModelSource([10, 20, 30]), clock: ModelClock())
    var iterator = playback.makeAsyncIterator()
    #expect(await iterator.next()?.index == 0)
    playback.pause()
    #expect(playback.status == .paused)
    playback.resume()
    let next = await iterator.next()
    #expect(next?.index == 1)
    #expect(next?.events.first == .resumed)
  }

  @Test func aGrowingSourceIsPlayedAsItArrives() async {
    let source = ModelSource([10, 20, 30], loops: .plays(1), known: 1)
    let clock = ModelClock()
    var shown: [Int] = []
    for await frame in Playback(source, clock: clock) {
      shown.append(frame.index)
      source.grow(to: min(shown.count + 1, 3), isComplete: shown.count == 3)
    }
    #expect(shown == [0, 1, 2])
  }
}
