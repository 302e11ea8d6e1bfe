// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of a structure in a file's bytes, one after the other or at given offsets.
///
///     var reader = ByteReader(try source.bytes(at: 18, count: 8), order: .littleEndian, at: 18, of: "the BMP header")
///     let width = try reader.uint32("the width")
///
/// Every read is checked, in release builds too. A field that does not lie within the bytes is an error that names the
/// field, and the offset in the file at which it would begin.
///
/// - Lifetime: At most that of the bytes.
public struct ByteReader: ~Escapable {
  /// All bytes that the reader may look at.
  public let bytes: RawSpan
  /// Where ``bytes`` begin in the file.
  public let fileOffset: Int
  /// The byte order of numbers that are read without stating one.
  public var order: ByteOrder
  /// The offset of the next field from the start of ``bytes``: 0 to the number of bytes.
  public private(set) var position = 0

  private let name: StaticString
  private let isCutOff: Bool

  /// - Parameters:
  ///   - bytes: The bytes to read.
  ///   - order: The byte order of numbers.
  ///   - fileOffset: Where the bytes begin in the file, for errors.
  ///   - name: What the bytes are, for errors: `the BMP header`.
  ///   - isCutOff: Whether the file ends with these bytes: then a missing field is ``CoderError/Code/truncated``.
  ///     Otherwise it is ``CoderError/Code/malformed``: the structure is too small for its fields.
  @_lifetime(copy bytes)
  public init(
    _ bytes: RawSpan, order: ByteOrder = .bigEndian, at fileOffset: Int = 0, of name: StaticString = "the file",
    isCutOff: Bool = true
  ) {
    self.bytes = bytes
    self.fileOffset = fileOffset
    self.order = order
    self.name = name
    self.isCutOff = isCutOff
  }

  /// The number of bytes, whether read or not.
  public var count: Int { bytes.byteCount }
  /// The number of bytes after ``position``.
  public var remaining: Int { bytes.byteCount &- position }
  /// Whether every byte was read or skipped.
  public var isAtEnd: Bool { remaining == 0 }
  /// Where the next field begins in the file.
  public var offset: Int { fileOffset &+ position }

  // MARK: One after the other

  /// Reads a number of 1 byte.
  public mutating func uint8(_ field: StaticString = "a field") throws(CoderError) -> UInt8 {
    try next(field, as: UInt8.self)
  }
  /// Reads a number of 2 bytes in ``order``.
  public mutating func uint16(_ field: StaticString = "a field") throws(CoderError) -> UInt16 {
    try next(field, as: UInt16.self)
  }
  /// Reads a number of 4 bytes in ``order``.
  public mutating func uint32(_ field: StaticString = "a field") throws(CoderError) -> UInt32 {
    try next(field, as: UInt32.self)
  }
  /// Reads a number of 8 bytes in ``order``.
  public mutating func uint64(_ field: StaticString = "a field") throws(CoderError) -> UInt64 {
    try next(field, as: UInt64.self)
  }
  /// A number of 3 bytes.
  public mutating func uint24(_ field: StaticString = "a field") throws(CoderError) -> UInt32 {
    UInt32(truncatingIfNeeded: try unsigned(bytes: 3, field))
  }

  /// A number of 0 to 8 bytes; one of 0 bytes is 0.
  public mutating func unsigned(bytes width: Int, _ field: StaticString = "a field") throws(CoderError) -> UInt64 {
    let value = try unsigned(bytes: width, at: position, field)
    position &+= width
    return value
  }

  /// The next bytes as they are.
  @_lifetime(copy self)
  public mutating func bytes(_ count: Int, _ field: StaticString = "a field") throws(CoderError) -> RawSpan {
    let part = try bytes(at: position, count: count, field)
    position &+= count
    return part
  }

  /// A copy of the next bytes.
  public mutating func array(_ count: Int, _ field: StaticString = "a field") throws(CoderError) -> [UInt8] {
    let part = try bytes(count, field)
    try ArrayMemory.check(bytes: count, field: field)
    return [UInt8](copying: part)
  }

  /// A reader of only the next bytes, which this one skips.
  @_lifetime(copy self)
  public mutating func part(
    _ count: Int, of name: StaticString, isCutOff: Bool = false
  ) throws(CoderError) -> ByteReader {
    let start = offset
    return ByteReader(try bytes(count, name), order: order, at: start, of: name, isCutOff: isCutOff)
  }

  /// Skips bytes.
  public mutating func skip(_ count: Int, _ field: StaticString = "a field") throws(CoderError) {
    try check(at: position, count: count, field)
    position &+= count
  }

  /// Goes to an offset from the start of ``bytes``, up to and including the end.
  public mutating func seek(to place: Int, _ field: StaticString = "a field") throws(CoderError) {
    try check(at: place, count: 0, field)
    position = place
  }

