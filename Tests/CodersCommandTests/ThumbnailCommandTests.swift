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
        == "coders: invalidArgument: the thumbnail of \(input) would take the place of an input, \(input)\n")
    #expect(try Package.bytes(input).count == Package.bytes(Fixture.path("window.png")).count)
  }

  @Test func aBadFileDoesNotStopTheOthers() throws {
    let bad = folder.write("bad.png", "no picture")
    let run = Run.inProcess(
      "thumbnail", "--size", "64", "--jobs", "3", bad, try Fixture.path("window.png"), "\(folder.path)/none.gif", "-o",
      "\(folder.path)/out")
    #expect(run.status == 2)
    #expect(run.output == "\(folder.path)/out/window.png\n")
    #expect(Set(run.errors.split(separator: "\n").map { $0.split(separator: ":")[2] }) == [" noCoder", " io"])
  }

  @Test func progressIsForTerminals() throws {
    let files = [try Fixture.path("window.png"), try Fixture.path("shapes-alpha.png")]
    let arguments = ["thumbnail", "--size", "64", "-o", "\(folder.path)/out"] + files
    #expect(Run.inProcess(arguments).errors == "")
    let watched = Run.inProcess(arguments, isErrorTerminal: true)
    #expect(watched.errors.hasPrefix("\r[############............] 1/2\r[########################] 2/2"))
    #expect(Run.inProcess(arguments + ["--quiet"], isErrorTerminal: true).errors == "")
  }
}
