// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Looks that are asked for and measured at the shell.
@Suite struct LookCommandTests {
  private let folder = Folder()

  /// The value of a key that is a number.
  private static func number(_ key: String, in text: String) -> Double? {
    guard let range = text.firstRange(of: "\"\(key)\": ") else { return nil }
    return Double(text[range.upperBound...].prefix { "-.0123456789".contains($0) })
  }

  @Test func aLookIsReachedAndMeasured() throws {
    let input = try Fixture.path("window.png")
    let output = "\(folder.path)/a.jpg"
    let run = Run.inProcess("convert", input, output, "--look", "70", "--json")
    #expect(run.status == 0, "\(run.errors)")
    let score = try #require(Self.number("score", in: run.output))
    let tries = try #require(Self.number("tries", in: run.output))
    #expect(abs(score - 70) <= 0.5 && tries >= 1 && tries <= 4)
    #expect(Self.number("part_tries", in: run.output) == 0)
    #expect(run.errors.hasPrefix("coders: \(output): ") && run.errors.contains(" after \(Int(tries)) tries"))
    let compared = Run.inProcess("compare", input, output, "--metric", "ssimulacra2", "--json")
    #expect(abs(try #require(Self.number("ssimulacra2", in: compared.output)) - score) < 0.001)
    let lines = Run.inProcess("compare", input, output, "--metric", "ssimulacra2").output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("SSIMULACRA2 ") })
    #expect(Run.inProcess("compare", input, output, "--min-ssimulacra2", "69").status == 0)
    #expect(Run.inProcess("compare", input, output, "--min-ssimulacra2", "71").status == 4)
    #expect(Run.inProcess("compare", input, output, "--json").output.contains(#""ssimulacra2": null"#))
  }

  @Test(arguments: [["--look", "0"], ["--look", "101"], ["--look", "70", "--quality", "0.5"], ["--look", "good"]])
  func looksWithoutMeaningAreWrongUse(_ words: [String]) throws {
    #expect(Run.inProcess(["convert"] + words + [try Fixture.path("window.png"), "\(folder.path)/a.jpg"]).status == 64)
    #expect(folder.names == [])
  }

  @Test func aLookOutOfReachWritesNothing() throws {
    let run = Run.inProcess("convert", try Fixture.path("window.png"), "\(folder.path)/a.jpg", "--look", "100")
    #expect(run.status != 0 && run.errors.contains("the best score is"))
    #expect(folder.names == [])
  }

  /// Each format alone, and then the smallest of them: the same bytes under the name of its format.
  @Test func theSmallestOfSeveralFormatsIsWritten() throws {
    let input = try Fixture.path("window.png")
    var sizes: [String: Int] = [:]
    for suffix in ["jpg", "webp", "jxl"] {
      let run = Run.inProcess("convert", input, "\(folder.path)/alone.\(suffix)", "--look", "70", "--json")
      sizes[suffix] = try #require(Self.number("bytes", in: run.output).map { Int($0) })
    }
    let best = try #require(sizes.min { $0.value < $1.value })
    let run = Run.inProcess(
      "convert", input, "\(folder.path)/smallest", "--format", "jpeg,webp,jxl", "--look", "70")
    #expect(run.status == 0 && run.output == "\(folder.path)/smallest.\(best.key)\n", "\(run.errors)")
    #expect(run.errors.hasPrefix("coders: \(folder.path)/smallest.\(best.key): \(best.value) bytes"))
    #expect(folder.names == ["alone.jpg", "alone.jxl", "alone.webp", "smallest.\(best.key)"])
    let directory = Run.inProcess(
      "thumbnail", input, "-o", "\(folder.path)/small/", "--size", "64", "--format", "smallest", "--look", "70",
      "--json")
    #expect(directory.status == 0 && directory.output.contains("/small/window."), "\(directory.errors)")
  }

  /// JPEG has no alpha, and is not tried, however small its file.
  @Test func alphaLeavesJPEGOut() throws {
    let input = "\(folder.path)/clear.png"
    #expect(Run.inProcess("convert", try Fixture.path("window.png"), input, "--round", "40").status == 0)
    let run = Run.inProcess("convert", input, "\(folder.path)/a", "--format", "jpeg,webp", "--look", "60")
    #expect(run.status == 0 && run.output == "\(folder.path)/a.webp\n", "\(run.errors)")
    #expect(
      Run.inProcess("convert", input, "-o", "\(folder.path)/b", "--format", "jpeg,jpg", "--look", "60").status == 0)
  }

  /// A first frame is smaller, and no animation.
  @Test func animationsLeaveFormatsOfStillsOut() throws {
    let (first, second) = (try TestPictures.window(), try TestPictures.window())
    for y in 0..<second.size.height / 2 {
      second.row(y).assumingMemoryBound(to: UInt8.self).update(repeating: 128, count: second.rowBytes)
    }
    let image = Image(frames: [first, second].map { Frame(pixels: $0, delay: .milliseconds(100)) })
    let input = folder.write("moves.png", try Decoded.registry.encode(image, as: .png))
    let moving = Run.inProcess("convert", input, "\(folder.path)/a", "--format", "jpeg,webp", "--look", "60")
    #expect(moving.status == 0 && moving.output == "\(folder.path)/a.webp\n", "\(moving.errors)")
    #expect(try Decoded.registry.open(.file("\(folder.path)/a.webp")).frameCount == 2)
    let stills = Run.inProcess("convert", input, "\(folder.path)/b", "--format", "jpeg,tiff", "--look", "60")
    #expect(stills.status == 0 && stills.errors.contains("without animation"), "\(stills.errors)")
  }

  @Test(arguments: [
    ["--quality", "0.5"], ["--look", "70", "--update"], ["--look", "70", "--encoder", "webp"],
  ])
  func severalFormatsNeedOneMeasure(_ words: [String]) throws {
    let run = Run.inProcess(
      ["convert", "-o", "\(folder.path)/a", "--format", "jpeg,webp"] + words + [try Fixture.path("window.png")])
    #expect(run.status == 64 && run.errors.contains("format"), "\(run.errors)")
    let named = Run.inProcess(
      "convert", try Fixture.path("window.png"), "\(folder.path)/a.jpg", "--format", "smallest", "--look", "70")
    #expect(named.status == 64 && named.errors.contains("leave the extension out"))
    #expect(folder.names == [])
  }
}
