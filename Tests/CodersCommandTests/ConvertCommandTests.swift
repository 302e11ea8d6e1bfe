// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Testing

@Suite struct ConvertCommandTests {
  private let folder = Folder()

  private static func decode(_ path: String) throws -> Image {
    try CoderRegistry(
      searchPath: .only([Package.plugins])
    ).decode(.file(path))
  }

  private static func bytes(_ pixels: PixelBuffer) -> [UInt8] {
    (0..<pixels.size.height).flatMap { pixels.withRow($0) { Array($0) } }
  }

  @Test func losslessFormatsKeepEveryPixel() throws {
    let (middle, back) = ("\(folder.path)/a.webp", "\(folder.path)/b.png")
    #expect(Run.inProcess("convert", "--lossless", try Fixture.path("window.png"), middle).status == 0)
    #expect(Run.inProcess("convert", middle, back).status == 0)
    let (first, last) = (try Self.decode(try Fixture.path("window.png")), try Self.decode(back))
    #expect(Self.bytes(first.pixels) == Self.bytes(last.pixels))
    #expect(folder.names == ["a.webp", "b.png"])
  }

  @Test func animationsKeepFramesDelaysAndLoops() throws {
    let output = "\(folder.path)/comet.webp"
    #expect(Run.inProcess("convert", "--lossless", try Fixture.path("comet-alpha.gif"), output).status == 0)
    let image = try Self.decode(output)
    #expect(image.frames.count == 30)
    #expect(image.frames.allSatisfy { $0.delay.seconds == 0.05 })
    #expect(image.loopCount == .infinite)
    #expect(
      Run.inProcess("convert", "--first-frame", try Fixture.path("comet-alpha.gif"), "\(folder.path)/one.png").status
        == 0)
    #expect(try Self.decode("\(folder.path)/one.png").frames.count == 1)
  }

  @Test func aFormatWithoutAnimationWarns() throws {
    let output = "\(folder.path)/comet.jpg"
    let run = Run.inProcess("convert", try Fixture.path("comet-alpha.gif"), output)
    #expect(run.status == 0)
    #expect(
      run.errors
        == "coders: \(output): warning: public.jpeg is written without animation: the first of 30 frames is written\n")
    #expect(Run.inProcess("convert", "--quiet", try Fixture.path("comet-alpha.gif"), output).errors == "")
  }

  @Test func picturesAreUprightAndFitTheBox() throws {
    let output = "\(folder.path)/small.png"
    let run = Run.inProcess("convert", "--max-size", "300x300", try Fixture.path("landscape-orientation-6.jpg"), output)
    #expect(run.status == 0)
    #expect(try Self.decode(output).size == Size(width: 300, height: 200))
  }

  @Test func backgroundShowsThrough() throws {
    let output = "\(folder.path)/red.png"
    let middle = "\(folder.path)/red.jpg"
    #expect(
      Run.inProcess("convert", "--background", "#ff0000", try Fixture.path("shapes-alpha.png"), middle).status == 0)
    #expect(Run.inProcess("convert", middle, output).status == 0)
    let corner = Self.bytes(try Self.decode(output).pixels).prefix(3)
    #expect(corner.first.map { $0 > 245 } == true && corner.last.map { $0 < 10 } == true)
  }

  @Test func aCutFileIsWrittenAsFarAsItGoes() throws {
    let whole = try Package.bytes(try Fixture.path("landscape-orientation-6.jpg"))
    let cut = folder.write("cut.jpg", Array(whole.prefix(whole.count / 2)))
    let run = Run.inProcess("convert", cut, "\(folder.path)/cut.png")
    #expect(run.status == 1)
    #expect(run.errors.contains("coders: \(cut): truncated"))
    #expect(folder.names == ["cut.jpg", "cut.png"])
  }

  @Test func nothingIsLeftBehindAfterAnError() throws {
    folder.write("old.jpg", "as it was")
    let run = Run.inProcess("convert", "--lossless", try Fixture.path("window.png"), "\(folder.path)/old.jpg")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coders: \(folder.path)/old.jpg: unsupported: "))
    #expect(folder.names == ["old.jpg"])
    #expect(try Package.bytes("\(folder.path)/old.jpg") == Array("as it was".utf8))
    let lost = Run.inProcess("convert", try Fixture.path("window.png"), "\(folder.path)/nowhere/a.png")
    #expect(lost.status == 5)
    #expect(lost.errors == "coders: \(folder.path)/nowhere/a.png: io: no such file or directory\n")
  }

  /// In a process of its own: the umask is one for all threads, and for the programs that other tests start.
  @Test(arguments: [("022", 0o644), ("027", 0o640), ("077", 0o600), ("000", 0o644)] as [(String, mode_t)])
  func newFilesHaveOrdinaryPermissions(mask: String, mode: mode_t) throws {
    let output = "\(folder.path)/a.png"
    let run = Run.shell(
      "umask \(mask) && exec \"$@\"", ["sh", Package.command, "convert", try Fixture.path("window.png"), output])
    #expect(run.status == 0, "\(run.errors)")
    var status = stat()
    #expect(stat(output, &status) == 0)
    #expect(status.st_mode & 0o777 == mode)
  }

  @Test func optionsAreCheckedByTheirDescription() throws {
    let (input, output) = (try Fixture.path("window.png"), "\(folder.path)/a.gif")
    let unknown = Run.inProcess("convert", "--option", "wrong=1", input, output)
    #expect(unknown.status == 64)
    #expect(
      unknown.errors.contains(
        "com.compuserve.gif has no option wrong; it has quality, progressive, colors, dither"))
    let range = Run.inProcess("convert", "--option", "colors=999", input, output)
    #expect(range.errors.contains("option colors is 999, 2 to 256 is allowed"))
    let word = Run.inProcess("convert", "--option", "dither=perhaps", input, output)
    #expect(
      word.errors == "coders: \(output): invalidArgument: option dither is \"perhaps\", true or false is allowed\n")
    #expect(Run.inProcess("convert", "--option", "dither=off", "--option", "colors=16", input, output).status == 0)
  }

  @Test func formatsThatNobodyWritesAreNamed() throws {
    let run = Run.inProcess("convert", try Fixture.path("window.png"), "\(folder.path)/a.xyz")
    #expect(run.status == 64)
    #expect(run.errors.contains("invalidArgument: no coder writes \"xyz\"; these can be written: "))
    for name in ["apng", "gif", "ico", "jpeg", "png", "tiff", "webp"] {
      #expect(run.errors.contains(" \(name),") || run.errors.hasSuffix(" \(name)\n"), "\(name)")
    }
    let none = Run.inProcess("convert", try Fixture.path("window.png"), "-")
    #expect(none.status == 64)
    #expect(none.errors.contains("use --format to set the format"))
  }

  @Test func noImageIsWrittenToATerminal() throws {
    let window = try Fixture.path("window.png")
    for words in [
      ["convert", window, "-", "--format", "png"], ["animate", window, "-o", "-", "--format", "png"],
      ["thumbnail", "--size", "64", window, "-o", "-"],
    ] {
      let run = Run.inProcess(words, isTerminal: true)
      #expect(run.status == 64)
      #expect(run.output == "")
      #expect(run.errors.contains("standard output is a terminal: redirect it, or name a file"), "\(run.errors)")
      #expect(Run.inProcess(words).status == 0)
    }
  }

  /// JPEG XL keeps a JPEG file as it is, and gives it back byte for byte (ISO/IEC 18181-2 §9.8).
  @Test func aJPEGGoesThroughJPEGXLUnchanged() throws {
    let (wrapped, back) = ("\(folder.path)/photo.jxl", "\(folder.path)/photo.jpg")
    let original = try Fixture.path("landscape-orientation-6.jpg")
    #expect(Run.inProcess("convert", original, wrapped).status == 0)
    #expect(Run.inProcess("convert", wrapped, back).status == 0)
    #expect(try Package.bytes(back) == Package.bytes(original))
    #expect(try Package.bytes(wrapped).count < Package.bytes(original).count)
    // Upright it is the same picture, whoever turns it.
    #expect(try Self.decode(wrapped).size == Self.decode(original).size)
    // Another quality needs other bytes.
    #expect(Run.inProcess("convert", "--quality", "0.5", wrapped, back).status == 0)
    #expect(try Package.bytes(back).count < Package.bytes(original).count)
  }

  @Test func aJPEGXLThatWasNoJPEGIsDecoded() throws {
    let (picture, output) = ("\(folder.path)/window.jxl", "\(folder.path)/window.jpg")
    #expect(Run.inProcess("convert", "--lossless", try Fixture.path("window.png"), picture).status == 0)
    let run = Run.inProcess("convert", picture, output)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(try Self.decode(output).size == Size(width: 720, height: 420))
  }
}
