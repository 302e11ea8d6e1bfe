// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The directories of an Exif payload, to be changed.
///
/// What stays is not moved: makers' notes have offsets of their own, which nobody else can mend. What is taken out is
/// overwritten with zeros, and what is new is put after the payload.
///
/// - Format: TIFF 6.0 §2, Exif 2.32 §4.5 and §4.6.
struct ExifDirectories {
  /// Which directory.
  enum Name: CaseIterable {
    /// The first one, which describes the picture.
    case main
    case exif
    case gps
    case interoperability
    /// The second one of the chain.
    case thumbnail

    /// The tag in the directory above it that leads to it, and that directory.
    fileprivate var pointer: (tag: UInt16, above: Name)? {
      switch self {
      case .exif: (0x8769, .main)
      case .gps: (0x8825, .main)
      case .interoperability: (0xA005, .exif)
      case .main, .thumbnail: nil
      }
    }
  }

  struct Entry {
    let tag: UInt16
    let type: UInt16
    let count: UInt32
    /// The last four bytes: the value, or where it is.
    var field: [UInt8]
    /// A value that is not in the payload yet.
    var newValue: [UInt8]?
  }

  private struct Directory {
    /// Where it is, or nil for a new one.
    var place: Int?
    /// Entries that its place has room for.
    var room = 0
    var entries: [Entry] = []
    /// Where the next of the chain is, or 0.
    var next: UInt32 = 0
    var isChanged = false
  }

  private var bytes: [UInt8]
  private let order: ByteOrder
  private var directories: [Name: Directory] = [:]
  /// What is overwritten, unless something that stays has bytes there.
  private var erased: [Range<Int>] = []

  private static let maxEntries = 1000

  /// An empty payload.
  init() {
    bytes = Array("MM\0*".utf8) + [0, 0, 0, 0]
    order = .bigEndian
    directories[.main] = Directory()
  }

  /// Reads a payload's directories; nil if its first one cannot be read.
  init?(_ payload: [UInt8]) {
    guard let order = ExifPayload.byteOrder(of: payload.span.bytes) else { return nil }
    bytes = payload
    self.order = order
    guard let first = number(at: 4), let main = read(at: first) else { return nil }
    directories[.main] = main
    for name in Name.allCases {
      guard let (tag, above) = name.pointer, let place = wholeNumber(tag, in: above), place != first else { continue }
      directories[name] = read(at: place)
    }
    if main.next != 0, Int(main.next) != first { directories[.thumbnail] = read(at: Int(main.next)) }
  }

  // MARK: Reading

  private var reader: ByteReader {
    @_lifetime(borrow self) get { ByteReader(bytes.span.bytes, order: order, of: "the Exif payload") }
  }

  private func number(at place: Int) -> Int? { (try? reader.uint32(at: place)).map { Int($0) } }

  private func read(at place: Int) -> Directory? {
    let reader = reader
    guard place >= 8, let count = try? Int(reader.uint16(at: place)), count <= Self.maxEntries,
      (try? reader.bytes(at: place, count: 2 + 12 * count)) != nil
    else { return nil }
    var directory = Directory(place: place, room: count)
    for index in 0..<count {
      let start = place + 2 + 12 * index
      guard let tag = try? reader.uint16(at: start), let type = try? reader.uint16(at: start + 2),
        let values = try? reader.uint32(at: start + 4)
      else { return nil }
      directory.entries.append(
        Entry(tag: tag, type: type, count: values, field: Array(bytes[(start + 8)..<(start + 12)])))
    }
    // Some writers leave the end of the chain out.
    directory.next = (try? reader.uint32(at: place + 2 + 12 * count)) ?? 0
    return directory
  }

  /// The first of a tag's whole numbers, as the file has it, or nil.
  func wholeNumber(_ tag: UInt16, in name: Name) -> Int? {
    directories[name]?.entries.first { $0.tag == tag && $0.newValue == nil }.flatMap { wholeNumber(in: $0) }
  }

  /// The last four bytes of an entry as an offset.
  private func number(in entry: Entry) -> Int? {
    (try? ByteReader(entry.field.span.bytes, order: order).uint32(at: 0)).map { Int($0) }
  }

  /// The first of an entry's whole numbers, of whatever type. Those that are negative lead nowhere.
  private func wholeNumber(in entry: Entry) -> Int? {
    let size = Self.size(entry.type)
    guard [1, 3, 4, 6, 8, 9, 13].contains(entry.type), entry.count > 0 else { return nil }
    if let place = place(of: entry) { return (try? reader.unsigned(bytes: size, at: place.lowerBound)).map { Int($0) } }
    guard size * Int(entry.count) <= 4 else { return nil }
    return (try? ByteReader(entry.field.span.bytes, order: order).unsigned(bytes: size, at: 0)).map { Int($0) }
  }

