// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The wishes that the writer follows.
struct GIFWriterOptions {
  static let descriptions = [
    OptionDescription(
      name: "colors", text: "Colours of a palette at most, the transparent one included.",
      kind: .integer(2...256, default: 256)),
    OptionDescription(
      name: "dither", text: "Spread the error of colours that the palette does not have over neighbours.",
      kind: .boolean(default: true)),
    OptionDescription(
      name: "lossy", text: "Let colours stand for others where that makes the file smaller; 20 is hardly seen.",
      kind: .integer(0...200, default: 0)),
    OptionDescription(
      name: "palette", text: "One palette for all frames, one for each, or what fits.",
      kind: .choice(["auto", "global", "local"], default: 0)),
  ]

  let colors: Int
  let isDithered: Bool
  let isInterlaced: Bool
  let isLossless: Bool
  let placement: PaletteChooser.Placement
  /// The squared distance of colours that may stand for each other.
  let allowedError: Int

  init(_ options: WriteOptions) {
    let quality = options.isLossless ? 1 : min(1, max(0, options.quality ?? 1))
    let colors = min(256, max(2, Int(exactly: options.values["colors"] ?? 256) ?? 256))
    self.colors = min(colors, Self.colors(quality: quality))
    isDithered = (options.values["dither"] ?? 1) != 0
    isInterlaced = options.isProgressive
    isLossless = options.isLossless
    placement = (options.values["palette"].flatMap { PaletteChooser.Placement(rawValue: Int($0)) }) ?? .automatic
    let lossy = options.values["lossy"].flatMap { Int(exactly: $0) } ?? Self.lossy(quality: quality)
    allowedError = isLossless ? 0 : 10 * min(200, max(0, lossy))
  }

  /// From 8 colours to 256, the same factor for each step.
  private static func colors(quality: Double) -> Int {
    var (colors, step) = (8.0, quality)
    // 32 to the power of the quality, by halves: there is no pow without a C library's header.
    var root = 32.0
    for _ in 0..<24 {
      root = root.squareRoot()
      step *= 2
      if step >= 1 {
        colors *= root
        step -= 1
      }
    }
    return quality >= 1 ? 256 : Int(colors.rounded())
  }

  /// None down to a quality of 0.9, and 120 at 0.
  private static func lossy(quality: Double) -> Int { Int((max(0, 0.9 - quality) / 0.9 * 120).rounded()) }
}
