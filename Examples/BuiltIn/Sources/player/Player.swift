// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageAnimation
import ImageCodersBuiltIn

/// `player FILE [COLUMNS]`: plays an animation in a terminal of 24-bit colors, two pixels to a character.
///
/// While one frame is shown, the next is decoded. If the output is not a terminal, it plays once and does not wait.
@main struct Player {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard let path = words.first, words.count < 3, let columns = Int(words.dropFirst().first ?? "80"), columns > 0
    else {
      say("usage: player FILE [COLUMNS]")
      exit(64)
    }
    // Small pictures are decoded small; what is transparent is shown on black.
    let options = DecodeOptions(
      size: .fitting(Size(width: columns, height: 0)), pixelFormat: .rgba8, alpha: .premultiplied)
    do {
      let animation = try await CoderRegistry(builtIn: .all).async.animatedImage(.file(path), options: options)
      try await play(animation)
    } catch {
      say("\(error)")
      exit(1)
    }
  }

  static func play(_ animation: AnimatedImage) async throws {
    guard isatty(STDOUT_FILENO) == 1 else {
      for index in 0..<animation.frameCount {
        show(try await animation.async.frame(at: index).pixels, isFirst: index == 0)
      }
      return
    }
    var isFirst = true
    for await shown in Playback(animation) {
      show(shown.frame.pixels, isFirst: isFirst)
      isFirst = false
    }
  }

  static func show(_ pixels: PixelBuffer, isFirst: Bool) {
    let size = pixels.size
    // Back to the first line.
    var text = isFirst ? "" : "\u{1B}[\((size.height + 1) / 2)A"
    for y in stride(from: 0, to: size.height, by: 2) {
      for x in 0..<size.width {
        let (top, bottom) = (color(pixels, x, y), y + 1 < size.height ? color(pixels, x, y + 1) : "0;0;0")
        text += "\u{1B}[38;2;\(top);48;2;\(bottom)m▀"
      }
      text += "\u{1B}[0m\n"
    }
    say(text, to: STDOUT_FILENO, end: "")
  }

  static func color(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> String {
    let row = pixels.samples(inRow: y)
    return "\(row[x * 4]);\(row[x * 4 + 1]);\(row[x * 4 + 2])"
  }

  static func say(_ text: String, to file: Int32 = STDERR_FILENO, end: String = "\n") {
    let bytes = Array((text + end).utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      written += count
    }
  }
}
