// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads the numbers of one stream (ISO/IEC 18181-1 §D.3.2, §D.3.3, §D.3.6).
///
/// Every stream of bits has numbers: where symbols, distances and lengths say nothing sensible, the numbers are of no use, and
/// no memory but the tables' is touched.
struct SymbolReader {
  private let code: EntropyCode
  private let clusters: UnsafeMutablePointer<UInt8>
  private let digits: UnsafeMutablePointer<EntropyCode.Digits>
  private let frequencies: UnsafeMutablePointer<SymbolFrequencies.Entry>
  private let prefixTables: UnsafeMutablePointer<UInt32>
  private let isPrefix: Bool
  private let logAlphabet: UInt64
  private let logBucket: UInt64
  private var state: UInt64
  private var copies: Copies?

  /// What was read before, for streams that repeat themselves.
  private struct Copies {
    let repeats: EntropyCode.Repeats
    let window: PlainBuffer<UInt32>
    let rowLength: Int
    var count = 0
    var left = 0
    var source = 0

    static let windowSize = 1 << 20
  }

  private static let finalState: UInt64 = 0x13_0000

  /// - Parameter rowLength: Of the picture that the numbers are samples of, for distances; 0 without one.
  init(_ code: EntropyCode, _ bits: inout CodeBits, rowLength: Int = 0) throws(CoderError) {
    self.code = code
    clusters = code.clusters.base
    digits = code.digits.base
    frequencies = code.frequencies.base
    prefixTables = code.prefixTables.base
    isPrefix = code.isPrefix
    logAlphabet = UInt64(code.logAlphabet)
    logBucket = code.isPrefix ? 0 : UInt64(12 - code.logAlphabet)
    state = code.isPrefix ? Self.finalState : UInt64(bits.bits(32))
    if let repeats = code.repeats {
      copies = Copies(
        repeats: repeats, window: try PlainBuffer(count: Copies.windowSize, for: "repeated numbers"),
        rowLength: rowLength)
    }
  }

  /// Whether numbers may be copies of earlier ones.
  var repeatsItself: Bool { copies != nil }

  /// The cluster of a context.
  @inline(__always)
  func cluster(of context: Int) -> Int { Int(clusters[context]) }

  @inline(__always)
  mutating func number(context: Int, _ bits: inout CodeBits) -> Int {
    number(cluster: Int(clusters[context]), &bits)
  }

  @inline(__always)
  mutating func number(cluster: Int, _ bits: inout CodeBits) -> Int {
    copies == nil ? plainNumber(cluster, &bits) : copiedNumber(cluster, &bits)
  }

  /// A number of a stream that does not repeat itself.
  @inline(__always)
  mutating func plainNumber(_ cluster: Int, _ bits: inout CodeBits) -> Int {
    let symbol = symbol(cluster, &bits)
    return Self.number(symbol, digits: digits[cluster], &bits)
  }

  @inline(__always)
  private static func number(_ symbol: Int, digits: EntropyCode.Digits, _ bits: inout CodeBits) -> Int {
    guard symbol >= Int(digits.split) else { return symbol }
    let (high, low) = (UInt64(digits.high), UInt64(digits.low))
    let above = UInt64(truncatingIfNeeded: symbol &- Int(digits.split))
    // Numbers have 32 bits at most.
    let count = (UInt64(digits.splitExponent) &- high &- low &+ above &>> (high &+ low)) & 31
    let lowBits = above & (1 &<< low &- 1)
    let highBits = above &>> low & (1 &<< high &- 1) | 1 &<< high
    let rest = UInt64(truncatingIfNeeded: bits.bits(Int(truncatingIfNeeded: count)))
    return Int(UInt32(truncatingIfNeeded: (highBits &<< count | rest) &<< low | lowBits))
  }

  @inline(__always)
  private mutating func symbol(_ cluster: Int, _ bits: inout CodeBits) -> Int {
    if isPrefix { return prefixSymbol(cluster, &bits) }
    let place = state & 0xfff
    let bucket = place &>> logBucket
    let rest = place & (1 &<< logBucket &- 1)
    let entry = frequencies[Int(truncatingIfNeeded: UInt64(truncatingIfNeeded: cluster) &<< logAlphabet | bucket)]
    let isOther = rest >= UInt64(entry.cutoff)
    let frequency = UInt64(isOther ? entry.otherFrequency : entry.frequency)
    let offset = isOther ? (UInt64(entry.otherOffset) &+ rest) & 0xffff : rest
    state = frequency &* (state &>> 12) &+ offset
    if state < 1 << 16 { state = state &<< 16 | UInt64(truncatingIfNeeded: bits.bits(16)) }
    return isOther ? Int(entry.other) : Int(truncatingIfNeeded: bucket)
  }

