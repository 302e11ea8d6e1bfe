// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes

  /// What continues a body (RFC 9110 sections 13 and 14).
  enum RangeRules {
    /// `Content-Range: bytes 100-199/200`, or `*` for a total that is not known.
    struct ContentRange: Equatable {
      var first: Int
      var last: Int
      var total: Int?

      init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, ends.count == 2, let first = decimal(ends[0]), let last = decimal(ends[1]),
          first <= last, last < Int.max
        else { return nil }
        self.first = first
        self.last = last
        guard parts[1] != "*" else { return }
        guard let total = decimal(parts[1]), last < total else { return nil }
        self.total = total
      }
    }

    /// A number of digits alone: no sign, no space.
    static func decimal(_ text: some StringProtocol) -> Int? {
      !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }

    /// The length that an answer says, or nil if it says none or several.
    static func contentLength(_ headers: HTTPFields) -> Int? {
      let texts = headers[values: .contentLength].flatMap { $0.split(separator: ",") }
      let values = Set(texts.map { String($0.filter { $0 != " " }) })
      return values.count == 1 ? values.first.flatMap { decimal($0) } : nil
    }

    /// The encoding of a body, or nil if it is as it is.
    static func encoding(_ headers: HTTPFields) -> String? {
      let texts = headers[values: .contentEncoding].flatMap { $0.split(separator: ",") }
      return texts.map { String($0.filter { $0 != " " }).lowercased() }.first { $0 != "identity" && !$0.isEmpty }
    }

    /// What can be sent in `If-Range`: a strong ETag, or a date of the last change that is at least a minute before the
    /// answer's own, so that a second change within the second would show. Nil if the body cannot be continued.
    static func validator(_ headers: HTTPFields) -> String? {
      guard encoding(headers) == nil, headers[.acceptRanges]?.lowercased() != "none" else { return nil }
      if let tag = headers[.eTag] { return isStrong(tag) ? tag : nil }
      guard let text = headers[.lastModified], let modified = HTTPDate.seconds(text),
        let date = headers[.date].flatMap({ HTTPDate.seconds($0) }), modified + 60 <= date
      else { return nil }
      return text
    }

    static func isStrong(_ tag: String) -> Bool {
      tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
    }

    /// Why a partial answer does not continue what is there, or nil if it does.
    static func refusal(_ headers: HTTPFields, of part: PartialBody) -> String? {
      guard let range = headers[.contentRange].flatMap({ ContentRange($0) }) else {
        return "a partial answer without a range"
      }
      if range.first != part.count { return "a part from byte \(range.first) on, \(part.count) was asked for" }
      if let total = part.total, let its = range.total, its != total {
        return "a part of \(its) bytes, there were \(total)"
      }
      if let length = contentLength(headers), length != range.last - range.first + 1 {
        return "a part of \(range.last - range.first + 1) bytes whose length is \(length)"
      }
      if isStrong(part.validator), let tag = headers[.eTag], tag != part.validator {
        return "a part of \(tag), there was \(part.validator)"
      }
      return nil
    }
  }
#endif
