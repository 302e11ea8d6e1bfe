// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes

  /// Which headers a request has.
  enum RequestHeaders {
    /// What the fetcher and the connection set, and nobody else.
    private static let reserved: Set<String> = [
      "accept-encoding", "connection", "content-length", "expect", "host", "if-match", "if-modified-since",
      "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-authorization", "proxy-connection",
      "range", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// What says nothing of who asks or may ask, and goes to any server.
    private static let crossOrigin: Set<String> = ["accept", "accept-language", "user-agent"]

    /// - Throws: ``LoadingError/Code/badRequest`` for a header that is not the caller's to set.
    static func check(_ headers: HTTPFields, _ url: String) throws(LoadingError) {
      if let field = headers.first(where: { reserved.contains($0.name.canonicalName) }) {
        throw LoadingError(
          .badRequest, "the header \(field.name.canonicalName), which the request sets itself", url: url)
      }
    }

    /// What is left of headers when a redirect leads to another origin.
    static func acrossOrigins(_ headers: HTTPFields) -> HTTPFields {
      HTTPFields(headers.filter { crossOrigin.contains($0.name.canonicalName) })
    }

    /// What asks whether a stored answer is still right.
    static func confirm(_ stored: StoredResponse, _ headers: inout HTTPFields) {
      if let tag = stored.value("etag") { headers[.ifNoneMatch] = tag }
      if let date = stored.value("last-modified") { headers[.ifModifiedSince] = date }
    }

    /// What asks for the rest of a body.
    static func resume(_ part: PartialBody, _ headers: inout HTTPFields) {
      headers[.range] = "bytes=\(part.count)-"
      headers[.ifRange] = part.validator
    }
  }

  extension StoredResponse {
    /// The values of a header, in one line; nil if it is not there.
    func value(_ name: String) -> String? {
      let values = headers.compactMap { $0.count == 2 && $0[0] == name ? $0[1] : nil }
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
  }
#endif
