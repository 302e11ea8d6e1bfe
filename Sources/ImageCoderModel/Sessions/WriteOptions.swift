// SPDX-License-Identifier: Apache-2.0

/// How a file is to be written, as a writer sees it.
public struct WriteOptions: Sendable, Equatable {
  /// Which of the coder's formats.
  public var format: ImageFormat
  /// Every sample comes back as it was; a format that cannot throws ``CoderError/Code/unsupported``.
  public var isLossless: Bool
  /// Values that were asked for, by the names of options, validated; read them through ``subscript(_:)``.
  public var values: [String: Double]

  public init(format: ImageFormat) {
    self.format = format
    self.isLossless = false
    self.values = [:]
  }
}
