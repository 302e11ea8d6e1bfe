// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How to decode an image.
public struct DecodeOptions: Sendable {
  /// The box that the picture has to fit, in displayed pixels, or nil for full size. A side of 0 is unlimited: 300×0
  /// limits only the width. A picture is never enlarged; a negative side is ``CoderError/Code/invalidArgument``.
  public var thumbnailSize: Size?
  /// How the picture is fitted to the box.
  public var thumbnailMode: ThumbnailMode = .fit
  /// Decode only the first frame of an animation: the result is a still picture.
  public var firstFrameOnly = false
  /// How to treat several frames in a file that is not an animation.
  public var stillParts = StillParts.composed
  /// The display scale of the result; values below 1 become 1. It does not affect the pixels.
  public var scale = 1.0
  /// The maximum number of bytes of all decoded frames, or nil. Frames become smaller, never fewer. Overrides
  /// ``thumbnailSize`` if it leads to a smaller size.
  public var memoryBudget: Int?
  /// The pixel format of the result, or nil for the smallest that holds the file's pixels without loss.
  public var pixelFormat: PixelFormat?
  /// What alpha means in the result, if it has alpha.
  public var alpha: AlphaMode = .straight
  /// Turn the picture upright. Without it, the orientation is reported and the box is in stored pixels.
  public var appliesOrientation = true
  /// The page to decode. Nil for the file's primary page or, if the pages are sizes of one picture, for the page that
  /// fits ``thumbnailSize`` best.
  public var page: Int?
  /// Which raw metadata payloads the result contains.
  public var metadata: Set<MetadataKind> = [.icc, .exif, .xmp]
  /// What the decode may use; ``CoderError/Code/limitExceeded`` if the picture needs more.
  public var limits = Limits.standard
  /// The pool that pixel memory comes from, or nil for the system.
  public var pool: PixelPool?
  /// The caller's memory for the first frame, or nil. Its size and layout must be those of the result.
  public var destination: PixelBuffer?
  /// Stops the work from another thread.
  public var cancellation: Cancellation?
  /// Receives the coder's messages, from any thread.
  public var log: (@Sendable (LogSeverity, String) -> Void)?
  /// Called with the decoded share of a frame, 0 to 1, on the thread that decodes.
  public var progress: (@Sendable (Double) -> Void)?
  /// Formats that may be decoded, or nil for all.
  public var allowedFormats: Set<ImageFormat>?

  /// How to treat several frames without delays. Some GIF files use them to show more than 256 colors.
  public enum StillParts: Sendable {
    /// They are parts of one picture, which is composed of them.
    case composed
    /// Each can be decoded as a frame.
    case separate
  }

  /// Makes options to decode all frames in full size and upright, with straight alpha.
  public init() {}

  /// Options for a thumbnail of the first frame.
  public static func thumbnail(_ mode: ThumbnailMode = .fit, width: Int, height: Int) -> DecodeOptions {
    var options = DecodeOptions()
    options.thumbnailSize = Size(width: width, height: height)
    options.thumbnailMode = mode
    options.firstFrameOnly = true
    return options
  }
}
