// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Reads and writes IPTC-IIM data sets of the second record as properties: `{IPTC}`, by ImageIO's names.
///
/// - Format: IPTC-NAA Information Interchange Model 4.2, chapters 1, 5 and 6.
package struct IPTCProperties {
  /// A data set.
  private struct DataSet {
    let record: UInt8
    let number: UInt8
    var bytes: [UInt8]
  }

  /// All data sets that can be read, in their order.
  private var dataSets: [DataSet] = []

  /// Data sets that are looked at, at most.
  private static let maxDataSets = 4096
  /// §1.6: what each begins with.
  private static let marker: UInt8 = 0x1C
  /// §5, data set 1:90 with ISO 2022's escape sequence for UTF-8.
  private static let utf8: [UInt8] = [0x1B, 0x25, 0x47]

  /// - Parameter block: Nil for none. What is after a place that breaks the rules is left out.
  package init(_ block: [UInt8]?) {
    guard let block else { return }
    var reader = ByteReader(block.span.bytes, of: "the IPTC block")
    while dataSets.count < Self.maxDataSets, reader.remaining >= 5, (try? reader.uint8()) == Self.marker,
      let record = try? reader.uint8(), let number = try? reader.uint8(), let short = try? reader.uint16()
    {
      var length = Int(short)
      if short >= 0x8000 {
        // §1.5 (d): the length is in as many bytes.
        let width = Int(short & 0x7FFF)
        guard width <= 4, let long = try? reader.unsigned(bytes: width) else { return }
        length = Int(long)
      }
      guard let bytes = try? reader.array(length) else { return }
      dataSets.append(DataSet(record: record, number: number, bytes: bytes))
    }
  }

  /// `{IPTC}`, or nothing.
  package var properties: Properties {
    var properties = Properties()
    for (number, name) in Self.names {
      let texts = dataSets.filter { $0.record == 2 && $0.number == number }.map { set in
        PropertyValue.text(Self.shown(Self.text(set.bytes), number))
      }
      guard let first = texts.first else { continue }
      properties["{IPTC}", name] = Self.repeated.contains(number) ? .list(texts) : first
    }
    return properties
  }

  private var isUTF8: Bool {
    dataSets.contains { $0.record == 1 && $0.number == 90 && $0.bytes == Self.utf8 }
  }

  /// Many files have UTF-8 without saying so, and some say so without having it.
  private static func text(_ bytes: [UInt8]) -> String {
    var bytes = bytes[...]
    while bytes.last == 0 { bytes.removeLast() }
    return String(readable: bytes)
  }

  /// Times in UTC are shown without their zone: §6, data sets 2:35, 2:38, 2:60 and 2:63.
  private static func shown(_ text: String, _ number: UInt8) -> String {
    [35, 38, 60, 63].contains(number) && text.hasSuffix("+0000") ? String(text.dropLast(5)) : text
  }

  // MARK: Changing

  /// Takes out what says where: IIM 4.2 §6, data sets 2:26, 2:27 (places of the content), 2:90 to 2:101 (city to country).
  mutating func removePlaces() {
    dataSets.removeAll { $0.record == 2 && ([26, 27].contains($0.number) || (90...101).contains($0.number)) }
  }

  static var allNames: [String] { names.map(\.name) }

  static func isName(_ name: String) -> Bool { names.contains { $0.name == name } }

  /// Sets a property; empty text takes it out. All text is UTF-8 then.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a value that is not text, or a name that the record does not have.
  mutating func set(_ name: String, to value: PropertyValue) throws(CoderError) {
    guard let number = Self.names.first(where: { $0.name == name })?.number else {
      throw .invalidArgument("{IPTC} has no property \(name)")
    }
    var values = [value]
    if case .list(let several) = value { values = several }
    guard values.count == 1 || Self.repeated.contains(number) else {
      throw .invalidArgument("{IPTC} \(name) takes one value, not \(values.count)")
    }
    var texts: [[UInt8]] = []
    for value in values {
      switch value {
      case .text(let text): texts.append(Array(text.utf8))
      case .integer(let number): texts.append(Array("\(number)".utf8))
      default: throw .invalidArgument("{IPTC} \(name) takes text")
      }
    }
    becomeUTF8()
    let place = dataSets.firstIndex { $0.record == 2 && $0.number == number }
    dataSets.removeAll { $0.record == 2 && $0.number == number }
    let new = texts.filter { !$0.isEmpty && $0.count < 0x8000 }.map { DataSet(record: 2, number: number, bytes: $0) }
    dataSets.insert(contentsOf: new, at: place ?? dataSets.firstIndex { $0.record > 2 } ?? dataSets.count)
  }

  private mutating func becomeUTF8() {
    guard !isUTF8 else { return }
    let texts = Set(Self.names.map(\.number))
    for index in dataSets.indices where dataSets[index].record == 2 && texts.contains(dataSets[index].number) {
      dataSets[index].bytes = Array(Self.text(dataSets[index].bytes).utf8)
    }
    dataSets.removeAll { $0.record == 1 && $0.number == 90 }
    let place = dataSets.firstIndex { $0.record > 1 || ($0.record == 1 && $0.number > 90) } ?? dataSets.count
    dataSets.insert(DataSet(record: 1, number: 90, bytes: Self.utf8), at: place)
    // §6: the record's version comes first.
    if !dataSets.contains(where: { $0.record == 2 && $0.number == 0 }) {
      let start = dataSets.firstIndex { $0.record >= 2 } ?? dataSets.count
      dataSets.insert(DataSet(record: 2, number: 0, bytes: [0, 4]), at: start)
    }
  }

  /// The block, or nil without a data set that says something.
  var block: [UInt8]? {
    guard dataSets.contains(where: { $0.record > 1 && $0.number > 0 }) else { return nil }
    var writer = ByteWriter()
    for set in dataSets {
      writer.put([Self.marker, set.record, set.number])
      if set.bytes.count < 0x8000 {
        writer.put(UInt16(set.bytes.count))
      } else {
        writer.put(UInt16(0x8004))
        writer.put(UInt32(clamping: set.bytes.count))
      }
      writer.put(set.bytes)
    }
    return writer.bytes
  }

  /// Data sets that may occur more than once.
  private static let repeated: Set<UInt8> = [4, 12, 20, 25, 26, 27, 45, 47, 50, 80, 85, 118, 122]

  private static let names: [(number: UInt8, name: String)] = [
    (3, "ObjectTypeReference"), (4, "ObjectAttributeReference"), (5, "ObjectName"), (7, "EditStatus"),
    (8, "EditorialUpdate"), (10, "Urgency"), (12, "SubjectReference"), (15, "Category"), (20, "SupplementalCategory"),
    (22, "FixtureIdentifier"), (25, "Keywords"), (26, "ContentLocationCode"), (27, "ContentLocationName"),
    (30, "ReleaseDate"), (35, "ReleaseTime"), (37, "ExpirationDate"), (38, "ExpirationTime"),
    (40, "SpecialInstructions"), (42, "ActionAdvised"), (45, "ReferenceService"), (47, "ReferenceDate"),
    (50, "ReferenceNumber"), (55, "DateCreated"), (60, "TimeCreated"), (62, "DigitalCreationDate"),
    (63, "DigitalCreationTime"), (65, "OriginatingProgram"), (70, "ProgramVersion"), (75, "ObjectCycle"),
    (80, "Byline"), (85, "BylineTitle"), (90, "City"), (92, "SubLocation"), (95, "Province/State"),
    (100, "Country/PrimaryLocationCode"), (101, "Country/PrimaryLocationName"),
    (103, "OriginalTransmissionReference"), (105, "Headline"), (110, "Credit"), (115, "Source"),
    (116, "CopyrightNotice"), (118, "Contact"), (120, "Caption/Abstract"), (122, "Writer/Editor"), (130, "ImageType"),
    (131, "ImageOrientation"), (135, "LanguageIdentifier"),
  ]
}
