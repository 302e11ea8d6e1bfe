// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@Suite struct ProbeCommandTests {
  @Test func printsWhatTheHeaderSays() throws {
    let run = Run.inProcess("probe", try Fixture.path("window.png"), try Fixture.path("landscape-orientation-6.jpg"))
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      run.output == """
        \(try Fixture.path("window.png"))
          format       public.png
          coder        org.imagecoders.png
          size         720×420
          pixels       rgb8, 8 bits per channel, opaque
          color        sRGB, untagged
          flags        lossless, palette

        \(try Fixture.path("landscape-orientation-6.jpg"))
          format       public.jpeg
          coder        org.imagecoders.jpeg
          size         600×400, stored 400×600
          pixels       rgb8, 8 bits per channel, opaque
          orientation  6, stored turned
          metadata     Exif 26 bytes
          color        sRGB, untagged
          subsampling  4:4:4

        """)
  }

  @Test func shortIsATable() throws {
    let run = Run.inProcess("probe", "--short", try Fixture.path("comet-alpha.apng"), try Fixture.path("window.png"))
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasSuffix("public.png  200×200  rgba8 straight      30      1.5  lossless"))
    #expect(lines[2].hasSuffix("public.png  720×420  rgb8                             lossless palette"))
  }

  @Test func partsAreTilesOfASize() throws {
    let folder = Folder()
    let file = "\(folder.path)/tiles.tiff"
    #expect(Run.inProcess("convert", "--option", "tiff.tile=64", try Fixture.path("window.png"), file).errors == "")
    #expect(Run.inProcess("probe", file).output.contains("\n  parts        tiles 64×64\n"))
    let json = Run.inProcess("probe", "--json", file).output
    for line in [#""parts": "tiles""#, #""tile_width": 64"#, #""tile_height": 64"#] { #expect(json.contains(line)) }
    let rows = Run.inProcess("probe", "--json", try Fixture.path("window.png")).output
    for line in [#""parts": "rows""#, #""tile_width": null"#] { #expect(rows.contains(line)) }
  }

  /// East Asian characters and emoji take two columns of a terminal.
  @Test func columnsAreAlignedAfterWideNames() throws {
    let folder = Folder()
    let bytes = try Package.bytes(try Fixture.path("window.png"))
    let names = ["日本語.png", "abcdef.png", "🦆🦆🦆.png"].map { folder.write($0, bytes) }
    defer { for name in names { #expect(Glibc.unlink(name) == 0) } }
    let lines = Run.inProcess(["probe", "--short"] + names).output.split(separator: "\n").dropFirst()
    #expect(lines.count == 3)
    for (line, name) in zip(lines, names) { #expect(line.hasPrefix("\(name)  public.png  "), "\(line)") }
  }

  @Test func jsonHasFramesAndProperties() throws {
    let run = Run.inProcess("probe", "--json", try Fixture.path("comet-alpha.gif"))
    #expect(run.status == 0)
    for line in [
      #""frame_count": 30,"#, #""duration": 1.5,"#, #""loop_count": "infinite","#, #""delay": [5, 100],"#,
      #""rect": [0, 0, 200, 200]"#, #""UnclampedDelayTime": 0.05"#, #""schema": 1"#,
    ] { #expect(run.output.contains(line), "\(line)") }
  }

  /// Two images of one pixel each, a black one and a white one beside it, without a delay.
  @Test func imagesWithoutDelaysArePartsOfOnePicture() throws {
    let folder = Folder()
    let image = { (x: UInt8, code: UInt8) in [0x2C, x, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, code, 1, 0] as [UInt8] }
    let path = folder.write(
      "parts.gif",
      Array("GIF87a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255] + image(0, 0x44) + image(1, 0x4C) + [0x3B]
    )
    let json = Run.inProcess("probe", "--json", path).output
    for line in [#""frame_count": 1,"#, #""images": 2,"#, #""rect": [0, 0, 2, 1]"#, #""duration": null,"#] {
      #expect(json.contains(line), "\(line)")
    }
    #expect(Run.inProcess("probe", path).output.contains("images       2, parts of one picture\n"))
    #expect(Run.inProcess("probe", "--json", try Fixture.path("comet-alpha.gif")).output.contains(#""images": 1,"#))
    let frames = Run.inProcess("frames", path, "-o", "\(folder.path)/frames").output
    #expect(frames.split(separator: "\n").count == 1)
  }

  @Test func explainPrintsEachStep() throws {
    let run = Run.inProcess("probe", "--explain", try Fixture.path("window.png"))
    let steps = run.output.split(separator: "\n").drop { $0 != "  choice" }.dropFirst()
    let others = Package.coders.filter { $0 != "org.imagecoders.png" }
    #expect(
      Set(steps.map(String.init))
        == Set(
          others.map { "    \($0): no_match: no signature agrees" } + [
            "    org.imagecoders.png: identified: by 64 bits of its signature, priority 100",
            "    org.imagecoders.png: chosen: reads the file",
          ]))
    #expect(steps.last == "    org.imagecoders.png: chosen: reads the file")
  }

  @Test func goesOnAfterAnErrorAndEndsWithTheFirst() throws {
    let folder = Folder()
    let strange = folder.write("strange.bin", "nobody reads this file")
    let run = Run.inProcess("probe", "--short", strange, "\(folder.path)/nothing.png", try Fixture.path("window.png"))
    #expect(run.status == 2)
    #expect(
      run.errors == """
        coders: \(strange): noCoder: no coder of \(Package.coders.count) recognizes a file that begins with 6e6f626f647920726561647320746869
        coders: \(folder.path)/nothing.png: io: no such file or directory

        """)
    #expect(run.output.contains("window.png"))
  }

  @Test func aCutFileSaysWhere() throws {
    let folder = Folder()
    let cut = folder.write("cut.png", Array(try Package.bytes(try Fixture.path("window.png")).prefix(20)))
    let run = Run.inProcess("probe", cut)
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("coders: \(cut): truncated at byte "))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func limitsHaveAStatusOfTheirOwn() throws {
    let file = try Fixture.path("window.png")
    let run = Run.inProcess("probe", "--max-pixels", "1000", file)
    #expect(run.status == 3)
    #expect(run.errors.contains("maxPixels"))
    #expect(run.errors.contains("302400"))
    let json = Run.inProcess("probe", "--json", "--max-side", "100", file)
    #expect(json.output.contains(#""code": "limitExceeded""#))
    #expect(json.output.contains(#""exit_status": 3"#))
    #expect(json.output.contains(#""limit": "maxSide""#))
    #expect(json.output.contains(#""found": 720"#) && json.output.contains(#""allowed": 100"#))
  }

  @Test func framesOfALongAnimationNeedNoMemory() throws {
    let run = Run.inProcess("probe", "--max-memory", "600000", try Fixture.path("comet-alpha.apng"))
    #expect(run.status == 0)
  }

  @Test func quietPrintsErrorsAlone() throws {
    let run = Run.inProcess("probe", "--quiet", try Fixture.path("window.png"))
    #expect(run.output == "" && run.errors == "" && run.status == 0)
  }

  @Test func namesCannotMoveTheCursor() {
    let run = Run.inProcess("probe", "no\u{1B}[2J\nfile.png")
    #expect(run.errors == "coders: no?[2J?file.png: io: no such file or directory\n")
  }
}