  @inline(__always)
  private func prefixSymbol(_ cluster: Int, _ bits: inout CodeBits) -> Int {
    let word = bits.word
    let index = cluster &<< PrefixCode.tableBits | Int(truncatingIfNeeded: word & UInt64(1 << PrefixCode.tableBits - 1))
    let entry = prefixTables[index]
    guard entry != 0 else { return longPrefixSymbol(cluster, word: word, &bits) }
    bits.skip(Int(entry & 15))
    return Int(entry &>> 8)
  }

  /// Reads a code that is longer than the table's bits.
  @inline(never)
  private func longPrefixSymbol(_ cluster: Int, word: UInt64, _ bits: inout CodeBits) -> Int {
    let prefix = code.prefixCodes[cluster]
    var (word, value, first, before) = (word, 0, 0, 0)
    for length in 1...PrefixCode.longest {
      value |= Int(word & 1)
      word >>= 1
      let count = Int(prefix.counts[length])
      if value - first < count {
        bits.skip(length)
        return Int(prefix.symbols[before + value - first])
      }
      before += count
      first = (first + count) << 1
      value <<= 1
    }
    bits.skip(PrefixCode.longest)
    return 0
  }

  @inline(never)
  private mutating func copiedNumber(_ cluster: Int, _ bits: inout CodeBits) -> Int {
    guard var copies else { return 0 }
    defer { self.copies = copies }
    let mask = Copies.windowSize - 1
    if copies.left == 0 {
      let symbol = symbol(cluster, &bits)
      guard symbol >= copies.repeats.firstSymbol else {
        let value = Self.number(symbol, digits: digits[cluster], &bits)
        copies.window.base[copies.count & mask] = UInt32(truncatingIfNeeded: value)
        copies.count &+= 1
        return value
      }
      let length = Self.number(
        symbol - copies.repeats.firstSymbol, digits: copies.repeats.lengthDigits, &bits)
      copies.left = length &+ copies.repeats.shortest
      let distance = plainNumber(copies.repeats.distances, &bits)
      copies.source = copies.count - Self.distance(distance, copies)
    }
    let value = copies.count == 0 ? 0 : copies.window.base[copies.source & mask]
    copies.source &+= 1
    copies.left &-= 1
    copies.window.base[copies.count & mask] = value
    copies.count &+= 1
    return Int(value)
  }

  /// How far back a copy begins, 0 at the start of the stream.
  private static func distance(_ code: Int, _ copies: Copies) -> Int {
    var distance = code + 1
    if copies.rowLength > 0 {
      if code < nearby.count {
        distance = max(1, Int(nearby[code].x) + copies.rowLength * Int(nearby[code].y))
      } else {
        distance = code + 1 - nearby.count
      }
    }
    return min(distance, copies.count, Copies.windowSize)
  }

  /// - Throws: ``CoderError/Code/malformed`` when the stream does not end as ANS does.
  func checkEnd() throws(CoderError) {
    guard state == Self.finalState else { throw .malformed("a stream of numbers that does not end as it should") }
  }

  /// Places that codes of distances below 120 stand for, as columns to the left and rows above (§D.3.6, table D.1).
  private static let nearby: [(x: Int8, y: Int8)] = [
    (0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0), (1, 2), (-1, 2), (2, 1), (-2, 1), (2, 2), (-2, 2),
    (0, 3), (3, 0), (1, 3), (-1, 3), (3, 1), (-3, 1), (2, 3), (-2, 3), (3, 2), (-3, 2), (0, 4), (4, 0),
    (1, 4), (-1, 4), (4, 1), (-4, 1), (3, 3), (-3, 3), (2, 4), (-2, 4), (4, 2), (-4, 2), (0, 5), (3, 4),
    (-3, 4), (4, 3), (-4, 3), (5, 0), (1, 5), (-1, 5), (5, 1), (-5, 1), (2, 5), (-2, 5), (5, 2), (-5, 2),
    (4, 4), (-4, 4), (3, 5), (-3, 5), (5, 3), (-5, 3), (0, 6), (6, 0), (1, 6), (-1, 6), (6, 1), (-6, 1),
    (2, 6), (-2, 6), (6, 2), (-6, 2), (4, 5), (-4, 5), (5, 4), (-5, 4), (3, 6), (-3, 6), (6, 3), (-6, 3),
    (0, 7), (7, 0), (1, 7), (-1, 7), (5, 5), (-5, 5), (7, 1), (-7, 1), (4, 6), (-4, 6), (6, 4), (-6, 4),
    (2, 7), (-2, 7), (7, 2), (-7, 2), (3, 7), (-3, 7), (7, 3), (-7, 3), (5, 6), (-5, 6), (6, 5), (-6, 5),
    (8, 0), (4, 7), (-4, 7), (7, 4), (-7, 4), (8, 1), (8, 2), (6, 6), (-6, 6), (8, 3), (5, 7), (-5, 7),
    (7, 5), (-7, 5), (8, 4), (6, 7), (-6, 7), (7, 6), (-7, 6), (8, 5), (7, 7), (-7, 7), (8, 6), (8, 7),
  ]
}
