// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Says which frame of an animation is shown at a time.
///
/// A player is arithmetic: it has no clock, no thread and no pixels. The program that shows the frames asks it, at any
/// times:
///
///     var player = AnimationPlayer(animation)
///     player.start(at: .zero)
///     // in a loop of one's own, with the time since its start:
///     let step = player.advance(to: elapsed)
///     if step.isNewFrame, let index = step.index { show(try animation.frame(at: index).pixels) }
///     // asks again at step.deadline, or whenever the screen is drawn
///
/// Times are durations since any moment that the caller chooses. They should not decrease; a time before the last
/// ``start(at:)`` or change counts as that time. With ``LateFramePolicy/dropFrames`` the frame is a pure function of the elapsed
/// time, mode, rate and plays, in exact integers: the end of a play loses nothing, and after a million frames the player is
/// where it would be without any step between. With ``LateFramePolicy/showAll`` it depends on the steps before.
///
/// A source that grows plays as far as its frames are known and waits there. Modes that begin with the last frame wait on
/// the first one until the source is complete.
///
/// ``PlaybackMode`` says what is shown at the ends, ``AnimationPlayer/Event`` what a player reports.
public struct AnimationPlayer: Sendable {
  /// Where the frames come from.
  public let source: any FrameSource
  /// What is done when a step comes late.
  public let latePolicy: LateFramePolicy
  /// Overrides the source's number of plays, or nil. A change counts from the next step on.
  public var loopCount: LoopCount?
  /// The order of frames.
  public internal(set) var mode: PlaybackMode
  /// How fast it plays. At 0 time stands still.
  public internal(set) var rate: PlaybackRate
  /// What the player does.
  public internal(set) var status = Status.stopped

  /// What a player does.
  public enum Status: Sendable, Hashable {
    /// It has not been started, or was stopped: the first frame is shown.
    case stopped
    /// Frames follow each other, or the player waits for one.
    case playing
    /// It was paused: the frame stays.
    case paused
    /// All plays are over: the last frame stays. The next start begins anew.
    case finished
  }

  var timeline: Timeline
  var isComplete: Bool
  /// Where the playhead was at ``anchor``, in attoseconds of the animation's own time since its first play began.
  var origin: Int128 = 0
  var anchor = Duration.zero

  // Of showAll: the play, the step of it, and how long its frame has been shown, in attoseconds of the animation's time.
  var play = 0
  var stepOfPlay = 0
  var spent: Int128 = 0
  /// Whether time stands still until the next frame is there.
  var isHeldUp = false

  /// What the last step showed.
  var shownIndex: Int?
  var shownRank: Int128?
  /// The showing that comes next if no step is late.
  var expectedRank: Int128 = 0
  var playsReported = 0
  var isWaiting = false
  var isStillReported = false
  var missedRank: Int128?
  var corruptFrames: Set<Int> = []
  /// What happened outside of a step.
  var pending: [Event] = []

  /// - Parameters:
  ///   - source: The frames and their delays. Delays are read when a frame becomes known.
  ///   - loopCount: Overrides the source's number of plays, or nil.
  public init(
    _ source: any FrameSource, mode: PlaybackMode = .forward, rate: PlaybackRate = .normal,
    loopCount: LoopCount? = nil, late latePolicy: LateFramePolicy = .dropFrames
  ) {
    self.source = source
    self.mode = mode
    self.rate = rate
    self.loopCount = loopCount
    self.latePolicy = latePolicy
    // In this order: a source that becomes complete meanwhile is looked at again.
    isComplete = source.isComplete
    timeline = Timeline(source)
  }

  /// The number of plays after which it ends, or nil.
  var plays: Int128? {
    switch loopCount ?? source.loopCount {
    case .infinite: nil
    case .plays(let count): Int128(max(count, 1))
    }
  }

  /// Whether nothing is ever going to move: no frame has a delay, and none follows.
  var standsStill: Bool { isComplete && (timeline.count == 0 || timeline.total == 0) }

  // MARK: Commands

  /// Starts playing, goes on after a pause, or begins anew after the end. Nothing if it plays already.
  public mutating func start(at now: Duration) {
    switch status {
    case .playing: return
    case .paused: pending.append(.resumed)
    case .stopped: pending.append(.started)
    case .finished:
      rewind()
      pending.append(.started)
    }
    status = .playing
    anchor = now
  }

