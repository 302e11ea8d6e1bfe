// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// A number of bytes on the command line: `200000`, `200k`, `1.5M`, `20KB`, `64MiB`.
struct ByteCountArgument: DescribedArgument, CustomStringConvertible {
  let bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let digits = argument.prefix { $0 == "." || ("0"..."9").contains($0) }
    guard let factor = Self.factor(argument.dropFirst(digits.count).lowercased()), let number = Double(plain: digits),
      factor > 1 || !digits.contains("."), let bytes = Int(exactly: (number * factor).rounded()),
      bytes > 0 || number == 0
    else { return nil }
    self.bytes = bytes
  }

  /// Without the i, units are decimal, as those of disks and of files in most programs.
  private static func factor(_ unit: String) -> Double? {
    switch unit {
    case "", "b": 1
    case "k", "kb": 1e3
    case "m", "mb": 1e6
    case "g", "gb": 1e9
    case "ki", "kib": 1024
    case "mi", "mib": 1_048_576
    case "gi", "gib": 1_073_741_824
    default: nil
    }
  }

  static func allowed(for text: String) -> String {
    "a number of bytes is 200000, 200k, 20KB, 1.5M (k is 1000) or 64MiB (of 1048576)"
  }

  var description: String { "\(bytes)" }
}

/// How long a frame is shown, on the command line: `40ms`, `4cs`, `0.04s`, `0.04` or `1/25`.
struct DelayArgument: DescribedArgument {
  /// Exactly as written; greater than 0.
  let delay: FrameDelay

  /// Who writes 50 means milliseconds more often than seconds.
  private static let mostSecondsWithoutUnit = 10.0

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
    guard Double(argument).map({ $0 <= Self.mostSecondsWithoutUnit }) ?? true else { return nil }
    delay = fraction
  }

  static func allowed(for text: String) -> String {
    guard let number = Double(plain: text), number > mostSecondsWithoutUnit else {
      return "a delay is greater than 0, such as 40ms, 4cs, 0.04s or 1/25"
    }
    return "without a unit, a delay is in seconds, at most 10; write \(text)ms or \(text)s"
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

/// How many times an animation plays in total, on the command line: `3`, or `forever`, which is also `0`.
struct LoopArgument: DescribedArgument {
  let count: LoopCount

  init?(argument: String) {
    if ["forever", "0"].contains(argument) {
      count = .infinite
      return
    }
    guard let plays = UInt32(argument), plays > 0 else { return nil }
    count = .plays(plays)
  }

  static func allowed(for text: String) -> String {
    "an animation plays a number of times, or forever" + Spelling.question(text, in: ["forever"])
  }
}

/// Pixels per inch on the command line: `300`, or `204x98` for those across and down.
struct DensityArgument: DescribedArgument {
  let density: Density

  init?(argument: String) {
    let numbers = argument.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...2).contains(numbers.count), let across = numbers[0], let down = numbers[numbers.count - 1],
      (1...100_000).contains(across), (1...100_000).contains(down)
    else { return nil }
    density = Density(across, vertical: down)
  }

  static func allowed(for text: String) -> String {
    "a density is 1 to 100000 pixels per inch, or two such numbers: 204x98"
  }
}

/// Metadata that is copied, on the command line: `keep`, `strip`, `web`, or a list such as `icc,exif`.
struct MetadataArgument: DescribedArgument {
  let choice: MetadataChoice

  private static let words = ["keep", "strip", "web"] + kinds.map(\.name)
  private static let kinds = MetadataKind.allCases.filter { MetadataKind.carried.contains($0) }

  init?(argument: String) {
    switch argument {
    case "keep": choice = MetadataChoice(MetadataKind.carried)
    case "strip", "none": choice = MetadataChoice([])
    case "web": choice = MetadataChoice(EncodeOptions.Output.web.metadata, isForTheWeb: true)
    default:
      let words = argument.split(separator: ",", omittingEmptySubsequences: false)
      let named = words.compactMap { word in Self.kinds.first { $0.name == word } }
      guard named.count == words.count else { return nil }
      choice = MetadataChoice(Set(named))
    }
  }

  static func allowed(for text: String) -> String {
    let unknown = text.split(separator: ",").map(String.init).first { !words.contains($0) } ?? text
    return "metadata is keep, strip, web, or a list from \(kinds.map(\.name).joined(separator: ","))"
      + Spelling.question(unknown, in: words)
  }
}

extension MetadataKind {
  /// The name on the command line and in manifests.
  var name: String { "\(self)".lowercased() }
}

/// Chroma subsampling on the command line: `420` or `4:2:0`.
enum SubsamplingArgument: String, ExpressibleByArgument, CaseIterable {
  case s444 = "444"
  case s422 = "422"
  case s420 = "420"
  case s440 = "440"
  case s411 = "411"
  case s400 = "400"

  init?(argument: String) {
    self.init(rawValue: argument.filter { $0 != ":" })
  }

  var subsampling: Subsampling? { UInt32(rawValue).flatMap(Subsampling.init) }
}

/// What happens to the orientation, on the command line.
enum OrientationArgument: String, ExpressibleByArgument, CaseIterable {
  case apply, keep
}
