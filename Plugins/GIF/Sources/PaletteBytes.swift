// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A palette as it is stored: red, green and blue of each color.
///
/// - Format: GIF89a §19, Global Color Table; §21, Local Color Table.
enum PaletteBytes {
  /// The entries of a stored palette that holds so many colors: a power of two from 2 on.
  static func storedCount(_ count: Int) -> Int {
    var stored = 2
    while stored < count { stored *= 2 }
    return stored
  }

  /// What the flags of a descriptor say of a palette with `storedCount` entries.
  static func sizeField(_ storedCount: Int) -> UInt8 { UInt8(truncatingIfNeeded: storedCount.trailingZeroBitCount - 1) }

  /// Puts colors, and black up to `storedCount` entries.
  ///
  /// - Parameter colors: Red in the low byte, then green, then blue.
  static func write(_ colors: [UInt32], storedCount: Int, to writer: inout ByteWriter) {
    for color in colors {
      writer.put([
        UInt8(truncatingIfNeeded: color), UInt8(truncatingIfNeeded: color >> 8), UInt8(truncatingIfNeeded: color >> 16),
      ])
    }
    writer.putZeros(max(0, 3 * (storedCount - colors.count)))
  }
}
