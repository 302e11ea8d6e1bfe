// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// What a caller wants of an encode.
///
/// What a format cannot follow is an error where the picture would not be what was asked for, and a warning to ``log``
/// where it only would be made in another way.
public struct EncodeOptions: Sendable {
  /// 0 (smallest) to 1 (best), or nil for the format's own default.
  public var quality: Double?
  /// Every sample comes back as it was; a format that cannot throws ``CoderError/Code/unsupported``.
  public var isLossless = false
  /// Interlaced or progressive output.
  public var isProgressive = false
  /// Or nil for the format's own default.
  public var subsampling: Subsampling?
  /// What shows through where a format has no alpha: red, green, blue, 0 to 255.
  public var background: (red: UInt8, green: UInt8, blue: UInt8) = (255, 255, 255)
  /// The box that the picture has to fit, or nil. Aspect is kept; a picture is never enlarged.
  public var maxPixelSize: Size?
  /// Bytes that the whole file may have, frames and metadata included, or nil. The best ``quality`` that fits is searched,
  /// up to the one that is asked for; ``EncodedFile/quality`` says what it is. A file that is too large at quality 0, or
  /// that has none, is ``CoderError/Code/limitExceeded``.
  public var maxFileSize: Int?
  /// The longest side of a thumbnail that is kept inside the file, in pixels, or nil for none.
  public var thumbnailSide: Int?
  /// Longest sides of the pages that are made of one picture, for formats that keep several sizes of it (icons). Sizes
  /// above the picture's own are left out. Empty for the picture's own size.
  public var pageSizes: [Int] = []
  /// Encode only the first frame.
  public var firstFrameOnly = false
  /// How often an animation plays in all, or nil for what the image says.
  public var loopCount: LoopCount?
  /// Whether frames are cut to what changed, and frames that show the same become one. Without it, every frame is written
  /// as the whole canvas.
  public var reducesFrames = true
  /// What frames of an animation may need beyond the first two, which are looked at before the file is begun: colours,
  /// alpha, more bits. A later frame with colours or alpha that nobody announced is an error. Or nil.
  public var layout: PixelLayout?
  /// Whether ``Image/orientation`` is kept as a tag, where the format has one. Otherwise pixels are turned upright. Never
  /// both.
  public var keepsOrientation = false
  /// Which raw payloads are written, where the format has a place for them.
  public var metadata: Set<MetadataKind> = [.icc, .exif, .xmp]
  /// Whether a conversion hands a file that is already what is asked for over as it is, orientation tag and all, without
  /// decoding it.
  public var carriesOver = true
  /// Values of the format's own options by name, validated against their descriptions.
  public var values: [String: Double] = [:]
  public var limits = Limits.standard
  public var cancellation: Cancellation?
  /// Receives the coder's messages, and what of the image the format cannot hold; from any thread.
  public var log: (@Sendable (LogSeverity, String) -> Void)?
  /// Hears how much of the picture in progress is encoded, 0 to 1, on the encoding thread: 1 when a frame that was given
  /// is done, again for each quality that ``maxFileSize`` tries.
  public var progress: (@Sendable (Double) -> Void)?

  public init() {}
}
