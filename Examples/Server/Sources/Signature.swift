// SPDX-License-Identifier: Apache-2.0

import Crypto
import Hummingbird

/// Signs requests, so that a stranger cannot have the server fetch and decode what he likes.
///
/// A signature is HMAC-SHA256 of `PictureRequest.signedText`, in base64url without padding. Of several keys, the first
/// signs and all verify: a new key is put in front of an old one, which goes when its links have expired.
struct Signature {
  private let keys: [SymmetricKey]

  /// - Parameter keys: Nil if one is shorter than 16 bytes.
  init?(keys: [String]) {
    guard !keys.isEmpty, keys.allSatisfy({ $0.utf8.count >= 16 }) else { return nil }
    self.keys = keys.map { SymmetricKey(data: Array($0.utf8)) }
  }

  func sign(_ text: String) -> String {
    Self.base64URL(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: keys[0]))
  }

  /// - Throws: 403 for a request that is not signed, signed with another key, or too old.
  func check(_ request: PictureRequest, now: Int) throws(HTTPError) {
    guard let given = request.signature else { throw HTTPError(.forbidden, message: "the request is not signed") }
    // Each comparison takes the same time, wherever the texts differ.
    let isRight = keys.map { key in
      let code = HMAC<SHA256>.authenticationCode(for: Array(request.signedText.utf8), using: key)
      return Self.isEqual(Self.base64URL(code), given)
    }.contains(true)
    guard isRight else { throw HTTPError(.forbidden, message: "the signature is of another request or key") }
    if let expiry = request.expiry, expiry < now { throw HTTPError(.forbidden, message: "the signature has expired") }
  }

  private static func isEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// RFC 4648 §5, without padding.
  static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xFFFF
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[bits >> count & 63])
      }
    }
    if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }
}
