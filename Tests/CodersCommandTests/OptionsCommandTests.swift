// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct OptionsCommandTests {
  private static let manifest = """
    {"id": "org.example.test", "name": "Test", "version": "2.1.0", "abi": {"major": 1}, "library": "lib.so",
     "formats": [{"uti": "org.example.test", "name": "Test", "extensions": ["tst", "tes"]},
                 {"uti": "org.example.other", "name": "Other", "extensions": ["oth"]}],
     "capabilities": ["read", "write", "animation", "frames", "quality", "thumbnail", "icc", "xmp"],
     "container": {"dictionary": "{T}", "unclamped_delay": "U", "delay": "D", "loop_count": "L",
                   "default_loop_count": 0},
     "encode_options": [
       {"name": "effort", "type": "integer", "minimum": 1, "maximum": 9, "default": 7, "text": "more is smaller"},
       {"name": "distance", "type": "number", "minimum": 0, "maximum": 2.5, "default": 0.5, "text": "how far"},
       {"name": "kind", "type": "choice", "choices": ["one", "two"], "default": "two", "text": "which"},
       {"name": "fast", "type": "boolean", "default": false, "text": "quickly"}]}
    """

  /// The library is no library: options are read from manifests.
  private static func makeFolder() -> Folder {
    let folder = Folder()
    folder.write("lib.so", "not a library")
    folder.write("test.imgcoder.json", manifest)
    folder.write(
      "reads.imgcoder.json",
      """
      {"id": "org.example.reads", "name": "Reads", "version": "1.0", "abi": {"major": 1}, "library": "lib.so",
       "formats": [{"uti": "org.example.reads", "name": "Reads", "extensions": ["rds"]}], "capabilities": ["read"]}
      """)
    return folder
  }

  @Test func withoutAFormatEachHasALine() {
    let folder = Self.makeFolder()
    let run = Run.inProcess("options", plugins: folder.path)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      run.output == """
        FORMAT  EXTENSIONS  SUPPORTS           KEEPS    HOLDS      OPTIONS
        Test    tst tes     quality thumbnail  icc xmp  animation  effort distance kind fast
        Other   oth         quality thumbnail  icc xmp  animation  effort distance kind fast

        """)
    #expect(
      Run.inProcess("options", "--quiet", plugins: folder.path).output == "org.example.test\norg.example.other\n")
  }

  @Test(arguments: ["tst", "TES", "test", "org.example.test"])
  func aFormatHasItsTables(_ name: String) {
    let folder = Self.makeFolder()
    let run = Run.inProcess("options", name, plugins: folder.path)
    #expect(run.status == 0)
    let others = CommonOption.allCases.filter { $0 != .quality }
    let notFollowed = others.map { "--\($0.name)" + String(repeating: " ", count: 19 - $0.name.count) + "no" }
    #expect(
      run.output == """
        Test
          format       org.example.test
          extensions   tst tes
          coder        org.example.test

        OPTION               SUPPORTED
        --quality            yes
        --lossless           no
        \(notFollowed.joined(separator: "\n"))
        --embed-thumbnail    yes
        --orientation keep   no
        --loop, --no-reduce  yes
        --sizes              no
        --metadata           icc,xmp
        --max-bytes          by lowering the quality

        --option  TYPE     VALUES       DEFAULT  MEANING
        effort    integer  1 to 9       7        more is smaller
        distance  number   0 to 2.5     0.5      how far
        kind      choice   one, two     two      which
        fast      boolean  true, false  false    quickly

        """)
    #expect(
      Run.inProcess("options", "--quiet", name, plugins: folder.path).output == "effort\ndistance\nkind\nfast\n")
  }

  @Test func jsonIsTheContract() {
    let folder = Self.makeFolder()
    let run = Run.inProcess("options", "--json", "oth", plugins: folder.path)
    #expect(
      run.output == """
        {
          "formats": [
            {
              "animation": true,
              "coder": "org.example.test",
              "extensions": [
                "oth"
              ],
              "follows": [
                "quality",
                "thumbnail"
              ],
              "format": "org.example.other",
              "metadata": [
                "icc",
                "xmp"
              ],
              "name": "Other",
              "options": [
                {
                  "default": 7,
                  "maximum": 9,
                  "minimum": 1,
                  "name": "effort",
                  "text": "more is smaller",
                  "type": "integer"
                },
                {
                  "default": 0.5,
                  "maximum": 2.5,
                  "minimum": 0.0,
                  "name": "distance",
                  "text": "how far",
                  "type": "number"
                },
                {
                  "choices": [
                    "one",
                    "two"
                  ],
                  "default": "two",
                  "name": "kind",
                  "text": "which",
                  "type": "choice"
                },
                {
                  "default": false,
                  "name": "fast",
                  "text": "quickly",
                  "type": "boolean"
                }
              ],
              "pages": false
            }
          ],
          "reading": [],
          "schema": 1
        }

        """)
  }

  @Test func whatIsNotWrittenIsAnError() {
    let folder = Self.makeFolder()
    for name in ["rds", "xyz"] {
      let run = Run.inProcess("options", name, plugins: folder.path)
      #expect(run.status == 64)
      #expect(run.output == "")
      #expect(
        run.errors == "coders: invalidArgument: no coder writes \"\(name)\"; these can be written: oth, tes, tst\n")
    }
    let other = Run.inProcess("options", "tst", "--encoder", "org.example.reads", plugins: folder.path)
    #expect(other.status == 2)
    #expect(other.errors == "coders: noCoder: no coder with the id org.example.reads writes org.example.test\n")
  }

  @Test func everyStagedWriterIsListed() {
    let run = Run.inProcess("options", "--quiet")
    for name in [
      "public.png", "public.jpeg", "com.compuserve.gif", "org.webmproject.webp", "public.tiff", "public.heics",
    ] {
      #expect(run.output.contains("\(name)\n"), "\(name)")
    }
  }
}
