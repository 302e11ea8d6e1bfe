// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// What a caller wants of a decode.
public struct DecodeOptions: Sendable {
  /// The box that the picture has to fit, in displayed pixels, or nil for full size. A side of 0 is free: 300×0 is a
  /// width alone. A picture is never enlarged; a negative side is ``CoderError/Code/invalidArgument``.
  public var thumbnailSize: Size?
  /// How the picture meets the box.
  public var thumbnailMode: ThumbnailMode = .fit
  /// Decode only the first frame of an animation: the result is a still picture.
  public var firstFrameOnly = false
  /// What is made of several frames of a file that is no animation.
  public var stillParts = StillParts.composed
  /// The display scale attached to the result; values below 1 become 1. Pixels do not depend on it.
  public var scale = 1.0
  /// Bytes that all decoded frames may take, or nil. Frames are made smaller, never fewer. Takes the place of
  /// ``thumbnailSize`` when it asks for less.
  public var memoryBudget: Int?
  /// The pixel format of the result, or nil for the narrowest that holds the file's pixels without loss.
  public var pixelFormat: PixelFormat?
  /// What alpha means in the result, where it has alpha.
  public var alpha: AlphaMode = .straight
  /// Turn the picture upright. Without it, the orientation is reported and the box is in stored pixels.
  public var appliesOrientation = true
  /// The page to decode, or nil for the file's primary one; of an icon's sizes, for the one that fits
  /// ``thumbnailSize`` best.
  public var page: Int?
  /// Which raw payloads come with the result.
  public var metadata: Set<MetadataKind> = [.icc, .exif, .xmp]
  public var limits = Limits.standard
  /// Where pixel memory comes from, or nil for the system.
  public var pool: PixelPool?
  /// Memory of the caller for the first frame, or nil. Its size and layout must be those of the result.
  public var destination: PixelBuffer?
  /// Stops the work from another thread.
  public var cancellation: Cancellation?
  /// Receives the coder's messages, from any thread.
  public var log: (@Sendable (LogSeverity, String) -> Void)?
  /// Hears how much of a frame is decoded, 0 to 1, on the thread that decodes.
  public var progress: (@Sendable (Double) -> Void)?
  /// Formats that may be decoded, or nil for all.
  public var allowedFormats: Set<ImageFormat>?

  /// What several frames without any time between them are, as some GIF files have them to show more than 256 colors.
  public enum StillParts: Sendable {
    /// Parts of one picture, which is shown whole.
    case composed
    /// Frames to be asked for one by one.
    case separate
  }

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
