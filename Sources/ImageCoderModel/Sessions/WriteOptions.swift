// SPDX-License-Identifier: Apache-2.0

/// How a file is to be written, as a writer sees it.
public struct WriteOptions: Sendable, Equatable {
  /// Which of the coder's formats.
  public var format: ImageFormat
  /// 0 (smallest) to 1 (best), or nil for the writer's own default.
  public var quality: Double?
  /// Every sample comes back as it was; a format that cannot throws ``CoderError/Code/unsupported``.
  public var isLossless: Bool
  /// Interlaced or progressive output.
  public var isProgressive: Bool
  /// Or nil for the writer's own default.
  public var subsampling: Subsampling?
  /// Values of the format's own options, validated.
  public var values: [String: Double]

  public init(format: ImageFormat) {
    self.format = format
    self.isLossless = false
    self.isProgressive = false
    self.values = [:]
  }
}
