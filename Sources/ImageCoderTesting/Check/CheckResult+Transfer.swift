// SPDX-License-Identifier: Apache-2.0

/// A result on its way from the process of its check: texts one after the other, each with the number of its bytes before it.
extension CheckResult {
  var transferred: [UInt8] {
    let texts: [String?] = [
      check, rule.rawValue, outcome.rawValue, note, waiver, failure?.what, failure?.expected, failure?.found,
      failure?.rule?.rawValue, file, "\(milliseconds)",
    ]
    return texts.flatMap { text in Array("\(text?.utf8.count ?? -1):".utf8) + Array((text ?? "").utf8) }
  }

  /// - Returns: Nil for what is no result, such as one that was cut.
  init?(transferred bytes: [UInt8]) {
    var rest = bytes[...]
    var texts: [String?] = []
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      guard let count = Int(String(decoding: rest[..<colon], as: UTF8.self)) else { return nil }
      rest = rest[(colon + 1)...]
      guard count <= rest.count else { return nil }
      texts.append(count < 0 ? nil : String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(max(0, count))
    }
    guard rest.isEmpty, texts.count == 11, let check = texts[0], let rule = texts[1].flatMap(Rule.init),
      let outcome = texts[2].flatMap(Outcome.init), let milliseconds = texts[10].flatMap({ Int($0) })
    else { return nil }
    (self.check, self.rule, self.outcome, note, waiver) = (check, rule, outcome, texts[3], texts[4])
    if let what = texts[5], let expected = texts[6], let found = texts[7] {
      failure = CheckFailure(what: what, expected: expected, found: found, rule: texts[8].flatMap(Rule.init))
    }
    (file, self.milliseconds) = (texts[9], milliseconds)
  }
}