  /// Stands still at the frame that is shown at a time; ``start(at:)`` goes on from there.
  public mutating func pause(at now: Duration) {
    guard status == .playing else { return }
    settle(at: now)
    status = .paused
  }

  /// Ends playing and goes back to the first frame of the first play.
  public mutating func stop() {
    rewind()
    status = .stopped
  }

  /// Goes to a frame's first showing in a play, which lasts its full delay. From there on all is as if it had been played.
  ///
  /// A player that is finished pauses there.
  ///
  /// - Parameters:
  ///   - index: A frame that is known; others are ignored, as long as they are not known.
  ///   - play: Counted from 0. While the source grows there is only the first one.
  public mutating func seek(to index: Int, play: Int = 0, at now: Duration) {
    refresh()
    guard index >= 0, index < timeline.count, play >= 0, play == 0 || isComplete else { return }
    if status == .finished { status = .paused }
    anchor = now
    let tick = timeline.firstShowing(of: index, mode)
    origin = timeline.attoseconds(timeline.cycle(mode) * Int128(play) + tick)
    (self.play, stepOfPlay, spent) = (play, firstStep(of: index), 0)
    playsReported = play
    (shownRank, missedRank, isWaiting) = (nil, nil, false)
    expectedRank = currentRank(at: now)
  }

  /// Changes the rate from a time on; the frame that is shown keeps the time that it has had.
  public mutating func setRate(_ rate: PlaybackRate, at now: Duration) {
    settle(at: now)
    self.rate = rate
  }

  /// Changes the order of frames from a time on. The frame that is shown stays, keeps the time that it has had, and where
  /// both are possible, the direction.
  public mutating func setMode(_ mode: PlaybackMode, at now: Duration) {
    guard mode != self.mode else { return }
    settle(at: now)
    guard status != .finished else {
      self.mode = mode
      return
    }
    let showing = showingAtOrigin()
    let plays = timeline.cycle(self.mode) > 0 ? showing.plays : 0
    let isBackwards = showing.current?.isBackwards ?? mode.beginsAtEnd
    self.mode = mode
    guard let current = showing.current else { return }
    let tick = timeline.showingTick(of: current.index, isBackwards: isBackwards, mode)
    origin = timeline.attoseconds(plays * timeline.cycle(mode) + tick) + showing.spent
    (play, stepOfPlay) = (Int(clamping: plays), step(of: current.index, isBackwards: isBackwards))
    // The same showing goes on.
    let rank = currentRank(at: now)
    if shownRank != nil { shownRank = rank }
    expectedRank = rank + (shownRank == nil ? 0 : 1)
  }

  private mutating func rewind() {
    (origin, play, stepOfPlay, spent) = (0, 0, 0, 0)
    (shownIndex, shownRank, expectedRank, playsReported) = (nil, nil, 0, 0)
    (isWaiting, isHeldUp, isStillReported, missedRank) = (false, false, false, nil)
    corruptFrames = []
    pending = []
  }

  // MARK: Asking

  /// What is shown at a time.
  ///
  /// - Parameters:
  ///   - now: A time, not before that of the last call.
  ///   - readiness: Whether a frame can be shown. By default every frame can.
  /// - Complexity: O(log n) for n frames, without allocating when nothing happens.
  public mutating func advance(
    to now: Duration, readiness: (_ index: Int) -> Readiness = { _ in .ready }
  ) -> Step {
    var events = pending
    pending = []
    if !isComplete {
      // What a source gains later is no reason to be late.
      hold(at: now)
      let count = timeline.count
      if refresh(), timeline.count > count { events.append(.grew(frameCount: timeline.count)) }
    }
    guard timeline.count > 0 else {
      if !isWaiting, status == .playing { events.append(.waiting) }
      isWaiting = status == .playing
      return Step(index: nil, deadline: nil, events: events)
    }
    switch latePolicy {
    case .dropFrames: return stepByTime(now, events, readiness)
    case .showAll: return timeline.total == 0 ? stepByTime(now, events, readiness) : stepByTick(now, events, readiness)
    }
  }

  /// Takes over what a source has gained.
  ///
  /// - Returns: Whether there is anything new.
  @discardableResult mutating func refresh() -> Bool {
    guard !isComplete else { return false }
    let isCompleteNow = source.isComplete
    guard source.frameCount > timeline.count || isCompleteNow else { return false }
    timeline.extend(with: source)
    isComplete = isCompleteNow
    return true
  }
}
