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

  /// What Exif states: TIFF 6.0 §8, XResolution and the fields after it.
  init?(exif payload: [UInt8]) {
    guard case .dictionary(let tags)? = ExifProperties.read(payload.span.bytes)["{TIFF}"],
      let horizontal = tags["XResolution"]?.number, horizontal > 0, horizontal.isFinite
    else { return nil }
    let unit = tags["ResolutionUnit"]?.integer ?? 2
    guard unit == 2 || unit == 3 else { return nil }
    let inches = unit == 3 ? 2.54 : 1
    var vertical = tags["YResolution"]?.number ?? horizontal
    if vertical <= 0 || !vertical.isFinite { vertical = horizontal }
    self.init(horizontal * inches, vertical: vertical * inches)
  }

  /// Whether another one is the same, but for the rounding of a file's units.
  func isNear(_ other: Density) -> Bool {
    abs(horizontal - other.horizontal) < 0.01 * horizontal && abs(vertical - other.vertical) < 0.01 * vertical
  }
}

extension ExifDirectories {
  /// States a density in the tags of TIFF.
  mutating func set(_ density: Density) {
    func rational(_ number: Double) -> ExifValue {
      let isWhole = abs(number - number.rounded()) < 0.0005
      let scale = isWhole ? 1.0 : 10_000
      return .rationals([(UInt32(min(number * scale, 4e9).rounded()), UInt32(scale))])
    }
    set(0x011A, in: .main, to: rational(density.horizontal))
    set(0x011B, in: .main, to: rational(density.vertical))
    set(0x0128, in: .main, to: .shorts([2]))
  }
}
