// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoders
import TestSupport
import Testing

/// What `coders list` says of coders that take more than the picture's bytes.
@Suite struct ListedNeedsTests {
  private static func folder() -> Folder {
    let folder = Folder()
    folder.write("lib.so", "not a library")
    func write(_ id: String, _ more: String) {
      folder.write(
        "\(id).imgcoder.json",
        """
        {"id": "org.example.\(id)", "name": "A", "version": "1.0.0", "abi": {"major": 1}, "library": "lib.so",
         "formats": [{"uti": "org.example.\(id)", "match": [{"bytes": "41414141"}]}], "capabilities": ["read"]\(more)}
        """)
    }
    write("a", "")
    write("b", #", "siblings": ["{stem}.xmp", "{name}.xmp"]"#)
    write("c", #", "siblings": ["*"], "resources": ["fonts"], "threads": "library""#)
    return folder
  }

  @Test func namesWhatTheyTake() {
    let folder = Self.folder()
    let run = Run.inProcess("list", plugins: folder.path)
    #expect(
      run.output.hasSuffix(
        """

        Take more than the picture
        org.example.b: files beside the picture: {stem}.xmp, {name}.xmp
        org.example.c: fonts; threads of its library; files beside the picture: *

        """), "\(run.output)")
  }

  @Test func namesItInJSON() throws {
    let folder = Self.folder()
    let json = Run.inProcess("list", "--json", plugins: folder.path).output
    let coders = try JSONValue(parsing: Array(json.utf8), maxBytes: 1 << 24)["coders"]?.items ?? []
    func words(_ key: String) -> [[JSONValue.Content]] { coders.map { $0[key]?.items.map(\.content) ?? [.null] } }
    #expect(words("siblings") == [[], [.string("{stem}.xmp"), .string("{name}.xmp")], [.string("*")]])
    #expect(words("resources") == [[], [], [.string("fonts")]])
    #expect(coders.map { $0["threads"]?.content } == [.null, .null, .string("library")])
  }
}
