// SPDX-License-Identifier: Apache-2.0

/// The prefix that JPEG puts before Exif, and that some writers leave in an EXIF chunk.
enum ExifPrefix {
  private static let bytes: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]

  /// Where the TIFF header starts: behind the prefix, if it is there.
  static func end(in payload: UnsafeRawBufferPointer) -> Int {
    payload.prefix(bytes.count).elementsEqual(bytes) ? bytes.count : 0
  }
}
