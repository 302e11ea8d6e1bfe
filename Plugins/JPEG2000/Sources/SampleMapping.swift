// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns the samples of a component into samples of 8 or 16 bits.
final class SampleMapping {
  /// What a channel's samples mean.
  enum Role {
    /// From none to all.
    case plain
    /// From all to none.
    case inverted
    /// A color difference, with nothing in the middle.
    case centred
    /// e-sRGB: 1 is 255 steps of an 8-bit picture, at 3/8 of the range (ISO/IEC 15444-2 table M.25, PIMA 7667).
    case extended
  }

  private enum Kind {
    /// Samples stay as they are.
    case identity
    /// By table, from the smallest sample on.
    case table([UInt16])
    /// More than 16 bits.
    case wide
  }

  private let kind: Kind
  private let role: Role
  private let depth: Int
  private let bits: Int
  /// What the smallest sample is.
  private let lowest: Int32

  init(_ channel: ChannelMap.Channel, role: Role, depth: Int) {
    self.role = role
    self.depth = depth
    bits = channel.bits
    lowest = channel.isSigned ? Int32(truncatingIfNeeded: -(1 << (channel.bits - 1))) : 0
    if let column = channel.column {
      let bottom = Int(lowest)
      let (role, bits) = (role, bits)
      kind = .table(
        column.entries.map {
          UInt16(truncatingIfNeeded: Self.map(Int($0) - bottom, bits: bits, role: role, depth: depth))
        })
    } else if bits == depth, lowest == 0, role == .plain || role == .centred {
      kind = .identity
    } else if bits <= 16 {
      let (role, bits) = (role, bits)
      kind = .table(
        (0..<(1 << bits)).map {
          UInt16(truncatingIfNeeded: Self.map($0, bits: bits, role: role, depth: depth))
        })
    } else {
      kind = .wide
    }
    isIndexed = channel.column != nil
  }

  /// Whether samples are indexes, which begin at 0 whatever the palette's entries are.
  private let isIndexed: Bool

  var isIdentity: Bool { if case .identity = kind { true } else { false } }

  /// One sample, counted from the smallest.
  private static func map(_ sample: Int, bits: Int, role: Role, depth: Int) -> Int {
    let top = 1 << depth - 1
    let largest = 1 << bits - 1
    let value = min(max(sample, 0), largest)
    switch role {
    case .plain: return (value * top * 2 + largest) / (largest * 2)
    case .inverted: return top - (value * top * 2 + largest) / (largest * 2)
    case .centred:
      let difference = Double(value - 1 << (bits - 1)) * Double(top) / Double(largest)
      return min(max(1 << (depth - 1) + Int(difference.rounded()), 0), top)
    case .extended:
      // PIMA 7667: code = 255 × 2^(n-9) × value + 2^(n-2) + 2^(n-3).
      let unit = 255.0 * Double(1 << bits) / 512
      let light = (Double(value) - Double(1 << bits) * 0.375) / unit
      return Int((min(max(light, 0), 1) * Double(top)).rounded())
    }
  }

  /// Maps a row.
  ///
  /// - Parameters:
  ///   - samples: `count` of them.
  ///   - result: Room for as many; may be the same memory.
  func apply(_ samples: UnsafePointer<Int32>, to result: UnsafeMutablePointer<Int32>, count: Int) {
    switch kind {
    case .identity:
      for x in 0..<count { result[x] = samples[x] }
    case .table(let table):
      let bottom = isIndexed ? 0 : lowest
      table.withUnsafeBufferPointer { table in
        guard let base = table.baseAddress else { return }
        let last = Int32(truncatingIfNeeded: table.count - 1)
        // The index is between the table's ends.
        for x in 0..<count { result[x] = Int32(base[Int(min(max(samples[x] &- bottom, 0), last))]) }
      }
    case .wide:
      for x in 0..<count {
        let value = Self.map(Int(samples[x]) - Int(lowest), bits: bits, role: role, depth: depth)
        result[x] = Int32(truncatingIfNeeded: value)
      }
    }
  }
}
