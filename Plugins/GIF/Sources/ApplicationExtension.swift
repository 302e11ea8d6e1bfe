// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Extensions that applications define for themselves.
///
/// - Format: GIF89a §26, Application Extension: 11 bytes of a name, then sub-blocks.
enum ApplicationExtension {
  static let label: UInt8 = 0xFF
  static let nameSize = 11

  /// How often the animation starts again: sub-block 1, then the number in 16 bits, 0 for without end.
  static let netscape: StaticString = "NETSCAPE2.0"
  /// The same under another name; read and never written.
  static let animationExtensions: StaticString = "ANIMEXTS1.0"
  static let iccProfile: StaticString = "ICCRGBG1012"
  /// A manifest store of C2PA, its specification's Annex A: a name, and three bytes for a version.
  static let credentials: StaticString = "C2PA_GIF"
  /// An XMP packet as it is, not cut into sub-blocks, and the magic trailer (XMP Specification Part 3, §1.1.2).
  static let xmp: StaticString = "XMP DataXMP"

  /// The 258 bytes after an XMP packet: 1, then 255 down to 0, then the terminator. Each byte of the packet that is
  /// taken for the length of a sub-block leads into them, and they lead to the terminator.
  static let xmpTrailer: [UInt8] = [1] + (0...255).reversed() + [0]

  /// Puts an extension whose data is in sub-blocks.
  static func write(_ name: StaticString, _ data: [UInt8], to writer: inout ByteWriter) {
    writeHead(name, to: &writer)
    writer.putSubBlocks(data)
  }

  /// Puts an XMP packet, which has no zero bytes.
  static func writeXMP(_ packet: [UInt8], to writer: inout ByteWriter) {
    writeHead(xmp, to: &writer)
    writer.put(packet)
    writer.put(xmpTrailer)
  }

  private static func writeHead(_ name: StaticString, to writer: inout ByteWriter) {
    writer.put([BlockIntroducer.extension, label, UInt8(nameSize)])
    writer.put(name)
  }
}

extension ByteWriter {
  /// Puts data as sub-blocks of up to 255 bytes, and the terminator.
  ///
  /// - Format: GIF89a §15, Data Sub-blocks; §16, Block Terminator.
  mutating func putSubBlocks(_ data: [UInt8]) {
    for start in stride(from: 0, to: data.count, by: 255) {
      let block = data[start..<min(start + 255, data.count)]
      put(UInt8(truncatingIfNeeded: block.count))
      put(Array(block))
    }
    put(UInt8(0))
  }
}
