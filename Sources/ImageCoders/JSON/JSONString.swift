// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine

extension String {
  /// In quotes, cut where it is long, for a message.
  package var quoted: String { "\"\(short)\"" }

  /// Cut where it is long, without characters that would move the cursor of a terminal.
  var short: String {
    let text = utf8.count <= 64 ? self : String(unicodeScalars.prefix(40)) + "…"
    guard text.unicodeScalars.contains(where: \.isControl) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? "?" : $0 }))
  }

  /// As a string of JSON, with its quotes (RFC 8259 §7).
  package var inJSON: String {
    var text = "\""
    // JSON is UTF-8 (RFC 8259 §8.1); names of files need not be.
    for scalar in SystemName.unicode(self).unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
