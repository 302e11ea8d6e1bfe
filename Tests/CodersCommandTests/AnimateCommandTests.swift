// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

@Suite struct AnimateCommandTests {
  private let folder = Folder()

  /// Stills of one size and one color each.
  private func stills(_ colors: [String]) throws -> [String] {
    try colors.map { color in
      let path = "\(folder.path)/\(color).png"
      let run = Run.inProcess(
        "convert", "--background", color, "--max-size", "40", try Fixture.path("shapes-alpha.png"),
        "\(folder.path)/\(color).jpg")
      #expect(run.status == 0)
      #expect(Run.inProcess("convert", "\(folder.path)/\(color).jpg", path).status == 0)
      return path
    }
  }

  private static func delays(_ image: Image) -> [FrameDelay] { image.frames.map(\.delay) }

  private static func isSame(_ delay: FrameDelay, _ numerator: UInt64, _ denominator: UInt64) -> Bool {
    UInt64(delay.numerator) * denominator == numerator * UInt64(delay.denominator)
  }

  @Test(arguments: ["gif", "png", "webp", "avif", "jxl"])
  func stillsBecomeAnAnimation(_ suffix: String) throws {
    let output = "\(folder.path)/out.\(suffix)"
    let run = Run.inProcess(
      ["animate", "-o", output, "--delay", "1/25", "--loop", "3"] + (try stills(["ff0000", "00ff00", "0000ff"])))
    #expect(run.status == 0)
    #expect(run.output == "" && run.errors == "")
    let image = try Decoded.image(output)
    #expect(image.frames.count == 3)
    #expect(image.frames.allSatisfy { Self.isSame($0.delay, 1, 25) }, "\(Self.delays(image))")
    #expect(image.loopCount == .plays(3))
    // In the order given: red, green, blue.
    for (index, frame) in image.frames.enumerated() {
      let pixel = Decoded.corner(frame.pixels)
      #expect(pixel.indices.max { pixel[$0] < pixel[$1] } == index, "\(suffix) \(index): \(pixel)")
    }
  }

  @Test(arguments: [
    ("40ms", 40, 1000), ("4cs", 4, 100), ("0.04", 4, 100), ("0.04s", 4, 100), ("2s", 2, 1), ("3/7", 3, 7),
  ])
  func delaysAreExact(_ word: String, _ numerator: UInt64, _ denominator: UInt64) throws {
    let output = "\(folder.path)/out.png"
    let run = Run.inProcess(["animate", "-o", output, "--delay", word] + (try stills(["ff0000", "00ff00"])))
    #expect(run.status == 0)
    for frame in try Decoded.image(output).frames { #expect(Self.isSame(frame.delay, numerator, denominator)) }
  }

  @Test(arguments: ["0", "0ms", "-1", "1/0", "1e3", "0.04m", "nan", "1/2/3", ".5", "5.", "", "0.12345678901"])
  func delaysWithoutMeaningAreWrongUse(_ word: String) throws {
    let run = Run.inProcess("animate", "a.png", "-o", "\(folder.path)/out.gif", "--delay=\(word)")
    #expect(run.status == 64, "\(word)")
    #expect(folder.names == [])
  }

  @Test func animationsKeepTheirDelaysAndPicturesGetOne() throws {
    let output = "\(folder.path)/out.png"
    let (film, still) = (try Fixture.path("comet-alpha.gif"), "\(folder.path)/still.png")
    #expect(Run.inProcess("convert", "--first-frame", film, still).status == 0)
    #expect(Run.inProcess("animate", still, film, "-o", output, "--lossless").errors == "")
    let image = try Decoded.image(output)
    // The still is the first frame of the film, so both become one: a tenth of a second and the film's own.
    #expect(image.frames.count == 30)
    #expect(Self.isSame(image.frames[0].delay, 15, 100))
    #expect(image.frames.dropFirst().allSatisfy { Self.isSame($0.delay, 5, 100) })
    #expect(image.loopCount == .infinite)
    let fast = "\(folder.path)/fast.gif"
    #expect(Run.inProcess("animate", film, "-o", fast, "--delay", "2cs", "--loop", "2").status == 0)
    let second = try Decoded.image(fast)
    #expect(second.frames.count == 30)
    #expect(second.frames.allSatisfy { Self.isSame($0.delay, 2, 100) })
    #expect(second.loopCount == .plays(2))
  }

  @Test func framesThatShowTheSameBecomeOne() throws {
    let red = try stills(["ff0000"])[0]
    let output = "\(folder.path)/out.webp"
    let run = Run.inProcess("animate", "--json", red, red, red, "-o", output, "--lossless")
    #expect(run.status == 0)
    #expect(run.output.contains(#""frames": 3"#))
    let probe = Run.inProcess("probe", "--json", output).output
    #expect(probe.contains(#""frame_count": 1"#), "\(probe)")
    #expect(Run.inProcess("animate", red, red, "-o", output, "--no-reduce").status == 0)
  }

  /// Gray, then colors, then alpha: every frame is as it was, whatever the first ones have.
  @Test(arguments: ["gif", "png", "webp", "avif", "jxl"])
  func picturesOfDifferentKindsKeepColorsAndAlpha(_ suffix: String) throws {
    let (red, alpha) = (try stills(["ff0000"])[0], "\(folder.path)/alpha.png")
    let gray = "\(folder.path)/gray.png"
    #expect(Run.inProcess("convert", try Fixture.path("shapes-alpha.png"), alpha, "--max-size", "40").status == 0)
    var image = try Decoded.image(red)
    image.frames[0].pixels = try image.pixels.converted(to: PixelLayout(.gray8, .opaque))
    folder.write("gray.png", try Decoded.registry.encode(image, as: .png))
    let output = "\(folder.path)/out.\(suffix)"
    #expect(Run.inProcess("animate", gray, gray, red, alpha, "-o", output, "--quality", "1", "--quiet").errors == "")
    let frames = try Decoded.image(output).frames
    #expect(frames.count == 3)
    let colors = frames.map { Decoded.corner($0.pixels) }
    #expect(colors[0].max().map { $0 - (colors[0].min() ?? 0) <= 8 } == true, "\(colors)")
    #expect(colors[1][0] > 240 && colors[1][1] < 16 && colors[1][2] < 16, "\(colors)")
    #expect(frames[2].pixels.withRow(0) { $0[3] } == 0)
    // In Swift, the first two frames or the options have to say it.
    guard suffix == "avif" else { return }
    var options = EncodeOptions()
    for layout in [nil, PixelLayout(.rgba8, .straight)] {
      options.layout = layout
      let encoder = try Decoded.registry.makeEncoder(as: .avif, options: options)
      for file in [gray, gray] { try encoder.add(.file(file), delay: .milliseconds(50)) }
      if layout == nil {
        #expect(throws: CoderError.self) { try encoder.add(.file(red)) }
      } else {
        try encoder.add(.file(red), delay: .milliseconds(50))
        #expect(try encoder.finish().frameCount == 3)
      }
    }
  }

  @Test func jsonSaysWhatWasMade() throws {
    let output = "\(folder.path)/out.gif"
    let run = Run.inProcess(["animate", "--json", "-o", output] + (try stills(["ff0000", "00ff00"])))
    let bytes = try Package.bytes(output).count
    #expect(
      run.output.replacing(folder.path, with: "DIR") == """
        {
          "bytes": \(bytes),
          "carried_over": false,
          "changes": [],
          "file": "DIR/out.gif",
          "format": "com.compuserve.gif",
          "frames": 2,
          "kept": [],
          "look": null,
          "quality": null,
          "schema": 1
        }

        """)
  }

