// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A prefix code over symbols, as RFC 7932 stores them (ISO/IEC 18181-1 §D.2.2, RFC 7932 §3).
struct PrefixCode {
  /// Bits that the table looks at; longer codes are read bit by bit.
  static let tableBits = 9
  static let longest = 15

  /// For each word of ``tableBits``: the length of its code and its symbol above 8 bits, or 0 for a longer code.
  private(set) var table: [UInt32]
  /// How many codes there are of each length.
  private(set) var counts = [Int32](repeating: 0, count: longest + 1)
  /// Symbols by the order of their codes.
  private(set) var symbols: [UInt16] = []

  /// - Parameter symbolCount: 1 to 2^15.
  init(parsing bits: inout CodeBits, symbolCount: Int) throws(CoderError) {
    table = []
    guard symbolCount > 1 else {
      symbols = [0]
      table = [UInt32](repeating: 0x80, count: 1 << Self.tableBits)
      return
    }
    let skipped = bits.bits(2)
    let lengths =
      skipped == 1
      ? try Self.simple(&bits, symbolCount) : try Self.complex(&bits, symbolCount, skipped: skipped)
    try build(lengths)
  }

  /// - Parameter lengths: 0 for symbols that have no code. A single one of any length is read from no bits.
  private init(lengths: [UInt8]) throws(CoderError) {
    table = []
    try build(lengths)
  }

  private mutating func build(_ lengths: [UInt8]) throws(CoderError) {
    let used = lengths.indices.filter { lengths[$0] > 0 }
    guard used.count > 1 else {
      guard let only = used.first else { throw .malformed("a prefix code without symbols") }
      symbols = [UInt16(truncatingIfNeeded: only)]
      // A length of 0 is written as 0x80, so that the entry is not 0.
      table = [UInt32](repeating: UInt32(truncatingIfNeeded: only) << 8 | 0x80, count: 1 << Self.tableBits)
      return
    }
    var left = 1 << Self.longest
    for symbol in used {
      counts[Int(lengths[symbol])] += 1
      left -= 1 << (Self.longest - Int(lengths[symbol]))
    }
    guard left == 0 else { throw .malformed("a prefix code whose lengths do not add up") }
    symbols = used.sorted { (lengths[$0], $0) < (lengths[$1], $1) }.map { UInt16(truncatingIfNeeded: $0) }
    table = [UInt32](repeating: 0, count: 1 << Self.tableBits)
    var code = 0
    var previous = 0
    for symbol in symbols {
      let length = Int(lengths[Int(symbol)])
      code <<= length - previous
      previous = length
      guard length <= Self.tableBits else { break }
      // Codes are read from their highest bit on.
      var word = Int(UInt16(truncatingIfNeeded: code << (16 - length)).reversedBits)
      while word < table.count {
        table[word] = UInt32(symbol) << 8 | UInt32(length)
        word += 1 << length
      }
      code += 1
    }
  }

  private static func simple(_ bits: inout CodeBits, _ symbolCount: Int) throws(CoderError) -> [UInt8] {
    let width = Int.bitWidth - (symbolCount - 1).leadingZeroBitCount
    let count = bits.bits(2) + 1
    var symbols: [Int] = []
    for _ in 0..<count {
      let symbol = bits.bits(width)
      guard symbol < symbolCount, !symbols.contains(symbol) else {
        throw .malformed("symbol \(symbol) in a simple prefix code of \(symbolCount)")
      }
      symbols.append(symbol)
    }
    let shape: [UInt8] =
      switch count {
      case 1: [1]
      case 2: [1, 1]
      case 3: [1, 2, 2]
      default: bits.flag() ? [1, 2, 3, 3] : [2, 2, 2, 2]
      }
    var lengths = [UInt8](repeating: 0, count: symbolCount)
    for (symbol, length) in zip(symbols, shape) { lengths[symbol] = length }
    return lengths
  }

  private static func complex(
    _ bits: inout CodeBits, _ symbolCount: Int, skipped: Int
  ) throws(CoderError) -> [UInt8] {
    let order = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    // For each word of four bits, the length of its code and the value.
    let values: [(length: Int, value: UInt8)] = [
      (2, 0), (2, 4), (2, 3), (3, 2), (2, 0), (2, 4), (2, 3), (4, 1),
      (2, 0), (2, 4), (2, 3), (3, 2), (2, 0), (2, 4), (2, 3), (4, 5),
    ]
    var codeLengths = [UInt8](repeating: 0, count: order.count)
    var (space, count) = (32, 0)
    for place in skipped..<order.count where space > 0 {
      let (length, value) = values[Int(bits.word & 15)]
      bits.skip(length)
      codeLengths[order[place]] = value
      guard value > 0 else { continue }
      space -= 32 >> Int(value)
      count += 1
    }
    guard count == 1 || space == 0 else { throw .malformed("lengths of a prefix code that do not add up") }
    return try lengths(&bits, symbolCount, code: PrefixCode(lengths: codeLengths))
  }

  private static func lengths(
    _ bits: inout CodeBits, _ symbolCount: Int, code: PrefixCode
  ) throws(CoderError) -> [UInt8] {
    var lengths: [UInt8] = []
    var space = 1 << longest
    var (previous, repeated): (UInt8, UInt8) = (8, 0)
    var run = 0
    while lengths.count < symbolCount, space > 0 {
      try bits.check("a prefix code")
      // Lengths have at most five bits, which the table holds.
      let entry = code.table[Int(bits.word & UInt64(1 << tableBits - 1))]
      bits.skip(Int(entry & 15))
      let symbol = UInt8(truncatingIfNeeded: entry >> 8)
      if symbol < 16 {
        run = 0
        lengths.append(symbol)
        if symbol > 0 {
          previous = symbol
          space -= 1 << (longest - Int(symbol))
        }
        continue
      }
      let extra = Int(symbol) - 14
      let length = symbol == 16 ? previous : 0
      if length != repeated { (run, repeated) = (0, length) }
      let before = run
      if run > 0 { run = (run - 2) << extra }
      run += bits.bits(extra) + 3
      guard run - before <= symbolCount - lengths.count else {
        throw .malformed("a run of \(run - before) lengths in a prefix code of \(symbolCount) symbols")
      }
      lengths += repeatElement(length, count: run - before)
      if length > 0 { space -= (run - before) << (longest - Int(length)) }
    }
    guard space == 0 else { throw .malformed("a prefix code whose lengths do not add up") }
    lengths += repeatElement(0, count: symbolCount - lengths.count)
    return lengths
  }
}

extension UInt16 {
  /// The same bits from the other end.
  fileprivate var reversedBits: UInt16 {
    var value = self
    value = value >> 8 | value << 8
    value = value >> 4 & 0x0f0f | (value & 0x0f0f) << 4
    value = value >> 2 & 0x3333 | (value & 0x3333) << 2
    return value >> 1 & 0x5555 | (value & 0x5555) << 1
  }
}
