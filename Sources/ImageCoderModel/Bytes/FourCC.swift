// SPDX-License-Identifier: Apache-2.0

/// A four-byte name of a box, a chunk or a brand.
public struct FourCC: RawRepresentable, Sendable, Hashable {
  /// The bytes as a big-endian number.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: Four ASCII characters; missing ones count as zero.
  public init(_ text: StaticString) {
    rawValue = text.withUTF8Buffer { bytes in
      (0..<4).reduce(0) { $0 << 8 | UInt32($1 < bytes.count ? bytes[$1] : 0) }
    }
  }
}

extension FourCC: CustomStringConvertible {
  /// The four characters; bytes that are not printable ASCII are shown as question marks.
  public var description: String {
    String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }

  /// The four bytes as stored in a file.
  public var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - $0 * 8)) } }
}
