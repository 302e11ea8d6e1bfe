// SPDX-License-Identifier: Apache-2.0

/// Names in the order in which people count: `frame2` comes before `frame10`.
///
/// Digits that follow each other are one number, of any length; other bytes are compared as they are. Of names that
/// differ only in leading zeros, the one with fewer comes first.
struct NaturalOrder: Comparable {
  /// A number without leading zeros, or bytes that are no digits.
  private enum Part: Equatable {
    case number([UInt8])
    case text([UInt8])
  }

  private let parts: [Part]
  private let bytes: [UInt8]

  init(_ name: String) {
    bytes = Array(name.utf8)
    var parts: [Part] = []
    var rest = bytes[...]
    while let first = rest.first {
      let run = rest.prefix { Self.isDigit($0) == Self.isDigit(first) }
      parts.append(Self.isDigit(first) ? .number(Array(run.drop { $0 == UInt8(ascii: "0") })) : .text(Array(run)))
      rest = rest.dropFirst(run.count)
    }
    self.parts = parts
  }

  /// The name with each number replaced by the same sign: names of one numbered series have the same.
  var series: [UInt8] {
    parts.flatMap { part -> [UInt8] in
      switch part {
      case .number: [0]
      case .text(let text): text
      }
    }
  }

  static func == (one: NaturalOrder, other: NaturalOrder) -> Bool { one.bytes == other.bytes }

  static func < (one: NaturalOrder, other: NaturalOrder) -> Bool {
    for (mine, theirs) in zip(one.parts, other.parts) where mine != theirs {
      switch (mine, theirs) {
      case (.number(let first), .number(let second)) where first.count != second.count:
        return first.count < second.count
      case (.number(let first), .number(let second)), (.text(let first), .text(let second)):
        return first.lexicographicallyPrecedes(second)
      // Digits come before letters, as in ASCII.
      case (.number, .text): return true
      case (.text, .number): return false
      }
    }
    if one.parts.count != other.parts.count { return one.parts.count < other.parts.count }
    if one.bytes.count != other.bytes.count { return one.bytes.count < other.bytes.count }
    return one.bytes.lexicographicallyPrecedes(other.bytes)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
