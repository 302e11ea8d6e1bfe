// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Testing

/// Options that all formats share, at the shell.
@Suite struct EncodingOptionsTests {
  private let folder = Folder()

  private func convert(_ words: String..., from sample: String, to name: String) throws -> Run {
    Run.inProcess(["convert"] + words + [try Fixture.path(sample), "\(folder.path)/\(name)"])
  }

  @Test func aLimitOfBytesIsReached() throws {
    let run = try convert("--max-bytes", "12k", from: "window.png", to: "a.jpg")
    #expect(run.status == 0)
    let output = "\(folder.path)/a.jpg"
    let count = try Package.bytes(output).count
    #expect((6000...12_000).contains(count))
    #expect(run.errors.hasPrefix("coders: \(output): \(count) of 12000 bytes, quality 0."))
    #expect(try convert("--max-bytes", "12k", "--quiet", from: "window.png", to: "b.jpg").errors == "")
    let json = try convert("--max-bytes", "0.012M", "--json", from: "window.png", to: "c.jpg").output
    #expect(json.contains(#""bytes": \#(count)"#) && json.contains(#""quality": 0."#))
    #expect(!json.contains(#""quality": null"#))
  }

  @Test func aLimitThatCannotBeReachedLeavesTheOldFile() throws {
    folder.write("old.jpg", "as it was")
    let lossy = try convert("--max-bytes", "100", from: "window.png", to: "old.jpg")
    #expect(lossy.status == 3)
    #expect(
      lossy.errors.hasPrefix("coders: \(folder.path)/old.jpg: limitExceeded: public.jpeg, at quality 0, has bytes"))
    let lossless = try convert("--max-bytes", "100", from: "window.png", to: "new.png")
    #expect(lossless.status == 3)
    #expect(lossless.errors.contains("maxFileSize"))
    #expect(folder.names == ["old.jpg"])
    #expect(try Package.bytes("\(folder.path)/old.jpg") == Array("as it was".utf8))
  }

  @Test func warningsComeOnceHoweverManyQualitiesAreTried() throws {
    let run = try convert("--max-bytes", "12k", "--embed-thumbnail", "64", from: "window.png", to: "a.webp")
    #expect(run.status == 0)
    let warnings = run.errors.split(separator: "\n").filter { $0.contains("warning") }
    #expect(warnings.count == Set(warnings).count)
  }

  @Test(arguments: ["0", "-5", "1.5", "k", "1e3", "5kk", "ten", "0.0001k"])
  func sizesWithoutMeaningAreWrongUse(_ word: String) throws {
    #expect(try convert("--max-bytes=\(word)", from: "window.png", to: "a.jpg").status == 64)
    #expect(folder.names == [])
  }

  @Test func optionsMayNameTheirFormat() throws {
    for name in ["gif", "GIF", "com.compuserve.gif"] {
      #expect(try convert("--option", "\(name).colors=4", from: "window.png", to: "a.gif").errors == "", "\(name)")
    }
    let image = try Decoded.image("\(folder.path)/a.gif")
    #expect(Set(Decoded.bytes(image.pixels)).count <= 12)
    for name in ["webp", "nothing"] {
      let run = try convert("--option", "\(name).method=6", from: "window.png", to: "b.gif")
      #expect(run.status == 64)
      #expect(
        run.errors
          == "coders: \(folder.path)/b.gif: invalidArgument: option \(name).method does not apply to com.compuserve.gif\n"
      )
    }
    let unknown = try convert("--option", "gif.hues=4", from: "window.png", to: "b.gif")
    #expect(unknown.status == 64)
    #expect(
      unknown.errors.contains(
        "com.compuserve.gif has no option hues; it has quality, progressive, colors, dither"))
    #expect(folder.names == ["a.gif"])
  }

  @Test func warnsOfOptionsThatAreNotFollowed() throws {
    let run = try convert("--quality", "0.5", "--subsampling", "420", from: "window.png", to: "a.png")
    #expect(run.status == 0)
    #expect(
      run.errors == """
        coders: \(folder.path)/a.png: warning: public.png has no option quality: 0.5 changes nothing
        coders: \(folder.path)/a.png: warning: public.png has no option subsampling: "4:2:0" changes nothing

        """)
    #expect(try convert("--subsampling", "421", from: "window.png", to: "a.jpg").status == 64)
    #expect(try convert("--subsampling", "422", from: "window.png", to: "a.jpg").errors == "")
    #expect(try Decoded.image("\(folder.path)/a.jpg").header?.subsampling == .s422)
  }

  /// Either the tag or the pixels, and Exif says the same.
  @Test func orientationIsKeptOrApplied() throws {
    let sample = "landscape-orientation-6.jpg"
    for (words, orientation, size) in [
      (["--orientation", "keep"], .right, Size(width: 400, height: 600)),
      (["--orientation", "apply"], .up, Size(width: 600, height: 400)),
      (["--reencode"], .up, Size(width: 600, height: 400)),
    ] as [([String], Orientation, Size)] {
      let output = "\(folder.path)/a.jpg"
      #expect(Run.inProcess(["convert", try Fixture.path(sample), output] + words).status == 0)
      let image = try Decoded.image(output, upright: false)
      #expect(image.header?.orientation == orientation, "\(words)")
      #expect(image.header?.canvas == size)
      #expect(image.metadata[.exif]?.count == 26)
    }
    // A format without a tag gets upright pixels.
    #expect(try convert("--orientation", "keep", from: sample, to: "a.qoi").status == 0)
    #expect(try Decoded.image("\(folder.path)/a.qoi").size == Size(width: 600, height: 400))
    // What is not asked for anything is the file itself.
    #expect(try convert(from: sample, to: "b.jpg").status == 0)
    #expect(try Package.bytes("\(folder.path)/b.jpg") == Package.bytes(Fixture.path(sample)))
  }

  @Test func metadataIsKeptStrippedOrChosen() throws {
    let source = "\(folder.path)/source.png"
    let exif: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let xmp = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
    var image = try Decoded.image(try Fixture.path("window.png"))
    image.metadata = [.exif: exif, .xmp: xmp]
    folder.write("source.png", try Decoded.registry.encode(image, as: .png))
    for (words, kinds) in [
      ([], [.exif, .xmp]), (["keep"], [.exif, .xmp]), (["strip"], []), (["exif"], [.exif]), (["icc,xmp"], [.xmp]),
    ] as [([String], Set<MetadataKind>)] {
      for name in ["a.webp", "a.jpg", "a.png"] {
        let output = "\(folder.path)/\(name)"
        let run = Run.inProcess(["convert", source, output] + words.flatMap { ["--metadata", $0] })
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        let metadata = try Decoded.image(output).metadata
        #expect(metadata[.xmp] == (kinds.contains(.xmp) ? xmp : nil), "\(name) \(words)")
        #expect((metadata[.exif] != nil) == kinds.contains(.exif), "\(name) \(words)")
      }
    }
    #expect(Run.inProcess("convert", source, "\(folder.path)/a.png", "--metadata", "gps").status == 64)
  }

  @Test func loopsAndWholeFrames() throws {
    #expect(try convert("--loop", "4", from: "comet-alpha.gif", to: "a.gif").status == 0)
    #expect(try Decoded.image("\(folder.path)/a.gif").loopCount == .plays(4))
    #expect(try convert("--loop", "forever", from: "comet-alpha.gif", to: "a.png").status == 0)
    #expect(try Decoded.image("\(folder.path)/a.png").loopCount == .infinite)
    for word in ["-1", "twice"] {
      #expect(try convert("--loop=\(word)", from: "comet-alpha.gif", to: "b.gif").status == 64)
    }
    #expect(try convert("--no-reduce", from: "comet-alpha.gif", to: "whole.gif").status == 0)
    #expect(try convert("--reencode", from: "comet-alpha.gif", to: "cut.gif").status == 0)
    #expect(try Package.bytes("\(folder.path)/whole.gif").count > Package.bytes("\(folder.path)/cut.gif").count)
    let list = Run.inProcess("probe", "--json", "\(folder.path)/whole.gif").output
    #expect(list.split(separator: "\n").count { $0.contains(#""rect": [0, 0, 200, 200]"#) } == 30)
  }

  @Test func jsonTellsACopyFromAnEncode() throws {
    let copy = try convert("--json", from: "comet-alpha.gif", to: "a.gif").output
    #expect(copy.contains(#""carried_over": true"#) && copy.contains(#""frames": null"#))
    let anew = try convert("--json", "--reencode", "--quality", "0.5", from: "comet-alpha.gif", to: "a.webp").output
    let bytes = try Package.bytes("\(folder.path)/a.webp").count
    #expect(
      anew.replacing(folder.path, with: "DIR") == """
        {
          "bytes": \(bytes),
          "carried_over": false,
          "changes": [],
          "file": "DIR/a.webp",
          "format": "org.webmproject.webp",
          "frames": 30,
          "kept": [],
          "look": null,
          "quality": 0.5,
          "schema": 1
        }

        """)
    #expect(try convert("--json", "--sizes", "16,32", from: "window.png", to: "a.ico").output.contains(#""frames": 2"#))
    #expect(Run.inProcess("convert", "--json", "a.png", "-", "--format", "png").status == 64)
  }

  @Test func framesCountOnATerminal() throws {
    let output = "\(folder.path)/a.webp"
    let run = Run.inProcess("convert", try Fixture.path("comet-alpha.gif"), output, isErrorTerminal: true)
    #expect(run.errors.contains(" 1/30") && run.errors.contains(" 30/30") && run.errors.hasSuffix("\r\u{1B}[K"))
    #expect(Run.inProcess("convert", try Fixture.path("window.png"), output, isErrorTerminal: true).errors == "")
  }

  @Test func errorsNameTheFileTheyConcern() throws {
    let (window, none) = (try Fixture.path("window.png"), "\(folder.path)/none.png")
    #expect(
      Run.inProcess("convert", none, "\(folder.path)/a.jpg").errors
        == "coders: \(none): io: no such file or directory\n")
    folder.write("file", "")
    let lost = Run.inProcess("convert", window, "\(folder.path)/file/a.jpg")
    #expect(lost.errors == "coders: \(folder.path)/file/a.jpg: io: not a directory\n")
    let directory = Run.inProcess("convert", window, folder.path, "--format", "jpg")
    #expect(directory.errors == "coders: \(folder.path): io: is a directory\n")
    let limited = Run.inProcess("convert", "--max-pixels", "10", window, "\(folder.path)/a.jpg")
    #expect(limited.status == 3)
    #expect(limited.errors.hasPrefix("coders: \(window): limitExceeded: "))
    let reader = Run.inProcess("convert", "--coder", "org.imagecoders.gif", window, "\(folder.path)/a.jpg")
    #expect(reader.status == 2)
    #expect(reader.errors.hasPrefix("coders: \(window): "))
    #expect(folder.names == ["file"])
  }

  /// A full disk, as a file size that the process may not exceed: SIGXFSZ is off, so writing fails.
  @Test func aDiskThatIsFullLeavesTheOldFile() throws {
    folder.write("old.bmp", "as it was")
    let script = "ulimit -f 64; exec \"$0\" convert \"$1\" \"$2\""
    let run = Run.shell(script, [Package.command, try Fixture.path("window.png"), "\(folder.path)/old.bmp"])
    #expect(run.status == 5)
    #expect(run.errors == "coders: \(folder.path)/old.bmp: io: file too large\n")
    #expect(folder.names == ["old.bmp"])
    #expect(try Package.bytes("\(folder.path)/old.bmp") == Array("as it was".utf8))
  }

  @Test func pipesAreReadOnce() throws {
    let script = "cat \"$1\" | \"$0\" convert /dev/stdin \"$2\""
    let run = Run.shell(script, [Package.command, try Fixture.path("window.png"), "\(folder.path)/a.jpg"])
    #expect(run.status == 0 && run.errors == "")
    #expect(try Decoded.image("\(folder.path)/a.jpg").size == Size(width: 720, height: 420))
  }

  @Test func thumbnailsTakeTheOptionsToo() throws {
    let output = "\(folder.path)/a.jpg"
    let run = Run.inProcess(
      "thumbnail", "--size", "256", "--format", "jpg", "--max-bytes", "4k", try Fixture.path("window.png"), "-o", output
    )
    #expect(run.status == 0)
    let count = try Package.bytes(output).count
    #expect(count <= 4000)
    #expect(run.errors.hasPrefix("coders: \(output): \(count) of 4000 bytes"))
    #expect(folder.names == ["a.jpg"])
  }
}
