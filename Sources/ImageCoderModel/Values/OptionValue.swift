// SPDX-License-Identifier: Apache-2.0

/// A value that a caller gives an option, before it is checked against the option's description.
public enum OptionValue: Sendable, Hashable {
  /// A value of a boolean option.
  case boolean(Bool)
  /// A value of a numeric option; also 0 or 1 for a boolean one, or a word's index in a choice.
  case number(Double)
  /// A text, a word of a choice, or a value of any other kind as it is written: `true`, `12`, `0.5`.
  case word(String)
}

extension OptionValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral
{
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .word(value) }
}

extension OptionValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .boolean(let value): "\(value)"
    case .number(let value): Int(exactly: value).map { "\($0)" } ?? "\(value)"
    case .word(let text): "\"\(text)\""
    }
  }
}
