// SPDX-License-Identifier: Apache-2.0

import Testing

/// `--read-option`, and what `coders options` lists of options to read.
@Suite struct ReadOptionCommandTests {
  private static let manifest = """
    {"id": "org.example.both", "name": "Both", "version": "1.0", "abi": {"major": 1}, "library": "lib.so",
     "formats": [{"uti": "org.example.both", "name": "Both", "extensions": ["bth"]}], "capabilities": ["read", "write"],
     "decode_options": [
       {"name": "exposure", "type": "number", "minimum": -2, "maximum": 2, "default": 0, "text": "Stops brighter."},
       {"name": "key", "type": "text", "maximum": 32, "default": "", "text": "Opens it.", "secret": true}],
     "encode_options": [{"name": "fast", "type": "boolean", "default": false, "text": "quickly"}]}
    """

  private static func makeFolder() -> Folder {
    let folder = Folder()
    folder.write("lib.so", "not a library")
    folder.write("both.imgcoder.json", manifest)
    return folder
  }

  @Test func optionsToReadHaveATable() {
    let folder = Self.makeFolder()
    let run = Run.inProcess("options", "bth", plugins: folder.path)
    #expect(run.errors == "")
    #expect(
      run.output.hasPrefix(
        """
        Both
          format       org.example.both
          extensions   bth
          coder        org.example.both

        --read-option  TYPE    VALUES            DEFAULT  MEANING
        exposure       number  -2 to 2           0        Stops brighter.
        key            secret  at most 32 bytes           Opens it.

        Both
        """), "\(run.output)")
    #expect(run.output.contains("--option  TYPE     VALUES       DEFAULT  MEANING\nfast"))
    #expect(Run.inProcess("options", "--quiet", "bth", plugins: folder.path).output == "exposure\nkey\nfast\n")
    let all = Run.inProcess("options", plugins: folder.path)
    #expect(
      all.output.hasPrefix("TO READ  EXTENSIONS  OPTIONS\nBoth     bth         exposure key\n\nFORMAT"),
      "\(all.output)")
  }

  @Test func jsonHasOptionsToRead() {
    let folder = Self.makeFolder()
    let run = Run.inProcess("options", "--json", "bth", plugins: folder.path)
    #expect(
      run.output.contains(
        """
          "reading": [
            {
              "coder": "org.example.both",
              "extensions": [
                "bth"
              ],
              "format": "org.example.both",
              "name": "Both",
              "options": [
                {
                  "default": 0.0,
                  "maximum": 2.0,
                  "minimum": -2.0,
                  "name": "exposure",
                  "text": "Stops brighter.",
                  "type": "number"
                },
                {
                  "default": "",
                  "maximum": 32,
                  "name": "key",
                  "secret": true,
                  "text": "Opens it.",
                  "type": "text"
                }
              ]
            }
          ],
        """), "\(run.output)")
  }

  @Test(arguments: ["key=sesame", "password=sesame", "bth:key=sesame"])
  func aSecretInAnArgumentIsRefusedAndNotRepeated(_ argument: String) {
    let folder = Self.makeFolder()
    folder.write("x.bth", "x")
    let run = Run.inProcess("probe", "--read-option", argument, "\(folder.path)/x.bth", plugins: folder.path)
    #expect(run.status != 0)
    #expect(!(run.output + run.errors).contains("sesame"))
    #expect(run.errors.contains("others see the arguments of a command; give it as"), "\(run.errors)")
  }

  @Test(arguments: ["probe", "hash", "frames", "metadata", "placeholder"])
  func aSecretOfAFileIsInNoMessage(_ verb: String) throws {
    let folder = Self.makeFolder()
    folder.write("secret", "sesame\n")
    let png = try Fixture.path("window.png")
    for more in [[], ["--json"]] where more.isEmpty || verb == "probe" {
      let run = Run.inProcess([verb, "--read-option", "password=@\(folder.path)/secret"] + more + [png])
      #expect(run.status != 0)
      #expect(!(run.output + run.errors).contains("sesame"))
      #expect(
        (run.output + run.errors).contains("public.png has no option password; it has none"), "\(run.errors)")
    }
  }

  @Test(arguments: [
    (["--read-option", "exposure"], "an option to read with has a name and a value"),
    (["--read-option", ":exposure=1"], "an option to read with has a name and a value"),
    (["--read-option", "xyz:exposure=1"], "--read-option xyz:exposure: no coder has this format"),
    (["--read-option", "password=@/no/such/file"], "--read-option password: /no/such/file cannot be read"),
  ]) func whatIsNoValueIsAnError(_ arguments: [String], _ says: String) throws {
    let run = Run.inProcess(["probe"] + arguments + [try Fixture.path("window.png")])
    #expect(run.status != 0)
    #expect(run.errors.contains(says), "\(run.errors)")
  }

  @Test func aFormatsOptionIsNothingForOthers() throws {
    let run = Run.inProcess("probe", "--read-option", "svg:background=#ffffff", try Fixture.path("window.png"))
    #expect(run.status == 0, "\(run.errors)")
  }

  /// Before a byte of it is read.
  @Test(
    arguments: [
      ["probe", "-"], ["convert", "-", "x.png"], ["thumbnail", "-", "--size", "8", "-o", "x.png"], ["stream", "-"],
      ["frames", "-"],
      ["hash", "-"], ["placeholder", "-"], ["metadata", "-"], ["show", "--force", "-"], ["play", "--force", "-"],
      ["compare", "-", "x.png"],
      ["animate", "-", "x.png", "-o", "x.gif"], ["sheet", "-", "-o", "x.png"],
    ]) func standardInputHasOneThing(_ arguments: [String])
  {
    let run = Run.inProcess(arguments + ["--read-option", "password=@-"])
    #expect(run.status == 64, "\(run.errors)")
    #expect(
      run.errors.contains("standard input has the value of --read-option password, and no picture"), "\(run.errors)")
  }

  @Test(arguments: [
    ["probe"], ["convert", "-o", "x"], ["thumbnail", "--size", "8", "-o", "x"], ["hash"], ["placeholder"], ["metadata"],
  ]) func standardInputHasNamesOrAValue(_ verb: [String]) {
    let run = Run.inProcess(verb + ["--files-from", "-", "--read-option", "password=@-"])
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.errors.contains("--read-option password, and no names of files"), "\(run.errors)")
  }

  @Test func standardInputHasOneValue() {
    let run = Run.inProcess("probe", "--read-option", "a=@-", "--read-option", "svg:b=@-", "x.svg")
    #expect(run.status == 64)
    #expect(run.errors.contains("standard input has one value; a=@- and b=@- are 2"), "\(run.errors)")
  }

  @Test(arguments: [
    ["thumbnail", "--freedesktop", "x.png"], ["apply", "turn", "--ask", "x.jpg"],
  ]) func verbsThatTakeNoOptionSaySo(_ arguments: [String]) {
    let run = Run.inProcess(arguments + ["--read-option", "exposure=1"])
    #expect(run.status == 64)
    #expect(run.errors.contains("--read-option"), "\(run.errors)")
  }

  @Test func policiesAreNamed() throws {
    let folder = Folder()
    let policy = folder.write("policy.json", "{\"readOptions\": {\"value\": \"none\", \"reason\": \"no need\"}}")
    let run = Run.inProcess(
      "probe", "--policy", policy, "--read-option", "background=#ffffff", try Fixture.path("window.png"))
    #expect(run.status != 0)
    let says = "option background may not be given (set by \(policy), line 1: no need)"
    #expect(run.errors.contains(says), "\(run.errors)")
  }
}
