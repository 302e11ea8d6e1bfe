// SPDX-License-Identifier: Apache-2.0

extension OptionDescription {
  /// Values as a writer gets them: words for texts, numbers for all else, the index of the word for a choice.
  ///
  /// - Parameters:
  ///   - known: The options of the writer.
  ///   - format: Named in errors.
  /// - Returns: Values by name. An option of common meaning that the writer does not follow is left out.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that is not known, with the known ones, or a value that the
  ///   option does not take, with those that it takes.
  package static func checked(
    _ values: [String: OptionValue], for known: [OptionDescription], of format: ImageFormat
  ) throws(CoderError) -> [String: OptionValue] {
    var checked: [String: OptionValue] = [:]
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      if let option = known.first(where: { $0.name == name }) {
        checked[name] = try option.checked(value)
      } else if CommonOption(rawValue: name) == nil {
        let names = known.map(\.name).joined(separator: ", ")
        throw .invalidArgument("\(format) has no option \(name); it has \(names.isEmpty ? "none" : names)")
      }
    }
    return checked
  }

  func checked(_ value: OptionValue) throws(CoderError) -> OptionValue {
    guard case .text(let maximum, _) = kind else { return .number(try number(of: value)) }
    guard case .word(let text) = value, text.utf8.count <= maximum else {
      throw .invalidArgument("option \(name) is \(value), \(allowedValues) is allowed")
    }
    return value
  }

  private func number(of value: OptionValue) throws(CoderError) -> Double {
    let number: Double? =
      switch value {
      case .boolean(let isOn): isBoolean ? (isOn ? 1 : 0) : nil
      case .number(let number): number
      case .word(let word): self.number(spelled: word)
      }
    guard let number, range.contains(number), !isWhole || number == number.rounded() else {
      // A number that was written as a word is shown as the number.
      throw .invalidArgument("option \(name) is \(number.map { .number($0) } ?? value), \(allowedValues) is allowed")
    }
    return number
  }

  private func number(spelled word: String) -> Double? {
    switch kind {
    case .boolean:
      switch word {
      case "true", "yes", "on", "1": 1
      case "false", "no", "off", "0": 0
      default: nil
      }
    case .choice(let words, _): words.firstIndex(of: word).map(Double.init)
    case .integer, .number: Double(word)
    case .text: nil
    }
  }

  /// What the option takes, in words: `0 to 12`, `auto, never`.
  private var allowedValues: String {
    switch kind {
    case .boolean: "true or false"
    case .integer(let range, _): "\(range.lowerBound) to \(range.upperBound)"
    case .number(let range, _): "\(OptionValue.number(range.lowerBound)) to \(OptionValue.number(range.upperBound))"
    case .choice(let words, _): words.joined(separator: ", ")
    case .text(let maximum, _): "a text of at most \(maximum) bytes"
    }
  }

  private var range: ClosedRange<Double> {
    switch kind {
    case .boolean: 0...1
    case .integer(let range, _): Double(range.lowerBound)...Double(range.upperBound)
    case .number(let range, _): range
    case .choice(let words, _): 0...Double(max(0, words.count - 1))
    case .text: 0...0
    }
  }

  private var isBoolean: Bool {
    if case .boolean = kind { return true }
    return false
  }

  private var isWhole: Bool {
    if case .number = kind { return false }
    return true
  }
}
