// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

@Suite struct ThumbnailCommandTests {
  private let folder = Folder()

  private static func size(_ path: String) -> String {
    let run = Run.inProcess("probe", path)
    return run.output.split(separator: "\n").first { $0.hasPrefix("  size") }.map { String($0.dropFirst(15)) } ?? ""
  }

  @Test func oneFileGetsTheNameThatIsGiven() throws {
    let output = "\(folder.path)/small.webp"
    let run = Run.inProcess(
      "thumbnail", "--size", "100", "--format", "webp", try Fixture.path("landscape-orientation-6.jpg"), "-o", output)
    #expect(run.status == 0)
    #expect(run.output == "\(output)\n")
    #expect(Self.size(output) == "100×67")
  }

  @Test(arguments: [("a.webp", "RIFF"), ("a.gif", "GIF8"), ("a.PNG", "\u{89}PNG")])
  func theExtensionOfTheOutputSetsTheFormat(_ name: String, _ start: String) throws {
    let output = "\(folder.path)/\(name)"
    let run = Run.inProcess("thumbnail", "--size", "64", try Fixture.path("window.png"), "-o", output)
    #expect(run.status == 0)
    #expect(try Package.bytes(output).prefix(4).elementsEqual(start.unicodeScalars.map { UInt8($0.value) }))
  }

  @Test func theFormatOptionComesBeforeTheExtension() throws {
    let output = "\(folder.path)/a.webp"
    let window = try Fixture.path("window.png")
    #expect(Run.inProcess("thumbnail", "--size", "64", "--format", "gif", window, "-o", output).status == 0)
    #expect(try Package.bytes(output).starts(with: "GIF8".utf8))
    // A directory has no extension, whatever its name.
    let folder = "\(folder.path)/out.webp/"
    #expect(Run.inProcess("thumbnail", "--size", "64", window, "-o", folder).output == "\(folder)window.png\n")
  }

