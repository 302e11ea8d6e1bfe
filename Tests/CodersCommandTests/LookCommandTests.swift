// SPDX-License-Identifier: Apache-2.0

import ImageCoders
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
    #expect(abs(score - 70) <= 0.5 && tries >= 1 && tries <= 8)
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
}
