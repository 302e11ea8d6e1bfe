// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine

  /// Where the bytes of a URL are.
  enum SourceURL: Sendable, Equatable {
    /// On a server: the URL in canonical form, without a fragment.
    case remote(String)
    /// In a file, by its path.
    case file(String)
    /// In the URL itself.
    case data([UInt8])

    /// Reads a URL.
    ///
    /// - Parameter maxBytes: Bytes that a `data` URL may hold.
    /// - Throws: ``LoadingError/Code/badRequest`` for a URL that cannot be read or a scheme that is not known;
    ///   ``LoadingError/Code/tooLarge``.
    init(_ url: String, maxBytes: Int) throws(LoadingError) {
      guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        throw LoadingError(.badRequest, "a URL without a scheme", url: url)
      }
      let rest = url[url.utf8.index(after: colon)...]
      switch url[..<colon].lowercased() {
      case "https", "http": self = .remote(try URLParts(url).description)
      case "file": self = .file(try Self.path(rest, url))
      case "data": self = .data(try Self.data(rest, maxBytes))
      case let scheme:
        throw LoadingError(
          .badRequest, "the scheme \(scheme.prefix(20)); https, http, file and data are known",
          url: String(url.prefix(200)))
      }
    }

    /// RFC 8089: an absolute path of this machine.
    private static func path(_ rest: Substring, _ url: String) throws(LoadingError) -> String {
      var path = rest
      if path.hasPrefix("//") {
        path = path.dropFirst(2)
        if path.lowercased().hasPrefix("localhost/") { path = path.dropFirst(9) }
      }
      guard path.hasPrefix("/"), let bytes = decoded(path.utf8.prefix { $0 != UInt8(ascii: "#") }), !bytes.contains(0)
      else { throw LoadingError(.badRequest, "a file URL without an absolute path of this machine", url: url) }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// RFC 2397: `[type][;base64],data`.
    private static func data(_ rest: Substring, _ maxBytes: Int) throws(LoadingError) -> [UInt8] {
      let name = "data:" + rest.prefix(40)
      func bad(_ what: String) -> LoadingError { LoadingError(.badRequest, what, url: name) }
      guard let comma = rest.utf8.firstIndex(of: UInt8(ascii: ",")) else { throw bad("a data URL without a comma") }
      let body = rest.utf8[rest.utf8.index(after: comma)...]
      // Base64 has four characters for three bytes, and each may be written in three.
      guard body.count / 4 <= maxBytes else {
        throw LoadingError(
          .tooLarge, "a data URL of \(body.count) characters, \(maxBytes) bytes are allowed", url: name)
      }
      guard let bytes = decoded(body) else { throw bad("a data URL with a percent sign and no two digits") }
      var result = bytes
      if rest[..<comma].lowercased().hasSuffix(";base64") {
        guard let plain = Base64.bytes(bytes) else { throw bad("a data URL that is not base64") }
        result = plain
      }
      guard result.count <= maxBytes else {
        throw LoadingError(.tooLarge, "a data URL of \(result.count) bytes, \(maxBytes) are allowed", url: name)
      }
      return result
    }

    /// Bytes with the percent signs resolved, or nil if one has no two digits after it.
    private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
      var result: [UInt8] = []
      var bytes = text.makeIterator()
      while let byte = bytes.next() {
        guard byte == UInt8(ascii: "%") else {
          result.append(byte)
          continue
        }
        guard let high = bytes.next().flatMap(digit), let low = bytes.next().flatMap(digit) else { return nil }
        result.append(high << 4 | low)
      }
      return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case 48...57: byte - 48
      case 65...70: byte - 55
      case 97...102: byte - 87
      default: nil
      }
    }
  }
#endif
