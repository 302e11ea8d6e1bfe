// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderModel
import ImageCoders

/// Limits for verbs that decode: an option for each row of ``Limits/table``.
struct LimitOptions: ParsableArguments {
  @Option(help: .limit(.maxPixels), transform: LimitArgument.parsed)
  var maxPixels = LimitArgument(.maxPixels)
  @Option(help: .limit(.maxSide), transform: LimitArgument.parsed)
  var maxSide = LimitArgument(.maxSide)
  @Option(help: .limit(.maxMemory), transform: LimitArgument.parsed)
  var maxMemory = LimitArgument(.maxMemory)
  @Option(help: .limit(.maxFrames), transform: LimitArgument.parsed)
  var maxFrames = LimitArgument(.maxFrames)
  @Option(help: .limit(.maxMetadata), transform: LimitArgument.parsed)
  var maxMetadata = LimitArgument(.maxMetadata)
  @Option(help: .limit(.maxPages), transform: LimitArgument.parsed)
  var maxPages = LimitArgument(.maxPages)
  @Option(help: .limit(.maxScans), transform: LimitArgument.parsed)
  var maxScans = LimitArgument(.maxScans)
  @Option(help: .limit(.maxComposedPixels), transform: LimitArgument.parsed)
  var maxComposedPixels = LimitArgument(.maxComposedPixels)
  @Option(help: .limit(.maxMilliseconds), transform: LimitArgument.parsed)
  var maxMilliseconds = LimitArgument(.maxMilliseconds)
  @Option(help: .limit(.maxReads), transform: LimitArgument.parsed)
  var maxReads = LimitArgument(.maxReads)
  @Option(help: .limit(.maxInflated), transform: LimitArgument.parsed)
  var maxInflated = LimitArgument(.maxInflated)

  var limits: Limits {
    Limits(
      maxPixels: maxPixels.value, maxSide: maxSide.value, maxMemory: maxMemory.value, maxFrames: maxFrames.value,
      maxMetadata: maxMetadata.value, maxPages: maxPages.value, maxScans: maxScans.value,
      maxComposedPixels: maxComposedPixels.value, maxMilliseconds: maxMilliseconds.value, maxReads: maxReads.value,
      maxInflated: maxInflated.value)
  }
}

/// A limit on the command line: a number, which may have a unit.
struct LimitArgument: DescribedArgument {
  let value: Int

  /// The value that applies if no other is given.
  init(_ name: Limits.Name) { value = Limits.standard[name] ?? 0 }

  init?(argument: String) {
    // A number without a unit may be as large as an integer, which a unit's arithmetic rounds.
    let whole = Int(argument).flatMap { $0 < 0 ? nil : $0 }
    guard let count = whole ?? ByteCountArgument(argument: argument)?.bytes else { return nil }
    value = count
  }

  static func allowed(for text: String) -> String {
    "a limit is a number such as 200000, 200k, 1.5M (k is 1000) or 64MiB (of 1048576)"
  }
}

extension ArgumentHelp {
  /// What a limit bounds, and its value if no other is given.
  fileprivate static func limit(_ name: Limits.Name) -> ArgumentHelp {
    guard let row = name.row else { return ArgumentHelp(valueName: "n") }
    let standard = Limits.standard[keyPath: row.property]
    let shown =
      row.unit != .bytes ? "\(standard)" : standard % (1 << 30) == 0 ? "\(standard >> 30)GiB" : "\(standard >> 20)MiB"
    return ArgumentHelp("\(row.summary) (default: \(shown))", valueName: "n")
  }
}
