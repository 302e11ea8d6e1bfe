// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// Bytes of boxes that are written (ISO/IEC 14496-12 §4.2).
struct BoxWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ value: Int, bytes count: Int) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> ((count - 1 - index) * 8))) }
  }

  mutating func put(_ name: FourCC) { bytes.append(contentsOf: name.bytes) }
  mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Text with the zero byte that ends it.
  mutating func put(_ text: String) {
    bytes.append(contentsOf: Array(text.utf8))
    bytes.append(0)
  }

  /// Writes a box around what `body` writes.
  mutating func box(_ name: FourCC, _ body: (inout BoxWriter) -> Void) {
    let start = bytes.count
    put(0, bytes: 4)
    put(name)
    body(&self)
    let size = bytes.count - start
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: size >> (24 - index * 8)) }
  }

  /// Writes a box with a version and flags.
  mutating func fullBox(
    _ name: FourCC, version: Int = 0, flags: Int = 0, _ body: (inout BoxWriter) -> Void
  ) {
    box(name) { writer in
      writer.put(version << 24 | flags, bytes: 4)
      body(&writer)
    }
  }

  static func property(_ name: FourCC, _ body: (inout BoxWriter) -> Void) -> [UInt8] {
    var writer = BoxWriter()
    writer.box(name, body)
    return writer.bytes
  }

  static func fullProperty(_ name: FourCC, _ body: (inout BoxWriter) -> Void) -> [UInt8] {
    property(name) { writer in
      writer.put(0, bytes: 4)
      body(&writer)
    }
  }
}
