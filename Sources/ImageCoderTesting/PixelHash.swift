// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoders

/// The hash by which answers know pixels and payloads: 64-bit FNV-1a, printed as 16 hex digits.
///
///     print(PixelHash(rows))  // bytes of another decoder: all rows, top to bottom, RGBA of 8 or 16 bits, straight alpha
public struct PixelHash: Sendable, Hashable, CustomStringConvertible {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Hashes bytes in their order; samples of 16 bits have their low byte first.
  public init(_ bytes: some Sequence<UInt8>) { append(bytes) }

  /// Hashes all rows' bytes, top to bottom, without what the stride adds.
  public init(_ pixels: PixelBuffer) {
    for y in 0..<pixels.size.height { pixels.withRow(y) { append($0) } }
  }

  private mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension PixelBuffer {
  /// The hash as answers have it.
  var hash: String { PixelHash(self).description }

  /// All rows' bytes.
  var rowBytesInOrder: [[UInt8]] { (0..<size.height).map { y in withRow(y) { [UInt8]($0) } } }

  /// The peak signal-to-noise ratio against a buffer of the same size and 8-bit format, decibels.
  func peakSignalToNoise(_ other: PixelBuffer) -> Double {
    var sum = 0.0
    var count = 0
    for (one, two) in zip(rowBytesInOrder, other.rowBytesInOrder) {
      for (a, b) in zip(one, two) {
        let difference = Double(a) - Double(b)
        sum += difference * difference
        count += 1
      }
    }
    return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(count) / sum)
  }
}

extension Image {
  /// What of an image the conformance checks compare: pixels and delays of all frames, loops, and what is missing.
  package var fingerprint: String {
    let shown = frames.map { "\($0.pixels.format) \($0.pixels.size) \($0.pixels.hash) \($0.delay.seconds)" }
    return "\(shown) loops \(loopCount) problem \(problem.map(\.code.description) ?? "none")"
  }
}
