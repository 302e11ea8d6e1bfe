// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// A decoded image: one frame, or the frames of an animation.
public struct Image: Sendable {
  /// At least one. All have the same size and layout.
  public var frames: [Frame]
  /// How often the animation plays in all.
  public var loopCount: LoopCount
  /// What is still to be applied: ``Orientation/up`` unless the decode was told to leave it.
  public var orientation: Orientation
  /// Raw payloads by kind.
  public var metadata: [MetadataKind: [UInt8]]
  public var cicp: CodingIndependentCodePoints?
  /// The display scale, at least 1.
  public var scale: Double
  /// The file's header, or nil for a picture that comes from no file.
  public var header: ImageHeader?
  /// The identifier of the coder that decoded it, or nil.
  public var coderID: String?
  /// Why pixels or frames are missing, or nil when all are there.
  public var problem: CoderError?

  /// A still picture of the caller's own pixels.
  public init(_ pixels: PixelBuffer) {
    self.init(frames: [Frame(pixels: pixels)])
  }

  /// - Parameter frames: At least one, all of one size and layout.
  public init(frames: [Frame], loopCount: LoopCount = .infinite) {
    precondition(!frames.isEmpty, "an image has at least one frame")
    self.frames = frames
    self.loopCount = loopCount
    self.orientation = .up
    self.metadata = [:]
    self.scale = 1
  }

  /// The pixels of the first frame.
  public var pixels: PixelBuffer { frames[0].pixels }

  /// The size of every frame, pixels.
  public var size: Size { pixels.size }
}

/// One step of a decoded animation: the whole canvas as it is shown.
public struct Frame: Sendable {
  public var pixels: PixelBuffer
  /// As the file has it.
  public var delay: FrameDelay
  /// Why pixels are missing, or nil when all are there. Rows that are missing are transparent black, or show what was
  /// on the canvas before.
  public var problem: CoderError?

  public init(pixels: PixelBuffer, delay: FrameDelay = .zero, problem: CoderError? = nil) {
    self.pixels = pixels
    self.delay = delay
    self.problem = problem
  }
}
