// SPDX-License-Identifier: Apache-2.0

/// Bytes as letters: RFC 4648 §4.
package enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The letters, with padding.
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

  /// The bytes of letters, or nil if it is none of these. White space may be between the letters, and padding may be missing.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)
    for letter in text {
      let value: UInt8
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="):
        padding += 1
        continue
      case 0x20, 0x09, 0x0A, 0x0D: continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      // Four letters are three bytes; the first of them completes none.
      if count % 4 != 1 { result.append(UInt8(truncatingIfNeeded: bits >> UInt32(2 * (-count & 3)))) }
    }
    return count % 4 != 1 && padding <= 2 ? result : nil
  }
}
