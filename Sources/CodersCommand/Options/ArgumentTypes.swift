// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// A value on the command line. An error about it says what is allowed.
protocol DescribedArgument: Sendable {
  init?(argument: String)

  /// What is allowed, as in "a number of bytes is 200000, 200k or 1.5M".
  static func allowed(for text: String) -> String
}

extension DescribedArgument {
  /// The value of a text, for the `transform` of an option.
  @Sendable static func parsed(_ text: String) throws -> Self {
    guard let value = Self(argument: text) else { throw ValidationError(allowed(for: text)) }
    return value
  }
}

/// A size on the command line: `640x480`, `256` for both sides, `640x` and `x480` where the other side is free, or `50%`
/// of the picture.
extension PictureBox: DescribedArgument {
  init?(argument: String) { self.init(argument) }

  static func allowed(for text: String) -> String {
    "a size is 300 for both sides, 300x200, 300x or x200 for one side, or up to 100%, such as 50%"
  }
}

/// The sides of an icon's pages on the command line: `16,32,48`.
struct SizesArgument: DescribedArgument {
  let sides: [Int]

  init?(argument: String) {
    let sides = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.allSatisfy({ $0 > 0 }), Set(sides).count == sides.count else { return nil }
    self.sides = sides
  }

  static func allowed(for text: String) -> String { "sizes are different numbers, such as 16,32,48" }
}

/// Qualities on the command line: `0.2,0.5`.
struct QualitiesArgument: DescribedArgument {
  let qualities: [Double]

  init?(argument: String) {
    let values = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? -1 }
    guard values.allSatisfy({ (0...1).contains($0) }) else { return nil }
    qualities = values.sorted()
  }

  static func allowed(for text: String) -> String { "qualities are from 0 to 1, such as 0.2,0.5,0.8" }
}

/// A format-specific option on the command line: `method=4`, or `webp.method=4`.
extension NamedValue: DescribedArgument {
  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    // Type identifiers contain dots, option names do not.
    let dot = parts[0].lastIndex(of: ".")
    let format = dot.map { String(parts[0][..<$0]) }
    let name = String(dot.map { parts[0][parts[0].index(after: $0)...] } ?? parts[0])
    guard !name.isEmpty, format?.isEmpty != true else { return nil }
    self.init(format: format, name: name, value: String(parts[1]))
  }

  static func allowed(for text: String) -> String { "an option has a name and a value, such as method=4" }
}
