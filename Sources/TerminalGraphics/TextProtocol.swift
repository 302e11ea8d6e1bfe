// SPDX-License-Identifier: Apache-2.0

/// What a picture is made of in a terminal.
package enum TextProtocol: String, CaseIterable {
  /// Upper half blocks in 24-bit colors: two pixels to a character.
  case blocks
  /// Quarters of a character in two of 24-bit colors: twice the detail across.
  case quadrants
  /// Sixths of a character in two of 24-bit colors: twice the detail across, and half as much again down.
  case sextants
  /// Upper half blocks with the 216 colors and 24 grays that terminals of 256 colors have.
  case colors256 = "256"
  /// The same with the 8 colors of ECMA-48, and 8 bright ones.
  case colors16 = "16"
  /// The same with the 8 colors of ECMA-48.
  case colors8 = "8"
  /// Characters from light to dark, without colors.
  case ascii

  /// The best that a terminal has, by the variables that it sets and by the colors that the system's description of it
  /// counts.
  package init(environment: (String) -> String?) {
    let (colors, terminal) = (environment("COLORTERM") ?? "", environment("TERM") ?? "")
    if environment("NO_COLOR") != nil || terminal.isEmpty || terminal == "dumb" {
      self = .ascii
    } else if colors == "truecolor" || colors == "24bit" || terminal.hasSuffix("-direct")
      || Self.fullyColored.contains(where: { terminal.hasPrefix($0) })
    {
      self = .blocks
    } else {
      self =
        switch TerminalDescription(of: terminal, environment)?.colors ?? 0 {
        case 257...: .blocks
        case 256: .colors256
        case _ where terminal.contains("256color"): .colors256
        case 16...: .colors16
        case 8...: .colors8
        default: .ascii
        }
    }
  }

  /// Names of `TERM` that only terminals of 24-bit colors have, whose descriptions say 256: over ssh, nothing else tells.
  private static let fullyColored = [
    "alacritty", "contour", "foot", "ghostty", "rio", "wezterm", "xterm-ghostty", "xterm-kitty",
  ]

  /// The terminal's colors, red in the low byte, or nil if it has all or none.
  var palette: [UInt32]? {
    switch self {
    case .blocks, .quadrants, .sextants, .ascii: nil
    case .colors256: Self.cubeAndGrays
    case .colors16: Self.ecma
    case .colors8: Array(Self.ecma.prefix(8))
    }
  }

  /// What a character shows, or nil for two pixels.
  var parts: CharacterParts? {
    switch self {
    case .quadrants: .quadrants
    case .sextants: .sextants
    default: nil
    }
  }

  /// ECMA-48 §8.3.117, Select Graphic Rendition: the colors of a block and of what is below it.
  ///
  /// - Parameters:
  ///   - upper: A number of ``palette``, or a color.
  func rendition(_ upper: UInt32, _ lower: UInt32) -> String {
    func levels(_ color: UInt32) -> String { "\(color & 0xFF);\(color >> 8 & 0xFF);\(color >> 16 & 0xFF)" }
    // The bright ones are of aixterm: 90 to 97, and 100 to 107.
    func code(_ number: UInt32, _ base: UInt32) -> UInt32 { number < 8 ? base + number : base + 52 + number }
    return switch self {
    case .blocks, .quadrants, .sextants: "\u{1B}[38;2;\(levels(upper));48;2;\(levels(lower))m"
    case .colors256: "\u{1B}[38;5;\(upper + 16);48;5;\(lower + 16)m"
    case .colors16, .colors8: "\u{1B}[\(code(upper, 30));\(code(lower, 40))m"
    case .ascii: ""
    }
  }

  private static func color(_ levels: SIMD3<UInt32>) -> UInt32 {
    0xFF00_0000 | levels.z << 16 | levels.y << 8 | levels.x
  }

  /// 16 to 231, and 232 to 255, as xterm has them.
  private static let cubeAndGrays: [UInt32] = {
    let levels: [UInt32] = [0, 95, 135, 175, 215, 255]
    let cube = levels.flatMap { red in levels.flatMap { green in levels.map { color([red, green, $0]) } } }
    return cube + (0..<24).map { color(SIMD3(repeating: 8 + 10 * $0)) }
  }()

  /// As xterm shows them.
  private static let ecma: [UInt32] = [
    color([0, 0, 0]), color([205, 0, 0]), color([0, 205, 0]), color([205, 205, 0]),
    color([0, 0, 238]), color([205, 0, 205]), color([0, 205, 205]), color([229, 229, 229]),
    color([127, 127, 127]), color([255, 0, 0]), color([0, 255, 0]), color([255, 255, 0]),
    color([92, 92, 255]), color([255, 0, 255]), color([0, 255, 255]), color([255, 255, 255]),
  ]
}
