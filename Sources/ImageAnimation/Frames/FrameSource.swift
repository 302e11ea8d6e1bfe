// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// What a player needs of anything that is animated.
///
/// An ``AnimatedImage``, a ``StreamingAnimation``, a ``FrameList`` and a ``SpriteSheet`` are sources. So is any type of an
/// application that has these members; a drawing, for example:
///
///     struct Pulse: FrameSource {
///       let size = Size(width: 16, height: 16)
///       let frameCount = 30
///       let loopCount = LoopCount.infinite
///       func delay(at index: Int) -> FrameDelay { .milliseconds(33) }
///       func frame(at index: Int) throws(CoderError) -> Frame { Frame(pixels: try circle(radius: index / 4)) }
///     }
///
/// - Threads: Every member may be called from any thread, also from several at once. Only ``frame(at:)`` may take long.
public protocol FrameSource: Sendable {
  /// The size of the canvas, in pixels.
  var size: Size { get }
  /// The number of frames that are known, all of whose pixels are final. It may grow until ``isComplete``, and never
  /// shrinks.
  var frameCount: Int { get }
  /// Whether ``frameCount`` is final. True unless the type says otherwise.
  var isComplete: Bool { get }
  /// The total number of times that the animation plays.
  var loopCount: LoopCount { get }
  /// How long a frame is shown. Frames without a delay are never waited for.
  ///
  /// - Parameter index: A number in `0 ..< frameCount`.
  func delay(at index: Int) -> FrameDelay
  /// A frame's pixels as they are shown.
  ///
  /// - Parameter index: A number in `0 ..< frameCount`, in any order.
  /// - Throws: ``CoderError``, if there are no pixels to show. A frame that is damaged but can be shown has
  ///   ``Frame/problem``.
  func frame(at index: Int) throws(CoderError) -> Frame
  /// The part of a larger picture that a frame is, or nil if ``frame(at:)`` is the whole picture. A program that draws
  /// with a texture may draw this part of it.
  func rectangle(at index: Int) -> Rect?
  /// The bytes that the pixels of one frame need. Four for each pixel of the canvas unless the type says otherwise; 0 for
  /// frames that are views of memory that is there anyway.
  var frameByteCount: Int { get }
  /// Whether a frame can be decoded without the frames before it. True unless the type says otherwise.
  func isKeyFrame(at index: Int) -> Bool
}

extension FrameSource {
  /// True: sources that do not grow.
  public var isComplete: Bool { true }

  /// Nil: frames are whole pictures.
  public func rectangle(at index: Int) -> Rect? { nil }

  /// Four bytes for each pixel of the canvas.
  public var frameByteCount: Int {
    let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: 4)
    return overflow ? .max : bytes
  }

  /// True: frames are pictures of their own.
  public func isKeyFrame(at index: Int) -> Bool { true }
}

extension CoderError {
  /// The caller asked for a frame that a source does not have.
  package static func noFrame(_ index: Int, of count: Int) -> CoderError {
    .invalidArgument("frame index \(index); there are \(count), of index 0 to \(count - 1)")
  }
}
