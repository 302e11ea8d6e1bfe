// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoders
import TestSupport
import Testing

@Suite struct NewCommandTests {
  private static func run(_ arguments: [String]) -> Run {
    Run.inProcess(
      ["new"] + arguments, environment: ["CODERS_TEMPLATES": "\(Package.root)/build/share/coders/templates"])
  }

  @Test func jsonNamesTheFiles() {
    let folder = TemporaryFolder()
    let run = Self.run(["my-format", "--lang", "c", "-o", "\(folder.path)/new", "--json"])
    #expect(run.output.contains("\"id\": \"org.example.my-format\""))
    #expect(run.output.contains("\"\(folder.path)/new/writer.c\""))
  }

  @Test func writesAPluginAndSaysWhatComesNext() {
    let folder = TemporaryFolder()
    let run = Self.run(["my-format", "--lang", "c", "-o", "\(folder.path)/new"])
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(
      run.output.replacing(folder.path, with: "DIR") == """
        DIR/new: a plugin in C with the id org.example.my-format
          FORMAT.md
          Makefile
          README.md
          format.h
          my-format.imgcoder.json
          plugin.c
          reader.c
          samples/animation.my-format
          samples/still.my-format
          writer.c

        Next:
          cd DIR/new
          make            builds build/libmy-format.so
          make check      checks it against its samples
          make install    puts it where coders looks for plugins

        """)
  }

  @Test func namesTheLanguageAsItIsWritten() {
    let folder = TemporaryFolder()
    let run = Self.run(["my-format", "--lang", "cpp", "-o", "\(folder.path)/new"])
    #expect(run.errors == "")
    #expect(run.output.contains("/new: a plugin in C++ with the id org.example.my-format\n"))
    #expect(run.output.contains("\n  session.hpp\n"))
  }

  @Test(arguments: ["c", "cpp", "rust", "swift"])
  func leavesNoNameOfTheTemplate(_ language: String) throws {
    let folder = TemporaryFolder()
    let run = Self.run(["my-format", "--lang", language, "--id", "com.example.mine", "-o", folder.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect(Command.run("grep -rli flipbook '\(folder.path)'; find '\(folder.path)' -iname '*flipbook*'").output == "")
    let manifest = try #require(
      String(validating: try Package.bytes("\(folder.path)/my-format.imgcoder.json"), as: UTF8.self))
    #expect(manifest.contains("\"id\": \"com.example.mine\""))
    #expect(manifest.contains("\"uti\": \"com.example.mine\""))
    #expect(manifest.contains("\"library\": \"libmy-format.so\""))
    #expect(manifest.contains("\"dictionary\": \"{MyFormat}\""))
    // Names are replaced in text; the bytes of a picture stay as they are.
    #expect(
      try Package.bytes("\(folder.path)/samples/still.my-format")
        == Package.bytes("\(Package.root)/Templates/common/samples/still.flipbook"))
  }

  @Test func replacesNamesInOnePass() throws {
    let name = try PluginName("flipbook-2", id: "com.flipbook.Flipbook".lowercased())
    #expect(
      name.filled(Array("org.example.flipbook Flipbook libflipbook.so".utf8))
        == Array("com.flipbook.flipbook Flipbook2 libflipbook-2.so".utf8))
  }

  @Test func refusesAFolderWithFiles() {
    let folder = TemporaryFolder()
    #expect(Self.run(["one", "--lang", "c", "-o", folder.path]).status == 0)
    let run = Self.run(["two", "--lang", "c", "-o", folder.path])
    #expect(run.status == 64)
    #expect(
      run.errors.replacing(folder.path, with: "DIR")
        == "coders: DIR: invalidArgument: the folder has files in it; name a new or an empty one with -o\n")
    #expect(Command.run("ls '\(folder.path)' | grep two").output == "")
  }

  @Test(arguments: ["", "Sketch", "9lives", "a_b", "-a", "a-", "a--b", "a/b", "ä", String(repeating: "a", count: 41)])
  func refusesNamesThatAreNone(_ name: String) {
    let run = Self.run(["--lang", "c", "-o", "/nowhere/at/all", "--", name])
    #expect(run.status == 64)
    #expect(
      run.errors == """
        coders: invalidArgument: "\(name)" is not a plugin's name: a lower case letter, then lower case letters, digits \
        and single hyphens, 40 characters at most

        """)
  }

  @Test(arguments: ["sketch", "com..sketch", ".sketch", "com.Sketch", "com.sk etch", "com.sketch/1"])
  func refusesIdentifiersThatManifestsMayNotHave(_ id: String) {
    let run = Self.run(["sketch", "--lang", "c", "--id", id, "-o", "/nowhere/at/all"])
    #expect(run.status == 64)
    #expect(run.errors.contains("\"\(id)\" is not an identifier in reverse-DNS form, such as org.example.sketch"))
  }

  @Test func saysWhereTemplatesWereLookedFor() {
    let run = Run.inProcess(["new", "a", "--lang", "c"], environment: ["CODERS_TEMPLATES": "/nowhere"])
    #expect(run.status == 5)
    #expect(
      run.errors
        == "coders: io: no templates in /nowhere; set CODERS_TEMPLATES to the folder share/coders/templates\n")
  }
}
