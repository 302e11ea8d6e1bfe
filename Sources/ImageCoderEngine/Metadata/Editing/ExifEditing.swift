// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Puts properties into an Exif payload, under the names and in the units in which ``ExifProperties`` reads them.
enum ExifEditing {
  /// Tags that take values, by the property dictionary that has their names.
  static let dictionaries: [(name: String, directory: ExifDirectories.Name, tags: [UInt16: ExifTags.Tag])] = [
    ("{TIFF}", .main, ExifTags.tiff), ("{Exif}", .exif, ExifTags.exif), ("{GPS}", .gps, ExifTags.gps),
  ]

  /// Sets a property; empty text takes it out.
  ///
  /// - Parameter dictionary: `{TIFF}`, `{Exif}` or `{GPS}`.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name or a value that the dictionary does not have.
  static func set(
    _ name: String, of dictionary: String, to value: PropertyValue, in payload: inout ExifDirectories
  ) throws(CoderError) {
    guard let place = dictionaries.first(where: { $0.name == dictionary }),
      let (number, tag) = place.tags.first(where: { $0.value.name == name })
    else { throw .invalidArgument("\(dictionary) has no property \(name)") }
    if value == .text("") {
      payload.remove(number, from: place.directory)
      return
    }
    // Exif 2.32 §4.6.5 A and §4.6.6 A: these two always have their version.
    if place.directory == .exif, !payload.has(.exif) {
      payload.set(0x9000, in: .exif, to: .undefined(Array("0232".utf8)))
    }
    if place.directory == .gps, !payload.has(.gps) { payload.set(0, in: .gps, to: .bytes([2, 3, 0, 0])) }
    var value = value
    if case .degrees = tag.form, let degrees = value.number {
      // South and west are negative for most people, and have letters of their own in Exif.
      let isNorthSouth = name.hasSuffix("Latitude")
      let letter = degrees < 0 ? (isNorthSouth ? "S" : "W") : (isNorthSouth ? "N" : "E")
      payload.set(number - 1, in: .gps, to: .text(letter))
      value = .number(abs(degrees))
    }
    guard let stored = stored(value, tag, number, in: place.directory) else {
      throw .invalidArgument(
        "\(dictionary) \(name) is not \(Self.text(of: value)): \(expected(tag, number, place.directory))")
    }
    // TIFF 6.0 §8: programs that read another number show the picture as it is stored.
    if place.directory == .main, number == 0x0112, !(1...8).contains(value.integer ?? 0) {
      throw .invalidArgument("{TIFF} Orientation is \(Self.text(of: value)): it takes a whole number from 1 to 8")
    }
    payload.set(number, in: place.directory, to: stored)
  }

  /// Whether a property's values are numbers and not text.
  static func takesNumbers(_ name: String, in dictionary: String) -> Bool {
    guard let place = dictionaries.first(where: { $0.name == dictionary }),
      let (number, tag) = place.tags.first(where: { $0.value.name == name })
    else { return false }
    switch tag.form {
    case .degrees, .byte, .bytes, .version: return true
    case .comment, .time: return false
    case .plain, .list, .any:
      if case .text = storage(number, in: place.directory) { return false }
      return true
    }
  }

