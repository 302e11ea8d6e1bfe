// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoders

/// Options that say which colors a picture gets.
struct ColorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The colors of the output: srgb, p3, rec2020, those of an ICC profile, or keep for the input's own. (default: \
      keep; of a thumbnail srgb)
      """, valueName: "space|file.icc"))
  var color: String?

  @Option(
    help: ArgumentHelp(
      "The curve that brings HDR pictures to the range of others. (default: bt2390)", valueName: "curve"))
  var toneMapping: ToneMappingArgument?

  private static let words: [(word: String, target: ColorTarget)] = [
    ("srgb", .sRGB), ("p3", .displayP3), ("rec2020", .rec2020),
  ]

  /// The colors to decode.
  ///
  /// - Parameter usual: Without the option.
  /// - Throws: ``CoderError/Code/io`` for a profile that cannot be read; ``CoderError/Code/invalidArgument`` for a word
  ///   that is neither a space nor like the name of a profile.
  func outputColor(_ console: Console, unlessAsked usual: OutputColor) throws(CoderError) -> OutputColor {
    let curve = toneMapping?.toneMapping ?? .bt2390
    guard let color else {
      guard case .converted(var conversion) = usual else { return usual }
      conversion.toneMapping = curve
      return .converted(conversion)
    }
    if color == "keep" { return .asStored }
    if let known = Self.words.first(where: { $0.word == color }) {
      return .convert(to: known.target, toneMapping: curve)
    }
    guard color.contains(".") || color.contains("/") else {
      let words = Self.words.map(\.word) + ["keep"]
      throw .invalidArgument(
        "--color is \(color); srgb, p3, rec2020, keep or the name of an ICC profile is allowed"
          + Spelling.question(color, in: words))
    }
    var limits = Limits.standard
    limits.maxMemory = min(limits.maxMemory, 16 << 20)
    do throws(CoderError) {
      let profile = try OpenSource(.file(console.location(of: color)), limits: limits).contents()
      return .convert(to: .profile(profile), toneMapping: curve)
    } catch {
      throw CoderError(code: error.code, message: "the profile \(color) of --color: \(error.message)")
    }
  }
}

/// A tone mapping on the command line.
enum ToneMappingArgument: String, ExpressibleByArgument, CaseIterable {
  case bt2390, rwtmo, clip

  var toneMapping: ToneMapping {
    switch self {
    case .bt2390: .bt2390
    case .rwtmo: .rwtmo
    case .clip: .clip
    }
  }
}
