// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Palettes

/// Pixels as numbers of a few colors, the error of each spread over the pixels that follow.
struct SpreadColors {
  /// Red in the low byte, then green and blue; the high byte is 255.
  let colors: [UInt32]

  /// The number of the nearest color for each pixel, row by row.
  func numbers(_ rows: [[UInt32]], width: Int) throws(CoderError) -> [UInt8] {
    let search = try PaletteSearch(colors)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: ErrorDiffusion.byteCount(width: width), alignment: 16)
    defer { memory.deallocate() }
    var errors = ErrorDiffusion(width: width, memory: memory)
    return [UInt8](unsafeUninitializedCapacity: width * rows.count) { target, count in
      for (y, row) in rows.enumerated() {
        row.withUnsafeBufferPointer {
          errors.diffuse(
            $0.baseAddress.unsafelyUnwrapped, count: width, search: search, transparentIndex: 0,
            to: target.baseAddress.unsafelyUnwrapped + y * width)
        }
      }
      count = width * rows.count
    }
  }

  /// A row on black: the pixels are premultiplied. What is below the picture is black.
  static func row(_ y: Int, of pixels: PixelBuffer) -> [UInt32] {
    guard y < pixels.size.height else { return [UInt32](repeating: 0xFF00_0000, count: pixels.size.width) }
    return pixels.withRow(y) { bytes in
      (0..<pixels.size.width).map {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)) | 0xFF00_0000
      }
    }
  }
}
