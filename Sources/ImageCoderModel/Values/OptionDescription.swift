// SPDX-License-Identifier: Apache-2.0

/// Describes an option of a writer, so that values can be checked before the writer sees them.
public struct OptionDescription: Sendable, Equatable {
  /// The values that an option takes.
  public enum Kind: Sendable, Equatable {
    case boolean(default: Bool)
    case integer(ClosedRange<Int>, default: Int)
    case number(ClosedRange<Double>, default: Double)
    /// One word from a list; the value is its index.
    case choice([String], default: Int)
  }

  /// Lower case, words joined by "-": `method`.
  public var name: String
  /// One sentence for `--help`.
  public var text: String
  public var kind: Kind

  public init(name: String, text: String, kind: Kind) {
    self.name = name
    self.text = text
    self.kind = kind
  }
}
