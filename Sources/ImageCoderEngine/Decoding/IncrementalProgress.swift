// SPDX-License-Identifier: Apache-2.0

/// How much of an image has been decoded.
public struct IncrementalProgress: Sendable, Equatable {
  /// Frames of which all rows are final.
  public var framesComplete: Int
  /// Rows at the top of the next frame's picture that will not change any more, counted before it is turned upright. 0
  /// for pictures that are sent in passes, until they are complete.
  public var finalRows: Int
  /// The pass of the next frame that is being sent, from 0.
  public var pass: Int
  /// The quality of the next frame so far, 0 to 1: the share of its rows or, for pictures that are sent in passes, an
  /// estimate: the first pass counts one half, the second half of the rest, and so on. 1 if no more frames follow.
  public var quality: Double
}
