// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// What is said where there is no memory to look for coders.
@Suite struct MissingMemoryTests {
  /// Listing a folder takes a block of 32 KiB from the C library. Each block of that size and more fails once, until none is
  /// left.
  @Test func foldersThatCannotBeListedAreNotFoldersWithoutCoders() {
    let folder = TemporaryFolder()
    let built = Command.run(
      "cc -shared -fPIC -o '\(folder.path)/fail.so' '\(StagedTree.root)/Tests/Allocations/fail.c'")
    #expect(built.status == 0, "\(built.output)")
    var said: Set<String> = []
    for number in 1...24 {
      let run = Run.binary(
        ["convert", "\(StagedTree.fixtures("qoi"))/valid/runs.qoi", "\(folder.path)/a.bmp"],
        environment: [
          "LD_PRELOAD": "\(folder.path)/fail.so", "ALLOCATION_LEAST": "32768", "ALLOCATION_FAILS": "\(number)",
          "SWIFT_BACKTRACE": "enable=no", "CODERS_PLUGIN_PATH": StagedTree.plugins,
        ])
      said.formUnion(run.errors.split(separator: "\n").map(String.init))
    }
    let sentence = "outOfMemory: coders cannot be looked for: \(StagedTree.plugins): "
    #expect(said.contains { $0.contains(sentence) }, "\(said)")
    #expect(!said.contains { $0.contains("no coder") }, "\(said)")
  }
}
