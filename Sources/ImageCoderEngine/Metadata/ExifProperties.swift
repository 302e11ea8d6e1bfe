// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Reads an Exif payload's tags as properties: `{TIFF}`, `{Exif}`, `{GPS}`, and of Apple's note `{MakerApple}`.
///
/// The first directory, those of Exif and GPS that it points at, and Apple's note are read once each; nothing else is
/// followed. A tag
/// whose value is outside the payload, or has a type or a size that the tag does not have, is left out; the others count.
///
/// - Format: TIFF 6.0 §2, Exif 2.32 §4.6.
package enum ExifProperties {
  /// Values of one tag that are looked at, at most.
  private static let maxValues = 256
  /// Bytes of a text that are looked at, at most.
  private static let maxText = 65_536

  /// The properties of a payload; none for one without a TIFF header.
  package static func read(_ payload: RawSpan) -> Properties {
    var properties = Properties()
    guard let order = ExifPayload.byteOrder(of: payload) else { return properties }
    let reader = ByteReader(payload, order: order, of: "the Exif payload")
    guard let first = try? Int(reader.uint32(at: 4)) else { return properties }
    var directories: [UInt16: Int] = [:]
    let tiff = directory(at: first, ExifTags.tiff, reader) { tag, entry in
      if tag == 0x8769 || tag == 0x8825 { directories[tag] = entry }
    }
    if !tiff.isEmpty { properties["{TIFF}"] = .dictionary(tiff) }
    for (tag, name, known) in [(0x8769, "{Exif}", ExifTags.exif), (0x8825, "{GPS}", ExifTags.gps)]
      as [(UInt16, String, [UInt16: ExifTags.Tag])]
    {
      guard let place = directories[tag] else { continue }
      let values = directory(at: place, known, reader) { _, _ in }
      if !values.isEmpty { properties[name] = .dictionary(values) }
    }
    if let note = AppleMakerNote.bytes(in: reader), let order = AppleMakerNote.order(of: note) {
      let inner = ByteReader(note.span.bytes, order: order, of: "Apple's note")
      let values = directory(at: AppleMakerNote.directory, ExifTags.apple, inner) { _, _ in }
      if !values.isEmpty { properties["{MakerApple}"] = .dictionary(values) }
    }
    return properties
  }

  /// The text InteroperabilityIndex (Exif 2.32 §4.6.3), "R98" or "R03", or nil.
  static func interoperabilityIndex(_ payload: RawSpan) -> String? {
    guard let order = ExifPayload.byteOrder(of: payload) else { return nil }
    let reader = ByteReader(payload, order: order, of: "the Exif payload")
    var place = try? Int(reader.uint32(at: 4))
    for pointer in [0x8769, 0xA005] as [UInt16] {
      guard let start = place else { return nil }
      place = nil
      _ = directory(at: start, [:], reader) { tag, value in if tag == pointer { place = value } }
    }
    guard let place else { return nil }
    let index = directory(at: place, [1: ExifTags.Tag(name: "Index", form: .plain)], reader) { _, _ in }
    guard case .text(let text)? = index["Index"] else { return nil }
    return text
  }

  /// - Parameter pointer: Called with each tag that has a whole number, and the first of its numbers. Pointers are LONG by the
  ///   specification; other types are written, too, and followed by everyone else.
  private static func directory(
    at place: Int, _ known: [UInt16: ExifTags.Tag], _ reader: borrowing ByteReader,
    pointer: (_ tag: UInt16, _ value: Int) -> Void
  ) -> Properties {
    var properties = Properties()
    guard let count = try? reader.uint16(at: place) else { return properties }
    for index in 0..<Int(count) {
      guard let field = try? Field(at: place + 2 + index * 12, reader) else { break }
      if let value = field.pointer(reader) { pointer(field.tag, value) }
      guard let tag = known[field.tag], properties[tag.name] == nil else { continue }
      properties[tag.name] = field.value(tag.form, reader)
    }
    return properties
  }

  /// TIFF 6.0 §2 "Types".
  private enum FieldType: UInt16 {
    case byte = 1
    case ascii, short, long, rational, signedByte, undefined, signedShort, signedLong, signedRational, float, double
    /// TIFF Technical Note 1.
    case directory
    /// Exif 3.0 §4.6.2
    case utf8 = 129

    var size: Int {
      switch self {
      case .byte, .ascii, .signedByte, .undefined, .utf8: 1
      case .short, .signedShort: 2
      case .long, .signedLong, .float, .directory: 4
      case .rational, .signedRational, .double: 8
      }
    }
  }

  /// One entry of a directory.
  private struct Field {
    let tag: UInt16
    let type: FieldType
    let count: Int
    /// Where its values are, all of them inside the payload.
    let place: Int

    /// - Throws: For an entry beyond the payload.
    init?(at start: Int, _ reader: borrowing ByteReader) throws(CoderError) {
      tag = try reader.uint16(at: start)
      let code = try reader.uint16(at: start + 2)
      count = Int(try reader.uint32(at: start + 4))
      let offset = Int(try reader.uint32(at: start + 8))
      type = FieldType(rawValue: code) ?? .undefined
      place = count * type.size <= 4 ? start + 8 : offset
      isUsable =
        FieldType(rawValue: code) != nil && count > 0 && place <= reader.count
        && count * type.size <= reader.count - place
    }

    private let isUsable: Bool

    /// Where the tag leads if it is a pointer.
    func pointer(_ reader: borrowing ByteReader) -> Int? {
      switch type {
      case .byte, .short, .long, .signedByte, .signedShort, .signedLong, .directory:
        guard isUsable, let number = try? number(at: place, reader), number >= 0 else { return nil }
        return Int(exactly: number)
      default: return nil
      }
    }

    func value(_ form: ExifTags.Form, _ reader: borrowing ByteReader) -> PropertyValue? {
      guard isUsable else { return nil }
      switch form {
      case .any where type == .undefined:
        guard count <= maxText, let bytes = try? reader.bytes(at: place, count: count) else { return nil }
        return .data([UInt8](copying: bytes))
      case .plain, .list, .any:
        if type == .ascii || type == .utf8 { return text(reader).map { .text($0) } }
        guard type != .undefined, let values = values(reader) else { return nil }
        return values.count == 1 && form.isPlain ? values[0] : .list(values)
      case .version: return version(reader)
      case .bytes:
        return wholes(reader).map { .list($0.map { .integer($0) }) }
      case .byte:
        guard count == 1, let number = wholes(reader)?.first else { return nil }
        return .integer(number)
      case .comment: return comment(reader).map { .text($0) }
      case .degrees:
        guard let parts = numbers(reader), parts.count == 3, parts.allSatisfy(\.isFinite) else { return nil }
        return .number(parts[0] + parts[1] / 60 + parts[2] / 3600)
      case .time:
        guard let parts = numbers(reader), parts.count == 3, parts.allSatisfy({ (0..<100).contains($0) }) else {
          return nil
        }
        return .text(Self.time(parts))
      }
    }

    /// Values as whole numbers where the type has them.
    private func values(_ reader: borrowing ByteReader) -> [PropertyValue]? {
      guard let numbers = numbers(reader) else { return nil }
      switch type {
      case .rational, .signedRational, .float, .double:
        // A quotient by zero says nothing.
        guard numbers.allSatisfy(\.isFinite) else { return nil }
        return numbers.map { .number($0) }
      default: return wholes(reader)?.map { .integer($0) }
      }
    }

    private func wholes(_ reader: borrowing ByteReader) -> [Int64]? {
      guard let numbers = numbers(reader) else { return nil }
      let wholes = numbers.compactMap { Int64(exactly: $0) }
      return wholes.count == numbers.count ? wholes : nil
    }

    func numbers(_ reader: borrowing ByteReader) -> [Double]? {
      guard isUsable, count <= maxValues else { return nil }
      var numbers: [Double] = []
      for index in 0..<count {
        guard let number = try? number(at: place + index * type.size, reader) else { return nil }
        numbers.append(number)
      }
      return numbers
    }

    private func number(at place: Int, _ reader: borrowing ByteReader) throws(CoderError) -> Double {
      switch type {
      case .byte, .ascii, .undefined, .utf8: Double(try reader.uint8(at: place))
      case .signedByte: Double(Int8(bitPattern: try reader.uint8(at: place)))
      case .short: Double(try reader.uint16(at: place))
      case .signedShort: Double(Int16(bitPattern: try reader.uint16(at: place)))
      case .long, .directory: Double(try reader.uint32(at: place))
      case .signedLong: Double(Int32(bitPattern: try reader.uint32(at: place)))
      case .rational: Double(try reader.uint32(at: place)) / Double(try reader.uint32(at: place + 4))
      case .signedRational:
        Double(Int32(bitPattern: try reader.uint32(at: place)))
          / Double(Int32(bitPattern: try reader.uint32(at: place + 4)))
      case .float: Double(Float(bitPattern: try reader.uint32(at: place)))
      case .double: Double(bitPattern: try reader.uint64(at: place))
      }
    }

    /// Text up to its first zero, without spaces at its end, as cameras pad it.
    private func text(_ reader: borrowing ByteReader) -> String? {
      guard count <= maxText, let bytes = try? reader.bytes(at: place, count: count) else { return nil }
      return Self.trimmed([UInt8](copying: bytes).prefix { $0 != 0 })
    }

    private static func trimmed(_ bytes: some Sequence<UInt8>) -> String {
      var bytes = Array(bytes)
      while bytes.last == 0x20 { bytes.removeLast() }
      return String(readable: bytes)
    }

    /// Exif 2.32 §4.6.5 A: four digits, of which the first two are the major number.
    private func version(_ reader: borrowing ByteReader) -> PropertyValue? {
      guard count == 4, let digits = wholes(reader)?.map({ $0 - 48 }), type.size == 1,
        digits.allSatisfy({ (0...9).contains($0) })
      else { return nil }
      var parts = [digits[0] * 10 + digits[1], digits[2], digits[3]]
      if parts[2] == 0 { parts.removeLast() }
      return .list(parts.map { .integer($0) })
    }

    /// Exif 2.32 table 9: eight bytes name the encoding.
    private func comment(_ reader: borrowing ByteReader) -> String? {
      guard count >= 8, count <= maxText, let span = try? reader.bytes(at: place, count: count) else { return nil }
      let bytes = [UInt8](copying: span)
      let text = bytes.dropFirst(8)
      switch Array(bytes.prefix(8)) {
      case Array("ASCII\0\0\0".utf8), [0, 0, 0, 0, 0, 0, 0, 0]: return Self.trimmed(text.prefix { $0 != 0 })
      case Array("UNICODE\0".utf8):
        let isBig = reader.order == .bigEndian
        let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).map { index in
          UInt16(text[index]) << (isBig ? 8 : 0) | UInt16(text[index + 1]) << (isBig ? 0 : 8)
        }
        return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
      default: return nil
      }
    }

    /// "10:07:05.50"; a second without a fraction has none.
    private static func time(_ parts: [Double]) -> String {
      func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
      let hundredths = Int((parts[2] * 100).rounded())
      let whole = "\(two(Int(parts[0]))):\(two(Int(parts[1]))):\(two(hundredths / 100))"
      return hundredths % 100 == 0 ? whole : "\(whole).\(two(hundredths % 100))"
    }
  }
}

extension ExifTags.Form {
  fileprivate var isPlain: Bool {
    switch self {
    case .plain, .any: true
    default: false
    }
  }
}
