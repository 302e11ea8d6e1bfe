// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Libraries that leave a mark when they are loaded, and the staged command, which must load as few as it can.
@Suite struct LazyLoadingTests {
  private let folder = TemporaryFolder()

  /// Builds two plugins that know files by their first letter. Loading one runs its constructor, which writes a file.
  init() throws {
    for letter in ["a", "b"] {
      let code = """
        #include <stdio.h>
        __attribute__((constructor)) static void mark(void) { fclose(fopen("\(folder.path)/\(letter).loaded", "w")); }
        """
      folder.write(code, to: "\(letter).c")
      let manifest = """
        {"id": "org.example.\(letter)", "name": "\(letter)", "version": "1", "abi": {"major": 1}, "library": "lib\(letter).so",
         "formats": [{"uti": "org.example.\(letter)", "match": [{"bytes": "6\(letter == "a" ? 1 : 2)"}]}],
         "capabilities": ["read"]}
        """
      folder.write(manifest, to: "\(letter).imgcoder.json")
      let built = Command.run("cc -shared -fPIC -o '\(folder.path)/lib\(letter).so' '\(folder.path)/\(letter).c'")
      try #require(built.status == 0, "\(built.output)")
    }
    folder.write("abc", to: "picture")
  }

  private func coders(_ arguments: String) -> Command.Result {
    // A scan loads the library too, in a process of its own.
    Command.run(
      "CODERS_SCANNER=none CODERS_PLUGIN_PATH='\(folder.path)' '\(StagedTree.root)/build/bin/coders' \(arguments)"
    )
  }

  private var loaded: String { Command.run("cd '\(folder.path)' && ls *.loaded 2>/dev/null || true").output }

  @Test func listingLoadsNothing() {
    let result = coders("list")
    #expect(result.status == 0)
    #expect(result.output.contains("org.example.b"))
    #expect(loaded == "")
  }

  @Test func probingLoadsOnlyTheCoderThatRecognisesTheFile() {
    let result = coders("probe '\(folder.path)/picture'")
    #expect(result.output.contains("entry_missing"), "\(result.output)")
    #expect(loaded == "a.loaded\n")
  }
}