  private static func text(of value: PropertyValue) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .dictionary: "a dictionary"
    case .boolean(let flag): "\(flag)"
    case .data(let bytes): "\(bytes.count) bytes"
    case .list(let values): values.map { Self.text(of: $0) }.joined(separator: ", ")
    }
  }

  // MARK: Types

  /// How a tag's numbers are stored: Exif 2.32 tables 4, 5, 7, 8 and 15; TIFF 6.0 §8.
  private enum Storage { case text, short, long, rational, signedRational, byte }

  private static func storage(_ tag: UInt16, in directory: ExifDirectories.Name) -> Storage {
    switch (directory, tag) {
    case (.main, 0x0103), (.main, 0x0106), (.main, 0x0112), (.main, 0x0128), (.main, 0x012D): .short
    case (.main, 0x011A), (.main, 0x011B), (.main, 0x013E), (.main, 0x013F): .rational
    case (.exif, 0x9201), (.exif, 0x9203), (.exif, 0x9204): .signedRational
    case (.exif, 0x829A), (.exif, 0x829D), (.exif, 0x9102), (.exif, 0x9202), (.exif, 0x9205), (.exif, 0x9206),
      (.exif, 0x920A), (.exif, 0xA20B), (.exif, 0xA20E), (.exif, 0xA20F), (.exif, 0xA215), (.exif, 0xA404),
      (.exif, 0xA432), (.exif, 0xA500):
      .rational
    case (.exif, 0x8831...0x8835), (.exif, 0xA002), (.exif, 0xA003): .long
    case (.exif, 0x8824), (.exif, 0x9003), (.exif, 0x9004), (.exif, 0x9010...0x9012), (.exif, 0x9290...0x9292),
      (.exif, 0xA004), (.exif, 0xA420), (.exif, 0xA430...0xA431), (.exif, 0xA433...0xA435):
      .text
    case (.exif, _): .short
    case (.gps, 0), (.gps, 5): .byte
    case (.gps, 0x1E): .short
    case (.gps, 2), (.gps, 4), (.gps, 6), (.gps, 7), (.gps, 0xB), (.gps, 0xD), (.gps, 0xF), (.gps, 0x11), (.gps, 0x14),
      (.gps, 0x16), (.gps, 0x18), (.gps, 0x1A), (.gps, 0x1F):
      .rational
    default: .text
    }
  }

  private static func expected(_ tag: ExifTags.Tag, _ number: UInt16, _ directory: ExifDirectories.Name) -> String {
    switch tag.form {
    case .version, .bytes: return "it is not set by hand"
    case .comment: return "it takes text"
    case .degrees: return "it takes degrees from -180 to 180"
    case .time: return "it takes a time, 10:07:05"
    case .byte: return "it takes a whole number from 0 to 255"
    case .plain, .list, .any:
      switch storage(number, in: directory) {
      case .text where isDate(number): return "it takes a date, 2024:05:01 10:07:05"
      case .text: return "it takes text"
      case .byte: return "it takes a whole number from 0 to 255"
      case .short: return "it takes whole numbers from 0 to 65535"
      case .long: return "it takes whole numbers"
      case .rational: return "it takes numbers of 0 and more"
      case .signedRational: return "it takes numbers"
      }
    }
  }

  private static func stored(
    _ value: PropertyValue, _ tag: ExifTags.Tag, _ number: UInt16, in directory: ExifDirectories.Name
  ) -> ExifValue? {
    switch tag.form {
    case .version, .bytes: return nil
    case .comment:
      guard case .text(let text) = value else { return nil }
      if text.utf8.allSatisfy({ $0 < 0x80 }) { return .undefined(Array("ASCII\0\0\0".utf8) + Array(text.utf8)) }
      return .unicode(text)
    case .degrees:
      guard let degrees = value.number, (0...180).contains(degrees) else { return nil }
      let seconds = (degrees * 3_600_000_000).rounded()
      let whole = UInt32(seconds / 3_600_000_000)
      let minutes = UInt32((seconds - Double(whole) * 3_600_000_000) / 60_000_000)
      let rest = seconds - Double(whole) * 3_600_000_000 - Double(minutes) * 60_000_000
      let one: UInt32 = 1
      return .rationals([(whole, one), (minutes, one), (UInt32(rest), one * 1_000_000)])
    case .time:
      guard case .text(let text) = value else { return nil }
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
      guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
        (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
      else { return nil }
      return [hour, minute, second].asRationals
    case .byte:
      guard let byte = value.integer.flatMap({ UInt8(exactly: $0) }) else { return nil }
      // FileSource and SceneType are UNDEFINED, AltitudeRef is BYTE.
      return directory == .gps ? .bytes([byte]) : .undefined([byte])
    case .plain, .list, .any:
      var values = [value]
      if case .list(let several) = value { values = several }
      return stored(values, storage(number, in: directory), isDate: isDate(number) && directory != .gps)
    }
  }

  private static func stored(_ values: [PropertyValue], _ storage: Storage, isDate: Bool) -> ExifValue? {
    guard (1...256).contains(values.count) else { return nil }
    let wholes = values.compactMap(\.integer)
    let numbers = values.compactMap(\.number)
    switch storage {
    case .text:
      guard values.count == 1, case .text(let text) = values[0], !text.utf8.contains(0) else { return nil }
      if isDate { return date(text).map { .text($0) } }
      return .text(text)
    case .byte:
      let bytes = wholes.compactMap { UInt8(exactly: $0) }
      return bytes.count == values.count ? .bytes(bytes) : nil
    case .short:
      let shorts = wholes.compactMap { UInt16(exactly: $0) }
      return shorts.count == values.count ? .shorts(shorts) : nil
    case .long:
      let longs = wholes.compactMap { UInt32(exactly: $0) }
      return longs.count == values.count ? .long(longs) : nil
    case .rational: return numbers.count == values.count ? numbers.asRationals : nil
    case .signedRational:
      guard numbers.count == values.count else { return nil }
      let parts = numbers.compactMap { number in
        Fraction(abs(number), most: UInt32(Int32.max)).map { part in
          (number < 0 ? -Int32(part.top) : Int32(part.top), Int32(part.bottom))
        }
      }
      return parts.count == values.count ? .signedRationals(parts) : nil
    }
  }

  // MARK: Dates

  private static func isDate(_ tag: UInt16) -> Bool { [0x0132, 0x9003, 0x9004].contains(tag) }

  /// `2024:05:01 10:07:05` (Exif 2.32 §4.6.4 D), also from `2024-05-01T10:07:05`.
  private static func date(_ text: String) -> String? {
    var bytes = Array(text.utf8)
    guard bytes.count == 19 else { return nil }
    for place in [4, 7, 13, 16] {
      guard bytes[place] == UInt8(ascii: ":") || (place < 10 && bytes[place] == UInt8(ascii: "-")) else { return nil }
      bytes[place] = UInt8(ascii: ":")
    }
    guard bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T") else { return nil }
    bytes[10] = UInt8(ascii: " ")
    let digits = bytes.indices.filter { ![4, 7, 10, 13, 16].contains($0) }
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension [Double] {
  fileprivate var asRationals: ExifValue? {
    let parts = compactMap { number in Fraction(number, most: .max).map { ($0.top, $0.bottom) } }
    return parts.count == count ? .rationals(parts) : nil
  }
}

/// The simplest fraction that is as close to a number as a reader can tell.
struct Fraction: Equatable {
  var top: UInt32
  var bottom: UInt32

  /// Nil for a negative number, or one that is too large.
  ///
  /// - Parameter most: What neither part is larger than.
  init?(_ number: Double, most: UInt32) {
    guard number.isFinite, number >= 0, number <= Double(most) else { return nil }
    // Continued fractions: each step is closer, and no fraction with a smaller bottom is closer.
    var (before, now) = ((top: 0.0, bottom: 1.0), (top: 1.0, bottom: 0.0))
    var rest = number
    for _ in 0..<40 {
      let whole = rest.rounded(.down)
      let next = (top: whole * now.top + before.top, bottom: whole * now.bottom + before.bottom)
      guard next.top <= Double(most), next.bottom <= Double(most) else { break }
      (before, now) = (now, next)
      if abs(now.top / now.bottom - number) <= number * 1e-10 || rest == whole { break }
      rest = 1 / (rest - whole)
    }
    guard now.bottom > 0 else { return nil }
    (top, bottom) = (UInt32(now.top), UInt32(now.bottom))
  }
}
