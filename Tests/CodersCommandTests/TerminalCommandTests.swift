// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoderEngine
import ImageCoders
import Testing

/// `coders show` and `coders play`.
@Suite struct TerminalCommandTests {
  /// Two columns and three rows: red and green, blue and white, gray and black.
  private static func picture() throws -> (folder: Folder, path: String) {
    let samples: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 128, 128, 128, 0, 0, 0]
    let pixels = try PixelBuffer(copying: samples, size: Size(width: 2, height: 3), format: .rgb8)
    let folder = Folder()
    return (folder, folder.write("picture.png", try Decoded.registry.encode(Image(pixels), as: .png)))
  }

  @Test(arguments: [
    (
      "blocks",
      "\u{1B}[38;2;255;0;0;48;2;0;0;255m▀\u{1B}[38;2;0;255;0;48;2;255;255;255m▀\u{1B}[0m\n"
        + "\u{1B}[38;2;128;128;128;48;2;0;0;0m▀\u{1B}[38;2;0;0;0;48;2;0;0;0m▀\u{1B}[0m\n"
    ),
    (
      "256",
      "\u{1B}[38;5;196;48;5;21m▀\u{1B}[38;5;46;48;5;231m▀\u{1B}[0m\n"
        + "\u{1B}[38;5;244;48;5;16m▀\u{1B}[38;5;16;48;5;16m▀\u{1B}[0m\n"
    ),
    // Bright red on blue; xterm's blue has 238, and 127 is its dark gray.
    ("16", "\u{1B}[91;44m▀\u{1B}[92;107m▀\u{1B}[0m\n\u{1B}[90;40m▀\u{1B}[30;40m▀\u{1B}[0m\n"),
    // Luma 54 + 18, 182 + 255, 128 + 0 and 0 of 510, in nine steps.
    ("ascii", ".#\n: \n"),
  ]) func eachProtocolShowsTwoPixelsACharacter(_ name: String, _ text: String) throws {
    let (folder, path) = try Self.picture()
    let run = Run.inProcess("show", "--protocol", name, "--force", path)
    #expect(run.output == text)
    #expect(run.status == 0)
    withExtendedLifetime(folder) {}
  }

  /// The picture is 2×3 pixels, in one character of 10×20.
  @Test(arguments: [
    ("kitty", "\u{1B}_Ga=T,q=2,C=1,i=", "\u{1B}\\"), ("iterm2", "\u{1B}]1337;File=inline=1;size=", "\u{07}"),
    ("sixel", "\u{1B}P0;1;0q\"1;1;2;6#0;2;100;0;0", "\u{1B}\\"),
  ]) func eachProtocolOfPixelsReservesLines(_ name: String, _ start: String, _ end: String) throws {
    let (folder, path) = try Self.picture()
    let run = Run.inProcess("show", "--protocol", name, "--force", path)
    #expect(run.output.hasPrefix("\r\n\u{1B}[1A\u{1B}7" + start))
    #expect(run.output.hasSuffix(end + "\u{1B}8\u{1B}[1B\r"))
    #expect(run.status == 0)
    let play = Run.inProcess("play", "--protocol", name, "--force", path)
    #expect(play.output.contains(start))
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    (["TERM": "xterm-256color", "COLORTERM": "truecolor"], "38;2;255;0;0"),
    (["TERM": "xterm-256color", "COLORTERM": "24bit"], "38;2;255;0;0"),
    (["TERM": "xterm-direct"], "38;2;255;0;0"), (["TERM": "xterm-256color"], "38;5;196"), (["TERM": "vt100"], ".#"),
    (["TERM": "alacritty"], "38;2;255;0;0"), (["TERM": "xterm-kitty"], "38;2;255;0;0"),
    (["TERM": "linux"], "\u{1B}[31;"), (["TERM": "screen"], "\u{1B}[31;"), (["TERM": "xterm"], "\u{1B}[31;"),
    (["TERM": "dumb", "COLORTERM": "truecolor"], ".#"), ([:], ".#"),
    (["TERM": "xterm-256color", "NO_COLOR": "1"], ".#"),
  ]) func theTerminalsVariablesChoose(_ environment: [String: String], _ part: String) throws {
    let (folder, path) = try Self.picture()
    let run = Run.inProcess("show", path, environment: environment, isTerminal: true)
    #expect(run.output.contains(part))
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: ["show", "play"]) func nothingIsShownWithoutATerminal(_ verb: String) throws {
    let run = Run.inProcess(verb, try Fixture.path("comet-alpha.gif"))
    #expect(run.output == "")
    #expect(run.status == 64)
    #expect(
      run.errors == "coders: invalidArgument: standard output is no terminal; --force shows pictures all the same\n")
  }

  @Test func picturesFitTheSizeInCharacters() throws {
    let run = Run.inProcess(
      "show", "--force", "--protocol", "ascii", "--size", "20x5", try Fixture.path("comet-alpha.gif"))
    // A square of 10×10 pixels is 10 characters wide and 5 high.
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.allSatisfy { $0.count == 10 })
  }

  @Test func severalPicturesHaveTheirNames() throws {
    let (folder, path) = try Self.picture()
    let run = Run.inProcess("show", "--protocol", "ascii", "--force", path, "/nowhere.png", path)
    #expect(run.output == "\(path)\n.#\n: \n\(path)\n.#\n: \n")
    #expect(run.status == 5)
    withExtendedLifetime(folder) {}
  }

  @Test func playWritesEveryFrameOnceWithoutATerminal() throws {
    let path = try Fixture.path("comet-alpha.gif")
    let count = try Decoded.registry.open(.file(path)).frameCount
    let run = Run.inProcess("play", "--force", "--protocol", "ascii", "--size", "10x", path)
    // Back over five lines, once for each frame but the first.
    #expect(run.output.split(separator: "\u{1B}[5A").count == count)
    #expect(!run.output.contains("\u{1B}[?25l"))
    #expect(run.status == 0)
  }

  @Test func playInATerminalHidesTheCursorAndGivesItBack() throws {
    let run = Run.inProcess(
      "play", "--protocol", "ascii", "--size", "10x", "--loops", "1", "--rate", "100",
      try Fixture.path("comet-alpha.gif"), isTerminal: true)
    #expect(run.output.hasPrefix("\u{1B}[?25l"))
    #expect(run.output.hasSuffix("\u{1B}[0m\u{1B}[?25h"))
    #expect(run.status == 0)
  }

  @Test func anInterruptGivesTheCursorBack() throws {
    let path = try Fixture.path("comet-alpha.gif")
    // In a terminal of its own: `script` makes one.
    let run = Run.shell(
      "script -qec \"timeout -s INT 3 '$0' play --plugin-dir '$1' --loops 0 --size 10x '$2'\" /dev/null",
      [Package.command, Package.plugins, path])
    #expect(run.output.contains("\u{1B}[?25l"))
    #expect(run.output.hasSuffix("\u{1B}[0m\u{1B}[?25h"), "\(run.output.suffix(200)) \(run.errors)")
  }

  @Test(arguments: [
    ["--rate", "0"], ["--rate", "-1"], ["--rate", "nan"], ["--rate", "1001"], ["--loops", "-1"], ["--size", "50%"],
    ["--protocol", "tek4014"],
  ]) func refusesOtherValues(_ arguments: [String]) throws {
    let run = Run.inProcess(["play", "--force"] + arguments + [try Fixture.path("comet-alpha.gif")])
    #expect(run.status == 64)
    #expect(run.output == "")
  }
}
