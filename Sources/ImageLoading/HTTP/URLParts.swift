// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc

  /// A URL of http or https in its canonical form, so that one spelling stands for all that mean the same.
  ///
  /// The scheme and the host are in lower case, a default port and the fragment are left out, dot segments are removed,
  /// percent signs have digits in capitals and none where the character itself is allowed. Hosts are ASCII: names in other
  /// scripts have to come as Punycode. (RFC 3986 section 6)
  public struct URLParts: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// A name or an address; an IPv6 address has no brackets here.
    public let host: String
    /// The port, also if it is the scheme's own.
    public let port: Int
    /// Begins with a slash.
    public let path: String
    /// What follows the question mark, or nil without one.
    public let query: String?

    /// Reads an absolute URL.
    ///
    /// - Throws: ``LoadingError/Code/badRequest`` for what is no URL of http or https, has user information, or has a
    ///   host that is not ASCII.
    public init(_ url: String) throws(LoadingError) {
      func bad(_ what: String) -> LoadingError { LoadingError(.badRequest, what, url: String(url.prefix(200))) }
      guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
        throw bad("a URL with a control character")
      }
      guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw bad("a URL without a scheme") }
      let scheme = url[..<colon].lowercased()
      guard scheme == "http" || scheme == "https" else {
        throw bad("the scheme \(scheme.prefix(20)); http and https are known")
      }
      var rest = url[url.utf8.index(after: colon)...].utf8
      guard rest.starts(with: "//".utf8) else { throw bad("a URL without a host") }
      rest = rest.dropFirst(2)
      if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
      let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
      let authority = Self.text(rest[..<end])
      guard !authority.contains("@") else { throw bad("a URL with user information, which belongs in headers") }
      let (host, port) = try Self.split(authority, bad)
      self.scheme = scheme
      self.host = host
      self.port = port ?? (scheme == "https" ? 443 : 80)
      let tail = rest[end...]
      let question = tail.firstIndex(of: UInt8(ascii: "?"))
      let path = Self.normalized(tail[..<(question ?? tail.endIndex)], allowed: "!$&'()*+,;=:@/")
      self.path = Self.withoutDotSegments(path)
      query = question.map { Self.normalized(tail[tail.index(after: $0)...], allowed: "!$&'()*+,;=:@/?") }
    }

    /// The canonical URL.
    public var description: String { origin + target }

    /// Scheme, host and, if it is not the scheme's own, port.
    public var origin: String {
      let name = host.contains(":") ? "[\(host)]" : host
      return port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }

    /// Path and query, as a request has them.
    var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// The URL that a reference means here, as `Location` has it (RFC 3986 section 5.2).
    ///
    /// - Throws: ``LoadingError/Code/badRequest``.
    public func resolving(_ reference: String) throws(LoadingError) -> URLParts {
      let reference = reference[..<(reference.firstIndex(of: "#") ?? reference.endIndex)]
      if reference.isEmpty { return self }
      if reference.hasPrefix("//") { return try URLParts("\(scheme):\(reference)") }
      if reference.hasPrefix("/") { return try URLParts(origin + reference) }
      if reference.hasPrefix("?") { return try URLParts(origin + path + reference) }
      if Self.hasScheme(reference) { return try URLParts(String(reference)) }
      let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      return try URLParts(origin + folder + reference)
    }

    // MARK: Parts

    private static func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

    private static func hasScheme(_ reference: Substring) -> Bool {
      guard let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":")), let first = reference.utf8.first,
        isLetter(first)
      else { return false }
      return reference.utf8[..<colon].allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func split(
      _ authority: String, _ bad: (String) -> LoadingError
    ) throws(LoadingError) -> (host: String, port: Int?) {
      var (name, digits): (Substring, Substring) = (authority[...], "")
      // An IPv6 address has colons of its own, in brackets.
      if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
        (name, digits) = (authority[..<colon], authority[authority.index(after: colon)...])
      }
      var port: Int?
      if !digits.isEmpty {
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy(isDigit), let number = Int(digits),
          (1...65535).contains(number)
        else { throw bad("the port \(digits.prefix(20)); 1 to 65535 are ports") }
        port = number
      }
      if name.hasPrefix("["), name.hasSuffix("]") {
        guard let address = IPAddress(String(name.dropFirst().dropLast())), address.bytes.count == 16 else {
          throw bad("\(name) is no IPv6 address")
        }
        return (address.description, port)
      }
      // One dot at the end says that the name is complete.
      let host = (name.hasSuffix(".") ? name.dropLast() : name).lowercased()
      guard !host.isEmpty else { throw bad("a URL without a host") }
      guard host.utf8.count <= 253 else { throw bad("a host of \(host.utf8.count) bytes, 253 are allowed") }
      guard host.utf8.allSatisfy({ isLetter($0) || isDigit($0) || "-._".utf8.contains($0) }) else {
        throw bad("the host \(host.prefix(60)); letters of ASCII, digits, - . and _ are allowed")
      }
      return (host, port)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isUnreserved(_ byte: UInt8) -> Bool {
      isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
      switch digit {
      case 48...57: digit - 48
      case 65...70: digit - 55
      case 97...102: digit - 87
      default: nil
      }
    }

    /// One spelling of each character: as it is where it is allowed or unreserved, else with a percent sign.
    private static func normalized(_ bytes: Substring.UTF8View, allowed: String) -> String {
      let (allowed, digits) = (Array(allowed.utf8), Array("0123456789ABCDEF".utf8))
      var result: [UInt8] = []
      func escape(_ byte: UInt8) { result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
      let bytes = Array(bytes)
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "%"), index + 1 < bytes.count, let high = value(bytes[index]),
          let low = value(bytes[index + 1])
        {
          index += 2
          let meant = high << 4 | low
          if isUnreserved(meant) { result.append(meant) } else { escape(meant) }
        } else if isUnreserved(byte) || allowed.contains(byte) {
          result.append(byte)
        } else {
          escape(byte)
        }
      }
      return text(result)
    }

    private static func withoutDotSegments(_ path: String) -> String {
      var kept: [Substring] = []
      let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      for (index, segment) in segments.enumerated() {
        let isLast = index == segments.count - 1
        switch segment {
        case ".": if isLast { kept.append("") }
        case "..":
          _ = kept.popLast()
          if isLast { kept.append("") }
        default: kept.append(segment)
        }
      }
      return "/" + kept.joined(separator: "/")
    }
  }
#endif
