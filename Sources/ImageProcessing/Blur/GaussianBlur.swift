// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel

/// Blurs by a Gaussian, rows first, then columns.
///
/// Of 8 bits per channel, a kernel of whole numbers is summed (``ByteBlur``). Of more, up to a standard deviation of 3 the
/// kernel is summed as it is; above, two recursions make the same cost of any (Deriche,
/// "Recursively implementing the Gaussian and its derivatives", 1993, fourth order): each is within a thousandth of full
/// intensity of the kernel.
enum GaussianBlur {
  /// From here on recursions are used.
  static let directLimit = 3.0

  static func applied(to pixels: PixelBuffer, sigma: Double) throws(CoderError) -> PixelBuffer {
    // A neighbor would weigh less than the rounding of 16 bits.
    guard sigma >= 0.2 else { return pixels }
    if let bytes = ByteBlur(sigma: sigma, of: pixels.layout) { return try bytes.applied(to: pixels) }
    if sigma <= directLimit {
      return try applied(DirectKernel(sigma: sigma), to: pixels)
    }
    return try applied(RecursiveKernel(sigma: sigma), to: pixels)
  }

  private static func applied(_ kernel: some LineFilter, to pixels: PixelBuffer) throws(CoderError) -> PixelBuffer {
    let layout = pixels.wideLayout
    let wide = try PixelBuffer(size: pixels.size, format: layout.format, alpha: layout.alpha)
    if layout.format == .rgba16 {
      filterRows(kernel, pixels, into: wide, IntegerSamples.self)
      filterColumns(kernel, wide, IntegerSamples.self)
    } else {
      filterRows(kernel, pixels, into: wide, FloatSamples.self)
      filterColumns(kernel, wide, FloatSamples.self)
    }
    let writer = RowConverter(from: layout, to: pixels.layout)
    if writer.isIdentity { return wide }
    let result = try PixelBuffer(size: pixels.size, format: pixels.format, alpha: pixels.alpha)
    Bands.run(rows: pixels.size.height) { rows in
      for y in rows { writer.convert(wide.row(y), into: result.row(y), count: result.size.width) }
    }
    return result
  }

  private static func filterRows<Samples: WideSamples>(
    _ kernel: some LineFilter, _ pixels: PixelBuffer, into wide: PixelBuffer, _: Samples.Type
  ) {
    let (width, reach) = (pixels.size.width, kernel.reach)
    let reader = RowConverter(from: pixels.layout, to: wide.layout)
    Bands.run(rows: pixels.size.height) { rows in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: 2 * width + 2 * reach) { buffer in
        guard let padded = buffer.baseAddress else { return }
        let (line, filtered) = (padded + reach, padded + 2 * reach + width)
        for y in rows {
          let row = wide.row(y)
          reader.convert(pixels.row(y), into: row, count: width)
          for x in 0..<width { line[x] = Samples.load(row, x) }
          kernel.filter(line, into: filtered, count: width, lanes: 1)
          for x in 0..<width { Samples.store(filtered[x], row, x) }
        }
      }
    }
  }

  /// Columns that are filtered together: a row of them is a line or two of the cache.
  private static let stripWidth = 16

  private static func filterColumns<Samples: WideSamples>(
    _ kernel: some LineFilter, _ wide: PixelBuffer, _: Samples.Type
  ) {
    let (width, height, reach) = (wide.size.width, wide.size.height, kernel.reach)
    let isOpaque = wide.alpha == .opaque
    let limits = Samples.self == IntegerSamples.self
    Bands.run(rows: (width + stripWidth - 1) / stripWidth) { strips in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: stripWidth * (2 * height + 2 * reach)) { buffer in
        guard let padded = buffer.baseAddress else { return }
        for strip in strips {
          let first = strip * stripWidth
          let lanes = min(stripWidth, width - first)
          let (lines, filtered) = (padded + reach * lanes, padded + (2 * reach + height) * lanes)
          for y in 0..<height {
            let row = UnsafeRawPointer(wide.base + y &* wide.stride)
            for lane in 0..<lanes { lines[y &* lanes &+ lane] = Samples.load(row, first &+ lane) }
          }
          kernel.filter(lines, into: filtered, count: height, lanes: lanes)
          for y in 0..<height {
            let row = wide.base + y &* wide.stride
            for lane in 0..<lanes {
              var pixel = filtered[y &* lanes &+ lane]
              if isOpaque {
                pixel.w = 1
              } else if limits {
                // Color is never brighter than its alpha, whatever the rounding.
                pixel = pointwiseMin(pixel, SIMD4(repeating: pixel.w))
              }
              Samples.store(pixel, row, first &+ lane)
            }
          }
        }
      }
    }
  }
}

/// Filters lines of pixels: rows, or columns that lie side by side.
protocol LineFilter: Sendable {
  /// Pixels before and after each line that `filter` may write.
  var reach: Int { get }

  /// - Parameters:
  ///   - lines: `count` times `lanes` pixels, the first of every line before the second of any, with room for
  ///     `reach × lanes` before and after.
  func filter(_ lines: FloatRow, into result: FloatRow, count: Int, lanes: Int)
}

/// The kernel as it is.
struct DirectKernel: LineFilter {
  let reach: Int
  /// The weight of the middle, and of the neighbors on either side; they sum to 1.
  private let weights: [Float]

  init(sigma: Double) {
    // Beyond 4 sigma is less than a fifth of the last bit of 16.
    reach = max(1, Int((4.5 * sigma).rounded(.up)))
    let shape = (0...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = shape[0] + 2 * shape.dropFirst().reduce(0, +)
    weights = shape.map { Float($0 / sum) }
  }

  func filter(_ lines: FloatRow, into result: FloatRow, count: Int, lanes: Int) {
    let total = count &* lanes
    for n in 1...reach {
      for lane in 0..<lanes {
        lines[lane &- n &* lanes] = lines[lane]
        lines[total &+ (n &- 1) &* lanes &+ lane] = lines[total &- lanes &+ lane]
      }
    }
    weights.withUnsafeBufferPointer { weights in
      for i in 0..<total {
        var sum = lines[i] * weights[0]
        var (before, after) = (i &- lanes, i &+ lanes)
        for n in 1..<weights.count {
          sum += (lines[before] + lines[after]) * weights[n]
          before &-= lanes
          after &+= lanes
        }
        result[i] = sum
      }
    }
  }
}
