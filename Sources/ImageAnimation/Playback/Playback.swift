// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// A frame that is to be shown now.
public struct PlaybackFrame: Sendable {
  /// The frame's number: 0 while the poster is shown, since there is no memory for more.
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
/// move, or when the task is cancelled. One iterator at a time goes on: a new one ends the one before.
///
/// The sequence has an element for each frame. What happens between frames, such as the end of the last play, is told by
/// ``events`` when it happens:
///
///     Task { for await event in playback.events where event == .finished { showReplayButton() } }
///
/// While it is ``FrameBuffer/Reader/Visibility/hidden``, nothing is decoded and no frame is given; time goes on, and events are
/// told. The frame of the moment comes when it is seen again. Use ``pause()`` to make time stand still, too.
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

  let reader: FrameBuffer.Reader
  let clock: C
  let origin: C.Instant
  let state: Lock<State>

  struct State {
    var player: AnimationPlayer
    /// What the iterating task sleeps in.
    var sleeper: Task<Void, Never>?
    /// Counts commands: one that comes before the sleep is not slept through.
    var commands = 0
    var failed: [Int: CoderError] = [:]
    var isHidden = false
    /// Counts iterators: the last one goes on.
    var iterators = 0
    var listeners: [Int: AsyncStream<AnimationPlayer.Event>.Continuation] = [:]
    var nextListener = 0
  }

  /// Gets ready to play with a clock. It starts when it is iterated.
  ///
  /// - Parameters:
  ///   - loopCount: Overrides the source's number of plays, or nil.
  ///   - buffer: What decodes the frames, and keeps them.
  ///   - byteLimit: The most that the source's frames may hold in the buffer, or nil.
  public init(
    _ source: any FrameSource, mode: PlaybackMode = .forward, rate: PlaybackRate = .normal,
    loopCount: LoopCount? = nil, late: LateFramePolicy = .dropFrames, buffer: FrameBuffer = .shared,
    byteLimit: Int? = nil, clock: C
  ) {
    self.source = source
    reader = buffer.reader(of: source, byteLimit: byteLimit)
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

  /// Changes how often it plays, or with nil plays as often as the source says. What is over counts.
  public func setLoopCount(_ loopCount: LoopCount?) { command { player, _ in player.loopCount = loopCount } }

  /// Goes back to the first frame of the first play, and stays there. Frames that are decoded ahead are released.
  public func stop() {
    command { player, _ in player.stop() }
    reader.release()
  }

  /// What the player does now.
  public var status: AnimationPlayer.Status { state.withLock { $0.player.status } }

  /// The frame that is to be shown now, or nil as long as there is none.
  public var currentIndex: Int? { state.withLock { $0.player.shownIndex } }

  /// How many plays are over since the start.
  public var playCount: Int { state.withLock { $0.player.playsReported } }

  func command(_ body: (inout AnimationPlayer, Duration) -> Void) {
    state.withLock { state in
      body(&state.player, now)
      state.commands += 1
      state.sleeper?.cancel()
    }
  }

  /// Changes how much memory the frames get, compared with those of other playbacks; of a hidden one no frame is decoded.
  public func setVisibility(_ visibility: FrameBuffer.Reader.Visibility) {
    reader.setVisibility(visibility)
    state.withLock { $0.isHidden = visibility == .hidden }
    command { _, _ in }
  }

  var now: Duration { origin.duration(to: clock.now) }

  // MARK: Events

  /// What happens from now on, when it happens. Any number of tasks may listen, each to a sequence of its own.
  ///
  /// A sequence ends with that of the frames, or when the playback is released. Who does not listen for long loses what came
  /// first: 256 events are kept.
  public var events: AsyncStream<AnimationPlayer.Event> {
    let (stream, continuation) = AsyncStream<AnimationPlayer.Event>.makeStream(bufferingPolicy: .bufferingNewest(256))
    let number = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  func tell(_ events: [AnimationPlayer.Event]) {
    guard !events.isEmpty else { return }
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { for event in events { listener.yield(event) } }
  }

  /// No more is going to happen.
  func endEvents() {
    let listeners = state.withLock { Array($0.listeners.values) }
    // Each takes itself out of the list.
    for listener in listeners { listener.finish() }
  }

  deinit { endEvents() }
}

extension Playback where C == SuspendingClock {
  /// Gets ready to play in the time of the machine. It starts when it is iterated.
  ///
  /// - Parameters:
  ///   - loopCount: Overrides the source's number of plays, or nil.
  ///   - buffer: What decodes the frames, and keeps them.
  ///   - byteLimit: The most that the source's frames may hold in the buffer, or nil.
  public convenience init(
    _ source: any FrameSource, mode: PlaybackMode = .forward, rate: PlaybackRate = .normal,
    loopCount: LoopCount? = nil, late: LateFramePolicy = .dropFrames, buffer: FrameBuffer = .shared,
    byteLimit: Int? = nil
  ) {
    self.init(
      source, mode: mode, rate: rate, loopCount: loopCount, late: late, buffer: buffer, byteLimit: byteLimit,
      clock: SuspendingClock())
  }
}
