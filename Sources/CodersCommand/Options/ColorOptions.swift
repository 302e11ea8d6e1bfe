// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoders

/// Options that say which colors a picture gets.
struct ColorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The colors of the output: srgb, p3, rec2020, the HDR spaces rec2100-pq and rec2100-hlg, those of an ICC profile, \
      or keep for the input's own. (default: keep; of a thumbnail srgb)
      """, valueName: "space|file.icc"))
  var color: String?

  @Option(
    help: ArgumentHelp(
      "The curve that brings HDR pictures to the range of others. (default: bt2390)", valueName: "curve"))
  var toneMapping: ToneMappingArgument?

  @Option(
    help: ArgumentHelp(
      "What happens to colors that the output's space does not have. (default: relative)", valueName: "intent"))
  var intent: IntentArgument?

  @Option(
    help: ArgumentHelp(
      "Whether the darkest black of the input becomes that of the output's space. (default: compensated)",
      valueName: "what"))
  var blackPoint: BlackPointArgument?

  private static let words: [(word: String, target: ColorTarget)] = [
    ("srgb", .sRGB), ("p3", .displayP3), ("rec2020", .rec2020), ("rec2100-pq", .rec2100PQ),
    ("rec2100-hlg", .rec2100HLG),
  ]

  /// The colors to decode.
  ///
  /// - Parameter usual: Without the option.
  /// - Throws: ``CoderError/Code/io`` for a profile that cannot be read; ``CoderError/Code/invalidArgument`` for a word
  ///   that is neither a space nor like the name of a profile.
  func outputColor(_ console: Console, unlessAsked usual: OutputColor) throws(CoderError) -> OutputColor {
    guard let color else {
      guard case .convert(let conversion) = usual else { return usual }
      return converting(to: conversion.target)
    }
    if color == "keep" { return .asStored }
    if let known = Self.words.first(where: { $0.word == color }) {
      return converting(to: known.target)
    }
    guard color.contains(".") || color.contains("/") else {
      let words = Self.words.map(\.word) + ["keep"]
      throw .invalidArgument(
        "--color is \(color); srgb, p3, rec2020, rec2100-pq, rec2100-hlg, keep or the name of an ICC profile is allowed"
          + Spelling.question(color, in: words))
    }
    var limits = Limits.standard
    limits.maxMemory = min(limits.maxMemory, 16 << 20)
    do throws(CoderError) {
      let profile = try OpenSource(.file(console.location(of: color)), limits: limits).contents()
      return converting(to: .profile(profile))
    } catch {
      throw CoderError(code: error.code, message: "the profile \(color) of --color: \(error.message)")
    }
  }
}

extension ColorOptions {
  private func converting(to target: ColorTarget) -> OutputColor {
    .convert(
      to: target, intent: intent?.intent ?? .relativeColorimetric, blackPoint: blackPoint?.blackPoint ?? .compensated,
      toneMapping: toneMapping?.toneMapping ?? .bt2390)
  }
}

/// A rendering intent on the command line.
enum IntentArgument: String, ExpressibleByArgument, CaseIterable {
  case perceptual, relative, saturation, absolute

  var intent: RenderingIntent {
    switch self {
    case .perceptual: .perceptual
    case .relative: .relativeColorimetric
    case .saturation: .saturation
    case .absolute: .absoluteColorimetric
    }
  }
}

/// What happens to black, on the command line.
enum BlackPointArgument: String, ExpressibleByArgument, CaseIterable {
  case compensated, kept

  var blackPoint: BlackPoint { self == .compensated ? .compensated : .kept }
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
