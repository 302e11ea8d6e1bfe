// SPDX-License-Identifier: Apache-2.0

/// Reads fields of bits; each read is checked against the end of the bytes.
///
/// - Lifetime: At most that of the bytes.
public struct BitReader: ~Escapable {
  /// Which bit of a byte comes first.
  public enum Order: Sendable {
    /// As in the codecs of MPEG and AOM: a number's first bit is its most significant one.
    case mostSignificantFirst
    /// As in VP8L, Deflate and JPEG XL: a number's first bit is its least significant one.
    case leastSignificantFirst
  }

  private let bytes: RawSpan
  private let order: Order
  private let fileOffset: Int
  private let name: StaticString

  /// The number of bits that were read.
  public private(set) var position = 0

  /// - Parameters:
  ///   - bytes: The bytes to read.
  ///   - order: Which bit of a byte comes first.
  ///   - fileOffset: Where the bytes begin in the file, for errors.
  ///   - name: What the bytes are, for errors: `the SPS`.
  @_lifetime(copy bytes)
  public init(
    _ bytes: RawSpan, order: Order = .mostSignificantFirst, at fileOffset: Int = 0, of name: StaticString = "the file"
  ) {
    self.bytes = bytes
    self.order = order
    self.fileOffset = fileOffset
    self.name = name
  }

  /// The number of bits that are left.
  public var remaining: Int { bytes.byteCount &* 8 &- position }

  /// The next bits as a number.
  ///
  /// - Parameter count: 0 to 32.
  /// - Throws: ``CoderError/Code/malformed`` if fewer bits are left.
  public mutating func bits(_ count: Int, _ field: StaticString = "a field") throws(CoderError) -> UInt32 {
    guard count >= 0, count <= 32, count <= remaining else { throw shortage(field) }
    let word = nextWord()
    position &+= count
    // Nothing is shifted by 64, which counts as 0.
    switch order {
    case .mostSignificantFirst: return UInt32(truncatingIfNeeded: (word &>> 1) &>> UInt64(63 &- count))
    case .leastSignificantFirst: return UInt32(truncatingIfNeeded: word & ((UInt64(1) &<< UInt64(count)) &- 1))
    }
  }

  /// One bit as a flag.
  public mutating func flag(_ field: StaticString = "a flag") throws(CoderError) -> Bool { try bits(1, field) == 1 }

  /// Skips bits.
  ///
  /// - Parameter count: A number of bits.
  /// - Throws: ``CoderError/Code/malformed`` if `count` is negative or fewer bits are left.
  public mutating func skip(_ count: Int, _ field: StaticString = "a field") throws(CoderError) {
    guard count >= 0, count <= remaining else { throw shortage(field) }
    position &+= count
  }

  /// Skips the rest of the current byte, if it is partly read.
  public mutating func alignToByte() { position = (position &+ 7) & ~7 }

  /// An unsigned Exp-Golomb code, ue(v) (ITU-T H.265 §9.2).
  ///
  /// - Parameter maximum: A larger value is ``CoderError/Code/malformed``.
  public mutating func unsignedExpGolomb(_ field: StaticString, to maximum: UInt32) throws(CoderError) -> UInt32 {
    var value: UInt64
    let word = nextWord()
    let zeros = word.leadingZeroBitCount
    let length = 2 &* zeros &+ 1
    if order == .mostSignificantFirst, length <= Self.wordBits, length <= remaining {
      value = word &>> UInt64(64 &- length) &- 1
      position &+= length
    } else {
      value = try longExpGolomb(field)
    }
    guard value <= UInt64(maximum) else {
      throw .malformed("\(field) of \(name) is \(value), \(maximum) is the most", at: fileOffset &+ position >> 3)
    }
    return UInt32(truncatingIfNeeded: value)
  }

  /// A signed Exp-Golomb code, se(v) (ITU-T H.265 §9.2.2).
  ///
  /// - Parameter magnitude: A larger absolute value is ``CoderError/Code/malformed``; at most 2^30.
  public mutating func signedExpGolomb(_ field: StaticString, to magnitude: UInt32) throws(CoderError) -> Int32 {
    let code = try unsignedExpGolomb(field, to: magnitude &* 2)
    let half = Int32(truncatingIfNeeded: (code &+ 1) / 2)
    return code & 1 == 1 ? half : 0 &- half
  }

  /// An unsigned Exp-Golomb code of any length, bit by bit.
  @inline(never)
  private mutating func longExpGolomb(_ field: StaticString) throws(CoderError) -> UInt64 {
    var zeros = 0
    while try !flag(field) {
      zeros &+= 1
      guard zeros <= 31 else {
        throw .malformed("\(field) of \(name) is a code of more than 32 bits", at: fileOffset &+ position >> 3)
      }
    }
    return (UInt64(1) << UInt64(zeros)) &- 1 &+ UInt64(try bits(zeros, field))
  }

  /// The least number of bits that a word has after the position.
  private static let wordBits = 57

  /// Bits from the next one on, at least ``wordBits`` of them, as a number in which the next one comes first. Zeros follow
  /// the last bit.
  @inline(__always)
  private func nextWord() -> UInt64 {
    let place = position >> 3
    let used = UInt64(position & 7)
    guard place <= bytes.byteCount &- 8 else { return lastWord() }
    let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
    return order == .mostSignificantFirst ? word.bigEndian &<< used : word.littleEndian &>> used
  }

  /// The same where less than eight bytes are left.
  private func lastWord() -> UInt64 {
    let used = UInt64(position & 7)
    if bytes.byteCount >= 8 {
      // 1 to 8 bytes of the last 8 are passed over.
      let passed = UInt64(bitPattern: Int64(8 &- bytes.byteCount &+ position >> 3)) &* 8 &+ used
      let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: bytes.byteCount &- 8, as: UInt64.self)
      return order == .mostSignificantFirst ? word.bigEndian << passed : word.littleEndian >> passed
    }
    var word: UInt64 = 0
    var shift: UInt64 = 0
    for place in position >> 3..<bytes.byteCount {
      let byte = UInt64(bytes.unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self))
      word |= order == .mostSignificantFirst ? byte &<< (56 &- shift) : byte &<< shift
      shift &+= 8
    }
    return order == .mostSignificantFirst ? word &<< used : word &>> used
  }

  @inline(never)
  private func shortage(_ field: StaticString) -> CoderError {
    .malformed("\(name) ends before \(field)", at: fileOffset &+ bytes.byteCount)
  }
}
