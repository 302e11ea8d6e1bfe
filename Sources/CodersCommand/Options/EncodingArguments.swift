// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// A number of bytes on the command line: `200000`, `200k`, `1.5M`.
struct ByteCountArgument: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    var digits = argument[...]
    var factor = 1.0
    switch digits.last {
    case "k", "K": factor = 1e3
    case "m", "M": factor = 1e6
    case "g", "G": factor = 1e9
    default: break
    }
    if factor > 1 { digits.removeLast() }
    // Double accepts signs, exponents and words, which are not allowed here.
    guard digits.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Double(digits), factor > 1 || !digits.contains("."),
      let bytes = Int(exactly: (number * factor).rounded()),
      bytes > 0
    else { return nil }
    self.bytes = bytes
  }
}

/// How long a frame is shown, on the command line: `40ms`, `4cs`, `0.04s`, `0.04` or `1/25`.
struct DelayArgument: ExpressibleByArgument {
  /// Exactly as written; greater than 0.
  let delay: FrameDelay

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    let fraction: FrameDelay?
    switch parts.count {
    case 1: fraction = Self.decimal(argument)
    case 2:
      guard let numerator = Self.whole(parts[0]), let denominator = Self.whole(parts[1]), denominator > 0 else {
        return nil
      }
      fraction = FrameDelay(numerator: numerator, denominator: denominator)
    default: return nil
    }
    guard let fraction, fraction.numerator > 0 else { return nil }
    delay = fraction
  }

  /// Parses `0.04s` as 4/100, without rounding to a Double.
  private static func decimal(_ text: String) -> FrameDelay? {
    let (unit, perSecond): (String, UInt32) =
      text.hasSuffix("ms")
      ? ("ms", 1000)
      : text.hasSuffix("cs")
        ? ("cs", 100)
        : (text.hasSuffix("s") ? "s" : "", 1)
    let digits = text.dropLast(unit.count).split(separator: ".", omittingEmptySubsequences: false)
    guard digits.count <= 2, digits.allSatisfy({ !$0.isEmpty }), let whole = digits.first else { return nil }
    let places = digits.count == 2 ? digits[1] : ""
    var denominator = perSecond
    for _ in places {
      let (product, overflow) = denominator.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      denominator = product
    }
    return Self.whole(whole + places).map { FrameDelay(numerator: $0, denominator: denominator) }
  }

  private static func whole(_ digits: Substring) -> UInt32? {
    digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt32(digits) : nil
  }
}

/// How many times an animation plays in total, on the command line: `3`, or `forever`.
struct LoopArgument: ExpressibleByArgument {
  let count: LoopCount

  init?(argument: String) {
    if argument == "forever" {
      count = .infinite
      return
    }
    guard let plays = UInt32(argument), plays > 0 else { return nil }
    count = .plays(plays)
  }
}

/// Metadata that is copied, on the command line: `keep`, `strip`, or a list such as `icc,exif`.
struct MetadataArgument: ExpressibleByArgument {
  let kinds: Set<MetadataKind>

  init?(argument: String) {
    switch argument {
    case "keep": kinds = Set(MetadataKind.allCases)
    case "strip": kinds = []
    default:
      let words = argument.split(separator: ",", omittingEmptySubsequences: false)
      let named = words.compactMap { word in MetadataKind.allCases.first { $0.name == word } }
      guard named.count == words.count else { return nil }
      kinds = Set(named)
    }
  }
}

extension MetadataKind {
  /// The name on the command line and in manifests.
  var name: String { "\(self)".lowercased() }
}

/// Chroma subsampling on the command line: `420` for 4:2:0.
enum SubsamplingArgument: String, ExpressibleByArgument, CaseIterable {
  case s444 = "444"
  case s422 = "422"
  case s420 = "420"
  case s440 = "440"
  case s411 = "411"
  case s400 = "400"

  var subsampling: Subsampling? { UInt32(rawValue).flatMap(Subsampling.init) }
}

/// What happens to the orientation, on the command line.
enum OrientationArgument: String, ExpressibleByArgument, CaseIterable {
  case apply, keep
}
