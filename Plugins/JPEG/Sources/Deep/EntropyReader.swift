// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bits of entropy-coded segments, ITU-T T.81 B.1.1.5, F.2.2.
///
/// After the last bit come zeros; ``isOver`` says that some were read. No read leaves the bytes.
///
/// - Lifetime: That of the bytes.
struct EntropyReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The position of the next byte that is not in ``buffer``.
  private(set) var position: Int
  /// The next bits, in the upper part.
  private var buffer: UInt64 = 0
  private var count = 0
  /// How many of the bits are not in the file.
  private var padding = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Whether a code was read that its table does not have.
  private(set) var hasUnknownCode = false

  /// Whether bits were read that are not there.
  var isOver: Bool { count < padding }

  private mutating func fill() {
    while count <= 56 {
      var byte: UInt8 = 0
      if position < bytes.count, bytes[position] != 0xFF {
        byte = bytes[position]
        position &+= 1
      } else if position &+ 1 < bytes.count, bytes[position &+ 1] == 0 {
        // A byte of ones that is no marker has a zero after it.
        byte = 0xFF
        position &+= 2
      } else {
        padding &+= 8
      }
      buffer |= UInt64(byte) << UInt64(56 &- count)
      count &+= 8
    }
  }

  /// The next 1 to 16 bits as a number.
  @inline(__always)
  mutating func bits(_ length: Int) -> Int {
    if count < length { fill() }
    let value = Int(truncatingIfNeeded: buffer >> UInt64(64 &- length))
    buffer <<= UInt64(length)
    count &-= length
    return value
  }

  /// The value of the next code.
  @inline(__always)
  mutating func value(_ table: HuffmanTable) -> Int {
    table.short.withUnsafeBufferPointer { $0.baseAddress.flatMap { shortValue($0) } } ?? longValue(table)
  }

  /// The value of the next code if it has no more than ``HuffmanTable/lookBits``; nil, with nothing read, for a longer one.
  ///
  /// - Parameter short: ``HuffmanTable/short``.
  @inline(__always)
  mutating func shortValue(_ short: UnsafePointer<UInt16>) -> Int? {
    if count < 16 { fill() }
    let found = short[Int(truncatingIfNeeded: buffer >> UInt64(64 &- HuffmanTable.lookBits))]
    guard found != 0 else { return nil }
    let length = Int(found >> 8)
    buffer <<= UInt64(length)
    count &-= length
    return Int(found & 0xFF)
  }

  /// The value of the next code, which is longer than those of ``shortValue(_:)``, or 0 for one that is in no table.
  mutating func longValue(_ table: HuffmanTable) -> Int {
    var length = 1
    var code = Int32(truncatingIfNeeded: buffer >> 63)
    while length <= 16, code > table.largest[length] {
      length += 1
      code = Int32(truncatingIfNeeded: buffer >> UInt64(64 - length))
    }
    length = min(length, 16)
    buffer <<= UInt64(length)
    count -= length
    let place = Int(code) + Int(table.offsets[length])
    guard place >= 0, place < table.values.count else {
      hasUnknownCode = true
      return 0
    }
    return Int(table.values[place])
  }

  /// A signed number of so many bits: RECEIVE and EXTEND, F.2.2.1.
  @inline(__always)
  mutating func signed(_ length: Int) -> Int {
    guard length > 0 else { return 0 }
    let value = bits(length)
    return value < 1 << (length &- 1) ? value &- (1 << length) &+ 1 : value
  }

  /// Moves after the next restart marker, if that is what follows.
  ///
  /// - Returns: Whether it was there.
  mutating func restart() -> Bool {
    buffer = 0
    count = 0
    padding = 0
    var place = position
    // Whole bytes that were not needed may be left, and fill bytes.
    while place + 1 < bytes.count {
      if bytes[place] == 0xFF, bytes[place + 1] != 0, bytes[place + 1] != 0xFF { break }
      place += 1
    }
    guard place + 1 < bytes.count, (0xD0...0xD7).contains(bytes[place + 1]) else { return false }
    position = place + 2
    return true
  }
}
