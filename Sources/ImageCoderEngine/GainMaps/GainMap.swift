// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// A gain map: how to make of a picture its rendition for another display.
public struct GainMap: Sendable {
  /// What the map's samples mean.
  public var parameters: GainMapParameters
  /// The map, often smaller than the picture: gray, or with a channel for each color. It is turned as the picture is.
  public var pixels: PixelBuffer
  /// The colors of the other rendition, or nil for those of the picture.
  public var alternateColors: CodingIndependentCodePoints?
  /// The profile of those colors, or nil.
  public var alternateProfile: [UInt8]?
  /// The file that the pixels were decoded from, if it is one of its own and says the same.
  package var file: [UInt8]?

  /// Makes a gain map of the caller's pixels.
  public init(_ parameters: GainMapParameters, pixels: PixelBuffer) {
    self.parameters = parameters
    self.pixels = pixels
  }

  /// The space whose primaries light has while the map is applied.
  ///
  /// - Parameter base: The space of the picture.
  func workingSpace(base: ColorSpace) -> ColorSpace {
    var space = base
    if !parameters.usesBaseColors {
      if let alternateProfile, let found = try? ICCColorReader.space(alternateProfile, isGray: false) {
        space = found
      } else if let alternateColors, let found = ColorSpace(alternateColors) {
        space = found
      }
    }
    switch space.model {
    case .rgb(let matrix, _):
      return ColorSpace("light", .rgb(toXYZ: matrix, curves: [.linear, .linear, .linear]))
    case .gray: return .linearSRGB
    // Primaries of tables are not known; these hold all of their colors.
    case .tables, .inks, .press: return .named(9, 8)
    }
  }

  /// Applies the map to light, row by row, on several threads.
  ///
  /// - Parameters:
  ///   - light: `rgba-float32` with straight alpha, in the primaries of ``workingSpace(base:)``; it is changed.
  ///   - region: The part of the whole picture that `light` shows, as shares of its sides: 0 to 1.
  ///   - headroom: Of the display; at least 1.
  package func apply(
    to light: PixelBuffer, region: (x: Double, y: Double, width: Double, height: Double), headroom: Double
  ) throws(CoderError) {
    let weight = parameters.weight(headroom: headroom)
    guard weight != 0 else { return }
    let rows = try GainMapRows(self, to: light.size, region: region, weight: weight)
    light.forEachRow { y in rows.apply(to: light.row(y).assumingMemoryBound(to: SIMD4<Float>.self), y: y) }
  }
}

extension PixelBuffer {
  /// Calls `body` once for every row, on as many threads as are free.
  func forEachRow(_ body: @escaping @Sendable (_ y: Int) -> Void) {
    let (band, height) = (16, size.height)
    ThreadPool.shared.run((height + band - 1) / band) { index in
      for y in (index * band)..<min(height, index * band + band) { body(y) }
    }
  }
}
