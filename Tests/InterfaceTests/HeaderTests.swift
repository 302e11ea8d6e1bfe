// SPDX-License-Identifier: Apache-2.0

import CInterfaceFakes
import TestSupport
import Testing

/// The headers are all that a plugin's author needs.
@Suite struct HeaderTests {
  @Test func eachHeaderCompilesAloneInCAndCPlusPlus() {
    let result = Command.run("'\(StagedTree.root)/scripts/check-headers'")
    #expect(result.status == 0, "\(result.output)")
  }

  @Test func theInstalledHeadersAreTheSources() {
    let result = Command.run(
      "diff -r '\(StagedTree.headers)/imgcoder' '\(StagedTree.root)/Sources/CImageCoder/include/imgcoder'")
    #expect(result.status == 0, "run `make stage`:\n\(result.output)")
  }

  @Test func swiftSeesTheLayoutThatCAsserts() {
    // layout.h asserts these numbers of C; the importer has to agree.
    #expect(MemoryLayout<imgcoder_info>.size == 192)
    #expect(MemoryLayout<imgcoder_info>.offset(of: \.format) == 72)
    #expect(MemoryLayout<imgcoder_info>.offset(of: \.embedded_length) == 96)
    #expect(MemoryLayout<imgcoder_host>.size == 104)
    #expect(MemoryLayout<imgcoder_limits>.size == 48)
    #expect(MemoryLayout<imgcoder_offer>.offset(of: \.memory) == 40)
    #expect(MemoryLayout<imgcoder_info>.offset(of: \.largest_side) == 128)
    #expect(MemoryLayout<imgcoder_info>.offset(of: \.access) == 188)
    #expect(MemoryLayout<imgcoder_open_options>.offset(of: \.value_count) == 16)
    #expect(MemoryLayout<imgcoder_request>.offset(of: \.part_height) == 44)
    #expect(MemoryLayout<imgcoder_offer>.offset(of: \.covered_height) == 56)
    #expect(MemoryLayout<imgcoder_offer>.offset(of: \.whole_height) == 76)
    #expect(MemoryLayout<imgcoder_coder>.offset(of: \.reader) == 72)
    #expect(MemoryLayout<imgcoder_entry>.offset(of: \.describe) == 24)
  }
}
