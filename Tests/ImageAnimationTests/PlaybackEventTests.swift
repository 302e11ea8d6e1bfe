// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderModel
import Testing

/// What a playback tells and does between frames.
@Suite struct PlaybackEventTests {
  typealias Event = AnimationPlayer.Event

  /// Plays to the end.
  ///
  /// - Returns: The numbers of the frames, and all that was told.
  static func run<C: Clock>(_ playback: Playback<C>) async -> (shown: [Int], events: [Event]) {
    let events = playback.events
    let listening = Task { await events.reduce(into: [Event]()) { $0.append($1) } }
    var shown: [Int] = []
    for await frame in playback { shown.append(frame.index) }
    return (shown, await listening.value)
  }

  @Test func theEndOfEachPlayIsTold() async {
    let once = await Self.run(Playback(ModelSource([100, 200], loops: .plays(1)), clock: ModelClock()))
    #expect(
      once.events
        == [.started, .frame(index: 0, dropped: 0), .frame(index: 1, dropped: 0), .loop(plays: 1), .finished])
    let twice = await Self.run(Playback(ModelSource([100, 200], loops: .plays(2)), clock: ModelClock()))
    #expect(twice.shown == [0, 1, 0, 1])
    #expect(
      twice.events
        == [
          .started, .frame(index: 0, dropped: 0), .frame(index: 1, dropped: 0), .loop(plays: 1),
          .frame(index: 0, dropped: 0), .frame(index: 1, dropped: 0), .loop(plays: 2), .finished,
        ])
  }

  @Test func waitingIsToldWhenItBegins() async {
    let source = ModelSource([10, 20], loops: .plays(1), known: 1)
    let playback = Playback(source, clock: ModelClock())
    let events = playback.events
    // Nothing else makes the source grow: a playback that told of it afterwards would wait for good.
    let growing = Task { for await event in events where event == .waiting { source.grow(to: 2, isComplete: true) } }
    let (shown, told) = await Self.run(playback)
    #expect(shown == [0, 1])
    #expect(told.contains(.waiting) && told.contains(.resumed) && told.last == .finished)
    await growing.value
  }

  @Test func nothingIsGivenThatNobodySees() async {
    let playback = Playback(ModelSource([10, 20, 30], loops: .plays(3)), clock: ModelClock())
    let events = playback.events
    var iterator = playback.makeAsyncIterator()
    #expect(await iterator.next()?.index == 0)
    playback.setVisibility(.hidden)
    let watching = Task {
      for await event in events where event == .finished { playback.setVisibility(.visible) }
    }
    // All plays go by; then the last frame is seen, and nothing follows.
    #expect(await iterator.next()?.index == 2)
    #expect(playback.playCount == 3)
    #expect(await iterator.next() == nil)
    await watching.value
  }

  @Test func aNewIteratorEndsTheOneBefore() async {
    let playback = Playback(ModelSource([10, 20, 30]), clock: ModelClock())
    var first = playback.makeAsyncIterator()
    #expect(await first.next()?.index == 0)
    var second = playback.makeAsyncIterator()
    #expect(await second.next()?.index == 1)
    #expect(await first.next() == nil)
    #expect(await second.next()?.index == 2)
  }

  @Test func aPlaybackIsStoppedAndBeginsAnew() async {
    let playback = Playback(ModelSource([10, 20, 30]), clock: ModelClock())
    #expect(playback.currentIndex == nil)
    var iterator = playback.makeAsyncIterator()
    for index in [0, 1, 2, 0, 1] { #expect(await iterator.next()?.index == index) }
    #expect(playback.currentIndex == 1)
    #expect(playback.playCount == 1)
    playback.stop()
    #expect(playback.status == .stopped)
    #expect(await iterator.next()?.index == 0)
    #expect(playback.playCount == 0)
    playback.setLoopCount(.plays(1))
    playback.resume()
    #expect(await iterator.next()?.index == 1)
    #expect(await iterator.next()?.index == 2)
    #expect(await iterator.next() == nil)
    #expect(playback.status == .finished)
  }
}
