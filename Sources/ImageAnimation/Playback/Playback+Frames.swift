// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

// The frames in time.
extension Playback {
  /// Starts playing.
  ///
  /// - Returns: The only iterator that goes on from now on.
  public func makeAsyncIterator() -> Iterator {
    let number = state.withLock { state in
      state.iterators += 1
      return state.iterators
    }
    // The one before may sleep.
    command { _, _ in }
    return Iterator(playback: self, number: number)
  }

  /// Where the playback is.
  public struct Iterator: AsyncIteratorProtocol {
    private let playback: Playback
    private let number: Int
    private var isStarted = false
    private var isStarved = false
    /// Whether a frame was not given while nobody could see it.
    private var isOwed = false
    private var events: [AnimationPlayer.Event] = []
    private var endGrowth: (@Sendable () -> Void)?

    init(playback: Playback, number: Int) {
      self.playback = playback
      self.number = number
    }

    /// Waits until the next frame is to be shown.
    ///
    /// - Returns: The frame, or nil when no other follows.
    public mutating func next() async -> PlaybackFrame? { await next(isolation: nil) }

    /// Waits until the next frame is to be shown.
    ///
    /// - Returns: The frame, or nil when no other follows.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> PlaybackFrame? {
      if !isStarted {
        isStarted = true
        // Sources that tell of new frames need not be asked again and again.
        if let arriving = playback.source as? StreamingAnimation {
          endGrowth = arriving.onGrowth { [weak playback] in playback?.command { _, _ in } }
        }
        playback.command { $0.start(at: $1) }
      }
      while !Task.isCancelled {
        await playback.findLastFrame()
        guard let look = playback.look(as: number, isOwed: isOwed) else {
          endGrowth?()
          return nil
        }
        playback.tell(look.step.events)
        events += look.step.events
        if look.isHidden {
          isOwed = isOwed || look.step.isNewFrame
          events = []
        } else if look.step.isNewFrame || isOwed, let index = look.step.index {
          isOwed = false
          let supplied = await playback.reader.frame(
            at: index, upcoming: look.upcoming, shortestDelay: look.shortestDelay)
          switch supplied.result {
          case .success(let frame):
            defer { events = [] }
            if supplied.isStarved { noteStarved() }
            isStarved = supplied.isStarved
            return PlaybackFrame(index: supplied.isStarved ? 0 : index, frame: frame, events: events)
          case .failure where supplied.isStarved:
            // The one before it stays, since the source has no poster.
            noteStarved()
            continue
          case .failure where Task.isCancelled:
            // It was not waited for any more.
            continue
          case .failure(let error):
            if playback.noteFailure(of: index, error) { note(.corrupt(index: index, error)) }
            continue
          }
        }
        guard await playback.sleep(after: look, isOwed: isOwed) else { break }
      }
      end()
      return nil
    }

    private mutating func noteStarved() {
      if !isStarved { note(.starved) }
      isStarved = true
    }

    /// What happened besides the player's steps.
    private mutating func note(_ event: AnimationPlayer.Event) {
      events.append(event)
      playback.tell([event])
    }

    private mutating func end() {
      endGrowth?()
      endGrowth = nil
      playback.endEvents()
    }
  }

  /// Counts the frames of a file that does not count them, if the last one is to be shown first.
  func findLastFrame() async {
    guard let image = source as? AnimatedImage, !image.isComplete, state.withLock({ $0.player.mode.beginsAtEnd }) else {
      return
    }
    // Only a task that is cancelled has no count.
    try? await image.async.countFrames()
  }

  /// What is to be done now, and what then.
  struct Look {
    let step: AnimationPlayer.Step
    let status: AnimationPlayer.Status
    /// The frames that are shown after this one if nothing happens, and the least time until the next.
    let upcoming: [Int]
    let shortestDelay: Duration
    let commands: Int
    let isComplete: Bool
    let isHidden: Bool
  }

  /// - Parameter isOwed: Whether the frame is to be given though it is not new.
  /// - Returns: Nil for an iterator that another one has followed.
  func look(as iterator: Int, isOwed: Bool) -> Look? {
    state.withLock { state in
      guard iterator == state.iterators else { return nil }
      let failed = state.failed
      let step = state.player.advance(to: now) { index in failed[index].map { .corrupt($0) } ?? .ready }
      let isGiven = !state.isHidden && (step.isNewFrame || isOwed)
      let (upcoming, shortest) = isGiven ? Self.upcoming(state.player, step) : ([], .zero)
      return Look(
        step: step, status: state.player.status, upcoming: upcoming, shortestDelay: shortest, commands: state.commands,
        isComplete: source.isComplete, isHidden: state.isHidden)
    }
  }

  /// What a player is going to show: backwards many frames, since they are decoded in blocks.
  private static func upcoming(_ player: AnimationPlayer, _ step: AnimationPlayer.Step) -> ([Int], Duration) {
    var (player, deadline, frames, shortest) = (player, step.deadline, [Int](), Duration.seconds(3600))
    for _ in 0..<(player.mode == .forward ? 16 : 64) {
      guard let time = deadline else { break }
      let next = player.advance(to: time)
      deadline = next.deadline
      if let following = deadline { shortest = Swift.min(shortest, following - time) }
      guard next.isNewFrame, let index = next.index else { continue }
      // What comes again is there already.
      if frames.contains(index) || index == step.index { break }
      frames.append(index)
    }
    return (frames, shortest)
  }

  /// - Returns: Whether the frame has not failed before.
  func noteFailure(of index: Int, _ error: CoderError) -> Bool {
    state.withLock { state in
      state.player.corruptFrames.insert(index)
      return state.failed.updateValue(error, forKey: index) == nil
    }
  }

  /// Sleeps until the deadline, a command, or new frames.
  ///
  /// - Parameter isOwed: Whether a frame is given when somebody can see it again, also if no other follows.
  /// - Returns: Whether anything can still happen.
  func sleep(after look: Look, isOwed: Bool) async -> Bool {
    if look.status == .finished, !isOwed { return false }
    let isStill = !isOwed && look.status == .playing && look.step.deadline == nil && look.isComplete
    // A rate of 0 can be changed, and so can frames without delays not.
    if isStill, state.withLock({ $0.player.standsStill }) { return false }
    let asksAgain = look.status == .playing && !look.isComplete && !(source is StreamingAnimation)
    let deadline = origin.advanced(
      by: look.step.deadline ?? now + (asksAgain ? .milliseconds(20) : .seconds(86_400)))
    let clock = clock
    let sleeper = Task { _ = try? await clock.sleep(until: deadline, tolerance: .zero) }
    let isCommanded = state.withLock { state in
      state.sleeper = sleeper
      return state.commands != look.commands
    }
    if isCommanded { sleeper.cancel() }
    await withTaskCancellationHandler {
      await sleeper.value
    } onCancel: {
      sleeper.cancel()
    }
    state.withLock { if $0.sleeper == sleeper { $0.sleeper = nil } }
    return true
  }
}