  /// Where an entry's value is, if not in the entry itself.
  private func place(of entry: Entry) -> Range<Int>? {
    let size = Self.size(entry.type) * Int(entry.count)
    guard entry.newValue == nil, size > 4, let start = number(in: entry), start <= bytes.count,
      size <= bytes.count - start
    else { return nil }
    return start..<(start + size)
  }

  private static func size(_ type: UInt16) -> Int {
    switch type {
    case 1, 2, 6, 7, 129: 1
    case 3, 8: 2
    case 4, 9, 11, 13: 4
    case 5, 10, 12: 8
    default: 0
    }
  }

  func has(_ name: Name) -> Bool { directories[name] != nil }

  /// The thumbnail's file (Exif 2.32 §4.6.4 A: JPEGInterchangeFormat and its length), or nil.
  var thumbnailFile: [UInt8]? { directories[.thumbnail].flatMap { thumbnail(of: $0) }.map { Array(bytes[$0]) } }

  func has(_ tag: UInt16, in name: Name) -> Bool {
    directories[name]?.entries.contains { $0.tag == tag } ?? false
  }

  /// The numbers of a tag of TIFF's type DOUBLE in the first directory, or nil.
  func doubles(_ tag: UInt16) -> [Double]? {
    guard let entry = directories[.main]?.entries.first(where: { $0.tag == tag && $0.type == 12 }),
      let place = place(of: entry)
    else { return nil }
    var reader = ByteReader(bytes[place].span.bytes, order: order, of: "a tag")
    var numbers: [Double] = []
    while reader.remaining >= 8, let bits = try? reader.unsigned(bytes: 8) { numbers.append(Double(bitPattern: bits)) }
    return numbers
  }

  /// A tag of TIFF's type ASCII in the first directory, or nil.
  func text(_ tag: UInt16) -> String? {
    guard let entry = directories[.main]?.entries.first(where: { $0.tag == tag && $0.type == 2 }) else { return nil }
    let text = place(of: entry).map { Array(bytes[$0]) } ?? Array(entry.field.prefix(Int(entry.count)))
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Whether nothing is left but directories without entries.
  var isEmpty: Bool { directories.values.allSatisfy { $0.entries.allSatisfy { entry in isPointer(entry.tag) } } }

  private func isPointer(_ tag: UInt16) -> Bool { Name.allCases.contains { $0.pointer?.tag == tag } }

  // MARK: Changing

  /// Takes a directory out, with what its entries point at.
  mutating func remove(_ name: Name) {
    if name == .exif { remove(.interoperability) }
    if let directory = directories.removeValue(forKey: name) {
      erase(directory)
      if name == .thumbnail, let picture = thumbnail(of: directory) { erased.append(picture) }
    }
    // Also when what they lead to cannot be read.
    if name == .thumbnail, directories[.main]?.next != 0 {
      directories[.main]?.next = 0
      directories[.main]?.isChanged = true
    }
    if let (tag, above) = name.pointer { remove(tag, from: above) }
  }

  /// The picture that a directory has: tags 513 and 514 say where it is, and its size.
  private func thumbnail(of directory: Directory) -> Range<Int>? {
    func value(_ tag: UInt16) -> Int? { directory.entries.first { $0.tag == tag }.flatMap { wholeNumber(in: $0) } }
    guard let start = value(513), let size = value(514), start <= bytes.count, size <= bytes.count - start else {
      return nil
    }
    return start..<(start + size)
  }

  private mutating func erase(_ directory: Directory) {
    if let place = directory.place { erased.append(place..<min(bytes.count, place + 6 + 12 * directory.room)) }
    erased += directory.entries.compactMap { place(of: $0) }
  }

  mutating func remove(_ tag: UInt16, from name: Name) {
    guard let index = directories[name]?.entries.firstIndex(where: { $0.tag == tag }),
      let entry = directories[name]?.entries.remove(at: index)
    else { return }
    if let place = place(of: entry) { erased.append(place) }
    directories[name]?.isChanged = true
  }

  /// Puts a value in, in the place of an earlier one.
  mutating func set(_ tag: UInt16, in name: Name, to value: ExifValue) {
    remove(tag, from: name)
    var writer = ByteWriter(order: order)
    value.put(in: &writer)
    let size = writer.count
    if size < 4 { writer.putZeros(4 - size) }
    let entry = Entry(
      tag: tag, type: value.type, count: UInt32(value.count), field: Array(writer.bytes.prefix(4)),
      newValue: size > 4 ? writer.bytes : nil)
    var directory = directories[name] ?? Directory()
    let index = directory.entries.firstIndex { $0.tag > tag } ?? directory.entries.count
    directory.entries.insert(entry, at: index)
    directory.isChanged = true
    directories[name] = directory
    if let (pointer, above) = name.pointer, directory.place == nil,
      directories[above]?.entries.contains(where: { $0.tag == pointer }) != true
    {
      // Where it leads to is known once the directory is written.
      set(pointer, in: above, to: .long([0]))
    }
  }

  // MARK: Writing

  /// The payload with the changes.
  func payload() -> [UInt8] {
    var copy = self
    copy.write()
    return copy.bytes
  }

  private mutating func write() {
    zero(erased)
    // From the innermost to the outermost: a directory says where the ones in it are.
    for name in [Name.interoperability, .exif, .gps, .main] {
      guard var directory = directories[name], directory.isChanged else { continue }
      for index in directory.entries.indices {
        guard let value = directory.entries[index].newValue else { continue }
        directory.entries[index].field = encoded(append(value))
      }
      let place = write(directory)
      directories[name] = directory
      guard let (tag, above) = name.pointer else {
        bytes.replaceSubrange(4..<8, with: encoded(place))
        continue
      }
      guard let index = directories[above]?.entries.firstIndex(where: { $0.tag == tag }) else { continue }
      let field = encoded(place)
      if let entry = directories[above]?.entries[index], entry.field != field || entry.type != 4 {
        directories[above]?.entries[index] = Entry(tag: tag, type: 4, count: 1, field: field)
        directories[above]?.isChanged = true
      }
    }
  }

  private func encoded(_ place: Int) -> [UInt8] {
    var writer = ByteWriter(order: order)
    writer.put(UInt32(clamping: place))
    return writer.bytes
  }

  /// TIFF 6.0 §2: values and directories begin on a word boundary.
  private mutating func append(_ value: [UInt8]) -> Int {
    if bytes.count % 2 == 1 { bytes.append(0) }
    let place = bytes.count
    bytes += value
    return place
  }

  /// Writes a directory in its place if it fits there, else after the payload.
  private mutating func write(_ directory: Directory) -> Int {
    var writer = ByteWriter(order: order)
    writer.put(UInt16(clamping: directory.entries.count))
    for entry in directory.entries {
      writer.put(entry.tag)
      writer.put(entry.type)
      writer.put(entry.count)
      writer.put(entry.field)
    }
    writer.put(directory.next)
    guard let place = directory.place else { return append(writer.bytes) }
    let old = place..<(place + 2 + 12 * directory.room)
    guard directory.entries.count <= directory.room, place + writer.count <= bytes.count else {
      zero([old])
      return append(writer.bytes)
    }
    writer.putZeros(max(0, old.count + 4 - writer.count))
    let length = min(writer.count, bytes.count - place)
    bytes.replaceSubrange(place..<(place + length), with: writer.bytes.prefix(length))
    return place
  }

  /// What entries and directories that stay have in the payload.
  private func retained() -> [Range<Int>] {
    var ranges = [0..<8]
    for directory in directories.values {
      if let place = directory.place, !directory.isChanged {
        ranges.append(place..<min(bytes.count, place + 6 + 12 * directory.room))
      }
      ranges += directory.entries.compactMap { place(of: $0) }
      if let picture = thumbnail(of: directory) { ranges.append(picture) }
    }
    return ranges
  }

  private mutating func zero(_ ranges: [Range<Int>]) {
    for range in FilePieces.parts(of: ranges, without: retained()) {
      bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }
  }
}

/// A value as Exif stores it: TIFF 6.0 §2 "Types".
enum ExifValue {
  case bytes([UInt8])
  /// Zero-terminated when written.
  case text(String)
  case shorts([UInt16])
  case long([UInt32])
  case rationals([(UInt32, UInt32)])
  case signedRationals([(Int32, Int32)])
  case doubles([Double])
  case undefined([UInt8])
  /// A comment that is more than ASCII: Exif 2.32 table 9.
  case unicode(String)

