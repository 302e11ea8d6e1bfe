// SPDX-License-Identifier: Apache-2.0

/// In which order the bytes of a number lie in a file.
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
