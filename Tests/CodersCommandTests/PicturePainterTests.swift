// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageAnimation
import ImageCoders
import TerminalGraphics
import Testing

/// The bytes that draw small pictures, worked out by hand.
@Suite struct PicturePainterTests {
  private static let escape = "\u{1B}"
  private static let end = "\u{1B}\\"

  private static func pixels(_ samples: [UInt8], width: Int) throws -> PixelBuffer {
    try PixelBuffer(
      copying: samples, size: Size(width: width, height: samples.count / width / 4), format: .rgba8, alpha: .straight)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func kittyGetsPixels() throws {
    let picture = try Self.pixels([255, 0, 0, 255, 0, 0, 255, 128], width: 2)
    var kitty = KittyPicture(.plain, isPlaying: true, id: 700_000)
    // 255 0 0 | 255 0 0 | 255 128, in letters.
    let keys = "a=T,q=2,C=1,i=700000,f=32,s=2,v=1"
    #expect(Self.text(try kitty.draw(picture)) == "\u{1B}_G\(keys);/wAA/wAA/4A=\(Self.end)")
    // The second has another number, and the first goes away when it is there; then the first number again.
    let second = Self.text(try kitty.draw(picture))
    #expect(second.hasPrefix("\u{1B}_Ga=T,q=2,C=1,i=700001,"))
    #expect(second.hasSuffix("\u{1B}_Ga=d,d=I,i=700000,q=2\(Self.end)"))
    let third = Self.text(try kitty.draw(picture))
    #expect(third.hasPrefix("\u{1B}_Ga=T,q=2,C=1,i=700000,"))
    #expect(third.hasSuffix("\u{1B}_Ga=d,d=I,i=700001,q=2\(Self.end)"))
    #expect(
      Self.text(kitty.removal) == "\u{1B}_Ga=d,d=I,i=700000,q=2\(Self.end)\u{1B}_Ga=d,d=I,i=700001,q=2\(Self.end)")
  }

  @Test func kittyKeepsPicturesThatAreShown() throws {
    let picture = try Self.pixels([1, 2, 3, 4], width: 1)
    var kitty = KittyPicture(.plain, isPlaying: false, id: 700_000)
    let (first, second) = (Self.text(try kitty.draw(picture)), Self.text(try kitty.draw(picture)))
    #expect(first.contains("i=700000,") && !second.contains("i=700000,"))
    #expect(!second.contains("a=d") && kitty.removal.isEmpty)
  }