  @Test func picturesOfAnotherSizeAreNamed() throws {
    let (red, big) = (try stills(["ff0000"])[0], try Fixture.path("window.png"))
    folder.write("out.gif", "as it was")
    let run = Run.inProcess("animate", red, big, "-o", "\(folder.path)/out.gif")
    #expect(run.status == 64)
    #expect(run.errors == "coders: \(big): invalidArgument: the picture is 720×420, \(red) is 40×30\n")
    #expect(run.output == "")
    #expect(folder.names == ["ff0000.jpg", "ff0000.png", "out.gif"])
    #expect(try Package.bytes("\(folder.path)/out.gif") == Array("as it was".utf8))
  }

  @Test func aFormatOfStillsIsRefused() throws {
    let run = Run.inProcess(["animate", "-o", "\(folder.path)/out.jpg"] + (try stills(["ff0000", "00ff00"])))
    #expect(run.status == 2)
    #expect(
      run.errors
        == "coders: \(folder.path)/out.jpg: unsupported: public.jpeg cannot hold an animation; "
        + "apng, avif, avifs, gif, heic, heics, heif, hif, jxl, png, webp can\n")
  }

  @Test func anInputThatCannotBeReadLeavesNothing() throws {
    let red = try stills(["ff0000"])[0]
    let bad = folder.write("bad.png", "no picture")
    let before = folder.names
    let run = Run.inProcess("animate", red, bad, "-o", "\(folder.path)/out.gif")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coders: \(bad): noCoder: "))
    let none = Run.inProcess("animate", red, "\(folder.path)/none.png", "-o", "\(folder.path)/out.gif")
    #expect(none.status == 5)
    #expect(none.errors == "coders: \(folder.path)/none.png: io: no such file or directory\n")
    #expect(folder.names == before)
  }

  @Test func aCutInputIsShownAsFarAsItGoes() throws {
    let film = try Package.bytes(try Fixture.path("comet-alpha.gif"))
    let cut = folder.write("cut.gif", Array(film.prefix(film.count / 2)))
    let run = Run.inProcess("animate", cut, "-o", "\(folder.path)/out.webp")
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("coders: \(cut): truncated"))
    let count = try Decoded.image("\(folder.path)/out.webp").frames.count
    #expect((5..<30).contains(count))
  }

  @Test func aLimitOfBytesIsMetOrSaid() throws {
    let film = try Fixture.path("comet-alpha.gif")
    let output = "\(folder.path)/out.webp"
    let run = Run.inProcess("animate", film, "-o", output, "--max-bytes", "25k")
    #expect(run.status == 0)
    let count = try Package.bytes(output).count
    #expect(count <= 25_000)
    #expect(run.errors.hasPrefix("coders: \(output): \(count) of 25000 bytes"))
    let none = Run.inProcess("animate", film, "-o", "\(folder.path)/small.webp", "--max-bytes", "100")
    #expect(none.status == 3)
    #expect(none.errors.contains("maxFileSize"))
    #expect(folder.names == ["out.webp"])
  }

  @Test func standardOutputTakesTheWholeFile() throws {
    let run = Run.binary(["animate", try Fixture.path("comet-alpha.gif"), "-o", "-", "--format", "gif"])
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("GIF89a"))
    #expect(Run.inProcess("animate", "a.png", "-o", "-", "--json").status == 64)
    #expect(Run.inProcess("animate", "-", "-", "-o", "a.gif").status == 64)
  }

  @Test func progressIsForTerminals() throws {
    let files = try stills(["ff0000", "00ff00"])
    let watched = Run.inProcess(["animate", "-o", "\(folder.path)/out.gif"] + files, isErrorTerminal: true)
    #expect(watched.errors.hasPrefix("\r[############............] 1/2\r[########################] 2/2"))
  }
}
