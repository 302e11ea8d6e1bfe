// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension AnimationPlayer {
  /// What a player says at one moment.
  public struct Step: Sendable, Equatable {
    /// The frame to show, or nil as long as there is none: keep what was there before.
    public let index: Int?
    /// The first time at which the answer changes if nothing else happens, in whole nanoseconds from the time of the call,
    /// or nil if it does not: the player does not run, is finished, stands still, or waits for a frame.
    public let deadline: Duration?
    /// What happened since the last call, in order.
    public let events: [Event]

    /// Makes a step, for code that stands in for a player.
    public init(index: Int?, deadline: Duration?, events: [Event]) {
      self.index = index
      self.deadline = deadline
      self.events = events
    }

    /// Whether another frame, or another showing of the same one, begins with this step.
    public var isNewFrame: Bool {
      events.contains { if case .frame = $0 { true } else { false } }
    }
  }

  /// What happens while an animation plays. The events of one step come in the order of these cases.
  public enum Event: Sendable, Equatable {
    /// The first step after a start from the beginning.
    case started
    /// The source has more frames: so many now.
    case grew(frameCount: Int)
    /// The animation goes on after a pause, or after it has waited for frames.
    case resumed
    /// Plays are complete: so many in all since the start. A late step has one event for several plays.
    case loop(plays: Int)
    /// A frame is shown; so many were left out before it, since their time was over.
    case frame(index: Int, dropped: Int)
    /// A frame should be shown and is not decoded yet. The one before it stays.
    case missed(index: Int)
    /// A frame cannot be decoded. The last one that could be is shown for its delay. Reported once for each frame.
    case corrupt(index: Int, CoderError)
    /// There is no memory for frames: the poster is shown instead. Reported when that begins. Only a ``Playback`` has this.
    case starved
    /// The next frame has not arrived yet. This is no lateness: when it comes, it is shown for its full delay.
    case waiting
    /// No frame has a delay and the animation has no end: the first frame stays.
    case still
    /// All plays are over. The last frame stays.
    case finished
  }

  /// Whether a frame can be shown.
  public enum Readiness: Sendable {
    /// It is decoded, or will be when it is asked for.
    case ready
    /// It is not decoded yet.
    case missing
    /// It cannot be decoded.
    case corrupt(CoderError)
  }
}
