// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// A gain map that is ready to be applied to rows of light, by several threads at a time.
struct GainMapRows: Sendable {
  /// Samples of the map, 0 to 1: one of gray or three of color for each place.
  private let samples: [Float]
  private let channels: Int
  private let mapWidth: Int
  private let tables: GainTables
  private let columns: [Place]
  private let rows: [Place]
  private let base: SIMD4<Float>
  private let alternate: SIMD4<Float>

  /// Between which two samples of the map a pixel is.
  private struct Place: Sendable {
    let index: Int32
    let next: Int32
    /// The part of the second.
    let part: Float
  }

  /// - Parameters:
  ///   - size: Of the picture.
  ///   - region: The part of the whole picture that is shown, as shares of its sides: 0 to 1.
  ///   - weight: How much of the map is applied, as ``GainMapParameters/weight(headroom:)`` gives it.
  init(
    _ map: GainMap, to size: Size, region: (x: Double, y: Double, width: Double, height: Double), weight: Double
  ) throws(CoderError) {
    let parameters = map.parameters
    // One look for all channels where they have the same sample and the same meaning.
    let isGray = map.pixels.format.isGray && parameters.isGray
    (samples, channels) = (try Self.samples(map.pixels, isGray: isGray), isGray ? 1 : 3)
    mapWidth = map.pixels.size.width
    tables = GainTables(parameters, weight: weight)
    columns = Self.places(size.width, from: region.x, share: region.width, of: map.pixels.size.width)
    rows = Self.places(size.height, from: region.y, share: region.height, of: map.pixels.size.height)
    base = SIMD4(parameters.channels.map { Float($0.baseOffset) } + [0])
    alternate = SIMD4(parameters.channels.map { Float($0.alternateOffset) } + [0])
  }

  private static func samples(_ pixels: PixelBuffer, isGray: Bool) throws(CoderError) -> [Float] {
    let (width, height) = (pixels.size.width, pixels.size.height)
    let channels = isGray ? 1 : 3
    var samples = [Float](repeating: 0, count: width * height * channels)
    if pixels.format == (isGray ? .gray8 : .rgb8) {
      for y in 0..<height {
        let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
        for index in 0..<(width * channels) { samples[y * width * channels + index] = Float(row[index]) * (1 / 255) }
      }
      return samples
    }
    let wide = try pixels.converted(to: PixelLayout(.rgbaFloat32, .opaque))
    for y in 0..<height {
      let row = wide.row(y).assumingMemoryBound(to: Float.self)
      for x in 0..<width {
        for channel in 0..<channels { samples[(y * width + x) * channels + channel] = row[x * 4 + channel] }
      }
    }
    return samples
  }

  /// Centers of pixels lie where those of the map do.
  private static func places(_ count: Int, from start: Double, share: Double, of samples: Int) -> [Place] {
    (0..<count).map { pixel in
      let place = (start + (Double(pixel) + 0.5) / Double(count) * share) * Double(samples) - 0.5
      let inside = min(max(place, 0), Double(samples - 1))
      let index = min(Int(inside), samples - 1)
      return Place(
        index: Int32(index), next: Int32(min(index + 1, samples - 1)), part: Float(inside - Double(index)))
    }
  }

  /// Applies the map to a row.
  ///
  /// - Parameter light: Pixels of `rgba-float32` in straight alpha, as many as the picture is wide.
  func apply(to light: UnsafeMutablePointer<SIMD4<Float>>, y: Int) {
    let place = rows[y]
    let (count, width) = (mapWidth * channels, columns.count)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { line in
      guard let line = line.baseAddress else { return }
      samples.withUnsafeBufferPointer { samples in
        guard let samples = samples.baseAddress else { return }
        let (above, below) = (samples + Int(place.index) &* count, samples + Int(place.next) &* count)
        let part = place.part
        for index in 0..<count { line[index] = above[index] + (below[index] - above[index]) * part }
      }
      columns.withUnsafeBufferPointer { columns in
        tables.withTables { red, green, blue in
          if channels == 1 {
            for x in 0..<width {
              let column = columns[x]
              let (left, right) = (line[Int(column.index)], line[Int(column.next)])
              let gain = GainTables.value(left + (right - left) * column.part, red)
              light[x] = brightened(light[x], SIMD4(gain, gain, gain, 1))
            }
          } else {
            for x in 0..<width {
              let column = columns[x]
              let (left, right) = (line + Int(column.index) &* 3, line + Int(column.next) &* 3)
              let gain = SIMD4(
                GainTables.value(left[0] + (right[0] - left[0]) * column.part, red),
                GainTables.value(left[1] + (right[1] - left[1]) * column.part, green),
                GainTables.value(left[2] + (right[2] - left[2]) * column.part, blue), 1)
              light[x] = brightened(light[x], gain)
            }
          }
        }
      }
    }
  }

  /// ISO 21496-1 §6.3: light of the other rendition, never below 0. Offsets of alpha are 0.
  @inline(__always)
  private func brightened(_ color: SIMD4<Float>, _ gain: SIMD4<Float>) -> SIMD4<Float> {
    let result = (color + base) * gain - alternate
    return result.replacing(with: 0, where: result .< 0)
  }
}

/// The gain of every sample of each channel, as lines between 1024 of them.
struct GainTables: Sendable {
  /// Those of red, then of green, then of blue.
  private let values: [Float]
  private static let steps = 1024

  init(_ parameters: GainMapParameters, weight: Double) {
    values = parameters.channels.flatMap { channel in
      (0...Self.steps).map { Float(GainMapParameters.gain(Double($0) / Double(Self.steps), weight: weight, channel)) }
    }
  }

  /// Calls `body` with the gains of red, green and blue.
  @inline(__always)
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
