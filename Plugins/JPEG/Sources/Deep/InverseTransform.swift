// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The inverse cosine transform of 8×8 blocks in floating point, ITU-T T.81 A.3.3.
struct InverseTransform {
  /// By sample and frequency.
  private let basis: [Float]
  private let top: Float
  private let middle: Float

  /// - Parameter precision: Bits of a sample.
  init(precision: Int) {
    top = Float(1 << precision - 1)
    middle = Float(1 << (precision - 1))
    var basis: [Float] = []
    for sample in 0..<8 {
      for frequency in 0..<8 {
        let scale = frequency == 0 ? 0.5.squareRoot() / 2 : 0.5
        basis.append(Float(scale * cos(Double((2 * sample + 1) * frequency) * .pi / 16)))
      }
    }
    self.basis = basis
  }

  /// Turns a block into samples.
  ///
  /// - Parameters:
  ///   - block: 64 coefficients in the order of rows.
  ///   - quantizers: As many, in the same order.
  ///   - target: Where the first sample of each of 8 rows goes, `stride` samples apart.
  ///   - columns: Samples of a row that are written, 1 to 8.
  ///   - rows: Rows that are written, 1 to 8.
  func apply(
    _ block: UnsafePointer<Int16>, _ quantizers: UnsafePointer<Float>, to target: UnsafeMutablePointer<UInt16>,
    stride: Int, columns: Int, rows: Int
  ) {
    basis.withUnsafeBufferPointer { basis in
      guard let basis = basis.baseAddress else { return }
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 64) { half in
        guard let half = half.baseAddress else { return }
        // Rows of coefficients become rows of samples, still by vertical frequency.
        for v in 0..<8 {
          for x in 0..<8 {
            var sum: Float = 0
            for u in 0..<8 { sum += Float(block[v &* 8 &+ u]) * quantizers[v &* 8 &+ u] * basis[x &* 8 &+ u] }
            half[v &* 8 &+ x] = sum
          }
        }
        for y in 0..<rows {
          for x in 0..<columns {
            var sum: Float = 0
            for v in 0..<8 { sum += half[v &* 8 &+ x] * basis[y &* 8 &+ v] }
            let value = min(max(sum + middle, 0), top).rounded()
            target[y &* stride &+ x] = UInt16(value)
          }
        }
      }
    }
  }
}
