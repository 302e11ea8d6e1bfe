// SPDX-License-Identifier: Apache-2.0

extension OptionDescription {
  /// Values as a coder gets them: words for texts, numbers for all else, the index of the word for a choice.
  ///
  /// - Parameters:
  ///   - known: The options of the reader or writer.
  ///   - owner: A format or a coder, named in errors.
  ///   - optional: Names of options that are left out where they are not known.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that is not known, with the known ones, or a value that the
  ///   option does not take, with those that it takes.
  package static func checked(
    _ values: [String: OptionValue], for known: [OptionDescription], of owner: String, optional: Set<String> = []
  ) throws(CoderError) -> [String: OptionValue] {
    var checked: [String: OptionValue] = [:]
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      if let option = known.first(where: { $0.name == name }) {
        checked[name] = try option.checked(value)
      } else if !optional.contains(name) {
        let names = known.map(\.name).joined(separator: ", ")
        throw .invalidArgument("\(owner) has no option \(name); it has \(names.isEmpty ? "none" : names)")
      }
    }
    return checked
  }

  /// Values as a writer gets them. One of common meaning that the writer does not follow is left out.
  package static func checked(
    _ values: [String: OptionValue], for known: [OptionDescription], writing format: ImageFormat
  ) throws(CoderError) -> [String: OptionValue] {
    try checked(values, for: known, of: "\(format)", optional: Set(CommonOption.allCases.map(\.name)))
  }

  /// Bytes of all values of a reader: a worker gets them in one message.
  package static let mostBytesOfValues = 4096

  /// Values as a reader gets them.
  ///
  /// - Throws: Also ``CoderError/Code/invalidArgument`` for more than ``mostBytesOfValues``.
  package static func checked(
    _ values: [String: OptionValue], for known: [OptionDescription], reading owner: String
  ) throws(CoderError) -> [String: OptionValue] {
    guard !values.isEmpty else { return [:] }
    let checked = try checked(values, for: known, of: owner)
    let bytes = known.reduce(0) { sum, option in sum + (checked[option.name].map(option.byteCount) ?? 0) }
    guard bytes <= mostBytesOfValues else {
      throw .invalidArgument("the options to read take \(bytes) bytes, at most \(mostBytesOfValues) are allowed")
    }
    return checked
  }

  /// Bytes of a value as a worker gets it: its type, a number, and the lengths of two texts before those.
  private func byteCount(of value: OptionValue) -> Int {
    let text: String =
      switch (kind, value) {
      case (_, .word(let text)): text
      case (.choice(let words, _), .number(let index)): words[Int(index)]
      default: ""
      }
    return 28 + name.utf8.count + text.utf8.count
  }

  /// A value as a coder gets it.
  package func checked(_ value: OptionValue) throws(CoderError) -> OptionValue {
    guard case .text(let maximum, _) = kind else { return .number(try number(of: value)) }
    guard case .word(let text) = value, text.utf8.count <= maximum else {
      // A secret is told by its length alone.
      var shown = "\(value)"
      if isSecret, case .word(let text) = value { shown = "a text of \(text.utf8.count)" }
      throw .invalidArgument("option \(name) is \(shown), \(allowedValues) is allowed")
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
