// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc

  /// An address of IPv4 or IPv6.
  public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// Four or sixteen bytes, the most significant first.
    public let bytes: [UInt8]

    /// Reads an address as RFC 4291 and dotted decimal write it. Other spellings of IPv4 (`127.1`, `0x7f000001`,
    /// octal) are no addresses here, but names: what they mean the resolver says.
    public init?(_ text: String) {
      var four = in_addr()
      var six = in6_addr()
      if inet_pton(AF_INET, text, &four) == 1 {
        bytes = withUnsafeBytes(of: &four) { Array($0) }
      } else if inet_pton(AF_INET6, text, &six) == 1 {
        bytes = withUnsafeBytes(of: &six) { Array($0) }
      } else {
        return nil
      }
    }

    /// - Parameter bytes: Four or sixteen; nil for another number.
    public init?(bytes: [UInt8]) {
      guard bytes.count == 4 || bytes.count == 16 else { return nil }
      self.bytes = bytes
    }

    private init(four: ArraySlice<UInt8>) { bytes = Array(four) }

    public var description: String {
      guard bytes.count == 16 else { return bytes.map { "\($0)" }.joined(separator: ".") }
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      let isWritten = bytes.withUnsafeBytes {
        inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(INET6_ADDRSTRLEN)) != nil
      }
      return isWritten ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "::"
    }

    /// The IPv4 address that an IPv6 address carries, and how, or nil.
    var embedded: (kind: String, address: IPAddress)? {
      guard bytes.count == 16 else { return nil }
      let last = IPAddress(four: bytes[12...])
      let zeros = bytes.prefix { $0 == 0 }.count
      if zeros == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return ("IPv4-mapped", last) }
      if zeros == 8, bytes[8] == 0xFF, bytes[9] == 0xFF, bytes[10] == 0, bytes[11] == 0 {
        return ("IPv4-translated", last)
      }
      if zeros >= 12, bytes[12...] != [0, 0, 0, 0], bytes[12...] != [0, 0, 0, 1] { return ("IPv4-compatible", last) }
      if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return ("NAT64", last) }
      if bytes.starts(with: [0x20, 0x02]) { return ("6to4", IPAddress(four: bytes[2..<6])) }
      if bytes.starts(with: [0x20, 0x01, 0, 0]) { return ("Teredo", IPAddress(four: bytes[12...].map { ~$0 }[...])) }
      if bytes[8] & 0xFC == 0, bytes[9...11] == [0, 0x5E, 0xFE] { return ("ISATAP", last) }
      return nil
    }
  }

  /// Addresses with the same first bits, as `10.0.0.0/8`.
  public struct AddressRange: Sendable, Hashable {
    private let first: IPAddress
    private let bits: Int

    /// Reads a range; nil if it is none. Without a slash it is one address.
    public init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first, let first = IPAddress(String(name)) else { return nil }
      let width = first.bytes.count * 8
      guard let bits = parts.count == 1 ? width : Int(parts[1]), (0...width).contains(bits) else { return nil }
      self.first = first
      self.bits = bits
    }

    /// Whether an address of the same kind is in it.
    public func contains(_ address: IPAddress) -> Bool {
      guard address.bytes.count == first.bytes.count else { return false }
      var left = bits
      for (one, other) in zip(address.bytes, first.bytes) {
        guard left > 0 else { return true }
        let mask = left >= 8 ? 0xFF : ~(UInt8(0xFF) >> UInt8(left))
        guard one & mask == other & mask else { return false }
        left -= 8
      }
      return true
    }
  }
#endif
