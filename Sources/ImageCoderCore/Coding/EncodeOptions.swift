// SPDX-License-Identifier: Apache-2.0

/// What a caller wants of an encode.
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
  /// Longest sides of the pages that are made of one picture, for formats that keep several sizes of it (icons). Sizes
  /// above the picture's own are left out. Empty for the picture's own size.
  public var pageSizes: [Int] = []
  /// Encode only the first frame.
  public var firstFrameOnly = false
  /// Which raw payloads are written, where the format has a place for them.
  public var metadata: Set<MetadataKind> = [.icc, .exif, .xmp]
  /// Values of the format's own options by name, validated against their descriptions.
  public var values: [String: Double] = [:]
  public var limits = Limits.standard
  public var cancellation: Cancellation?
  /// Receives the coder's messages, and what of the image the format cannot hold; from any thread.
  public var log: (@Sendable (CoderHost.Severity, String) -> Void)?

  public init() {}
}
