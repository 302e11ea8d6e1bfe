// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// The mean structural similarity of two planes of samples from 0 to 255.
enum StructuralSimilarity {
  private static let reach = 5
  /// A Gaussian of sigma 1.5 over 11 samples; they sum to 1.
  private static let window: [Float] = {
    let shape = (-reach...reach).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
    let sum = shape.reduce(0, +)
    return shape.map { Float($0 / sum) }
  }()
  private static let c1: Float = 0.01 * 0.01 * 255 * 255
  private static let c2: Float = 0.03 * 0.03 * 255 * 255

  static func mean(_ first: [Float], _ second: [Float], _ size: Size) -> Double {
    let (width, height) = (size.width - 2 * reach, size.height - 2 * reach)
    guard width > 0, height > 0 else { return whole(first, second) }
    let rows = Lock([Double](repeating: 0, count: height))
    Bands.run(rows: height) { band in
      let sums = first.withUnsafeBufferPointer { a in
        second.withUnsafeBufferPointer { b in band.map { row($0, a, b, size.width, width) } }
      }
      rows.withLock { $0.replaceSubrange(band, with: sums) }
    }
    return rows.withLock { $0.reduce(0, +) } / (Double(width) * Double(height))
  }

  /// The sum over the windows whose first row is `y`.
  private static func row(
    _ y: Int, _ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>, _ stride: Int, _ count: Int
  ) -> Double {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 5 * stride) { planes in
      window.withUnsafeBufferPointer { window in
        guard let meanA = planes.baseAddress else { return 0 }
        let (meanB, squareA, squareB, product) = (
          meanA + stride, meanA + 2 * stride, meanA + 3 * stride, meanA + 4 * stride
        )
        planes.initialize(repeating: 0)
        // Around the middle of the range, where squares lose least.
        for k in 0..<window.count {
          let (weight, place) = (window[k], (y + k) * stride)
          for x in 0..<stride {
            let (p, q) = (a[place &+ x] - 128, b[place &+ x] - 128)
            meanA[x] += weight * p
            meanB[x] += weight * q
            squareA[x] += weight * (p * p)
            squareB[x] += weight * (q * q)
            product[x] += weight * (p * q)
          }
        }
        var sum = 0.0
        for x in 0..<count {
          var (p, q, pp, qq, pq) = (Float(0), Float(0), Float(0), Float(0), Float(0))
          for k in 0..<window.count {
            let (weight, place) = (window[k], x &+ k)
            p += weight * meanA[place]
            q += weight * meanB[place]
            pp += weight * squareA[place]
            qq += weight * squareB[place]
            pq += weight * product[place]
          }
          sum += Double(similarity(p, q, pp, qq, pq))
        }
        return sum
      }
    }
  }

  /// Computes the similarity from means less 128, and from means of squares and products of such values.
  @inline(__always)
  private static func similarity(_ p: Float, _ q: Float, _ pp: Float, _ qq: Float, _ pq: Float) -> Float {
    let (a, b) = (p + 128, q + 128)
    let (varianceA, varianceB, covariance) = (pp - p * p, qq - q * q, pq - p * q)
    return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
  }

  /// All samples as one window of equal weights.
  private static func whole(_ first: [Float], _ second: [Float]) -> Double {
    var (p, q, pp, qq, pq) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (a, b) in zip(first, second) {
      let (a, b) = (Double(a) - 128, Double(b) - 128)
      p += a
      q += b
      pp += a * a
      qq += b * b
      pq += a * b
    }
    let count = Double(first.count)
    return Double(
      similarity(
        Float(p / count), Float(q / count), Float(pp / count), Float(qq / count), Float(pq / count)))
  }
}
