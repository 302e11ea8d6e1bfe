// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// `--linear-light` of the verbs that make pictures smaller.
@Suite struct LinearLightTests {
  private static let folder = Folder()

  /// A gray picture of 64×64.
  private static func file(_ name: String, _ sample: (_ x: Int, _ y: Int) -> Int) -> String {
    let samples = (0..<4096).map { UInt8(sample($0 % 64, $0 / 64)) }
    return folder.write(name, Array("P5 64 64 255\n".utf8) + samples)
  }

  private static let lines = file("lines.pgm") { _, y in y % 2 * 255 }

  /// Gray samples of the middle row of what a command writes.
  private static func middle(_ arguments: [String], to out: String) throws -> [UInt8] {
    let run = Run.inProcess(arguments)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    let pixels = try Decoded.image(out).pixels.converted(to: PixelLayout(.gray8, .opaque))
    return pixels.withRow(pixels.size.height / 2) { Array($0) }
  }

  /// Lines of black and white have half the light of white, which is a code of 188, and not half the code.
  @Test(arguments: [
    ["convert", "IN", "OUT.png", "--max-size", "16"], ["convert", "IN", "OUT.png", "--max-size", "25%"],
    ["convert", "IN", "OUT.png", "--max-size", "16", "--crop", "48x48+0+0"],
    ["convert", "IN", "OUT.png", "--max-size", "16", "--rotate", "90"], ["convert", "IN", "OUT.ico", "--sizes", "16"],
    ["animate", "IN", "IN", "-o", "OUT.png", "--max-size", "16"],
    ["thumbnail", "IN", "-o", "OUT.png", "--size", "16", "--color", "keep"],
    ["thumbnail", "IN", "-o", "OUT.png", "--size", "16", "--crop", "32x32+8+8", "--color", "keep"],
  ]) func linesStayAsBrightAsTheyAre(_ arguments: [String]) throws {
    let out = "\(Self.folder.path)/lines-\(arguments.joined().hashValue)"
    let words = arguments.map { $0 == "IN" ? Self.lines : $0.replacing("OUT", with: out) }
    let file = words.first { $0.hasPrefix(out) } ?? ""
    let codes = try Self.middle(words, to: file)
    // A picture that was turned has its lines upright, and those at the edges have neighbors on one side alone.
    #expect(codes.dropFirst(2).dropLast(2).allSatisfy { abs(Int($0) - 128) <= 2 }, "\(codes)")
    let light = try Self.middle(words + ["--linear-light"], to: file)
    #expect(light.dropFirst(2).dropLast(2).allSatisfy { abs(Int($0) - 188) <= 1 }, "\(light)")
  }

  /// What it costs: a tenth of the light of an edge falls on its dark side, which is a code of 85; of codes, Lanczos puts
  /// 17 there. Worked out in numpy.
  @Test func theDarkSideOfAnEdgeIsLifted() throws {
    let edge = Self.file("edge.pgm") { x, _ in x < 32 ? 0 : 255 }
    let out = "\(Self.folder.path)/edge.png"
    let words = ["convert", edge, out, "--max-size", "16"]
    let codes = try Self.middle(words, to: out)
    #expect(zip(codes[4..<10], [0, 1, 0, 17, 239, 255]).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(codes)")
    let light = try Self.middle(words + ["--linear-light"], to: out)
    #expect(zip(light[4..<10], [0, 0, 0, 85, 245, 255]).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(light)")
  }

  @Test func animationsAreMadeSmallerByCodes() throws {
    let out = "\(Self.folder.path)/comet.png"
    let run = Run.inProcess(
      "convert", try Fixture.path("comet-alpha.gif"), out, "--max-size", "20", "--linear-light")
    #expect(run.status == 0)
    #expect(run.errors.contains("codes are resampled, not light: the picture is an animation"))
  }
}
