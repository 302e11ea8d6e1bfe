// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// A frame that is to be shown now.
public struct PlaybackFrame: Sendable {
  /// The frame's number.
  public let index: Int
  /// Its pixels, and why some are missing, if they are.
  public let frame: Frame
  /// What happened since the frame before; see ``AnimationPlayer/Event``.
  public let events: [AnimationPlayer.Event]
}

/// Plays a source in time: a sequence that gives each frame when it is to be shown.
///
///     let playback = Playback(animation)
///     for await shown in playback { show(shown.frame.pixels) }
///
/// While a frame is shown, the next ones are decoded by a ``FrameBuffer``. A frame that cannot be decoded is reported,
/// and the one before it stays for its delay. The sequence ends when all plays are over, when nothing is ever going to
/// move, or when the task is cancelled. It is iterated once.
///
/// Time is that of a clock. The `SuspendingClock` stands still while the machine is suspended, so that an animation does not
/// end meanwhile; an application with a clock of its own uses ``AnimationPlayer`` instead.
///
/// - Threads: Commands may be given from any thread while a task iterates.
public final class Playback<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
  /// A frame that is to be shown now.
  public typealias Element = PlaybackFrame
  /// Nothing is thrown: what cannot be decoded is an event.
  public typealias Failure = Never

  /// Where the frames come from.
  public let source: any FrameSource

  private let reader: FrameBuffer.Reader
  private let clock: C
  private let origin: C.Instant
  private let state: Lock<State>

  private struct State {
    var player: AnimationPlayer
    /// What the iterating task sleeps in.
    var sleeper: Task<Void, Never>?
    /// Counts commands: one that comes before the sleep is not slept through.
    var commands = 0
    var failed: [Int: CoderError] = [:]
  }

  /// Gets ready to play with a clock. It starts when it is iterated.
  ///
  /// - Parameters:
  ///   - loopCount: Overrides the source's number of plays, or nil.
  ///   - buffer: What decodes the frames, and keeps them.
  public init(
    _ source: any FrameSource, mode: PlaybackMode = .forward, rate: PlaybackRate = .normal,
    loopCount: LoopCount? = nil, late: LateFramePolicy = .dropFrames, buffer: FrameBuffer = .shared, clock: C
  ) {
    self.source = source
    reader = buffer.reader(of: source)
    self.clock = clock
    origin = clock.now
    state = Lock(
      State(player: AnimationPlayer(source, mode: mode, rate: rate, loopCount: loopCount, late: late)))
  }

  // MARK: Commands

  /// Goes on after ``pause()``.
  public func resume() { command { $0.start(at: $1) } }

  /// Stands still at the frame that is shown.
  public func pause() { command { $0.pause(at: $1) } }

  /// Goes to a frame; see ``AnimationPlayer/seek(to:play:at:)``.
  public func seek(to index: Int, play: Int = 0) { command { $0.seek(to: index, play: play, at: $1) } }

  /// Changes the rate; the frame that is shown keeps the time that it has had.
  public func setRate(_ rate: PlaybackRate) { command { $0.setRate(rate, at: $1) } }

  /// Changes the order of frames; the frame that is shown stays.
  public func setMode(_ mode: PlaybackMode) { command { $0.setMode(mode, at: $1) } }

  /// What the player does now.
  public var status: AnimationPlayer.Status { state.withLock { $0.player.status } }

  private func command(_ body: (inout AnimationPlayer, Duration) -> Void) {
    state.withLock { state in
      body(&state.player, now)
      state.commands += 1
      state.sleeper?.cancel()
    }
  }

  /// Changes how much memory the frames get, compared with those of other playbacks.
  public func setVisibility(_ visibility: FrameBuffer.Reader.Visibility) { reader.setVisibility(visibility) }

  private var now: Duration { origin.duration(to: clock.now) }

  // MARK: Iterating

  /// Starts playing.
  public func makeAsyncIterator() -> Iterator { Iterator(playback: self) }

  /// Where the playback is.
  public struct Iterator: AsyncIteratorProtocol {
    private let playback: Playback
    private var isStarted = false
    private var isStarved = false
    private var events: [AnimationPlayer.Event] = []
    private var endGrowth: (@Sendable () -> Void)?

    init(playback: Playback) { self.playback = playback }

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
        let look = playback.look()
        events += look.step.events
        if look.step.isNewFrame, let index = look.step.index {
          let supplied = await playback.reader.frame(
            at: index, upcoming: look.upcoming, shortestDelay: look.shortestDelay)
          switch supplied.result {
          case .success(let frame):
            defer { events = [] }
            if supplied.isStarved, !isStarved { events.append(.starved) }
            isStarved = supplied.isStarved
            return PlaybackFrame(index: index, frame: frame, events: events)
          case .failure where supplied.isStarved:
            // The one before it stays, since the source has no poster.
            if !isStarved { events.append(.starved) }
            isStarved = true
            continue
          case .failure where Task.isCancelled:
            // It was not waited for any more.
            continue
          case .failure(let error):
            if playback.noteFailure(of: index, error) { events.append(.corrupt(index: index, error)) }
            continue
          }
        }
        guard await playback.sleep(after: look) else { break }
      }
      end()
      return nil
    }

    private mutating func end() {
      endGrowth?()
      endGrowth = nil
    }
  }

  /// Counts the frames of a file that does not count them, if the last one is to be shown first.
  fileprivate func findLastFrame() async {
    guard let image = source as? AnimatedImage, !image.isComplete, state.withLock({ $0.player.mode.beginsAtEnd }) else {
      return
    }
    // Only a task that is cancelled has no count.
    try? await image.async.countFrames()
  }

  /// What is to be done now, and what then.
  fileprivate struct Look {
    let step: AnimationPlayer.Step
    let status: AnimationPlayer.Status
    /// The frames that are shown after this one if nothing happens, and the least time until the next.
    let upcoming: [Int]
    let shortestDelay: Duration
    let commands: Int
    let isComplete: Bool
  }

  fileprivate func look() -> Look {
    state.withLock { state in
      let failed = state.failed
      let step = state.player.advance(to: now) { index in failed[index].map { .corrupt($0) } ?? .ready }
      let (upcoming, shortest) = step.isNewFrame ? Self.upcoming(state.player, step) : ([], .zero)
      return Look(
        step: step, status: state.player.status, upcoming: upcoming, shortestDelay: shortest, commands: state.commands,
        isComplete: source.isComplete)
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
  fileprivate func noteFailure(of index: Int, _ error: CoderError) -> Bool {
    state.withLock { state in
      state.player.corruptFrames.insert(index)
      return state.failed.updateValue(error, forKey: index) == nil
    }
  }

  /// Sleeps until the deadline, a command, or new frames.
  ///
  /// - Returns: Whether anything can still happen.
  fileprivate func sleep(after look: Look) async -> Bool {
    if look.status == .finished { return false }
    let isStill = look.status == .playing && look.step.deadline == nil && look.isComplete
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
    state.withLock { $0.sleeper = nil }
    return true
  }
}

extension Playback where C == SuspendingClock {
  /// Gets ready to play in the time of the machine. It starts when it is iterated.
  ///
  /// - Parameters:
  ///   - loopCount: Overrides the source's number of plays, or nil.
  ///   - buffer: What decodes the frames, and keeps them.
  public convenience init(
    _ source: any FrameSource, mode: PlaybackMode = .forward, rate: PlaybackRate = .normal,
    loopCount: LoopCount? = nil, late: LateFramePolicy = .dropFrames, buffer: FrameBuffer = .shared
  ) {
    self.init(
      source, mode: mode, rate: rate, loopCount: loopCount, late: late, buffer: buffer, clock: SuspendingClock())
  }
}
