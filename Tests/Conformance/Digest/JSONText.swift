// SPDX-License-Identifier: Apache-2.0

/// A value of JSON that is only written.
enum JSONText: CustomStringConvertible {
  case text(String)
  case number(Double)
  case integer(Int)
  case truth(Bool)
  case list([JSONText])
  /// Keys in the order in which they are written.
  case object([(key: String, value: JSONText)])

  var description: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): "\(number)"
    case .integer(let integer): "\(integer)"
    case .truth(let truth): "\(truth)"
    case .list(let values): "[\(values.map(\.description).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
