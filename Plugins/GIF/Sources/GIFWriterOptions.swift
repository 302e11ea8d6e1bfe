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
  ]

  let colors: Int
  let isDithered: Bool
  let isInterlaced: Bool
  let isLossless: Bool

  init(_ options: WriteOptions) {
    colors = min(256, max(2, Int(exactly: options.values["colors"] ?? 256) ?? 256))
    isDithered = (options.values["dither"] ?? 1) != 0
    isInterlaced = options.isProgressive
    isLossless = options.isLossless
  }
}