  @Test func anExtensionThatNobodyWritesIsWrongUse() throws {
    let window = try Fixture.path("window.png")
    let run = Run.inProcess("thumbnail", "--size", "64", window, "-o", "\(folder.path)/a.xyz")
    #expect(run.status == 64)
    #expect(
      run.errors.hasPrefix("coders: invalidArgument: no coder writes \"xyz\"; these can be written: apng, avif, "),
      "\(run.errors)")
    let none = Run.inProcess("thumbnail", "--size", "64", window, "-o", "\(folder.path)/a")
    #expect(none.status == 64)
    #expect(none.errors.contains("use --format to set the format"))
    #expect(folder.names == [])
  }

  @Test func aFileInPlaceOfADirectoryIsNamedOnce() throws {
    let file = folder.write("exist.png", "a file")
    let window = try Fixture.path("window.png")
    let thumbnails = Run.inProcess("thumbnail", "--size", "64", window, window, "-o", file)
    #expect(thumbnails.errors == "coders: \(file): io: not a directory\n")
    let frames = Run.inProcess("frames", window, "-o", file)
    #expect(frames.errors == "coders: \(file): io: not a directory\n")
    let deeper = Run.inProcess("frames", window, "-o", "\(file)/out")
    #expect(deeper.errors == "coders: \(file)/out: io: \(file): not a directory\n")
  }

  @Test func equalNamesGetNumbersInTheOrderOfTheCommandLine() throws {
    let files = try ["shapes-alpha.png", "shapes-alpha.gif", "shapes-alpha.webp", "window.png"].map(Fixture.path)
    let run = Run.inProcess(["thumbnail", "--size", "64", "-o", "\(folder.path)/new/"] + files)
    #expect(run.status == 0)
    #expect(
      run.output.replacing(folder.path, with: "DIR") == """
        DIR/new/shapes-alpha.png
        DIR/new/shapes-alpha-2.png
        DIR/new/shapes-alpha-3.png
        DIR/new/window.png

        """)
    #expect(Folder.names(in: "\(folder.path)/new").count == 4)
  }

  @Test(arguments: [("--fit", "200×117"), ("--fill", "200×200"), ("--stretch", "200×200")])
  func modesMeetTheBox(_ mode: String, _ size: String) throws {
    let output = "\(folder.path)/a.png"
    let run = Run.inProcess("thumbnail", mode, "--size", "200x200", try Fixture.path("window.png"), "-o", output)
    #expect(run.status == 0)
    #expect(Self.size(output) == size)
  }

  @Test func anInputIsNeverReplaced() throws {
    let input = folder.write("a.png", try Package.bytes(try Fixture.path("window.png")))
    let run = Run.inProcess("thumbnail", "--size", "64", input, "-o", folder.path)
    #expect(run.status == 64)
    #expect(
      run.errors
        == "coders: invalidArgument: the output of \(input) would replace the input \(input)\n")
    #expect(try Package.bytes(input).count == Package.bytes(Fixture.path("window.png")).count)
  }

  @Test func aBadFileDoesNotStopTheOthers() throws {
    let bad = folder.write("bad.png", "no picture")
    let run = Run.inProcess(
      "thumbnail", "--size", "64", "--jobs", "3", bad, try Fixture.path("window.png"), "\(folder.path)/none.gif", "-o",
      "\(folder.path)/out")
    #expect(run.status == 2)
    #expect(run.output == "\(folder.path)/out/window.png\n")
    #expect(
      Set(run.errors.split(separator: "\n").dropLast().map { $0.split(separator: ":")[2] }) == [" noCoder", " io"])
    #expect(run.errors.hasSuffix("\ncoders: 2 of 3 files failed\n"))
  }

  @Test func progressIsForTerminals() throws {
    let files = [try Fixture.path("window.png"), try Fixture.path("shapes-alpha.png")]
    let arguments = ["thumbnail", "--size", "64", "-o", "\(folder.path)/out"] + files
    #expect(Run.inProcess(arguments).errors == "")
    let watched = Run.inProcess(arguments, isErrorTerminal: true)
    #expect(watched.errors.hasPrefix("\r[############............] 1/2\r[########################] 2/2"))
    #expect(Run.inProcess(arguments + ["--quiet"], isErrorTerminal: true).errors == "")
  }

  @Test func anErrorReplacesTheProgressBar() throws {
    let bad = folder.write("bad.png", "no picture")
    let files = [try Fixture.path("window.png"), bad, try Fixture.path("shapes-alpha.png")]
    let run = Run.inProcess(
      ["thumbnail", "--size", "64", "--jobs", "1", "-o", "\(folder.path)/out"] + files, isErrorTerminal: true)
    #expect(run.errors.contains("] 1/3\r\u{1B}[Kcoders: \(bad): noCoder: "), "\(run.errors)")
    #expect(run.errors.hasSuffix("] 3/3\r\u{1B}[Kcoders: 1 of 3 files failed\n"))
  }

  /// window.png has 720×420 pixels.
  @Test(arguments: [("240x", "240×140"), ("x140", "240×140"), ("240x80", "137×80"), ("999x", "720×420")])
  func aSideMayBeFree(_ box: String, _ size: String) throws {
    let output = "\(folder.path)/a.png"
    #expect(Run.inProcess("thumbnail", "--size", box, try Fixture.path("window.png"), "-o", output).status == 0)
    #expect(Self.size(output) == size)
  }

  @Test(arguments: ["x", "0x10", "10x10x10", "-4x3", ""]) func aBoxWithoutSidesIsWrongUse(_ box: String) throws {
    let run = Run.inProcess("thumbnail", "--size", box, try Fixture.path("window.png"), "-o", "/nonexistent/a.png")
    #expect(run.status == 64)
  }

  @Test func whatThePhotographerSaysIsLeftOutUnlessAsked() throws {
    let photo = try Fixture.path("landscape-orientation-6.jpg")
    let output = "\(folder.path)/small.jpg"
    func metadata(_ arguments: String...) throws -> String {
      #expect(Run.inProcess(["thumbnail", "--size", "64", photo, "-o", output] + arguments).status == 0)
      let lines = Run.inProcess("probe", output).output.split(separator: "\n")
      return lines.first { $0.hasPrefix("  metadata") }.map { String($0.dropFirst(15)) } ?? ""
    }
    #expect(try metadata() == "")
    #expect(try metadata("--metadata", "web") == "")
    #expect(try metadata("--metadata", "keep").contains("Exif"))
    #expect(try metadata("--metadata", "exif").contains("Exif"))
  }

  @Test func strictWritesNothingForAPart() throws {
    let whole = try Package.bytes(try Fixture.path("window.png"))
    let cut = folder.write("cut.png", Array(whole.prefix(whole.count / 2)))
    let output = "\(folder.path)/small.png"
    let strict = Run.inProcess("thumbnail", "--size", "16", "--strict", cut, "-o", output)
    #expect(strict.status == 1)
    #expect(strict.errors.hasPrefix("coders: \(cut): truncated"), "\(strict.errors)")
    #expect(folder.names == ["cut.png"])
    let lenient = Run.inProcess("thumbnail", "--size", "16", cut, "-o", output)
    #expect(lenient.status == 1)
    #expect(folder.names == ["cut.png", "small.png"])
  }

  // MARK: Thumbnails that file managers share

  @Test func sharedThumbnailsAreMadeOnceAndFoundAgain() throws {
    let window = folder.write("window.png", try Package.bytes(try Fixture.path("window.png")))
    let environment = ["XDG_CACHE_HOME": "\(folder.path)/cache"]
    let first = Run.inProcess(["thumbnail", "--freedesktop", "--size", "large", window], environment: environment)
    #expect(first.status == 0, "\(first.errors)")
    let path = String(first.output.dropLast())
    #expect(path.hasPrefix("\(folder.path)/cache/thumbnails/large/"))
    #expect(Self.size(path) == "256×149")
    let bytes = try Package.bytes(path)
    // 8 bits of red, green, blue and alpha, or without alpha; not interlaced.
    #expect(bytes[24] == 8)
    #expect([2, 6].contains(bytes[25]))
    #expect(bytes[28] == 0)
    let again = Run.inProcess(
      ["thumbnail", "--freedesktop", "--size", "200", "--json", window], environment: environment)
    #expect(again.output.contains("\"up_to_date\""), "\(again.output)")
    #expect(again.output.contains(path))
    let other = Run.inProcess(["thumbnail", "--freedesktop", "--json", window], environment: environment)
    #expect(other.output.contains("\"written\""))
    #expect(other.output.contains("/thumbnails/normal/"))
  }

  @Test func aFileThatCannotBeDecodedIsNotTriedAgain() throws {
    let whole = try Package.bytes(try Fixture.path("window.png"))
    let cut = folder.write("cut.png", Array(whole.prefix(40)))
    let environment = ["XDG_CACHE_HOME": "\(folder.path)/cache"]
    let first = Run.inProcess(["thumbnail", "--freedesktop", cut], environment: environment)
    #expect(first.status == 1, "\(first.errors)")
    #expect(Folder.names(in: "\(folder.path)/cache/thumbnails/fail/coders-1.0.0").count == 1)
    let again = Run.inProcess(["thumbnail", "--freedesktop", cut], environment: environment)
    #expect(again.status == 2)
    #expect(again.errors.contains("an earlier attempt to make a thumbnail of it failed"), "\(again.errors)")
  }

  @Test func asAThumbnailerItWritesOneFile() throws {
    let output = "\(folder.path)/out.png"
    let run = Run.inProcess(
      "thumbnail", "--freedesktop", "--size", "100", "--input-uri", "file:///somewhere/a.png",
      try Fixture.path("window.png"), "-o", output)
    #expect(run.status == 0, "\(run.errors)")
    #expect(Self.size(output) == "100×58")
    #expect(try Package.bytes(output).firstRange(of: Array("Thumb::URI\0file:///somewhere/a.png".utf8)) != nil)
    #expect(Run.inProcess("thumbnail", "--freedesktop", "a.png", "b.png", "-o", output).status == 64)
    #expect(Run.inProcess("thumbnail", "--size", "x-large", "a.png", "-o", output).status == 64)
  }
}