  // MARK: At given places, from the start of `bytes`

  /// The number of 1 byte at an offset from the start of ``bytes``.
  public func uint8(at place: Int, _ field: StaticString = "a field") throws(CoderError) -> UInt8 {
    try value(at: place, field, as: UInt8.self)
  }
  /// The number of 2 bytes, in ``order``, at an offset from the start of ``bytes``.
  public func uint16(at place: Int, _ field: StaticString = "a field") throws(CoderError) -> UInt16 {
    try value(at: place, field, as: UInt16.self)
  }
  /// The number of 4 bytes, in ``order``, at an offset from the start of ``bytes``.
  public func uint32(at place: Int, _ field: StaticString = "a field") throws(CoderError) -> UInt32 {
    try value(at: place, field, as: UInt32.self)
  }
  /// The number of 8 bytes, in ``order``, at an offset from the start of ``bytes``.
  public func uint64(at place: Int, _ field: StaticString = "a field") throws(CoderError) -> UInt64 {
    try value(at: place, field, as: UInt64.self)
  }

  /// A number of 0 to 8 bytes; one of 0 bytes is 0.
  public func unsigned(
    bytes width: Int, at place: Int, _ field: StaticString = "a field"
  ) throws(CoderError) -> UInt64 {
    guard width <= 8 else { throw .invalidArgument("a number of \(width) bytes, 8 is the most") }
    try check(at: place, count: width, field)
    var value: UInt64 = 0
    for index in 0..<width {
      let step = order == .bigEndian ? index : width &- 1 &- index
      let byte = bytes.unsafeLoad(fromUncheckedByteOffset: place &+ step, as: UInt8.self)
      value = value << 8 | UInt64(byte)
    }
    return value
  }

  /// Bytes as they are.
  @_lifetime(copy self)
  public func bytes(
    at place: Int, count: Int, _ field: StaticString = "a field"
  ) throws(CoderError) -> RawSpan {
    try check(at: place, count: count, field)
    return bytes.extracting(unchecked: place..<(place &+ count))
  }

  /// Whether the bytes at an offset are equal to `expected`; false if they extend beyond the end.
  public func has(_ expected: StaticString, at place: Int) -> Bool {
    let count = expected.utf8CodeUnitCount
    guard place >= 0, count <= bytes.byteCount, place <= bytes.byteCount &- count else { return false }
    return expected.withUTF8Buffer { text in
      (0..<count).allSatisfy { bytes.unsafeLoad(fromUncheckedByteOffset: place &+ $0, as: UInt8.self) == text[$0] }
    }
  }

  // MARK: For the extensions beside this

  /// A big-endian number, whatever ``order`` is, such as a four-character name.
  @inline(__always)
  mutating func unsigned32BigEndian(_ field: StaticString) throws(CoderError) -> UInt32 {
    try check(at: position, count: 4, field)
    let value = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt32.self).bigEndian
    position &+= 4
    return value
  }

  /// - Parameter place: 0 to ``count``.
  mutating func advance(to place: Int) { position = place }

  // MARK: Checks

  /// An error at the offset of the next field.
  public func malformed(_ message: String) -> CoderError { .malformed(message, at: offset) }

  private mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(
    _ field: StaticString, as type: Value.Type
  ) throws(CoderError) -> Value {
    let value = try value(at: position, field, as: type)
    position &+= MemoryLayout<Value>.size
    return value
  }

  @inline(__always)
  private func value<Value: FixedWidthInteger & BitwiseCopyable>(
    at place: Int, _ field: StaticString, as type: Value.Type
  ) throws(CoderError) -> Value {
    try check(at: place, count: MemoryLayout<Value>.size, field)
    return bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: type).swapped(to: order)
  }

  private func check(at place: Int, count: Int, _ field: StaticString) throws(CoderError) {
    guard place >= 0, count >= 0, place <= bytes.byteCount, count <= bytes.byteCount &- place else {
      throw shortage(at: place, count: count, field)
    }
  }

  @inline(never)
  private func shortage(at place: Int, count: Int, _ field: StaticString) -> CoderError {
    let start = min(max(place, 0), bytes.byteCount)
    let offset = fileOffset &+ start
    let message = "\(field) of \(name) needs \(count) bytes, \(bytes.byteCount &- start) are left"
    return isCutOff ? .truncated(message, at: offset) : .malformed(message, at: offset)
  }
}

extension [UInt8] {
  /// Copies bytes of a file.
  public init(copying bytes: RawSpan) {
    // Not init(unsafeUninitializedCapacity:), which looks up the type of its memory at run time.
    self.init()
    reserveCapacity(bytes.byteCount)
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }
}

extension String {
  /// Decodes text of a file; bytes that are not UTF-8 are replaced.
  public init(decoding bytes: RawSpan) { self = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
