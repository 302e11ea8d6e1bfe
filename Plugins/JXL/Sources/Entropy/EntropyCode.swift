// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a stream of numbers is coded with: its contexts, and a code for each cluster of them (ISO/IEC 18181-1 §D.3).
final class EntropyCode: @unchecked Sendable {
  /// How a symbol and bits after it make a number (§D.3.3).
  struct Digits: BitwiseCopyable {
    var split: UInt32 = 0
    var splitExponent: UInt32 = 0
    var high: UInt32 = 0
    var low: UInt32 = 0

    init(parsing bits: inout CodeBits, logAlphabet: Int) throws(CoderError) {
      func width(_ most: Int) -> Int { Int.bitWidth - most.leadingZeroBitCount }
      let exponent = bits.bits(width(logAlphabet))
      var (high, low) = (0, 0)
      if exponent != logAlphabet {
        high = bits.bits(width(exponent))
        low = high <= exponent ? bits.bits(width(exponent - high)) : 0
      }
      guard exponent <= logAlphabet, high + low <= exponent else {
        throw .malformed("a number of \(high) and \(low) bits in a symbol that has \(exponent)")
      }
      split = 1 << UInt32(exponent)
      splitExponent = UInt32(exponent)
      self.high = UInt32(high)
      self.low = UInt32(low)
    }
  }

  /// Copies of what came before (§D.3.6).
  struct Repeats {
    let firstSymbol: Int
    let shortest: Int
    let lengthDigits: Digits
    /// The cluster of distances.
    let distances: Int
  }

  let contextCount: Int
  let clusters: PlainBuffer<UInt8>
  let digits: PlainBuffer<Digits>
  let repeats: Repeats?
  let isPrefix: Bool
  let logAlphabet: Int
  let frequencies: PlainBuffer<SymbolFrequencies.Entry>
  let prefixTables: PlainBuffer<UInt32>
  let prefixCodes: [PrefixCode]

  private static let mostClusters = 256

  /// - Parameters:
  ///   - contextCount: At least 1.
  ///   - allowsRepeats: Not where a code is nested in itself.
  init(parsing bits: inout CodeBits, contextCount: Int, allowsRepeats: Bool = true) throws(CoderError) {
    self.contextCount = contextCount
    var count = contextCount
    var repeating: (first: Int, shortest: Int, digits: Digits)?
    if bits.flag() {
      guard allowsRepeats else { throw .malformed("a map of few contexts that repeats itself") }
      let first = bits.u32([(0, 224), (0, 512), (0, 4096), (15, 8)])
      let shortest = bits.u32([(0, 3), (0, 4), (2, 5), (8, 9)])
      repeating = (first, shortest, try Digits(parsing: &bits, logAlphabet: 8))
      count += 1
    }
    let map = try count > 1 ? Self.clusters(&bits, contextCount: count) : [0]
    let clusterCount = Int(map.max() ?? 0) + 1
    clusters = try PlainBuffer(count: count, for: "contexts")
    for (index, cluster) in map.enumerated() { clusters.base[index] = cluster }
    repeats = repeating.map {
      Repeats(
        firstSymbol: $0.first, shortest: $0.shortest, lengthDigits: $0.digits, distances: Int(map[map.count - 1]))
    }
    isPrefix = bits.flag()
    logAlphabet = isPrefix ? PrefixCode.longest : 5 + bits.bits(2)
    digits = try PlainBuffer(count: clusterCount, for: "contexts")
    for cluster in 0..<clusterCount {
      digits.base[cluster] = try Digits(parsing: &bits, logAlphabet: logAlphabet)
    }
    frequencies = try PlainBuffer(count: isPrefix ? 0 : clusterCount << logAlphabet, for: "tables of frequencies")
    prefixTables = try PlainBuffer(count: isPrefix ? clusterCount << PrefixCode.tableBits : 0, for: "prefix codes")
    prefixCodes = isPrefix ? try Self.prefixCodes(&bits, count: clusterCount) : []
    for (cluster, code) in prefixCodes.enumerated() {
      let table = prefixTables.base + cluster << PrefixCode.tableBits
      for (index, entry) in code.table.enumerated() { table[index] = entry }
    }
    guard !isPrefix else { return }
    for cluster in 0..<clusterCount {
      let found = try SymbolFrequencies(parsing: &bits)
      guard found.counts.count <= 1 << logAlphabet else {
        throw .malformed("frequencies of \(found.counts.count) symbols, \(1 << logAlphabet) is the most")
      }
      found.fill(frequencies.base + cluster << logAlphabet, logSize: logAlphabet)
    }
  }

  private static func prefixCodes(_ bits: inout CodeBits, count: Int) throws(CoderError) -> [PrefixCode] {
    var sizes: [Int] = []
    for _ in 0..<count {
      guard bits.flag() else {
        sizes.append(1)
        continue
      }
      let width = bits.bits(4)
      sizes.append(1 + 1 << width + bits.bits(width))
    }
    try bits.check("prefix codes")
    var codes: [PrefixCode] = []
    for size in sizes {
      guard size <= 1 << PrefixCode.longest else { throw .malformed("a prefix code of \(size) symbols") }
      codes.append(try PrefixCode(parsing: &bits, symbolCount: size))
    }
    try bits.check("prefix codes")
    return codes
  }

  /// The cluster of each context (§D.3.5).
  static func clusters(_ bits: inout CodeBits, contextCount: Int) throws(CoderError) -> [UInt8] {
    var map: [UInt8] = []
    if bits.flag() {
      let width = bits.bits(2)
      for _ in 0..<contextCount { map.append(UInt8(truncatingIfNeeded: bits.bits(width))) }
    } else {
      let movesToFront = bits.flag()
      let code = try EntropyCode(parsing: &bits, contextCount: 1, allowsRepeats: contextCount > 2)
      var reader = try SymbolReader(code, &bits)
      for _ in 0..<contextCount {
        let value = reader.number(context: 0, &bits)
        guard value < mostClusters else { throw .malformed("cluster \(value) of contexts") }
        map.append(UInt8(truncatingIfNeeded: value))
      }
      try reader.checkEnd()
      if movesToFront { undoMoveToFront(&map) }
    }
    try bits.check("a map of contexts")
    return map
  }

  private static func undoMoveToFront(_ map: inout [UInt8]) {
    var order = (0..<mostClusters).map { UInt8(truncatingIfNeeded: $0) }
    for index in map.indices {
      let place = Int(map[index])
      let value = order[place]
      map[index] = value
      guard place > 0 else { continue }
      order.remove(at: place)
      order.insert(value, at: 0)
    }
  }
}
