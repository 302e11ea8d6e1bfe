// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the options ask of the writer.
struct GIFWriterOptions {
  let colors: Int
  let isDithered: Bool
  let isInterlaced: Bool
  let isLossless: Bool
  let placement: GIFOption.Palette
  /// The squared distance of colors that may stand for each other.
  let allowedError: Int

  init(_ options: WriteOptions) {
    let quality = options.isLossless ? 1 : options[GIFOption.quality]
    colors = min(options[GIFOption.colors], Self.colors(quality: quality))
    isDithered = options[GIFOption.dither]
    isInterlaced = options[GIFOption.progressive]
    isLossless = options.isLossless
    placement = options[GIFOption.palette]
    let lossy = options.given(GIFOption.lossy) ?? Self.lossy(quality: quality)
    allowedError = isLossless ? 0 : 10 * lossy
  }

  /// From 8 colors to 256, the same factor for each step.
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
