// SPDX-License-Identifier: Apache-2.0

/// Describes an option of a writer or of an operation, so that values can be checked before a coder sees them.
public struct OptionDescription: Sendable, Equatable {
  /// The values that an option takes.
  public enum Kind: Sendable, Equatable {
    /// True or false; a writer gets 1 or 0.
    case boolean(default: Bool)
    /// A whole number within a range, both ends included.
    case integer(ClosedRange<Int>, default: Int)
    /// A number within a range, both ends included.
    case number(ClosedRange<Double>, default: Double)
    /// One word from a list; the value is its index.
    case choice([String], default: Int)
    /// Any text of at most so many bytes of UTF-8.
    case text(maximumBytes: Int, default: String)
  }

  /// Lower case, words joined by "-": `method`.
  public var name: String
  /// One sentence for `--help`.
  public var text: String
  /// The values that the option takes, and its default.
  public var kind: Kind

  /// Makes a description; name and text are not checked.
  public init(name: String, text: String, kind: Kind) {
    self.name = name
    self.text = text
    self.kind = kind
  }
}