  var type: UInt16 {
    switch self {
    case .bytes: 1
    case .text: 2
    case .shorts: 3
    case .long: 4
    case .rationals: 5
    case .undefined, .unicode: 7
    case .signedRationals: 10
    case .doubles: 12
    }
  }

  /// Values, of which text has one for each byte and its end.
  var count: Int {
    switch self {
    case .bytes(let bytes), .undefined(let bytes): bytes.count
    case .text(let text): text.utf8.count + 1
    case .unicode(let text): 8 + text.utf16.count * 2
    case .shorts(let values): values.count
    case .long(let values): values.count
    case .rationals(let values): values.count
    case .signedRationals(let values): values.count
    case .doubles(let values): values.count
    }
  }

  fileprivate func put(in writer: inout ByteWriter) {
    switch self {
    case .bytes(let bytes), .undefined(let bytes): writer.put(bytes)
    case .text(let text):
      writer.put(Array(text.utf8))
      writer.put(UInt8(0))
    case .unicode(let text):
      writer.put("UNICODE\0")
      for unit in text.utf16 { writer.put(unit) }
    case .shorts(let values): for value in values { writer.put(value) }
    case .long(let values): for value in values { writer.put(value) }
    case .rationals(let values):
      for (top, bottom) in values {
        writer.put(top)
        writer.put(bottom)
      }
    case .doubles(let values): for value in values { writer.put(value.bitPattern) }
    case .signedRationals(let values):
      for (top, bottom) in values {
        writer.put(top)
        writer.put(bottom)
      }
    }
  }
}
