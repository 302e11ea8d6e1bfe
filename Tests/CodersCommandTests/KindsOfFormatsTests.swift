// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoders
import TestSupport
import Testing

/// What the command says of formats that are kinds of others.
@Suite struct KindsOfFormatsTests {
  private static func manifest(_ id: String, _ format: String) -> String {
    """
    {"id": "org.example.\(id)", "name": "A", "version": "1.0.0", "abi": {"major": 1}, "library": "lib.so",
     "formats": [\(format)], "capabilities": ["read"]}
    """
  }

  /// A format, a kind of it that says more, and one that does not.
  private static func folder() -> Folder {
    let folder = Folder()
    folder.write("lib.so", "not a library")
    folder.write(
      "a.imgcoder.json",
      manifest("a", #"{"uti": "org.example.base", "name": "Base", "match": [{"bytes": "41414141"}]}"#))
    folder.write(
      "b.imgcoder.json",
      manifest(
        "b",
        """
        {"uti": "org.example.kind", "name": "Kind", "refines": ["org.example.base", "org.example.none"],
         "match": [{"bytes": "41414141", "and": [{"tag": 50706}]}]}
        """))
    folder.write(
      "c.imgcoder.json",
      manifest(
        "c",
        """
        {"uti": "org.example.better", "name": "Better", "refines": ["org.example.base"],
         "match": [{"bytes": "41414141"}, {"bytes": "41"}]}
        """))
    return folder
  }

  @Test func theListNamesWhatTheyRefine() throws {
    let folder = Self.folder()
    let run = Run.inProcess("list", plugins: folder.path)
    #expect(
      run.output.hasSuffix(
        """

        Kinds of other formats
        org.example.b: Kind refines org.example.base, org.example.none
        org.example.c: Better refines org.example.base

        """))
    let json = Run.inProcess("list", "--json", plugins: folder.path).output
    let coders = try JSONValue(parsing: Array(json.utf8), maxBytes: 1 << 24)["coders"]?.items ?? []
    let refined = coders.map { $0["formats"]?.items.first?["refines"]?.items.count }
    #expect(refined == [0, 2, 1])
  }

  @Test func doctorNamesAKindThatSaysNoMore() {
    let folder = Self.folder()
    let output = Run.inProcess("doctor", plugins: folder.path).output
    #expect(
      output.contains(
        """
          warning  org.example.c: Better refines org.example.base and says no more of a file: it is not tried first for that
        """))
    #expect(!output.contains("org.example.b: Kind"))
  }
}
