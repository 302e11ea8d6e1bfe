// SPDX-License-Identifier: Apache-2.0

/// Run lengths of bytes.
///
/// - Format: Adobe Photoshop File Formats Specification, "Image Data Section": as in TIFF 6.0 §9.
enum PackBits {
  /// Unpacks one row. What is left of the packed bytes once the row is full does not count, as does -128.
  ///
  /// - Returns: Bytes of the row that were written.
  static func unpack(_ packed: UnsafeRawBufferPointer, to row: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    guard var next = packed.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    let end = next + packed.count
    var done = 0
    while done < count, next < end {
      let head = Int(Int8(bitPattern: next.pointee))
      next += 1
      if head >= 0 {
        let length = min(head &+ 1, count &- done, end - next)
        (row + done).update(from: next, count: length)
        next += length
        done &+= length
      } else if head != -128, next < end {
        let length = min(1 &- head, count &- done)
        (row + done).update(repeating: next.pointee, count: length)
        next += 1
        done &+= length
      }
    }
    return done
  }
}
