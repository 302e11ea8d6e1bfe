// SPDX-License-Identifier: Apache-2.0

/// Describes an option of a reader, a writer or an operation, so that values can be checked before a coder sees them.
public struct OptionDescription: Sendable, Equatable {
  /// The values that an option takes.
  public enum Kind: Sendable, Equatable {
    /// True or false; a coder gets 1 or 0.
    case boolean(default: Bool)
    /// A whole number within a range, both ends included.
    case integer(ClosedRange<Int>, default: Int)
    /// A number within a range, both ends included.
    case number(ClosedRange<Double>, default: Double)
    /// One word from a list; the value is its index.
    case choice([String], default: Int)
    /// Any text of at most so many bytes of UTF-8.
    case text(maximumBytes: Int, default: String)

    package var isText: Bool { if case .text = self { true } else { false } }
  }

  /// Lower case, words joined by "-": `method`.
  public var name: String
  /// One sentence for `--help`.
  public var text: String
  /// The values that the option takes, and its default.
  public var kind: Kind
  /// Whether the value is a password or the like: no log, error, cache key or listing shows it, and no picture is kept on
  /// disk that was opened with it. Only texts are.
  public var isSecret: Bool

  /// Makes a description; name and text are not checked.
  public init(name: String, text: String, kind: Kind, isSecret: Bool = false) {
    self.name = name
    self.text = text
    self.kind = kind
    self.isSecret = isSecret
  }

  /// The name of the secret that opens a file, in each format that has it.
  package static let password = "password"

  /// Whether a value is the same as none.
  ///
  /// - Parameter value: As a coder gets it: a word for a text, a number for all else.
  package func isDefault(_ value: OptionValue) -> Bool {
    switch kind {
    case .boolean(let usual): value == .number(usual ? 1 : 0)
    case .integer(_, let usual), .choice(_, let usual): value == .number(Double(usual))
    case .number(_, let usual): value == .number(usual)
    case .text(_, let usual): value == .word(usual)
    }
  }
}
