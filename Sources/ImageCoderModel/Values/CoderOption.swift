// SPDX-License-Identifier: Apache-2.0

/// An option of a reader, of a writer or of a ``ContainerOperation``: its description, and how to read its value in Swift.
///
///     enum QOIOption {
///       static let colorSpace = CoderOption.choice("color-space", default: ColorSpace.sRGB, "What the header says.")
///       static let table: [OptionDescription] = [colorSpace.description]
///     }
///     let space = options[QOIOption.colorSpace]
///
/// The manifest, `--help`, validation and documentation use the description. The static members ``quality(default:)``,
/// ``progressive()``, and ``subsampling(_:default:)`` are options with the same meaning in every format.
public struct CoderOption<Value: Sendable>: Sendable {
  /// What the manifest, `--help` and validation say of the option.
  public let description: OptionDescription
  /// The value if the caller gives none.
  public let defaultValue: Value
  let read: @Sendable (OptionValue) -> Value?

  /// The key of the option's value in ``WriteOptions/values`` and ``OpenOptions/values``.
  public var name: String { description.name }
}

extension CoderOption {
  /// A whole number.
  public static func integer(
    _ name: String, _ range: ClosedRange<Int>, default value: Int, _ text: String
  ) -> CoderOption where Value == Int {
    CoderOption(
      description: OptionDescription(name: name, text: text, kind: .integer(range, default: value)),
      defaultValue: value
    ) { $0.number.flatMap { Int(exactly: $0) } }
  }

  /// A number.
  public static func number(
    _ name: String, _ range: ClosedRange<Double>, default value: Double, _ text: String
  ) -> CoderOption where Value == Double {
    CoderOption(
      description: OptionDescription(name: name, text: text, kind: .number(range, default: value)), defaultValue: value
    ) { $0.number }
  }

  /// A Boolean.
  public static func boolean(
    _ name: String, default value: Bool, _ text: String
  ) -> CoderOption where Value == Bool {
    CoderOption(
      description: OptionDescription(name: name, text: text, kind: .boolean(default: value)), defaultValue: value
    ) { $0.number.map { $0 != 0 } }
  }

  /// A text.
  ///
  /// - Parameters:
  ///   - maximumBytes: Of UTF-8.
  ///   - isSecret: Whether it is shown nowhere: ``OptionDescription/isSecret``.
  public static func text(
    _ name: String, maximumBytes: Int, default value: String, isSecret: Bool = false, _ text: String
  ) -> CoderOption where Value == String {
    CoderOption(
      description: OptionDescription(
        name: name, text: text, kind: .text(maximumBytes: maximumBytes, default: value), isSecret: isSecret),
      defaultValue: value
    ) { if case .word(let text) = $0 { text } else { nil } }
  }

  /// One of the cases of an enumeration; their raw values are the words of the choice.
  public static func choice(
    _ name: String, default value: Value, _ text: String
  ) -> CoderOption where Value: RawRepresentable & CaseIterable & Equatable, Value.RawValue == String {
    let cases = Array(Value.allCases)
    let index = cases.firstIndex(of: value) ?? 0
    return CoderOption(
      description: OptionDescription(
        name: name, text: text, kind: .choice(cases.map(\.rawValue), default: index)),
      defaultValue: value
    ) { $0.index(in: cases.indices).map { cases[$0] } }
  }
}

// Options whose meaning is the same in every format that has them.
extension CoderOption {
  /// How much may be lost: 0 smallest, 1 best.
  public static func quality(default value: Double) -> CoderOption where Value == Double {
    .number(CommonOption.quality.name, 0...1, default: value, CommonOption.quality.text)
  }

  /// Interlaced or progressive output.
  public static func progressive() -> CoderOption where Value == Bool {
    .boolean(CommonOption.progressive.name, default: false, CommonOption.progressive.text)
  }

  /// Chroma subsampling.
  ///
  /// - Parameters:
  ///   - choices: The values that the format can write; they are named `4:2:0` and so on.
  public static func subsampling(
    _ choices: [Subsampling], default value: Subsampling
  ) -> CoderOption where Value == Subsampling {
    CoderOption(
      description: OptionDescription(
        name: CommonOption.subsampling.name, text: CommonOption.subsampling.text,
        kind: .choice(choices.map(\.description), default: choices.firstIndex(of: value) ?? 0)),
      defaultValue: value
    ) { $0.index(in: choices.indices).map { choices[$0] } }
  }
}

extension OptionValue {
  fileprivate var number: Double? { if case .number(let number) = self { number } else { nil } }

  fileprivate func index(in indices: Range<Int>) -> Int? {
    number.flatMap { Int(exactly: $0) }.flatMap { indices.contains($0) ? $0 : nil }
  }
}

/// The options that have the same meaning in every format.
public enum CommonOption: String, CaseIterable, Sendable {
  /// ``CoderOption/quality(default:)``
  case quality
  /// ``CoderOption/progressive()``
  case progressive
  /// ``CoderOption/subsampling(_:default:)``
  case subsampling

  /// The option's name in each format that has it.
  public var name: String { rawValue }

  /// One sentence for `--help`.
  public var text: String {
    switch self {
    case .quality: "Quality of lossy compression: 0 is smallest, 1 is best."
    case .progressive: "Write coarse rows before fine ones: interlaced or progressive."
    case .subsampling: "Chroma subsampling."
    }
  }
}

extension WriteOptions {
  /// The value of an option: the given value, or else the option's default.
  public subscript<Value>(_ option: CoderOption<Value>) -> Value { given(option) ?? option.defaultValue }

  /// The value that the caller gave, or nil.
  public func given<Value>(_ option: CoderOption<Value>) -> Value? {
    values[option.description.name].flatMap(option.read)
  }
}

extension OpenOptions {
  /// The value of an option: the given value, or else the option's default.
  public subscript<Value>(_ option: CoderOption<Value>) -> Value {
    values[option.name].flatMap(option.read) ?? option.defaultValue
  }
}
