// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoderEngine
public import ImageCoderModel

/// 64 bits that stay nearly the same when a picture is scaled, compressed or slightly recolored.
///
/// The picture over white is reduced to 32×32 gray values; each bit says whether one of the 8×8 lowest frequencies of
/// their cosine transform is above the median of these, row by row, the first in the highest bit (known as pHash). Of
/// unrelated pictures, about 32 bits differ; up to 8 is most often the same picture.
public struct PerceptualHash: Sendable, Hashable {
  /// The bits.
  public var bits: UInt64

  /// Makes a hash of bits that were kept.
  public init(bits: UInt64) { self.bits = bits }

  /// The hash of an upright picture.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public init(_ pixels: PixelBuffer) throws(CoderError) {
    let side = Self.side
    let flat = try pixels.flattened(on: .white)
    let gray = try flat.converted(to: PixelLayout(flat.format.bytesPerChannel == 1 ? .gray8 : .gray16, .opaque))
    let small = try gray.resampled(to: Size(width: side, height: side)).luma()
    let cosines = (0..<8).map { k in
      (0..<side).map { cos(Double.pi * Double(k) * (2 * Double($0) + 1) / Double(2 * side)) }
    }
    // Rows first, of which only the low frequencies are needed.
    var rows = [Double](repeating: 0, count: 8 * side)
    for y in 0..<side {
      for k in 0..<8 { rows[8 * y + k] = (0..<side).reduce(0) { $0 + Double(small[side * y + $1]) * cosines[k][$1] } }
    }
    var low = [Double](repeating: 0, count: 64)
    for j in 0..<8 {
      for k in 0..<8 { low[8 * j + k] = (0..<side).reduce(0) { $0 + rows[8 * $1 + k] * cosines[j][$1] } }
    }
    let sorted = low.sorted()
    let median = (sorted[31] + sorted[32]) / 2
    bits = low.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
  }

  private static let side = 32

  /// Bits that differ, 0 to 64.
  public func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

  /// Reads 16 hexadecimal digits; nil for anything else.
  public init?(parsing text: some StringProtocol) {
    guard text.utf8.count == 16, !text.hasPrefix("+"), !text.hasPrefix("-"), let bits = UInt64(text, radix: 16) else {
      return nil
    }
    self.bits = bits
  }
}

extension PerceptualHash: CustomStringConvertible {
  /// 16 hexadecimal digits.
  public var description: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
