// SPDX-License-Identifier: Apache-2.0

import Testing

/// What a plugin prints, and the directory that it changes to, do not get between the command and its results.
@Suite struct PluginOutputTests {
  private let folder = UnrulyFolder()

  @Test(arguments: ["print", "print-late"]) func printingIsNoResult(_ act: String) {
    let quiet = folder.run(["convert", folder.file("decode-nothing"), "-", "--format", "pam"])
    let run = folder.run(["convert", folder.file("decode-\(act)"), "-", "--format", "pam"])
    #expect(run.output.hasPrefix("P7\nWIDTH 8\nHEIGHT 6\n"))
    #expect(run.output == quiet.output)
    #expect(run.errors == (act == "print" ? "printed by a plugin\n" : "printed by a plugin"))
    #expect(run.status == 0)
  }

  @Test func printingIsNoJSON() {
    let run = folder.run(["probe", "--json", folder.file("open-print")])
    #expect(run.output.hasPrefix("{"))
    #expect(!run.output.contains("printed"))
    #expect(run.errors == "printed by a plugin\n")
  }

  @Test func namesOfStandardOutputStillMeanIt() throws {
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
      let script = "\"$0\" convert \"$1\" \(name) --format qoi | head -c 4"
      let run = Run.shell(script, [Package.command, try Fixture.path("window.png")])
      #expect(run.output == "qoif")
      #expect(run.errors == "")
    }
  }

  @Test func closedStandardOutputIsAnError() throws {
    let run = Run.shell("\"$0\" probe \"$1\" >&-", [Package.command, try Fixture.path("window.png")])
    #expect(run.errors == "coders: -: io: bad file descriptor\n")
    #expect(run.status == 5)
  }

  /// Otherwise the output is opened in the place of one of them, and gets what is printed.
  @Test func closedDescriptorsAreNoFilesThatAreWritten() {
    let script = "CODERS_SCANNER=none \"$0\" convert - \"$2\" --plugin-dir \"$3\" <\"$1\" >&- 2>&-"
    let words = [folder.file("decode-print"), folder.out("a.pam"), UnrulyFolder.path]
    #expect(Run.shell(script, [Package.command] + words).status == 0)
    let run = Run.shell("head -c 3 \"$0\"; tail -c 4 \"$0\" | od -An -tx1", [folder.out("a.pam")])
    #expect(run.output == "P7\n 07 07 07 07\n")
  }

  // MARK: Directories

  @Test func relativeNamesBeginWhereTheCommandStarts() throws {
    _ = folder.file("decode-chdir")
    folder.input.write("b.png", try Package.bytes(try Fixture.path("window.png")))
    let run = folder.run(
      ["thumbnail", "--jobs", "1", "--size", "8", "a.unruly", "b.png", "-o", "small"], directory: folder.input.path)
    #expect(run.errors == "")
    #expect(run.output == "small/a.png\nsmall/b.png\n")
    #expect(Folder.names(in: "\(folder.input.path)/small") == ["a.png", "b.png"])
  }

  @Test func framesAreWrittenWhereTheCommandStarts() {
    _ = folder.file("open-chdir")
    let run = folder.run(["frames", "a.unruly", "-o", "./frames"], directory: folder.input.path)
    #expect(run.errors == "")
    #expect(run.output == "./frames/0001.png\n")
    #expect(Folder.names(in: "\(folder.input.path)/frames") == ["0001.png"])
  }

  /// The writer is loaded after the reader has changed the directory.
  @Test func relativePluginDirectoriesStayTheSame() {
    let file = folder.file("open-chdir")
    let path = "Tests:../\(Package.root.split(separator: "/").last ?? "")/build/lib/coders/1"
    let run = folder.run(
      ["convert", file, folder.out("a.png")], environment: ["CODERS_PLUGIN_PATH": path], directory: Package.root)
    #expect(run.errors == "")
    #expect(folder.output.names == ["a.png"])
  }

  @Test func errorsShowNamesAsTyped() {
    let run = folder.run(["convert", "none.png", "b.png"], directory: folder.input.path)
    #expect(run.errors == "coders: none.png: io: no such file or directory\n")
    let parent = folder.run(
      ["thumbnail", "--size", "8", folder.file("nothing"), "-o", "a.unruly/b/"], directory: folder.input.path)
    #expect(parent.errors == "coders: a.unruly/b/: io: a.unruly: not a directory\n")
  }
}
