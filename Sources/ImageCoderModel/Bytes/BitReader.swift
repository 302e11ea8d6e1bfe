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
    try check(count, field)
    if let word = nextWord() {
      position &+= count
      // Nothing is shifted by 64, which counts as 0.
      switch order {
      case .mostSignificantFirst: return UInt32(truncatingIfNeeded: (word &>> 1) &>> UInt64(63 &- count))
      case .leastSignificantFirst: return UInt32(truncatingIfNeeded: word & ((UInt64(1) &<< UInt64(count)) &- 1))
      }
    }
    var value: UInt64 = 0
    var filled = 0
    while filled < count {
      let byte = UInt64(bytes.unsafeLoad(fromUncheckedByteOffset: position >> 3, as: UInt8.self))
      let used = position & 7
      let taken = min(8 &- used, count &- filled)
      let mask = UInt64(1) << UInt64(taken) &- 1
      switch order {
      case .mostSignificantFirst: value = value << UInt64(taken) | (byte >> UInt64(8 &- used &- taken) & mask)
      case .leastSignificantFirst: value |= (byte >> UInt64(used) & mask) << UInt64(filled)
      }
      filled &+= taken
      position &+= taken
    }
    return UInt32(truncatingIfNeeded: value)
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
    var zeros = 0
    if order == .mostSignificantFirst, let word = nextWord(), word.leadingZeroBitCount <= 31 {
      zeros = word.leadingZeroBitCount
      position &+= zeros
    }
    while try !flag(field) {
      zeros &+= 1
      guard zeros <= 31 else {
        throw .malformed("\(field) of \(name) is a code of more than 32 bits", at: fileOffset &+ position >> 3)
      }
    }
    let value = (UInt64(1) << UInt64(zeros)) &- 1 &+ UInt64(try bits(zeros, field))
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

  /// Bits from the next one on, at least 57 of them, as a number in which the next one comes first; nil near the end.
  @inline(__always)
  private func nextWord() -> UInt64? {
    let place = position >> 3
    guard place <= bytes.byteCount &- 8 else { return nil }
    let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
    let used = UInt64(position & 7)
    return order == .mostSignificantFirst ? word.bigEndian &<< used : word.littleEndian &>> used
  }

  private func check(_ count: Int, _ field: StaticString) throws(CoderError) {
    guard count >= 0, count <= 32, count <= remaining else { throw shortage(field) }
  }

  @inline(never)
  private func shortage(_ field: StaticString) -> CoderError {
    .malformed("\(name) ends before \(field)", at: fileOffset &+ bytes.byteCount)
  }
}
