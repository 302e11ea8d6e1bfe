// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A zlib stream of one block with the codes that every reader knows, for pictures of a few hundred KiB.
///
/// - Format: RFC 1950; RFC 1951 §3.2.5 and §3.2.6.
public enum FixedDeflate {
  private static let window = 32_768
  private static let longest = 258
  /// Earlier places that are looked at where the same three bytes began.
  private static let tries = 32

  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func packed(_ bytes: [UInt8]) throws(CoderError) -> [UInt8] {
    var bits = Bits()
    try ArrayMemory.grow(&bits.bytes, by: bytes.count + bytes.count / 8 + 64, for: "a picture's file")
    bits.bytes += [0x78, 0x01]
    bits.put(0b011, count: 3)  // the last block, with fixed codes
    var finder = try MatchFinder(bytes)
    var place = 0
    while place < bytes.count {
      let match = finder.match(at: place)
      if match.length >= 3 {
        bits.putMatch(length: match.length, distance: match.distance)
        for passed in 1..<match.length { finder.add(place + passed) }
        place += match.length
      } else {
        bits.putSymbol(Int(bytes[place]))
        place += 1
      }
    }
    bits.putSymbol(256)
    bits.align()
    let sum = checksum(bytes)
    // Every literal takes nine bits at most, so there is room.
    bits.bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
    return bits.bytes
  }

  /// Adler-32.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return high << 16 | low
  }

  /// The longest of the latest places where bytes were the same.
  private struct MatchFinder {
    private let bytes: [UInt8]
    /// The last place of three bytes, by their hash, and for each place the one before it; -1 for none.
    private var last: [Int32] = []
    private var earlier: [Int32] = []

    init(_ bytes: [UInt8]) throws(CoderError) {
      self.bytes = bytes
      try ArrayMemory.grow(&last, by: 1 << 15, for: "places of a picture's bytes")
      last.append(contentsOf: repeatElement(-1, count: 1 << 15))
      try ArrayMemory.grow(&earlier, by: bytes.count, for: "places of a picture's bytes")
      earlier.append(contentsOf: repeatElement(-1, count: bytes.count))
    }

    private func hash(_ place: Int) -> Int {
      let three = UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
      return Int((three &* 0x9E37_79B1) >> 17)
    }

    mutating func add(_ place: Int) {
      guard place + 3 <= bytes.count else { return }
      let hash = hash(place)
      earlier[place] = last[hash]
      last[hash] = Int32(place)
    }

    /// The longest match, and the place is added.
    mutating func match(at place: Int) -> (length: Int, distance: Int) {
      guard place + 3 <= bytes.count else { return (0, 0) }
      add(place)
      let most = min(FixedDeflate.longest, bytes.count - place)
      var best = (length: 0, distance: 0)
      var candidate = Int(earlier[place])
      var left = FixedDeflate.tries
      while candidate >= 0, place - candidate <= FixedDeflate.window, left > 0 {
        var length = 0
        while length < most, bytes[candidate + length] == bytes[place + length] { length += 1 }
        if length > best.length { best = (length, place - candidate) }
        if length == most { break }
        candidate = Int(earlier[candidate])
        left -= 1
      }
      return best
    }
  }

  /// Bits from the lowest of each byte on; codes come with their highest bit first.
  private struct Bits {
    var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var count: UInt32 = 0

    /// The least length, and the least distance, of each code with its number of further bits (§3.2.5).
    private static let lengths: [(least: Int, bits: UInt32)] = steps(from: 3, codes: 28, alike: 4) + [(258, 0)]
    private static let distances = steps(from: 1, codes: 30, alike: 2)

    /// Codes whose further bits grow by one after each `alike`, the first two groups without any.
    private static func steps(from least: Int, codes: Int, alike: Int) -> [(least: Int, bits: UInt32)] {
      var next = least
      return (0..<codes).map { code in
        let bits = UInt32(max(0, code / alike - 1))
        defer { next += 1 << bits }
        return (next, bits)
      }
    }

    mutating func put(_ value: UInt32, count bits: UInt32) {
      pending |= value << count
      count += bits
      while count >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: pending))
        pending >>= 8
        count -= 8
      }
    }

    private mutating func putCode(_ code: UInt32, count bits: UInt32) {
      put((0..<bits).reduce(0) { $0 << 1 | code >> $1 & 1 }, count: bits)
    }

    /// A literal, a length's code or the end (§3.2.6).
    mutating func putSymbol(_ symbol: Int) {
      let code = UInt32(symbol)
      switch symbol {
      case ..<144: putCode(0x30 + code, count: 8)
      case ..<256: putCode(0x190 + code - 144, count: 9)
      case ..<280: putCode(code - 256, count: 7)
      default: putCode(0xC0 + code - 280, count: 8)
      }
    }

    mutating func putMatch(length: Int, distance: Int) {
      let long = Self.lengths.lastIndex { $0.least <= length } ?? 0
      putSymbol(257 + long)
      put(UInt32(length - Self.lengths[long].least), count: Self.lengths[long].bits)
      let far = Self.distances.lastIndex { $0.least <= distance } ?? 0
      putCode(UInt32(far), count: 5)
      put(UInt32(distance - Self.distances[far].least), count: Self.distances[far].bits)
    }

    mutating func align() { if count > 0 { put(0, count: 8 - count) } }
  }
}
