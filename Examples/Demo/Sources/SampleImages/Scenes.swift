// SPDX-License-Identifier: Apache-2.0

import BitmapFont
import Glibc
import ImageCoders

extension Painting {
  /// Writes a line of text.
  mutating func text(_ text: String, _ x: Int, _ y: Int, scale: Int = 1, _ color: Color) {
    var dots: [(Int, Int)] = []
    BitmapFont.draw(text) { dots.append(($0, $1)) }
    for (column, row) in dots { fill(x + column * scale, y + row * scale, scale, scale, color) }
  }

  /// A rectangle with round corners.
  mutating func panel(_ x: Int, _ y: Int, _ width: Int, _ height: Int, radius: Float, _ color: Color) {
    let (centerX, centerY) = (Float(x) + Float(width) / 2, Float(y) + Float(height) / 2)
    draw(in: Rect(x: x, y: y, width: width, height: height)) { px, py in
      let dx = max(abs(px - centerX) - Float(width) / 2 + radius, 0)
      let dy = max(abs(py - centerY) - Float(height) / 2 + radius, 0)
      return (min(max(radius + 0.5 - (dx * dx + dy * dy).squareRoot(), 0), 1), color)
    }
  }
}

/// A window of an editor: text, thin lines and flat areas, which lossy formats blur and palettes hold.
enum Window {
  private static let code: [[(String, UInt32)]] = [
    [("import", 0xC678DD), (" ImageCoders", 0xD7DAE0)],
    [],
    [("let", 0xC678DD), (" registry = ", 0xD7DAE0), ("CoderRegistry", 0xE5C07B), (".standard", 0x61AFEF)],
    [("let", 0xC678DD), (" image = ", 0xD7DAE0), ("try", 0xC678DD), (" registry.decode(", 0xD7DAE0)],
    [("  .file(", 0x61AFEF), ("\"photo.webp\"", 0x98C379), ("), options:", 0xD7DAE0)],
    [
      ("  .thumbnail", 0x61AFEF), ("(width: ", 0xD7DAE0), ("256", 0xD19A66), (", height: ", 0xD7DAE0),
      ("256", 0xD19A66), ("))", 0xD7DAE0),
    ],
    [],
    [("for", 0xC678DD), (" frame ", 0xD7DAE0), ("in", 0xC678DD), (" image.frames {", 0xD7DAE0)],
    [("  // exact, as the file has it", 0x7F848E)],
    [("  print(", 0x61AFEF), ("frame.delay.seconds", 0xD7DAE0), (")", 0x61AFEF)],
    [("}", 0xD7DAE0)],
  ]
  private static let files = ["Sources", "  main.swift", "  Canvas.swift", "  Frame.swift", "Tests", "Package.swift"]

  static func painted() -> Painting {
    var painting = Painting(Size(width: 720, height: 420), background: Color(hex: 0x21252B))
    painting.fill(0, 0, 720, 34, Color(hex: 0x2C313A))
    for (index, tone) in [UInt32(0xE06C75), 0xE5C07B, 0x98C379].enumerated() {
      painting.disc(20 + Float(index) * 22, 17, radius: 7, Color(hex: tone))
    }
    painting.text("main.swift - Coders", 303, 13, Color(hex: 0xABB2BF))
    painting.fill(0, 34, 170, 386, Color(hex: 0x1B1E24))
    painting.fill(170, 34, 1, 386, Color(hex: 0x3E4451))
    painting.fill(0, 70, 170, 24, Color(hex: 0x2F4A6D))
    for (index, file) in files.enumerated() {
      let tone: UInt32 = index == 1 ? 0xFFFFFF : 0x9DA5B4
      painting.text(file, 16, 52 + index * 26, Color(hex: tone))
    }
    for (line, words) in code.enumerated() {
      let y = 54 + line * 27
      painting.text("\(line + 1)", line < 9 ? 195 : 183, y, scale: 2, Color(hex: 0x4B5263))
      var x = 224
      for (word, tone) in words {
        painting.text(word, x, y, scale: 2, Color(hex: tone))
        x += word.unicodeScalars.count * BitmapFont.advance * 2
      }
    }
    painting.fill(171, 366, 549, 1, Color(hex: 0x3E4451))
    painting.panel(590, 380, 108, 28, radius: 6, Color(hex: 0x4D78CC))
    painting.text("Decode", 626, 390, Color(hex: 0xFFFFFF))
    painting.panel(470, 380, 108, 28, radius: 6, Color(hex: 0x3A3F4B))
    painting.text("Cancel", 506, 390, Color(hex: 0xD7DAE0))
    painting.text("Ln 5, Col 12   UTF-8   Swift 6.3", 186, 390, Color(hex: 0x7F848E))
    return painting
  }
}

/// Soft shapes over transparency, with every amount of alpha.
enum Shapes {
  static func painted() -> Painting {
    var painting = Painting(Size(width: 480, height: 360))
    // A shadow looks wrong at once when straight and premultiplied alpha are mixed up.
    painting.disc(250, 206, radius: 105, softness: 90, Color(0, 0, 0, alpha: 0.45))
    let discs: [(Float, Float, UInt32)] = [(185, 145, 0xFF3B6B), (295, 145, 0x2FC6F6), (240, 235, 0xFFC933)]
    for (x, y, tone) in discs { painting.disc(x, y, radius: 92, softness: 1.5, Color(hex: tone, alpha: 0.62)) }
    for (x, y, _) in discs { painting.disc(x - 30, y - 38, radius: 24, softness: 44, Color(1, 1, 1, alpha: 0.55)) }
    painting.draw(in: Rect(x: 0, y: 0, width: 480, height: 360)) { x, y in
      let (dx, dy) = (x - 240, y - 178)
      let distance = (dx * dx + dy * dy).squareRoot()
      let ring = max(0, 1 - abs(distance - 158) / 7)
      let angle = (atan2f(dy, dx) / (2 * .pi) + 1).truncatingRemainder(dividingBy: 1)
      return (ring * angle, Color(0.55, 0.35, 0.95))
    }
    return painting
  }
}

/// Dark, slow gradients, which show bands in 8 bits and none in 16.
enum Gradient {
  static func painted() -> Painting {
    Painting(Size(width: 512, height: 320)) { x, y in
      let (u, v) = (Float(x) / 511, Float(y) / 319)
      let (dx, dy) = (u - 0.32, v - 0.38)
      let glow = expf(-(dx * dx * 5 + dy * dy * 7))
      let other = expf(-((u - 0.8) * (u - 0.8) * 9 + (v - 0.75) * (v - 0.75) * 11))
      return Color(0.05 + 0.22 * glow + 0.30 * other, 0.06 + 0.30 * glow * v + 0.07 * other, 0.13 + 0.34 * glow)
    }
  }
}
