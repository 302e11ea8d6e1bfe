// SPDX-License-Identifier: Apache-2.0

/// Whom a certificate is for.
///
/// - Format: RFC 5280 §4.1; ITU-T X.690 §8.
struct CertificateSubject {
  private(set) var commonName: String?
  private(set) var organization: String?

  /// - Parameter certificate: In DER.
  /// - Returns: Nil for bytes that are no certificate.
  init?(_ certificate: [UInt8]) {
    var outer = DERReader(certificate[...])
    guard var whole = outer.content(of: 0x30), var body = whole.content(of: 0x30) else { return nil }
    if body.tag == 0xA0 { _ = body.content(of: 0xA0) }
    // Serial number, algorithm, issuer, validity.
    for tag: UInt8 in [0x02, 0x30, 0x30, 0x30] {
      guard body.content(of: tag) != nil else { return nil }
    }
    guard var names = body.content(of: 0x30) else { return nil }
    while var set = names.content(of: 0x31) {
      guard var pair = set.content(of: 0x30), let type = pair.content(of: 0x06) else { continue }
      guard let tag = pair.tag, let value = pair.content(of: tag) else { continue }
      // UTF8String, PrintableString, TeletexString, IA5String; BMPString has two bytes for each character.
      let text =
        tag == 0x1E
        ? String(decoding: value.pairs, as: UTF16.self) : String(decoding: value.bytes, as: UTF8.self)
      // X.520: 2.5.4.3 and 2.5.4.10.
      switch Array(type.bytes) {
      case [0x55, 0x04, 0x03]: commonName = text
      case [0x55, 0x04, 0x0A]: organization = text
      default: break
      }
    }
  }
}

/// Reads what DER says one after the other.
private struct DERReader {
  private(set) var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The tag of what comes next.
  var tag: UInt8? { bytes.first }

  var pairs: [UInt16] {
    let bytes = Array(bytes)
    return stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
  }

  /// What is inside of the element that comes next, which has to have a tag. Lengths are definite in DER.
  mutating func content(of tag: UInt8) -> DERReader? {
    guard bytes.count >= 2, bytes.first == tag else { return nil }
    var place = bytes.startIndex + 2
    var length = Int(bytes[bytes.startIndex + 1])
    if length & 0x80 != 0 {
      let count = length & 0x7F
      guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
      length = bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
      place += count
    }
    guard length <= bytes.endIndex - place else { return nil }
    defer { bytes = bytes[(place + length)...] }
    return DERReader(bytes[place..<place + length])
  }
}
