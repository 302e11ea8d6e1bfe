// SPDX-License-Identifier: Apache-2.0

/// The prefix that JPEG puts before Exif, and that some writers leave in an EXIF chunk.
enum ExifPrefix {
  private static let bytes: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]

  /// The payload from its TIFF header on.
  static func removed(from payload: [UInt8]) -> [UInt8] {
    payload.starts(with: bytes) ? Array(payload[bytes.count...]) : payload
  }
}
