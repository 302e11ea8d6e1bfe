// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// A decoded image: one frame, or the frames of an animation.
public struct Image: Sendable {
  /// At least one. All have the same size and layout.
  public var frames: [Frame]
  /// The total number of times that the animation plays.
  public var loopCount: LoopCount
  /// The orientation that still has to be applied: ``Orientation/up`` unless
  /// ``DecodeOptions/Output/appliesOrientation`` was off.
  public var orientation: Orientation
  /// Raw payloads by kind.
  public var metadata: [MetadataKind: [UInt8]]
  /// The colors as code points of ITU-T H.273, or nil if they are not stated. An ICC profile in ``metadata`` is
  /// separate.
  public var cicp: CodingIndependentCodePoints?
  /// How bright the light of a PQ or HLG picture is, as its file says. A file that is written says it too; where nothing
  /// does, that of a still in PQ that comes from no file, or has got other colors, is measured.
  public var light = LightLevels()
  /// What the file says of its colors where it has neither a profile nor code points.
  package var stored = StoredColor()
  /// Pictures of the file that belong to this one: gain maps, depth, mattes.
  package var companions: [PageKind] = []
  /// Pixels per inch, as the file's container states them, or nil. What Exif states is in ``metadata``.
  public var density: Density?
  /// What was done to the picture since it was in its file.
  package var changes: PictureChanges = []
  /// The part of the upright picture of the file that it shows, or nil for all of it.
  package var part: Rect?
  /// The display scale, at least 1.
  public var scale: Double
  /// The file's header, or nil for a picture that does not come from a file.
  public var header: ImageHeader?
  /// The identifier of the coder that decoded it, or nil.
  public var coderID: String?
  /// The files beside the file that its coder asked for: the picture may be another one when they are.
  package var siblings: [SiblingStamp] = []
  /// Why pixels or frames are missing, or nil if the image is complete.
  public var problem: CoderError?

  /// Makes a still picture from the caller's pixels.
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

  /// The size of every frame, in pixels.
  public var size: Size { pixels.size }
}

/// One step of a decoded animation: the whole canvas as it is shown.
public struct Frame: Sendable {
  /// The canvas while this frame is shown. A copy of the frame shares the buffer.
  public var pixels: PixelBuffer
  /// How long the frame is shown, as the file states it.
  public var delay: FrameDelay
  /// Why pixels are missing, or nil if the frame is complete. Missing rows are transparent black, or show the previous
  /// content of the canvas.
  public var problem: CoderError?

  /// Makes a frame of the caller's pixels, which are not copied.
  public init(pixels: PixelBuffer, delay: FrameDelay = .zero, problem: CoderError? = nil) {
    self.pixels = pixels
    self.delay = delay
    self.problem = problem
  }
}
