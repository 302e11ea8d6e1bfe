// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

/// Many inputs into a folder.
@Suite struct BatchTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path }

  private func put(_ name: String, _ fixture: String = "window.png") throws -> String {
    let place = "\(path)/\(name)"
    #expect(
      Command.run("mkdir -p \"$(dirname '\(place)')\" && cp '\(try Fixture.path(fixture))' '\(place)'").status == 0)
    return place
  }

  private func files() -> [String] {
    Command.run("cd \(path) && find . -type f | sort").output.split(separator: "\n").map { String($0.dropFirst(2)) }
  }

  private func format(_ name: String) throws -> ImageFormat? { try Decoded.image("\(path)/\(name)").header?.format }

  @Test func manyInputsAreConvertedIntoAFolder() throws {
    let (one, two) = (try put("a/one.png"), try put("b/one.gif", "shapes-alpha.gif"))
    let film = try put("film.gif", "comet-alpha.gif")
    let run = Run.inProcess("convert", one, two, film, "--format", "webp", "-o", "\(path)/out/")
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(
      run.output.replacing(path, with: "DIR") == "DIR/out/one.webp\nDIR/out/one-2.webp\nDIR/out/film.webp\n")
    #expect(try format("out/one-2.webp") == .webP)
    #expect(try Decoded.image("\(path)/out/film.webp").frames.count == 30)
  }

  @Test func oneInputMayHaveAFileOrAFolder() throws {
    let input = try put("one.png")
    #expect(Run.inProcess("convert", input, "-o", "\(path)/new.gif").output == "\(path)/new.gif\n")
    #expect(try format("new.gif") == .gif)
    #expect(Run.inProcess("convert", input, "-o", "\(path)/d/", "--format", "gif").output == "\(path)/d/one.gif\n")
    let unnamed = Run.inProcess("convert", input, "-o", "\(path)/d/")
    #expect(unnamed.status == 64)
    #expect(
      unnamed.errors
        == "coders: invalidArgument: \(path)/d/ is a directory; use --format to set the format of the files in it\n")
  }

  @Test(arguments: [[], ["-r"], ["a.gif"]]) func withoutOutputThereAreTwoFiles(_ more: [String]) throws {
    let run = Run.inProcess(["convert", try put("one.png"), "\(path)/two.gif"] + more)
    #expect(run.status == (more.isEmpty ? 0 : 64))
    #expect(more.isEmpty || run.errors.contains("any number of inputs and the output with -o"), "\(run.errors)")
  }

  @Test func aBadFileDoesNotStopTheOthers() throws {
    let good = try put("good.png")
    #expect(Command.run("echo no picture >\(path)/bad.png").status == 0)
    let run = Run.inProcess(
      "convert", "--jobs", "2", "\(path)/none.png", "\(path)/bad.png", good, "--format", "gif", "-o", "\(path)/out")
    // The first on the command line sets the status, whichever is done first.
    #expect(run.status == 5)
    #expect(run.output == "\(path)/out/good.gif\n")
    #expect(run.errors.contains("coders: \(path)/none.png: io: no such file or directory\n"))
    #expect(run.errors.contains("coders: \(path)/bad.png: noCoder: "))
    #expect(run.errors.hasSuffix("\ncoders: 2 of 3 files failed\n"))
  }

  @Test func directoriesAreTakenWithTheirFolders() throws {
    for name in ["in/b.png", "in/a/c.png", "in/a/d.txt", "in/.hidden.png", "in/.git/x.png", "in/E.PNG"] {
      _ = try put(name)
    }
    let words = ["convert", "-r", "\(path)/in", "--format", "gif", "-o", "\(path)/in/out"]
    let run = Run.inProcess(words)
    #expect(run.errors == "")
    #expect(run.output.replacing("\(path)/in/out/", with: "") == "E.gif\na/c.gif\nb.gif\n")
    // What was written is no input of the next run.
    #expect(Run.inProcess(words).output == run.output)
    let flat = Run.inProcess("convert", "\(path)/in", "--format", "gif", "-o", "\(path)/out/")
    #expect(flat.status == 5)
    #expect(flat.errors.contains("is a directory"))
    #expect(Run.inProcess("probe", "--short", "-r", "\(path)/in/a").output.contains("\(path)/in/a/c.png"))
    let small = Run.inProcess("thumbnail", "--size", "64", "-r", "\(path)/in/a", "-o", "\(path)/small")
    #expect(small.output == "\(path)/small/c.png\n")
  }

  @Test func outputsThatAreNewerAreLeft() throws {
    let (one, two) = (try put("one.png"), try put("two.png"))
    let words = ["convert", one, two, "--format", "gif", "-o", "\(path)/out", "--update"]
    #expect(Run.inProcess(words).output == "\(path)/out/one.gif\n\(path)/out/two.gif\n")
    #expect(Run.inProcess(words).output == "")
    #expect(Command.run("touch -d 2001-01-01 \(path)/out/two.gif").status == 0)
    #expect(Run.inProcess(words).output == "\(path)/out/two.gif\n")
    let json = Run.inProcess(words + ["--json"]).output
    #expect(json.split(separator: "\n").count { $0.contains(#""status": "up_to_date""#) } == 2, "\(json)")
  }

  @Test(arguments: ["\\n", "\\0"]) func namesComeFromAFile(_ end: String) throws {
    let (one, two) = (try put("one file.png"), try put("two.png"))
    let list = "\(path)/list"
    #expect(Command.run("printf '%s\(end)' '\(one)' '\(two)' >\(list)").status == 0)
    let run = Run.inProcess("convert", "--files-from", list, "--format", "gif", "-o", "\(path)/out")
    #expect(run.output == "\(path)/out/one file.gif\n\(path)/out/two.gif\n")
    let small = Run.inProcess("thumbnail", "--size", "8", "--files-from", list, "-o", "\(path)/small")
    #expect(small.output == "\(path)/small/one file.png\n\(path)/small/two.png\n")
    let probe = Run.binary(["probe", "--short", "--files-from", "-"], input: list)
    #expect(probe.output.split(separator: "\n").count == 3, "\(probe.errors)")
    #expect(Run.inProcess("probe").status == 64)
    #expect(Run.inProcess("probe", "-", "--files-from", "-").status == 64)
  }

  /// 100,000 names, most of them equal: quadratic work would take minutes.
  @Test(.timeLimit(.minutes(1))) func manyNamesCostNoMoreEach() throws {
    let list = "\(path)/list"
    #expect(Command.run("seq 100000 | sed 's|.*|/nowhere/&/a.png|' >\(list)").status == 0)
    let run = Run.binary(["thumbnail", "--quiet", "--size", "8", "--files-from", list, "-o", "\(path)/out"])
    #expect(run.status == 5)
    #expect(run.errors.split(separator: "\n").count == 100_000)
  }

  @Test func anInputIsNeverReplaced() throws {
    let input = try put("a.png")
    let run = Run.inProcess("convert", input, "--format", "png", "-o", path)
    #expect(run.status == 64)
    #expect(run.errors == "coders: invalidArgument: the output of \(input) would replace the input \(input)\n")
  }

  @Test func jsonSaysWhatBecameOfEach() throws {
    let good = try put("good.png")
    let run = Run.inProcess(
      "thumbnail", "--json", "--size", "8", good, "\(path)/none.png", "-o", "\(path)/out")
    #expect(run.status == 5)
    let bytes = try Package.bytes("\(path)/out/good.png").count
    #expect(
      run.output.replacing(path, with: "DIR") == """
        {
          "files": [
            {
              "bytes": \(bytes),
              "carried_over": false,
              "changes": [],
              "file": "DIR/out/good.png",
              "format": "public.png",
              "frames": 1,
              "input": "DIR/good.png",
              "kept": [],
              "look": null,
              "quality": null,
              "status": "written"
            },
            {
              "error": {
                "allowed": null,
                "code": "io",
                "coder": null,
                "exit_status": 5,
                "found": null,
                "limit": null,
                "message": "no such file or directory",
                "offset": null,
                "set_by": null
              },
              "file": "DIR/out/none.png",
              "input": "DIR/none.png",
              "status": "failed"
            }
          ],
          "schema": 1
        }

        """)
  }

  @Test func aLinkThatLeadsToNothingIsFollowed() throws {
    let input = try put("a.png")
    #expect(
      Command.run("cd \(path) && mkdir d && ln -s d/new.gif link.gif && ln -s nowhere/x.gif lost.gif").status == 0)
    #expect(Run.inProcess("convert", input, "\(path)/link.gif").status == 0)
    #expect(files() == ["a.png", "d/new.gif"])
    let lost = Run.inProcess("convert", input, "\(path)/lost.gif")
    #expect(lost.status == 5)
    #expect(Command.run("readlink \(path)/lost.gif").output == "nowhere/x.gif\n")
  }

  /// A pattern of the shell that matches two files looks like an input and its output.
  @Test func theSecondOfTwoFilesIsNotTakenForTheOutput() throws {
    let bytes = try Package.bytes(try Fixture.path("window.png"))
    let folder = Folder()
    let (one, two) = (folder.write("one.png", bytes), folder.write("two.png", bytes))
    let run = Run.inProcess("convert", one, two, "--format", "webp")
    #expect(run.status == 64)
    #expect(
      run.errors == "coders: \(two): invalidArgument: \(two) is there and named like PNG, --format is WebP; "
        + "name the output with -o\n")
    #expect(try Package.bytes(two) == bytes)
    // With one name for both, and with a new file, nothing is in doubt.
    #expect(Run.inProcess("convert", one, two, "--format", "png").status == 0)
    #expect(Run.inProcess("convert", one, "\(folder.path)/new.png", "--format", "webp").status == 0)
  }
}
