// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

@Suite struct ListCommandTests {
  private static func manifest(_ id: String, library: String = "lib.so", abi: Int = 1, priority: Int = 100) -> String {
    """
    {"id": "\(id)", "name": "Test", "version": "2.1.0", "abi": {"major": \(abi)}, "library": "\(library)",
     "formats": [{"uti": "org.example.test", "name": "Test", "extensions": ["tst"], "match": [{"bytes": "74657374"}]}],
     "capabilities": ["read", "write"], "priority": \(priority)}
    """
  }

  /// A folder with two usable manifests and one of each common fault. The library is no library: a list opens none.
  private static func makeFolder() -> Folder {
    let folder = Folder()
    folder.write("lib.so", "not a library")
    folder.write("b.imgcoder.json", manifest("org.example.b"))
    folder.write("a.imgcoder.json", manifest("org.example.a", priority: 150))
    folder.write("later.imgcoder.json", manifest("org.example.a"))
    folder.write("missing.imgcoder.json", manifest("org.example.missing", library: "nowhere.so"))
    folder.write("old.imgcoder.json", manifest("org.example.old", abi: 7))
    folder.write("broken.imgcoder.json", "{")
    return folder
  }

  @Test func printsCodersInOrderAndWhyOthersAreNotUsed() {
    let folder = Self.makeFolder()
    let run = Run.inProcess("list", plugins: folder.path)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      run.output.replacing(folder.path, with: "DIR") == """
        ID             FORMAT  EXTENSIONS  DOES          PRIORITY  VERSION  LIBRARY
        org.example.a  Test    tst         reads writes       150  2.1.0    DIR/lib.so
        org.example.b  Test    tst         reads writes       100  2.1.0    DIR/lib.so

        Not used
        DIR/broken.imgcoder.json: manifest_invalid: line 1, column 2: found the end of the text, expected a key or '}'
        org.example.a: shadowed: DIR/a.imgcoder.json has the same id and comes earlier on the search path
          DIR/later.imgcoder.json
        org.example.missing: library_missing: DIR/nowhere.so: no such file or directory
          DIR/missing.imgcoder.json
        org.example.old: abi_unsupported: needs version 7.0 of the interface, this host has 1.1
          DIR/old.imgcoder.json

        """)
  }

  @Test func coderOfManyFormatsShowsTheFirst() {
    let folder = Folder()
    folder.write("lib.so", "not a library")
    let formats = (1...6).map { #"{"uti": "a.\#($0)", "name": "F\#($0)", "extensions": ["x\#($0)", "y\#($0)"]}, "# }
    let list = #""formats": ["#
    folder.write("a.imgcoder.json", Self.manifest("org.example.a").replacing(list, with: list + formats.joined()))
    let line = Run.inProcess("list", plugins: folder.path).output.split(separator: "\n")[1]
    #expect(line.contains(" F1, F2, F3, F4, 3 more  x1 y1 x2 y2 x3 y3 x4 y4, 5 more  "))
  }

  @Test func namesPluginsThatComeBeforeBundledOnes() {
    let installation = TemporaryFolder()
    let executable = installation.write("", to: "bin/coders")
    installation.write("", to: "lib/coders/1/lib.so")
    installation.write(Self.manifest("org.example.a", priority: 150), to: "lib/coders/1/a.imgcoder.json")
    installation.write(Self.manifest("org.example.b"), to: "lib/coders/1/b.imgcoder.json")
    installation.write(Self.manifest("org.imagecoders.test"), to: "lib/coders/1/c.imgcoder.json")
    let folder = "\(installation.path)/lib/coders/1"
    let environment = ["CODERS_PREFER": "tst:write=org.example.b"]
    let run = Run.inProcess("list", plugins: folder, executable: executable, environment: environment)
    #expect(
      run.output.replacing(folder, with: "DIR") == """
        ID                    FORMAT  EXTENSIONS  DOES          PRIORITY  VERSION  LIBRARY
        org.imagecoders.test  Test    tst         reads writes       100  2.1.0    DIR/lib.so
        org.example.a         Test    tst         reads writes       150  2.1.0    DIR/lib.so
        org.example.b         Test    tst         reads writes       100  2.1.0    DIR/lib.so

        Tried before bundled coders
        org.example.b is tried before org.imagecoders.test for Test (write), as the settings say

        """)
    let json = Run.inProcess(
      "list", "--json", plugins: folder, executable: executable, environment: environment
    ).output
    #expect(
      json.contains(
        """
              "outranks": [
                {
                  "coder": "org.imagecoders.test",
                  "format": "org.example.test",
                  "read": false,
                  "set": true,
                  "write": true
                }
              ],
        """), "\(json)")
    let doctor = Run.inProcess("doctor", plugins: folder, executable: executable, environment: environment).output
    #expect(!doctor.contains("org.example.a is tried before"))
    #expect(
      doctor.contains(
        "  -        org.example.b is tried before org.imagecoders.test for Test (write), as the settings say\n"))
    #expect(doctor.contains("  -        preferred to write tst: org.example.b\n"))
    // A manifest's own priority puts no stranger first, and the user's does.
    let set = Run.inProcess(
      "list", plugins: folder, executable: executable, environment: ["CODERS_PRIORITY": "org.example.a:101"])
    let sentence = "org.example.a is tried before org.imagecoders.test for Test (read, write), as the settings say"
    #expect(set.output.contains(sentence))
    // A bundled coder that others come before, as a second one of a format.
    installation.write(Self.manifest("org.imagecoders.test", priority: 40), to: "lib/coders/1/c.imgcoder.json")
    let second = Run.inProcess("doctor", plugins: folder, executable: executable).output
    #expect(second.contains("  warning  org.example.a is tried before org.imagecoders.test for Test (read, write)\n"))
  }

  /// A name proves nothing: trust comes from the place.
  @Test func aStrangerWithANameOfThisProjectIsMarked() throws {
    let folder = Folder()
    for name in ["libQOICoder.so", "qoi.imgcoder.json"] {
      folder.write(name, try Package.bytes("\(Package.plugins)/\(name)"))
    }
    let title = "Strangers with a name of this project"
    let line = "org.imagecoders.qoi: \(folder.path)/libQOICoder.so"
    #expect(Run.inProcess("list", plugins: folder.path).output.contains("\n\(title)\n\(line)\n"))
    func bundled(_ plugins: String, _ words: String...) throws -> [JSONValue.Content?] {
      let output = Run.inProcess(["list", "--json"] + words, plugins: plugins).output
      let coders = try JSONValue(parsing: Array(output.utf8), maxBytes: 1 << 24)["coders"]?.items ?? []
      return coders.filter { $0["id"]?.content == .string("org.imagecoders.qoi") }.map { $0["bundled"]?.content }
    }
    #expect(try bundled(folder.path) == [.boolean(false)])
    #expect(try bundled(Package.plugins) == [.boolean(true)])
    // The place counts, and not how it was named.
    #expect(try bundled("/nowhere", "--plugin-dir", Package.plugins) == [.boolean(true)])
    #expect(try bundled("/nowhere", "--plugin-dir", folder.path) == [.boolean(false)])
    let doctor = Run.inProcess("doctor", plugins: folder.path).output
    #expect(
      doctor.contains(
        "  warning  org.imagecoders.qoi: a stranger with a name of this project: \(folder.path)/libQOICoder.so\n"))
    #expect(!Run.inProcess("list").output.contains(title))
    #expect(!Run.inProcess("doctor").output.contains("stranger"))
  }

  @Test func quietPrintsIdentifiersAlone() {
    let folder = Self.makeFolder()
    let run = Run.inProcess("list", "--quiet", plugins: folder.path)
    #expect(run.output == "org.example.a\norg.example.b\n")
  }

  @Test func settingsChangeTheOrderAndTurnOff() {
    let folder = Self.makeFolder()
    let first = Run.inProcess(
      "list", "--quiet", plugins: folder.path, environment: ["CODERS_PRIORITY": "org.example.b:200"])
    #expect(first.output == "org.example.b\norg.example.a\n")
    let second = Run.inProcess(
      "list", "--quiet", plugins: folder.path, environment: ["CODERS_PRIORITY": "org.example.a:off"])
    #expect(second.output == "org.example.b\n")
  }

  @Test func namedDirectoryComesFirst() {
    let (first, second) = (Folder(), Self.makeFolder())
    first.write("lib.so", "")
    first.write("x.imgcoder.json", Self.manifest("org.example.a"))
    let run = Run.inProcess("list", "--plugin-dir", first.path, plugins: second.path)
    #expect(run.output.contains("\(first.path)/lib.so"))
    #expect(run.output.contains("org.example.a: shadowed: \(first.path)/x.imgcoder.json has the same id"))
  }

  @Test func namedDirectoryThatIsNotThereIsReported() {
    let run = Run.inProcess("list", "--plugin-dir", "/nowhere", plugins: Package.plugins)
    #expect(run.status == 0)
    #expect(run.output.contains("/nowhere: manifest_unreadable: /nowhere: no such file or directory"))
  }

  @Test func jsonIsTheContract() {
    let folder = Folder()
    folder.write("lib.so", "")
    folder.write("b.imgcoder.json", Self.manifest("org.example.b"))
    let run = Run.inProcess("list", "--json", plugins: folder.path)
    #expect(
      run.output.replacing(folder.path, with: "DIR") == """
        {
          "coders": [
            {
              "abi": {
                "major": 1,
                "min_minor": 0
              },
              "animates": false,
              "bundled": false,
              "capabilities": [
                "read",
                "write"
              ],
              "code": null,
              "decode_options": [],
              "encode_options": [],
              "formats": [
                {
                  "extensions": [
                    "tst"
                  ],
                  "mime": [],
                  "name": "Test",
                  "refines": [],
                  "uti": "org.example.test"
                }
              ],
              "id": "org.example.b",
              "library": "DIR/lib.so",
              "library_license": null,
              "license": "",
              "manifest": "DIR/b.imgcoder.json",
              "name": "Test",
              "outranks": [],
              "platform": null,
              "priority": 100,
              "reads": true,
              "resources": [],
              "runtime": null,
              "siblings": [],
              "threads": null,
              "vendor": "",
              "version": "2.1.0",
              "writes": true
            }
          ],
          "not_used": [],
          "schema": 1,
          "search_path": [
            {
              "origin": "CODERS_PLUGIN_PATH",
              "path": "DIR"
            }
          ],
          "unreadable": []
        }

        """)
  }

  /// The order in which files were put into a directory decides the order in which it lists them.
  @Test func listDoesNotDependOnTheOrderOfTheDirectory() throws {
    let files = try Folder.names(in: Package.plugins).map { ($0, try Package.bytes("\(Package.plugins)/\($0)")) }
    #expect(files.count == 2 * Package.coders.count)
    let path = "/tmp/coders-tests-shuffle-\(getpid())"
    var outputs: Set<String> = []
    for _ in 0..<100 {
      mkdir(path, 0o700)
      for (name, bytes) in files.shuffled() {
        // Libraries are looked at from outside alone; their bytes do not matter here.
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o644)
        if name.hasSuffix(".json") { _ = write(file, bytes, bytes.count) }
        close(file)
      }
      outputs.insert(Run.inProcess("list", "--json", plugins: path).output)
      for (name, _) in files { unlink("\(path)/\(name)") }
      rmdir(path)
    }
    #expect(outputs.count == 1)
    #expect(outputs.first?.contains("org.imagecoders.webp") == true)
  }

  @Test func colorsOnlyATerminal() {
    let folder = Self.makeFolder()
    #expect(!Run.inProcess("list", plugins: folder.path).output.contains("\u{1B}"))
    #expect(Run.inProcess("list", plugins: folder.path, isTerminal: true).output.contains("\u{1B}[1mID"))
    let run = Run.inProcess("list", plugins: folder.path, environment: ["NO_COLOR": "1"], isTerminal: true)
    #expect(!run.output.contains("\u{1B}"))
  }
}
