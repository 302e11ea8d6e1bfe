// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// How often each symbol occurs, out of 4096 (ISO/IEC 18181-1 §D.3.4), and the table that ANS looks it up in (§D.3.2).
struct SymbolFrequencies {
  static let sum = 1 << 12
  private static let logSum = 12

  /// At most 256 and at least one.
  private(set) var counts: [Int]

  /// An entry of the table: the bucket's own symbol below the cutoff, another one from there on.
  struct Entry: BitwiseCopyable {
    var cutoff: UInt8 = 0
    var other: UInt8 = 0
    var frequency: UInt16 = 0
    var otherOffset: UInt16 = 0
    var otherFrequency: UInt16 = 0
  }

  init(parsing bits: inout CodeBits) throws(CoderError) {
    if bits.flag() {
      counts = try Self.simple(&bits)
    } else if bits.flag() {
      let count = bits.shortByte() + 1
      counts = (0..<count).map { Self.sum / count + ($0 < Self.sum % count ? 1 : 0) }
    } else {
      counts = try Self.complex(&bits)
    }
    while counts.count > 1, counts.last == 0 { counts.removeLast() }
    try bits.check("a table of frequencies")
  }

  private static func simple(_ bits: inout CodeBits) throws(CoderError) -> [Int] {
    let isPair = bits.flag()
    let first = bits.shortByte()
    guard isPair else {
      var counts = [Int](repeating: 0, count: first + 1)
      counts[first] = sum
      return counts
    }
    let second = bits.shortByte()
    guard first != second else { throw .malformed("symbol \(first) twice in a table of two frequencies") }
    var counts = [Int](repeating: 0, count: max(first, second) + 1)
    counts[first] = bits.bits(logSum)
    counts[second] = sum - counts[first]
    return counts
  }

  /// Logarithms of frequencies by the words that stand for them, with the number of bits.
  private static func logarithm(_ bits: inout CodeBits) -> Int {
    let word = Int(bits.word & 127)
    let (length, value): (Int, Int) =
      switch word & 7 {
      case 0: (3, 10)
      case 2: (3, 7)
      case 4: (3, 6)
      case 5: (3, 8)
      case 6: (3, 9)
      case 3: word & 8 == 0 ? (4, 3) : (4, 1)
      case 7: word & 8 == 0 ? (4, 5) : (4, 2)
      default:
        word & 8 != 0
          ? (4, 4)
          : word & 16 != 0 ? (5, 0) : word & 32 != 0 ? (6, 11) : word & 64 == 0 ? (7, 12) : (7, 13)
      }
    bits.skip(length)
    return value
  }

  private static func complex(_ bits: inout CodeBits) throws(CoderError) -> [Int] {
    var width = 0
    while width < 3, bits.flag() { width += 1 }
    let shift = (bits.bits(width) | 1 << width) - 1
    guard shift <= logSum + 1 else { throw .malformed("a shift of \(shift) in a table of frequencies") }
    let count = bits.shortByte() + 3
    var logarithms = [Int](repeating: 0, count: count)
    // How many symbols from one on are as frequent as the one before it.
    var runs = [Int](repeating: 0, count: count)
    var (omitted, largest) = (-1, -1)
    var index = 0
    while index < count {
      let value = logarithm(&bits)
      logarithms[index] = value
      if value == logSum + 1 {
        runs[index] = bits.shortByte() + 4
        index += runs[index]
        continue
      }
      if value > largest { (largest, omitted) = (value, index) }
      index += 1
    }
    guard omitted >= 0, omitted + 1 == count || logarithms[omitted + 1] != logSum + 1 else {
      throw .malformed("a table of frequencies in which none can be left out")
    }
    var counts = [Int](repeating: 0, count: count)
    var (left, previous, total) = (0, 0, 0)
    for index in 0..<count {
      if runs[index] > 0 { (left, previous) = (runs[index], index > 0 ? counts[index - 1] : 0) }
      if left > 0 {
        counts[index] = previous
        left -= 1
      } else if index != omitted, logarithms[index] > 0 {
        let log = logarithms[index] - 1
        let precision = max(0, min(log, shift - (logSum - log) >> 1))
        counts[index] = 1 << log + bits.bits(precision) << (log - precision)
      }
      total += counts[index]
    }
    guard total < sum else { throw .malformed("frequencies that add up to \(total) and more, \(sum) is the sum") }
    counts[omitted] = sum - total
    return counts
  }

  /// Fills a table of 2^`logSize` buckets, each of which has at most two symbols.
  ///
  /// - Parameter logSize: 5 to 8. There are no more symbols than buckets.
  func fill(_ table: UnsafeMutablePointer<Entry>, logSize: Int) {
    let size = 1 << logSize
    let bucket = Self.sum >> logSize
    if let only = counts.firstIndex(of: Self.sum) {
      for index in 0..<size {
        table[index] = Entry(
          cutoff: 0, other: UInt8(truncatingIfNeeded: only), frequency: 0,
          otherOffset: UInt16(truncatingIfNeeded: bucket * index), otherFrequency: UInt16(Self.sum))
      }
      return
    }
    var cutoffs = counts + [Int](repeating: 0, count: size - counts.count)
    var others = [Int](repeating: 0, count: size)
    var offsets = [Int](repeating: 0, count: size)
    var overfull = cutoffs.indices.filter { cutoffs[$0] > bucket }
    var underfull = cutoffs.indices.filter { cutoffs[$0] < bucket }
    while let full = overfull.last, let empty = underfull.popLast() {
      cutoffs[full] -= bucket - cutoffs[empty]
      (others[empty], offsets[empty]) = (full, cutoffs[full])
      if cutoffs[full] <= bucket { overfull.removeLast() }
      if cutoffs[full] < bucket { underfull.append(full) }
    }
    for index in 0..<size {
      let isWhole = cutoffs[index] == bucket
      let other = isWhole ? index : others[index]
      let cutoff = isWhole ? 0 : cutoffs[index]
      table[index] = Entry(
        cutoff: UInt8(truncatingIfNeeded: cutoff), other: UInt8(truncatingIfNeeded: other),
        frequency: UInt16(truncatingIfNeeded: index < counts.count ? counts[index] : 0),
        otherOffset: UInt16(truncatingIfNeeded: isWhole ? 0 : offsets[index] - cutoff),
        otherFrequency: UInt16(truncatingIfNeeded: other < counts.count ? counts[other] : 0))
    }
  }
}
