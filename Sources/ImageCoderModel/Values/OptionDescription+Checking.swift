// SPDX-License-Identifier: Apache-2.0

extension OptionDescription {
  /// Checks values of a format's own options.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that is not known, with the known ones, or a value that
  ///   is out of range, with the range.
  package static func check(
    _ values: [String: Double], against known: [OptionDescription], of format: ImageFormat
  ) throws(CoderError) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let option = known.first(where: { $0.name == name }) else {
        let names = known.map(\.name).joined(separator: ", ")
        throw .invalidArgument("\(format) has no option \(name); it has \(names.isEmpty ? "none" : names)")
      }
      let range = option.range
      guard range.contains(value), !option.isWhole || value == value.rounded() else {
        throw .invalidArgument(
          "option \(name) is \(option.text(of: value)), \(option.text(of: range.lowerBound)) to "
            + "\(option.text(of: range.upperBound)) is allowed")
      }
    }
  }

  private var range: ClosedRange<Double> {
    switch kind {
    case .boolean: 0...1
    case .integer(let range, _): Double(range.lowerBound)...Double(range.upperBound)
    case .number(let range, _): range
    case .choice(let words, _): 0...Double(max(0, words.count - 1))
    }
  }

  /// A value as the option's kind has it: whole numbers without a fraction.
  private func text(of value: Double) -> String {
    guard isWhole, let whole = Int(exactly: value) else { return "\(value)" }
    return "\(whole)"
  }

  private var isWhole: Bool {
    if case .number = kind { return false }
    return true
  }
}
