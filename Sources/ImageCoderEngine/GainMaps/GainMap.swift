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

  /// Applies the map to light, row by row.
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
    let map = try pixels.converted(to: PixelLayout(.rgbaFloat32, .opaque))
    let tables = GainTables(parameters, weight: weight)
    // One look for all channels where they have the same sample and the same meaning.
    let isGray = pixels.format.isGray && parameters.isGray
    let columns = Self.places(light.size.width, region.x, region.width, map.size.width)
    let rows = Self.places(light.size.height, region.y, region.height, map.size.height)
    let base = SIMD4(parameters.channels.map { Float($0.baseOffset) } + [0])
    let alternate = SIMD4(parameters.channels.map { Float($0.alternateOffset) } + [0])
    let width = light.size.width
    columns.withUnsafeBufferPointer { columns in
      tables.withTables { red, green, blue in
        for y in 0..<light.size.height {
          let place = rows[y]
          let above = map.row(place.index).assumingMemoryBound(to: SIMD4<Float>.self)
          let below = map.row(place.next).assumingMemoryBound(to: SIMD4<Float>.self)
          let row = light.row(y).assumingMemoryBound(to: SIMD4<Float>.self)
          for x in 0..<width {
            let column = columns[x]
            let upper = above[column.index] + (above[column.next] - above[column.index]) * column.part
            let lower = below[column.index] + (below[column.next] - below[column.index]) * column.part
            let sample = upper + (lower - upper) * place.part
            let color = row[x]
            let first = GainTables.value(sample.x, red)
            let gain =
              isGray
              ? SIMD4(first, first, first, 1)
              : SIMD4(first, GainTables.value(sample.y, green), GainTables.value(sample.z, blue), 1)
            var result = (color + base) * gain - alternate
            result = result.replacing(with: 0, where: result .< 0)
            result.w = color.w
            row[x] = result
          }
        }
      }
    }
  }

  /// Between which two samples of the map a pixel is.
  private struct Place {
    let index: Int
    let next: Int
    /// Of the second.
    let part: Float
  }

  /// Centers of pixels lie where those of the map do.
  private static func places(_ count: Int, _ start: Double, _ share: Double, _ samples: Int) -> [Place] {
    (0..<count).map { pixel in
      let place = (start + (Double(pixel) + 0.5) / Double(count) * share) * Double(samples) - 0.5
      let inside = min(max(place, 0), Double(samples - 1))
      let index = min(Int(inside), samples - 1)
      return Place(index: index, next: min(index + 1, samples - 1), part: Float(inside - Double(index)))
    }
  }
}

/// The gain of every sample of each channel, as lines between 1024 of them.
struct GainTables {
  /// Those of red, then of green, then of blue.
  private let values: [Float]
  private static let steps = 1024

  init(_ parameters: GainMapParameters, weight: Double) {
    values = parameters.channels.flatMap { channel in
      (0...Self.steps).map { Float(GainMapParameters.gain(Double($0) / Double(Self.steps), weight, channel)) }
    }
  }

  /// Calls `body` with the gains of red, green and blue.
  func withTables(_ body: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>) -> Void) {
    values.withUnsafeBufferPointer { values in
      guard let red = values.baseAddress else { return }
      body(red, red + (Self.steps + 1), red + 2 * (Self.steps + 1))
    }
  }

  /// The gain of a sample; what is no number counts as 0.
  @inline(__always)
  static func value(_ sample: Float, _ table: UnsafePointer<Float>) -> Float {
    let place = max(min(sample, 1), 0) * Float(steps)
    let index = place > 0 ? min(Int(place), steps - 1) : 0
    return table[index] + (table[index + 1] - table[index]) * (place - Float(index))
  }
}
