// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// One line of a diagnosis.
struct Finding: Equatable {
  enum Mark: String {
    case good = "ok"
    /// For information; nothing to do.
    case note = "-"
    /// To look at; it works.
    case warning
    case problem = "PROBLEM"
  }

  let mark: Mark
  let text: String
  /// What to do about it, or nil.
  var advice: String?

  func lines(_ style: Style) -> [String] {
    let label = mark.rawValue + String(repeating: " ", count: 9 - mark.rawValue.count)
    let shown =
      switch mark {
      case .good: style.good(label)
      case .note: style.faint(label)
      case .warning, .problem: style.bad(label)
      }
    return ["  \(shown)\(text.printable)"]
      + (advice.map { ["  " + String(repeating: " ", count: 9) + $0.printable] } ?? [])
  }
}

extension Finding {
  /// The finding for programs; `docs/cli.md` documents the keys.
  var json: JSONValue {
    let word =
      switch mark {
      case .good: "ok"
      case .note: "note"
      case .warning: "warning"
      case .problem: "problem"
      }
    return .object(["mark": .text(word), "text": .text(text), "advice": .optional(advice)])
  }
}
