// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Pixels per inch that a picture states.
public struct Density: Sendable, Hashable {
  /// Pixels per inch from left to right, more than 0.
  public var horizontal: Double
  /// Pixels per inch from top to bottom, more than 0.
  public var vertical: Double

  /// - Parameter vertical: Nil for the same in both directions.
  public init(_ horizontal: Double, vertical: Double? = nil) {
    self.horizontal = horizontal
    self.vertical = vertical ?? horizontal
  }

  /// That of a picture turned by a quarter.
  var turned: Density { Density(vertical, vertical: horizontal) }

  /// What a header states. A pixel that is twice as wide as high has half as many in an inch.
  package init?(_ header: ImageHeader) {
    guard let resolution = header.resolution, !header.isScalable else { return nil }
    self.init(resolution, vertical: resolution * (header.pixelAspect ?? 1))
  }

  /// Whether another one is the same, but for the rounding of a file's units.
  func isNear(_ other: Density) -> Bool {
    abs(horizontal - other.horizontal) < 0.01 * horizontal && abs(vertical - other.vertical) < 0.01 * vertical
  }
}
