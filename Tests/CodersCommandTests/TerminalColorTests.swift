// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoderModel
import ImageCoders
import TerminalGraphics
import TestSupport
import Testing

/// Colors of terminals that have few.
@Suite struct TerminalColorTests {
  /// Every description of this system, beside what ncurses' own program says.
  @Test func descriptionsAreReadAsNcursesReadsThem() throws {
    let names = Command.run("ls /lib/terminfo/* | grep -v : | sort -u").output.split(separator: "\n").map(String.init)
    #expect(names.contains("xterm") && names.contains("linux"))
    for name in names {
      let told = Command.run("tput -T '\(name)' colors").output.split(separator: "\n").first.flatMap { Int($0) } ?? -1
      let found = try #require(TerminalDescription(of: name) { _ in nil }, "\(name)")
      #expect(found.colors ?? -1 == told, "\(name)")
    }
  }

  @Test(arguments: ["../x/xterm", "/etc/passwd", "", ".", "no-such-terminal"])
  func whatIsNoNameHasNoDescription(_ name: String) { #expect(TerminalDescription(of: name) { _ in nil } == nil) }

  /// Numbers of 32 bits: a description of 16,777,216 colors.
  @Test func wideNumbersAreRead() {
    var bytes: [UInt8] = [0x1E, 0x02, 5, 0, 0, 0, 14, 0, 0, 0, 0, 0] + Array("wide\0".utf8) + [0]
    bytes += [UInt8](repeating: 0xFF, count: 13 * 4) + [0, 0, 0, 1]
    #expect(TerminalDescription(contents: bytes)?.colors == 16_777_216)
    for count in 0..<bytes.count { #expect(TerminalDescription(contents: Array(bytes.prefix(count)))?.colors == nil) }
  }

  /// The mean of what is shown is the picture's, though no color is.
  @Test(arguments: ["8", "16", "256"]) func errorsAreSpread(_ name: String) throws {
    let color: [UInt8] = [100, 150, 60]
    // As large as it is shown: 20 lines.
    let side = 40
    let pixels = try PixelBuffer(
      copying: (0..<side * side).flatMap { _ in color }, size: Size(width: side, height: side), format: .rgb8)
    let folder = Folder()
    let path = folder.write("flat.png", try Decoded.registry.encode(Image(pixels), as: .png))
    let text = Run.inProcess("show", "--protocol", name, "--force", path).output
    let palette = Self.palette(name)
    var (sums, count) = ([0, 0, 0], 0)
    for run in text.split(separator: "\u{1B}[") {
      // A rendition, and so many blocks; or what ends a line.
      let parts = run.split(separator: "▀", omittingEmptySubsequences: false)
      guard parts.count > 1 else { continue }
      let codes = parts[0].dropLast().split(separator: ";").compactMap { Int($0) }
      let numbers = codes.count == 6 ? [codes[2], codes[5]] : [Self.number(codes[0], 30), Self.number(codes[1], 40)]
      for number in numbers { for channel in 0..<3 { sums[channel] += palette(number)[channel] * (parts.count - 1) } }
      count += 2 * (parts.count - 1)
    }
    #expect(count == side * side)
    for channel in 0..<3 {
      let mean = Double(sums[channel]) / Double(count)
      #expect(abs(mean - Double(color[channel])) < 8, "channel \(channel): \(mean)")
    }
  }

  private static func number(_ code: Int, _ base: Int) -> Int { code >= base + 60 ? code - base - 52 : code - base }

  /// What xterm shows for a number.
  private static func palette(_ name: String) -> (Int) -> [Int] {
    let levels = [0, 95, 135, 175, 215, 255]
    let named = [
      [0, 0, 0], [205, 0, 0], [0, 205, 0], [205, 205, 0], [0, 0, 238], [205, 0, 205], [0, 205, 205], [229, 229, 229],
      [127, 127, 127], [255, 0, 0], [0, 255, 0], [255, 255, 0], [92, 92, 255], [255, 0, 255], [0, 255, 255],
      [255, 255, 255],
    ]
    return { number in
      if name != "256" { return named[number] }
      let cube = number - 16
      return number >= 232
        ? [Int](repeating: 8 + 10 * (number - 232), count: 3)
        : [levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6]]
    }
  }
}