  @Test func kittyGetsChunks() throws {
    // 3,072 bytes are 4,096 letters; 4,096 bytes of pixels are one chunk and 1,368 letters.
    let picture = try Self.pixels([UInt8](repeating: 0, count: 4096), width: 32)
    var kitty = KittyPicture(.plain, isPlaying: true, id: 700_000)
    let letters = String(repeating: "A", count: 4096)
    let rest = String(repeating: "A", count: 1366) + "=="
    #expect(
      Self.text(try kitty.draw(picture))
        == "\u{1B}_Ga=T,q=2,C=1,i=700000,f=32,s=32,v=32,m=1;\(letters)\(Self.end)\u{1B}_Gq=2,m=0;\(rest)\(Self.end)")
  }

  @Test func kittyPlaysFrames() throws {
    let picture = try Self.pixels([0, 0, 0, 0], width: 1)
    let delays: [FrameDelay] = [.milliseconds(100), .milliseconds(0), .milliseconds(50)]
    var kitty = KittyAnimation(delays: delays, rate: .normal, plays: .plays(3), .plain, id: 700_000)
    #expect(
      Self.text(try kitty.frame(0, picture))
        == "\u{1B}_Ga=T,q=2,C=1,i=700000,f=32,s=1,v=1;AAAAAA==\(Self.end)"
        + "\u{1B}_Ga=a,i=700000,r=1,z=100,q=2\(Self.end)\u{1B}_Ga=a,i=700000,s=2,q=2\(Self.end)")
    #expect(
      Self.text(try kitty.frame(1, picture))
        == "\u{1B}_Ga=f,q=2,i=700000,X=1,z=\(kitty.gaps[1]),f=32,s=1,v=1;AAAAAA==\(Self.end)")
    #expect(Self.text(kitty.start) == "\u{1B}_Ga=a,i=700000,s=3,v=4,q=2\(Self.end)")
    let endless = KittyAnimation(delays: delays, rate: .normal, plays: .infinite, .plain, id: 7)
    #expect(Self.text(endless.start) == "\u{1B}_Ga=a,i=7,s=3,v=1,q=2\(Self.end)")
    #expect(endless.duration == nil)
  }

  @Test func gapsAreRoundedSums() throws {
    func gaps(_ delays: [Duration], _ rate: Double = 1) throws -> [Int] {
      KittyAnimation.gaps(delays, try PlaybackRate(rate))
    }
    #expect(try gaps([.milliseconds(100), .zero, .milliseconds(40)]) == [100, -1, 40])
    // Thirds of 100 ms: at 33.3, 66.7 and 100.
    let third = FrameDelay(numerator: 1, denominator: 30).duration
    #expect(try gaps([third, third, third]) == [33, 34, 33])
    #expect(try gaps([.milliseconds(100), .milliseconds(100)], 3) == [33, 34])
    #expect(try gaps([.milliseconds(100), .milliseconds(100)], 0.5) == [200, 200])
    // 0.4 ms each: the second one reaches a whole one.
    #expect(try gaps([.microseconds(400), .microseconds(400), .microseconds(400)]) == [-1, 1, -1])
  }

  @Test func kittyHasRoomForFrames() {
    let size = Size(width: 1024, height: 1024)
    #expect(KittyAnimation.holds(frameCount: 64, of: size) && !KittyAnimation.holds(frameCount: 65, of: size))
    #expect(!KittyAnimation.holds(frameCount: 1, of: size))
    #expect(!KittyAnimation.holds(frameCount: .max, of: Size(width: 65535, height: 65535)))
  }

  @Test func iTermGetsAFile() throws {
    let picture = try Self.pixels([255, 0, 0, 255, 0, 0, 255, 128], width: 2)
    let none = Size(width: 0, height: 0)
    let display = TerminalDisplay(.iTerm, TerminalAbilities(), window: (none, none))
    let coder = TerminalPNG(Decoded.registry)
    let file = try coder.file(picture)
    let bytes = try ITermPicture(display, coder).draw(picture)
    let text = Self.text(bytes)
    #expect(
      text.hasPrefix("\u{1B}]1337;File=inline=1;size=\(file.count);width=1;height=1;preserveAspectRatio=1:iVBORw0KGgo"))
    #expect(text.hasSuffix("\u{07}"))
    let decoded = try Decoded.registry.decode(.bytes(file)).pixels
    #expect(decoded.copyBytes() == picture.copyBytes())
  }

  @Test func sixelsAreColumns() throws {
    // Red over green, then twice blue: one band, of which four rows are black.
    let picture = try Self.pixels(
      [255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255], width: 3)
    #expect(
      Self.text(try SixelPicture(registers: nil).draw(picture))
        == "\u{1B}P0;1;0q\"1;1;3;6#0;2;100;0;0#1;2;0;0;100#2;2;0;100;0#3;2;0;0;0#0@$#1?BB$#2A$#3{{{\(Self.end)")
  }

  @Test func sixelsAreRuns() throws {
    // Seven rows of five white pixels: two bands, the second with one white row.
    let picture = try Self.pixels([UInt8](repeating: 255, count: 5 * 7 * 4), width: 5)
    #expect(
      Self.text(try SixelPicture(registers: 4).draw(picture))
        == "\u{1B}P0;1;0q\"1;1;5;12#0;2;100;100;100#1;2;0;0;0#0!5~-#0!5@$#1!5}\(Self.end)")
  }

  @Test func sixelsHaveNoMoreColorsThanRegisters() throws {
    let samples = (0..<64).flatMap { (step: UInt8) -> [UInt8] in [step * 4, 255 - step * 4, 0, 255] }
    for registers in [2, 16, 1000] {
      let text = Self.text(try SixelPicture(registers: registers).draw(try Self.pixels(samples, width: 8)))
      let colors = text.split(separator: "#").filter { $0.contains(";2;") }.count
      // 64 and the black of the last four rows.
      #expect(colors <= min(registers, 65) && colors > min(registers, 65) / 2)
    }
  }
}
