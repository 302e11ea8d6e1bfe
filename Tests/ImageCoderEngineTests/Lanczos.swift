// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Lanczos resampling with three lobes as it is defined: every weight of every source pixel, in double precision.
enum Lanczos {
  /// Weights of each result pixel, and the first source pixel that they are for.
  private static func weights(_ length: Int, _ offset: Double, _ extent: Double, _ count: Int) -> [(Int, [Double])] {
    let scale = extent / Double(count)
    let unit = max(scale, 1)
    return (0..<count).map { i in
      let center = offset + (Double(i) + 0.5) * scale
      let first = max(0, Int((center - 3 * unit).rounded(.down)))
      let last = min(length - 1, Int((center + 3 * unit).rounded(.up)))
      let values = (first...last).map { lanczos((Double($0) + 0.5 - center) / unit) }
      let sum = values.reduce(0, +)
      return (first, values.map { $0 / sum })
    }
  }

  private static func lanczos(_ x: Double) -> Double { abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0 }

  private static func sinc(_ x: Double) -> Double {
    guard x != 0 else { return 1 }
    // The Taylor series of the sine, after the angle has been brought to ± π/2; no library is asked.
    let turns = x.rounded()
    let angle = (x - turns) * .pi
    var term = angle
    var sine = angle
    for n in 1..<12 {
      term *= -angle * angle / Double(2 * n * (2 * n + 1))
      sine += term
    }
    return (Int(turns) % 2 == 0 ? sine : -sine) / (x * .pi)
  }

  /// Samples of the result, 0 … 1.
  static func resampled(_ picture: PixelBuffer, to size: Size, _ region: ResamplingRegion) -> [Double] {
    let channels = picture.format.channelCount
    let hasAlpha = picture.format.hasAlpha && picture.alpha != .opaque
    var samples = picture.samples
    if picture.alpha == .straight, hasAlpha {
      for i in 0..<samples.count where i % channels != channels - 1 {
        samples[i] *= samples[i / channels * channels + channels - 1]
      }
    }
    let across = weights(picture.size.width, region.x, region.width, size.width)
    let down = weights(picture.size.height, region.y, region.height, size.height)
    var lines = [Double](repeating: 0, count: picture.size.height * size.width * channels)
    for y in 0..<picture.size.height {
      for (x, (first, values)) in across.enumerated() {
        for (k, weight) in values.enumerated() {
          for c in 0..<channels {
            lines[(y * size.width + x) * channels + c] +=
              weight * samples[(y * picture.size.width + first + k) * channels + c]
          }
        }
      }
    }
    let row = size.width * channels
    var result = [Double](repeating: 0, count: size.height * row)
    for (y, (first, values)) in down.enumerated() {
      for (k, weight) in values.enumerated() {
        for i in 0..<row { result[y * row + i] += weight * lines[(first + k) * row + i] }
      }
    }
    guard !picture.format.isFloat || hasAlpha else { return result }
    for i in stride(from: 0, to: result.count, by: channels) {
      let alpha = hasAlpha ? min(max(result[i + channels - 1], 0), 1) : 1
      if hasAlpha { result[i + channels - 1] = alpha }
      for c in 0..<(hasAlpha ? channels - 1 : channels) {
        if picture.alpha == .straight, hasAlpha { result[i + c] = alpha > 0 ? result[i + c] / alpha : 0 }
        if !picture.format.isFloat {
          result[i + c] = min(max(result[i + c], 0), picture.alpha == .premultiplied && hasAlpha ? alpha : 1)
        }
      }
    }
    return result
  }
}
