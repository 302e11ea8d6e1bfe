// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel

extension PluginCheck {
  static let readingOptionChecks: [PluginCheck] = [
    PluginCheck(
      .decode, "options", .options, "A default changes nothing; both ends of an option decode, or are refused."
    ) {
      (subject) throws(CheckEnd) in
      let options = try requireOptions(subject)
      var count = 0
      for sample in try subject.samples.prefix(3) {
        let plain = try subject.read(sample.bytes, sample.name)
        for option in options where !subject.isOutOfTime {
          let usual = TestValue(usualOf: option)
          let name = "\(sample.name) with \(usual.shown)"
          if let difference = try read(sample, with: [usual], subject).difference(from: plain) {
            throw .failed(name, expected: "what is read without", found: difference)
          }
          for value in values(of: option) {
            let status = try read(sample, with: [value], subject).status
            guard try subject.coder.isKnown(status) else {
              throw .failed(
                "\(sample.name) with \(value.shown)", expected: "a status of types.h", found: Status.name(status))
            }
            count += 1
          }
        }
      }
      return note(count, "values", subject)
    },
    PluginCheck(.decode, "options-beyond", .options, "A value or option to read that no host passes does no harm.") {
      (subject) throws(CheckEnd) in
      guard let sample = try subject.samples.first else { return nil }
      var values = (UInt32(0)...6).map { TestValue(name: "no-such-option", type: $0, number: 1, text: "x") }
      for option in try subject.reader.readOptions {
        values += [option.minimum - 1, option.maximum + 1, 1e300, -1e300, .nan, .infinity].map {
          TestValue(option, $0, text: "\u{1}")
        }
      }
      for value in values where !subject.isOutOfTime {
        let status = try read(sample, with: [value], subject).status
        guard try subject.coder.isKnown(status) else {
          throw .failed(
            "\(sample.name) with \(value.shown)", expected: "a status of types.h", found: Status.name(status))
        }
      }
      return nil
    },
  ]

  private static func requireOptions(_ subject: CheckSubject) throws(CheckEnd) -> [DescribedOption] {
    let options = try subject.reader.readOptions
    guard !options.isEmpty else { throw .skipped("the reader has no options") }
    return options
  }

  private static func read(
    _ sample: CheckSubject.Sample, with values: [TestValue], _ subject: CheckSubject
  ) throws(CheckEnd) -> Reading {
    var settings = ReadSettings()
    settings.values = values
    return try subject.read(sample.bytes, "\(sample.name) with \(values.map(\.shown).joined())", settings)
  }
}

extension TestValue {
  /// A value of an option.
  init(_ option: DescribedOption, _ number: Double, text: String = "") {
    self.init(name: LoadedCoder.text(option.name) ?? "", type: option.type, number: number, text: text)
  }

  /// The default of an option.
  init(usualOf option: DescribedOption) {
    var text = ""
    if Int(option.type) == IMGCODER_OPTION_TEXT { text = LoadedCoder.text(option.defaultText) ?? "" }
    if Int(option.type) == IMGCODER_OPTION_CHOICE, let index = Int(exactly: option.defaultValue),
      index >= 0, index < option.choiceCount
    {
      text = option.choices.flatMap { LoadedCoder.text($0[index]) } ?? ""
    }
    self.init(option, option.defaultValue, text: text)
  }

  /// For messages.
  var shown: String { "\(name) of \(text.isEmpty ? "\(number)" : text.prefix(20).description)" }
}
