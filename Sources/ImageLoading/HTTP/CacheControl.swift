// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// The directives of `Cache-Control` (RFC 9111 section 5.2, RFC 5861, RFC 8246).
  struct CacheControl: Sendable, Equatable {
    /// Names in lower case, with their values. The first of a name counts, unless both are numbers: then the smaller.
    private(set) var directives: [String: String] = [:]

    init(_ text: String?) {
      for (name, value) in Self.parts(text ?? "") {
        guard let known = directives[name] else {
          directives[name] = value
          continue
        }
        if let one = Self.number(known), let other = Self.number(value), other < one { directives[name] = value }
      }
    }

    func has(_ name: String) -> Bool { directives[name] != nil }

    /// A time in seconds, or nil if the directive is not there. What is no number counts as zero: nothing is fresher than it
    /// was meant to be.
    func seconds(_ name: String) -> Double? { directives[name].map { Self.number($0) ?? 0 } }

    /// A number too large for anything is as large as the largest that can be said.
    private static func number(_ text: String) -> Double? {
      guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
      return min(Double(text) ?? 2_147_483_648, 2_147_483_648)
    }

    /// `name`, `name=token` and `name="quoted, with commas"`.
    private static func parts(_ text: String) -> [(String, String)] {
      var result: [(String, String)] = []
      var (name, value): (String, String) = ("", "")
      var (isValue, isQuoted, isEscaped) = (false, false, false)
      func finish() {
        let trimmed = name.filter { $0 != " " && $0 != "\t" }.lowercased()
        if !trimmed.isEmpty { result.append((trimmed, value)) }
        (name, value, isValue) = ("", "", false)
      }
      for character in text {
        if isEscaped {
          value.append(character)
          isEscaped = false
        } else if isQuoted {
          switch character {
          case "\\": isEscaped = true
          case "\"": isQuoted = false
          default: value.append(character)
          }
        } else {
          switch character {
          case ",": finish()
          case "=" where !isValue: isValue = true
          case "\"" where isValue: isQuoted = true
          case " ", "\t": continue
          default: if isValue { value.append(character) } else { name.append(character) }
          }
        }
      }
      finish()
      return result
    }
  }
#endif
