// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension DecodeOptions.Output {
  /// The values that concern a file.
  ///
  /// - Parameter format: That of the file, or nil while it is not known.
  package func values(for format: ImageFormat?) -> [String: OptionValue] {
    guard let format, let own = formatValues[format] else { return values }
    return values.merging(own) { $1 }
  }

  /// The first value that concerns a file and that its reader has no option for.
  package func missingOption(in known: [OptionDescription], for format: ImageFormat?) -> String? {
    guard !values.isEmpty || !formatValues.isEmpty else { return nil }
    return values(for: format).keys.sorted().first { name in !known.contains { $0.name == name } }
  }
}

extension DecodeOptions {
  /// The values that concern a file, as its reader gets them. Those that are the default are left out.
  ///
  /// - Parameters:
  ///   - known: All options of the reader.
  ///   - format: That of the file, or nil while it is not known.
  ///   - coder: The reader's coder.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that is not known or not allowed, or a value that the option
  ///   does not take.
  package func checkedValues(
    for known: [OptionDescription], of format: ImageFormat?, coder: String
  ) throws(CoderError) -> [String: OptionValue] {
    guard !output.values.isEmpty || !output.formatValues.isEmpty else { return [:] }
    let given = output.values(for: format)
    if let rule = restrictions.readOptions {
      for name in given.keys.sorted() where !rule.names.contains(name) {
        throw .invalidArgument("option \(name) may not be given (set by \(rule.words))")
      }
    }
    let checked = try OptionDescription.checked(given, for: known, reading: format.map { "\($0)" } ?? coder)
    return checked.filter { name, value in !known.contains { $0.name == name && $0.isDefault(value) } }
  }
}
