// SPDX-License-Identifier: Apache-2.0

/// Bytes as letters, as terminals take them.
///
/// - Format: RFC 4648 §4, with padding.
package enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let length = (bytes.count + 2) / 3 * 4
    return Array(unsafeUninitializedCapacity: length) { target, count in
      letters.withUnsafeBufferPointer { letters in
        var written = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
          let (second, third) = (start + 1 < bytes.count, start + 2 < bytes.count)
          let group =
            Int(bytes[start]) << 16 | (second ? Int(bytes[start + 1]) << 8 : 0) | (third ? Int(bytes[start + 2]) : 0)
          target[written] = letters[group >> 18]
          target[written + 1] = letters[group >> 12 & 63]
          target[written + 2] = second ? letters[group >> 6 & 63] : UInt8(ascii: "=")
          target[written + 3] = third ? letters[group & 63] : UInt8(ascii: "=")
          written += 4
        }
      }
      count = length
    }
  }

  package static func text(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { text($0) } }
}
