// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Converts rows of pixels from one layout to another.
///
/// - 8 to 16 bits multiplies by 257, 16 to 8 bits rounds to the nearest; floating point is 0 … 1, clamped and rounded
///   when it becomes an integer, and 0 where it is not a number.
/// - Gray becomes three equal channels; color becomes gray by the luma weights of ITU-R BT.601 §2.5.1 (0.299, 0.587,
///   0.114), applied to the samples as they are.
/// - Alpha that the target cannot hold is dropped, and color is what it was before it was multiplied by alpha:
///   nothing is laid over a background. A source without alpha is opaque.
/// - Multiplication by alpha and division by it round to the nearest, and are exact where both layouts are integers.
package struct RowConverter: Sendable {
  package let from: PixelLayout
  package let to: PixelLayout

  private let path: Path

  /// What happens to color, and what becomes of alpha.
  enum AlphaStep: Sendable {
    case keep
    case premultiply
    case unpremultiply
  }

  private enum Path: Sendable {
    case copy
    case fast(FastPath)
    case integer
    case float
  }

  package init(from: PixelLayout, to: PixelLayout) {
    self.from = from
    self.to = to
    if from.format == to.format, from.alpha == to.alpha || from.alpha == .opaque {
      self.path = .copy
    } else if let fast = FastPath(from: from, to: to) {
      self.path = .fast(fast)
    } else {
      self.path = from.format.isFloat || to.format.isFloat ? .float : .integer
    }
  }

  /// Whether the bytes of a row stay as they are.
  package var isIdentity: Bool { if case .copy = path { true } else { false } }

  /// Converts one row.
  ///
  /// - Parameters:
  ///   - source: `count` pixels of the layout `from`, at any address.
  ///   - destination: Room for `count` pixels of the layout `to`, apart from the source.
  package func convert(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    guard count > 0 else { return }
    switch path {
    case .copy: destination.copyMemory(from: source, byteCount: count * from.format.bytesPerPixel)
    case .fast(let fast): fast.convert(source, into: destination, count: count)
    case .integer: convertThroughIntegers(source, into: destination, count: count)
    case .float: convertThroughFloats(source, into: destination, count: count)
    }
  }

  var alphaStep: AlphaStep {
    switch (from.alpha, to.alpha) {
    case (.straight, .premultiplied): .premultiply
    case (.premultiplied, .straight), (.premultiplied, .opaque): .unpremultiply
    default: .keep
    }
  }

  /// Whether every alpha sample of the result is the maximum.
  var makesOpaque: Bool { from.alpha == .opaque || to.alpha == .opaque }
}
