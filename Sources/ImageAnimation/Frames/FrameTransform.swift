// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// What is done to each frame of an animation before it is shown: rounded corners, a tint.
///
/// The work is done once for each frame. The result is kept under the key, so that going back to a transform that was used
/// before needs no work. A ``FrameBuffer`` keeps results as it keeps frames: within its budget, and only those of the transform
/// that is used.
public struct FrameTransform: Sendable {
  /// Says what is done. The same key always means the same work: "corners 8".
  public let key: String
  /// Makes the shown pixels of a frame. All frames get the same size.
  public let apply: @Sendable (_ pixels: PixelBuffer, _ index: Int) throws(CoderError) -> PixelBuffer

  /// - Parameter apply: Must not change the pixels that it gets. It may be called on any thread.
  public init(
    _ key: String,
    _ apply: @escaping @Sendable (_ pixels: PixelBuffer, _ index: Int) throws(CoderError) -> PixelBuffer
  ) {
    self.key = key
    self.apply = apply
  }
}
