// SPDX-License-Identifier: Apache-2.0

/// How a writer has to write a file.
public struct WriteOptions: Sendable, Equatable {
  /// Which of the coder's formats.
  public var format: ImageFormat
  /// Whether to keep every sample exactly; a writer that cannot do so throws ``CoderError/Code/unsupported``.
  public var isLossless: Bool
  /// The values that were given, by option name: words for texts, numbers for all else. They have been checked; read
  /// them through ``subscript(_:)``.
  public var values: [String: OptionValue]

  /// Makes options for a format: samples need not be kept exactly, and every option has its default.
  public init(format: ImageFormat) {
    self.format = format
    self.isLossless = false
    self.values = [:]
  }
}
