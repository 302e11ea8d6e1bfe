// SPDX-License-Identifier: Apache-2.0

/// The order of a number's bytes in a file.
public enum ByteOrder: Sendable {
  /// Most significant byte first.
  case bigEndian
  /// Least significant byte first.
  case littleEndian
}

extension FixedWidthInteger {
  /// The number whose bytes, as they lie in memory, are in the given order; or the other way round.
  @inline(__always)
  package func swapped(to order: ByteOrder) -> Self {
    switch order {
    case .bigEndian: bigEndian
    case .littleEndian: littleEndian
    }
  }
}
