// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension MetadataEdit {
  /// Sets a property from text, as people write it.
  ///
  ///     try edit.set("Artist", to: "A. Author")
  ///     try edit.set("GPS.Latitude", to: "48.2082")
  ///     try edit.set("Exif.ExposureTime", to: "1/250")
  ///     try edit.set("dc:title", to: "Harbour")
  ///
  /// - Parameters:
  ///   - name: A property's name, case aside: alone, or after its dictionary and a dot. A property of XMP has its prefix.
  ///   - text: Numbers may be fractions, and several are separated by commas. Empty text takes the property out. A second
  ///     value for the same property makes a list.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that no dictionary has, or text that is no number where one
  ///   is needed.
  public mutating func set(_ name: String, to text: String) throws(CoderError) {
    guard let (dictionary, property) = Self.property(named: name) else {
      throw .invalidArgument("no property is called \(name)")
    }
    let value = try Self.value(of: text, property, dictionary)
    switch (dictionary, values[dictionary, property]) {
    case ("{IPTC}", let earlier?), ("{XMP}", let earlier?):
      if case .list(let list) = earlier {
        values[dictionary, property] = .list(list + [value])
      } else {
        values[dictionary, property] = .list([earlier, value])
      }
    default: values[dictionary, property] = value
    }
  }

  /// The names of all properties that can be set in Exif and IPTC, with their dictionaries: `TIFF.Artist`.
  public static var names: [String] {
    dictionaries.flatMap { dictionary, names in names.map { "\(dictionary.dropFirst().dropLast()).\($0)" } }.sorted()
  }

  private static var dictionaries: [(name: String, names: [String])] {
    ExifEditing.dictionaries.map { ($0.name, $0.tags.values.map(\.name)) } + [("{IPTC}", IPTCProperties.allNames)]
  }

  /// The dictionary of a property; of several that have one of the name, the first.
  private static func property(named name: String) -> (dictionary: String, property: String)? {
    var name = name
    var wanted: String?
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    if parts.count == 2 {
      let group = parts[0].filter { $0 != "{" && $0 != "}" }.lowercased()
      if group == "xmp" { return parts[1].contains(":") ? ("{XMP}", parts[1]) : nil }
      wanted = "{\(group)}"
      name = parts[1]
    }
    if wanted == nil, let colon = name.firstIndex(of: ":"), XMPNamespaces.namespace(of: String(name[..<colon])) != nil {
      return ("{XMP}", name)
    }
    for (dictionary, names) in dictionaries where wanted == nil || dictionary.lowercased() == wanted {
      if let found = names.first(where: { $0.lowercased() == name.lowercased() }) { return (dictionary, found) }
    }
    return nil
  }

  private static func value(
    of text: String, _ property: String, _ dictionary: String
  ) throws(CoderError) -> PropertyValue {
    guard !text.isEmpty, ExifEditing.takesNumbers(property, in: dictionary) else { return .text(text) }
    var numbers: [PropertyValue] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = String(word.filter { $0 != " " })
      let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
      if let whole = Int64(word) {
        numbers.append(.integer(whole))
      } else if parts.count == 1, let number = parts[0], number.isFinite {
        numbers.append(.number(number))
      } else if parts.count == 2, let top = parts[0], let bottom = parts[1], bottom != 0, (top / bottom).isFinite {
        numbers.append(.number(top / bottom))
      } else {
        throw .invalidArgument("\(dictionary) \(property) takes numbers, not \"\(text)\"")
      }
    }
    return numbers.count == 1 ? numbers[0] : .list(numbers)
  }
}
