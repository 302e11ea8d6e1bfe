// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// Values as people write them.
@Suite struct ValueTests {
  private let folder = Folder()

  private func convert(_ words: String..., from sample: String = "window.png", to name: String) throws -> Run {
    Run.inProcess(["convert"] + words + [try Fixture.path(sample), "\(folder.path)/\(name)"])
  }

  @Test(arguments: ["50", "10.5", "300"]) func aLongDelayNeedsAUnit(_ word: String) throws {
    let window = try Fixture.path("window.png")
    let run = Run.inProcess("animate", window, "-o", "\(folder.path)/a.gif", "--delay", word)
    #expect(run.status == 64)
    #expect(
      run.errors.contains("without a unit, a delay is in seconds, at most 10; write \(word)ms or \(word)s"),
      "\(run.errors)")
    for meant in ["10", "\(word)ms", "\(word)s"] {
      #expect(Run.inProcess("animate", window, "-o", "\(folder.path)/a.gif", "--delay", meant).status == 0)
    }
  }

  /// Pixels of 720×420 in three bytes, and what the reader takes: 1,149,888 bytes.
  @Test(arguments: [
    ("1.2MB", 0), ("1.2M", 0), ("1140k", 3), ("1140KB", 3), ("1140KiB", 0), ("0.0011GiB", 0), ("1150000", 0),
  ])
  func limitsOfBytesHaveUnits(_ word: String, _ status: Int32) throws {
    #expect(try convert("--max-memory", word, to: "a.bmp").status == status)
    #expect(try convert("--max-metadata", word, to: "a.bmp").status == 0)
  }

  @Test(arguments: ["20KB", "20kb", "20k", "0.02M", "20000b"]) func sizesOfFilesHaveUnits(_ word: String) throws {
    let run = try convert("--max-bytes", word, to: "a.jpg")
    #expect(run.errors.contains(" of 20000 bytes"), "\(run.errors)")
  }

  @Test func othersAreExplained() throws {
    #expect(
      try convert("--max-bytes", "20 apples", to: "a.jpg").errors.contains(
        "a number of bytes is 200000, 200k, 20KB, 1.5M (k is 1000) or 64MiB (of 1048576)"))
    #expect(try convert("--max-memory", "lots", to: "a.jpg").status == 64)
  }

  @Test func zeroLoopsAreForever() throws {
    #expect(try convert("--loop", "0", from: "comet-alpha.gif", to: "a.gif").status == 0)
    #expect(try Decoded.image("\(folder.path)/a.gif").loopCount == .infinite)
    #expect(try convert("--loop", "forevr", to: "b.gif").errors.contains("did you mean forever?"))
  }

  @Test func subsamplingMayHaveColons() throws {
    #expect(try convert("--subsampling", "4:2:2", to: "a.jpg").errors == "")
    #expect(try Decoded.image("\(folder.path)/a.jpg").header?.subsampling == .s422)
  }

  @Test func metadataIsNone() throws {
    #expect(try convert("--metadata", "none", from: "landscape-orientation-6.jpg", to: "a.jpg").status == 0)
    #expect(try Decoded.image("\(folder.path)/a.jpg").metadata.isEmpty)
    let run = try convert("--metadata", "icc,exfi", to: "b.jpg")
    #expect(run.status == 64)
    let kinds = "icc,exif,xmp,iptc,geotiff,text,trailer"
    #expect(run.errors.contains("metadata is keep, strip, web, or a list from \(kinds); did you mean exif?"))
  }

  @Test(
    arguments: [
      ("red", [255, 0, 0]), ("RebeccaPurple", [102, 51, 153]), ("#0f8", [0, 255, 136]), ("00ff88", [0, 255, 136]),
    ] as [(String, [UInt8])])
  func colorsHaveNames(_ word: String, _ color: [UInt8]) throws {
    #expect(try convert("--background", word, "--quality", "1", from: "shapes-alpha.png", to: "a.jpg").status == 0)
    let corner = Decoded.corner(try Decoded.image("\(folder.path)/a.jpg").pixels)
    // JPEG rounds in YCbCr.
    #expect(zip(corner, color).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(corner)")
  }

  @Test func anUnknownColorHasASuggestion() throws {
    let run = try convert("--background", "oragne", to: "a.jpg")
    #expect(run.status == 64)
    #expect(
      run.errors.contains(
        "a color is a name of CSS, or six hexadecimal digits such as ff8800; did you mean orange?"))
    #expect(try convert("--background", "ff880", to: "a.jpg").status == 64)
  }

  @Test func codersHaveShortNames() throws {
    let film = try Fixture.path("comet-alpha.gif")
    for (name, id) in [("gif", "gif"), ("giflib", "gif.giflib"), ("gif.giflib", "gif.giflib")] {
      let run = Run.inProcess("probe", "--coder", name, film)
      #expect(run.output.contains("  coder        org.imagecoders.\(id)\n"), "\(name): \(run.errors)")
    }
    #expect(try convert("--coder", "png", "--encoder", "webp", to: "a.webp").status == 0)
    #expect(Run.inProcess("stream", "--coder", "gif", film).status == 0)
    #expect(Run.inProcess("probe", "--coder", "nothing", film).status == 2)
    #expect(Run.inProcess("animate", film, "--encoder", "webp", "-o", "\(folder.path)/b.webp").status == 0)
  }

  @Test(arguments: [("wepb", "webp"), ("jepg", "jpeg"), ("tif2", "tiff")])
  func anUnknownFormatHasASuggestion(_ word: String, _ meant: String) throws {
    let run = try convert(to: "a.\(word)")
    #expect(run.status == 64)
    #expect(
      run.errors.hasSuffix("; did you mean \(meant)?\n") || run.errors.contains("did you mean tif"), "\(run.errors)")
  }

  @Test func pagesAreCountedAsTheyAreNamed() throws {
    let pages = try Fixture.path("pages.tiff")
    for words in [
      ["convert", pages, "\(folder.path)/a.png"], ["probe", pages], ["frames", pages],
      ["thumbnail", "--size", "9", pages, "-o", "\(folder.path)/a.png"],
    ] {
      let run = Run.inProcess(words + ["--page", "4"])
      #expect(run.status == 64)
      #expect(run.errors == "coders: \(pages): invalidArgument: --page is 4, the file has pages 1 to 3\n")
      #expect(Run.inProcess(words + ["--page", "3"]).status == 0)
    }
  }

  @Test func jsonIsThereForEveryVerb() throws {
    let doctor = Run.inProcess("doctor", "--json")
    #expect(doctor.status == 0)
    #expect(doctor.output.contains(#""problems": 0"#) && doctor.output.contains(#""title": "Search path""#))
    let frames = Run.inProcess("frames", try Fixture.path("pages.tiff"), "-o", "\(folder.path)/p", "--json")
    #expect(
      frames.output.replacing("\(folder.path)/", with: "").contains(
        #""written": [\#n    "p/0001.png",\#n    "p/0002.png",\#n    "p/0003.png"\#n  ]"#), "\(frames.output)")
  }
}
