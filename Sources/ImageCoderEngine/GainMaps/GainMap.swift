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
    case .tables: return .named(9, 8)
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
    let tables = parameters.channels.map { GainTable($0, weight: weight) }
    let columns = Self.places(light.size.width, region.x, region.width, map.size.width)
    let rows = Self.places(light.size.height, region.y, region.height, map.size.height)
    let base = SIMD4(parameters.channels.map { Float($0.baseOffset) } + [0])
    let alternate = SIMD4(parameters.channels.map { Float($0.alternateOffset) } + [0])
    for y in 0..<light.size.height {
      let place = rows[y]
      let above = map.row(place.index).assumingMemoryBound(to: SIMD4<Float>.self)
      let below = map.row(place.next).assumingMemoryBound(to: SIMD4<Float>.self)
      let row = light.row(y).assumingMemoryBound(to: SIMD4<Float>.self)
      for x in 0..<light.size.width {
        let (left, right, part) = (columns[x].index, columns[x].next, columns[x].part)
        let upper = above[left] + (above[right] - above[left]) * part
        let lower = below[left] + (below[right] - below[left]) * part
        let sample = upper + (lower - upper) * place.part
        let color = row[x]
        let gain = SIMD4(tables[0].value(sample.x), tables[1].value(sample.y), tables[2].value(sample.z), 1)
        var result = ((color + base) * gain - alternate)
        result = result.replacing(with: 0, where: result .< 0)
        result.w = color.w
        row[x] = result
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

/// The gain of every sample, as lines between 1024 of them.
struct GainTable {
  private let values: [Float]
  private static let steps = 1024

  init(_ channel: GainMapParameters.Channel, weight: Double) {
    values = (0...Self.steps).map {
      Float(GainMapParameters.gain(Double($0) / Double(Self.steps), weight, channel))
    }
  }

  @inline(__always)
  func value(_ sample: Float) -> Float {
    // What is no number becomes 0.
    let place = max(min(sample, 1), 0) * Float(Self.steps)
    let index = min(Int(place), Self.steps - 1)
    return values[index] + (values[index + 1] - values[index]) * (place - Float(index))
  }
}
