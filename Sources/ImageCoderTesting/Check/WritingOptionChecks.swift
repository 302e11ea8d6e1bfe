// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  static let writingOptionChecks: [PluginCheck] = [
    PluginCheck(.writing, "bounds", .options, "Each option takes its default and both ends of its range.") {
      (subject) throws(CheckEnd) in
      let options = try requireOptions(subject)
      var count = 0
      for option in options where !subject.isOutOfTime {
        var (refusal, isTaken): (String?, Bool) = (nil, false)
        for value in values(of: option) where !subject.isOutOfTime {
          for format in try subject.writableFormats.prefix(1) {
            var settings = format
            settings.values = [value]
            let name =
              "\(format.format) with \(value.name) of \(value.text.isEmpty ? "\(value.number)" : value.text.prefix(20).description)"
            let written = try subject.write(settings, name)
            count += 1
            // A value may need a library or a picture that is not here; not all of them do.
            if written.status == Status.unsupported {
              refusal = describe(written.failure)
              continue
            }
            try verify(subject, written, settings, name)
            isTaken = true
          }
        }
        guard isTaken || refusal == nil else {
          throw .failed(
            "option \(LoadedCoder.text(option.name) ?? "?")", expected: "some value that works", found: refusal!)
        }
      }
      return note(count, "values", subject)
    },
    PluginCheck(.writing, "beyond", .options, "A value beyond the range, which no host passes, does no harm.") {
      (subject) throws(CheckEnd) in
      let options = try requireOptions(subject)
      for option in options {
        for number in [option.minimum - 1, option.maximum + 1, -1, 1e300, -1e300, .nan, .infinity]
        where !subject.isOutOfTime {
          for format in try subject.writableFormats.prefix(1) {
            var settings = format
            let name = LoadedCoder.text(option.name) ?? ""
            settings.values = [TestValue(name: name, type: option.type, number: number)]
            let written = try subject.write(settings, "\(format.format) with \(name) of \(number)")
            guard try subject.coder.isKnown(written.status) else {
              throw .failed(
                "\(name) of \(number)", expected: "a status of types.h", found: Status.name(written.status))
            }
          }
        }
      }
      return nil
    },
    PluginCheck(.writing, "unknown-option", .r16, "An unknown option, which no host passes, does no harm.") {
      (subject) throws(CheckEnd) in
      for format in try subject.writableFormats {
        for type in UInt32(0)...6 {
          var settings = format
          settings.values = [TestValue(name: "no-such-option", type: type, number: 1, text: "x")]
          let written = try subject.write(settings, "\(format.format) with an unknown option of type \(type)")
          guard try subject.coder.isKnown(written.status) else {
            throw .failed("an unknown option", expected: "a status of types.h", found: Status.name(written.status))
          }
        }
      }
      return nil
    },
    PluginCheck(.writing, "effects", .options, "Each option changes some file, and the same value gives the same file.")
    {
      (subject) throws(CheckEnd) in
      _ = try requireOptions(subject)
      let manifest = try subject.manifest
      guard let path = subject.plugin.manifest else { throw .skipped("there is no manifest") }
      let size = try subject.writableFormats.first.map { Size(width: $0.width, height: $0.height) }
      subject.stage("the effects of options")
      let plugin: Plugin
      do { plugin = try Plugin(pluginDirectory: CheckedPlugin.folder(path), id: manifest.id) } catch {
        throw .skipped("the engine does not load the plugin: \(error)")
      }
      let isSquare = size.map { $0.width == $0.height } ?? false
      var family = Subject(
        plugin: plugin, fixtures: .empty, bounds: .init(),
        pictures: TestPictures(size: isSquare ? size! : Size(width: 48, height: 36)), optionsWithoutEffect: [:])
      // An option may be about metadata, which only samples have.
      for kind in MetadataKind.allCases {
        // A coder that decodes no sample is checked without.
        family.payloads[kind] = (try? PluginCheck.payload(kind.rawValue, subject)) ?? nil
      }
      let missing = MetadataKind.allCases.filter {
        manifest.capabilities.contains("\($0)".lowercased()) && family.payloads[$0] == nil
      }
      let hint = missing.isEmpty ? "" : "; no sample has \(missing.map { "\($0)" }.joined(separator: ", "))"
      var count = 0
      for option in manifest.options where !subject.isOutOfTime {
        subject.stage("the effect of \(option.name)")
        do throws(ConformanceFailure) {
          try family.checkEffect(of: option, Claim(family: .options, subject: option.name))
        } catch {
          throw .failed("option \(option.name)", expected: error.expected, found: error.found + hint)
        }
        count += 1
      }
      return note(count, "of \(manifest.options.count) options", subject)
    },
  ]

  private static func requireOptions(_ subject: CheckSubject) throws(CheckEnd) -> [DescribedOption] {
    let options = try subject.writer.options
    guard !options.isEmpty else { throw .skipped("the writer has no options") }
    return options
  }

  /// The default, both ends, and each word of a choice.
  static func values(of option: DescribedOption) -> [TestValue] {
    func value(_ number: Double, _ text: String = "") -> TestValue { TestValue(option, number, text: text) }
    switch Int(option.type) {
    case IMGCODER_OPTION_BOOLEAN: return [value(0), value(1)]
    case IMGCODER_OPTION_CHOICE:
      return (0..<Int(min(option.choiceCount, 64))).map { index in
        value(Double(index), option.choices.flatMap { LoadedCoder.text($0[index]) } ?? "")
      }
    case IMGCODER_OPTION_TEXT:
      return ["", String(repeating: "x", count: Int(min(max(option.maximum, 0), 65_536)))].map { value(0, $0) }
    default: return [option.defaultValue, option.minimum, option.maximum].map { value($0) }
    }
  }
}
