// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// A box on the command line: `640x480`, `256` for both sides, or `640x` and `x480` where the other side is free.
struct BoxArgument: ExpressibleByArgument {
  let size: Size

  init?(argument: String) {
    let words = argument.split(separator: "x", omittingEmptySubsequences: false)
    let sides = words.map { $0.isEmpty ? 0 : Int($0) ?? -1 }
    guard sides.allSatisfy({ $0 >= 0 }), zip(words, sides).allSatisfy({ $0.isEmpty || $1 > 0 }) else { return nil }
    switch sides.count {
    case 1 where sides[0] > 0: size = Size(width: sides[0], height: sides[0])
    case 2 where sides[0] > 0 || sides[1] > 0: size = Size(width: sides[0], height: sides[1])
    default: return nil
    }
  }
}

/// The sides of an icon's pages on the command line: `16,32,48`.
struct SizesArgument: ExpressibleByArgument {
  let sides: [Int]

  init?(argument: String) {
    let sides = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.allSatisfy({ $0 > 0 }), Set(sides).count == sides.count else { return nil }
    self.sides = sides
  }
}

/// Qualities on the command line: `0.2,0.5`.
struct QualitiesArgument: ExpressibleByArgument {
  let qualities: [Double]

  init?(argument: String) {
    let values = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? -1 }
    guard values.allSatisfy({ (0...1).contains($0) }) else { return nil }
    qualities = values.sorted()
  }
}

/// A color on the command line: `ff8800`.
struct ColorArgument: ExpressibleByArgument {
  let red: UInt8
  let green: UInt8
  let blue: UInt8

  init?(argument: String) {
    let digits = argument.hasPrefix("#") ? argument.dropFirst() : argument[...]
    guard digits.utf8.count == 6, let value = UInt32(digits, radix: 16) else { return nil }
    red = UInt8(value >> 16 & 0xFF)
    green = UInt8(value >> 8 & 0xFF)
    blue = UInt8(value & 0xFF)
  }
}

/// A format-specific option on the command line: `method=4`, or `webp.method=4`.
struct NamedValue: ExpressibleByArgument {
  /// The format before the dot, or nil: an extension, a name or a type identifier.
  let format: String?
  let name: String
  let value: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    // Type identifiers contain dots, option names do not.
    let dot = parts[0].lastIndex(of: ".")
    format = dot.map { String(parts[0][..<$0]) }
    name = String(dot.map { parts[0][parts[0].index(after: $0)...] } ?? parts[0])
    guard !name.isEmpty, format?.isEmpty != true else { return nil }
    value = String(parts[1])
  }
}
