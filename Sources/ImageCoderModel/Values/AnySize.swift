// SPDX-License-Identifier: Apache-2.0

/// What a drawing without pixels of its own says of its size.
public struct AnySize: Sendable, Equatable {
  /// The width that the file states, in pixels at the header's resolution, or nil if it states only a ratio.
  public var width: Double?
  /// The height that the file states, or nil if it states only a ratio.
  public var height: Double?
  /// The longest side that the reader draws, in pixels, or nil if it has no limit of its own.
  public var largestSide: Int?

  /// Describes a drawing.
  ///
  /// - Parameters:
  ///   - width: More than 0, or nil with `height` if the file states only a ratio, which is that of the canvas.
  ///   - largestSide: At least 1, or nil.
  public init(width: Double? = nil, height: Double? = nil, largestSide: Int? = nil) {
    self.width = width
    self.height = height
    self.largestSide = largestSide
  }
}
