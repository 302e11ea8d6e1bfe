// SPDX-License-Identifier: Apache-2.0

/// The colors that indexes of four and eight bits stand for: the Macintosh system's default palettes.
enum SystemPalette {
  /// Colors as 0xRRGGBB.
  static let sixteen: [UInt32] = [
    0xFFFFFF, 0xFCF305, 0xFF6402, 0xDD0806, 0xF20884, 0x4600A5, 0x0000D4, 0x02ABEA, 0x1FB714, 0x006411, 0x562C05,
    0x90713A, 0xC0C0C0, 0x808080, 0x404040, 0x000000,
  ]

  /// A cube of six steps in each direction, from white, without black; then ten steps each of red, green, blue and gray
  /// that are not in the cube; then black.
  static let twoHundredFiftySix: [UInt32] = {
    let steps: [UInt32] = [0xFF, 0xCC, 0x99, 0x66, 0x33, 0x00]
    let cube = steps.flatMap { red in steps.flatMap { green in steps.map { red << 16 | green << 8 | $0 } } }
    let ramp: [UInt32] = [0xEE, 0xDD, 0xBB, 0xAA, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11]
    let channels: [UInt32] = [0x010000, 0x000100, 0x000001, 0x010101]
    return cube.dropLast() + channels.flatMap { channel in ramp.map { $0 * channel } } + [0]
  }()
}
