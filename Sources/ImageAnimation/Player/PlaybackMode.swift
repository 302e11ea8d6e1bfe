// SPDX-License-Identifier: Apache-2.0

/// The order in which frames are played.
///
/// A turn shows its frame once: three frames bounce as 0, 1, 2, 1 and then begin again with 0. After a finite number of
/// plays, a bouncing animation comes home: it shows the frame that it began with once more, for its delay, and rests there.
public enum PlaybackMode: Sendable, Hashable, CaseIterable {
  /// From the first frame to the last.
  case forward
  /// From the last frame to the first.
  case reverse
  /// From the first frame to the last and back.
  case bounce
  /// From the last frame to the first and back.
  case reverseBounce

  /// Whether a play begins with the last frame.
  var beginsAtEnd: Bool { self == .reverse || self == .reverseBounce }

  /// Whether a play goes both ways.
  package var bounces: Bool { self == .bounce || self == .reverseBounce }
}

/// What a player does when it is asked too late for a frame.
public enum LateFramePolicy: Sendable, Hashable {
  /// Frames whose time is over are left out, so that the animation keeps to its time. Which frame is shown is a pure
  /// function of the elapsed time.
  case dropFrames
  /// Every frame is shown, each at least until the next call, and the animation takes longer. Which frame is shown
  /// depends on all earlier calls.
  case showAll
}
