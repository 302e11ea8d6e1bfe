// SPDX-License-Identifier: Apache-2.0

import CSharedPlanes
import Glibc

/// Three rows of samples that are read, as JPEG 2000 has them: one integer of 32 bits each.
public typealias ConstantRows = (UnsafePointer<Int32>, UnsafePointer<Int32>, UnsafePointer<Int32>)
/// Three rows of samples that are written.
public typealias Rows = (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>)

/// Turns rows of luma and color differences, which were brought to 8 or 16 bits, into red, green and blue.
///
/// - Threads: Any number; nothing changes after it is made.
public struct IntegerRowConverter: Sendable {
  private let weights: (red: Float, blue: Float)
  private let luma: (black: Float, span: Float)
  private let chroma: (middle: Float, span: Float)
  private let top: Float

  /// - Parameters:
  ///   - lumaBits, chromaBits: Of the samples as they were stored, which say where black and white of the limited range
  ///     are (H.273 equations 20 to 25).
  ///   - depth: Of the samples that are converted, 8 or 16.
  /// - Returns: nil for a matrix without weights.
  public init?(
    _ matrix: ColorMatrix, isFullRange: Bool, lumaBits: Int, chromaBits: Int, depth: Int
  ) {
    guard case .weights(let red, let blue) = matrix else { return nil }
    let top = Double(1 << depth - 1)
    weights = (Float(red), Float(blue))
    self.top = Float(top)
    // Steps of 8 bits, at the depth.
    let lumaStep = exp2(Double(lumaBits - 8)) * top / (exp2(Double(lumaBits)) - 1)
    let chromaStep = exp2(Double(chromaBits - 8)) * top / (exp2(Double(chromaBits)) - 1)
    luma = isFullRange ? (0, Float(top)) : (Float(16 * lumaStep), Float(219 * lumaStep))
    chroma = (Float(1 << (depth - 1)), isFullRange ? Float(top) : Float(224 * chromaStep))
  }

  /// Converts a row. Results may leave the range of the depth.
  ///
  /// - Parameters:
  ///   - samples: `count` of luma, blue's and red's difference each.
  ///   - colors: Room for as many of red, green and blue; may be the same memory.
  public func convert(_ samples: ConstantRows, to colors: Rows, count: Int) {
    var conversion = planes_conversion()
    (conversion.kr, conversion.kb) = weights
    (conversion.luma_black, conversion.luma_span) = luma
    (conversion.chroma_middle, conversion.chroma_span) = chroma
    withRows(samples, colors) { samples, colors in
      planes_read_integers(&conversion, samples, max(count, 0), top, colors)
    }
  }
}

/// Calls C with three rows of each kind.
func withRows(
  _ samples: ConstantRows, _ colors: Rows,
  _ body: (UnsafePointer<UnsafePointer<Int32>?>, UnsafePointer<UnsafeMutablePointer<Int32>?>) -> Void
) {
  withUnsafeTemporaryAllocation(of: UnsafePointer<Int32>?.self, capacity: 3) { from in
    withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<Int32>?.self, capacity: 3) { to in
      _ = from.initialize(from: [samples.0, samples.1, samples.2])
      _ = to.initialize(from: [colors.0, colors.1, colors.2])
      guard let from = from.baseAddress, let to = to.baseAddress else { return }
      body(from, to)
    }
  }
}
