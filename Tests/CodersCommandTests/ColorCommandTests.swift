// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// `--color` of convert and thumbnail, and the words of probe for colors.
@Suite struct ColorCommandTests {
  private static func color(_ path: String) -> Substring? {
    let lines = Run.inProcess("probe", path).output.split(separator: "\n")
    return lines.first { $0.hasPrefix("  color        ") }?.dropFirst("  color        ".count)
  }

  @Test func thumbnailsAreSRGBUnlessAskedFor() throws {
    let folder = Folder()
    let wide = "\(folder.path)/wide.jpg"
    let converted = Run.inProcess("convert", try Fixture.path("window.png"), wide, "--color", "p3")
    #expect(converted.status == 0 && converted.errors == "")
    #expect(Self.color(wide) == "Display P3, ICC")
    let small = "\(folder.path)/small.jpg"
    #expect(Run.inProcess("thumbnail", "--size", "64", wide, "-o", small).status == 0)
    #expect(Self.color(small) == "sRGB, untagged")
    #expect(Run.inProcess("thumbnail", "--size", "64", "--color", "keep", wide, "-o", small).status == 0)
    #expect(Self.color(small) == "Display P3, ICC")
    #expect(Run.inProcess("convert", wide, small, "--color", "rec2020").status == 0)
    #expect(Self.color(small) == "BT.2020, ICC")
    // In a format that has code points, they say it, too.
    let png = "\(folder.path)/wide.png"
    #expect(Run.inProcess("convert", wide, png, "--color", "p3").status == 0)
    #expect(Self.color(png) == "Display P3, CICP 12/13/0 full range")
  }

  @Test func aProfileIsATarget() throws {
    let folder = Folder()
    let icc = folder.write("broken.icc", [1, 2, 3])
    let out = "\(folder.path)/out.png"
    let broken = Run.inProcess("convert", try Fixture.path("window.png"), out, "--color", icc)
    #expect(broken.status == 64)
    #expect(
      broken.errors.contains("the profile that colors are to be converted to: 3 bytes, a profile has at least 132"))
    let missing = Run.inProcess("convert", try Fixture.path("window.png"), out, "--color", "\(folder.path)/none.icc")
    #expect(missing.status != 0 && missing.errors.contains("none.icc"))
  }

  @Test func wordsThatAreNoSpaceGetASuggestion() throws {
    let run = Run.inProcess("convert", try Fixture.path("window.png"), "out.png", "--color", "p4")
    #expect(run.status == 64)
    #expect(
      run.errors.contains(
        "--color is p4; srgb, p3, rec2020, rec2100-pq, rec2100-hlg, keep or the name of an ICC profile is allowed; "
          + "did you mean p3?"))
  }

  @Test func hdrIsWrittenInPNGWithCodePoints() throws {
    let folder = Folder()
    let out = "\(folder.path)/out.png"
    #expect(Run.inProcess("convert", try Fixture.path("window.png"), out, "--color", "rec2100-pq").status == 0)
    let report = Run.inProcess("probe", out).output
    #expect(report.contains("BT.2100 PQ, 164.977 nit, CICP 9/16/0 full range"))
    #expect(report.contains("16 bits per channel"))
  }

  @Test func lightStaysWhereCodesBecomeDarker() throws {
    // One row of black and white pixels: half of the light is a code of 188.
    let folder = Folder()
    let pattern = Array("P5 64 64 255\n".utf8) + (0..<4096).map { UInt8(($0 + $0 / 64) % 2 * 255) }
    let source = folder.write("pattern.pgm", pattern)
    for (options, wanted) in [([], 128), (["--linear-light"], 188)] as [([String], Int)] {
      let out = "\(folder.path)/small.pgm"
      let run = Run.inProcess(["thumbnail", "--size", "8", source, "-o", out, "--color", "keep"] + options)
      #expect(run.status == 0, "\(run.errors)")
      let bytes = try OpenSource(.file(out), limits: .standard).contents()
      let middle = Array(bytes.suffix(64))[28]
      #expect(abs(Int(middle) - wanted) <= 1, "\(options): \(middle)")
    }
  }
}
