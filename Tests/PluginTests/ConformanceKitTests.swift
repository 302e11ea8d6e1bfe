// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

/// The kit itself: it finds what is wrong and says where.
@Suite struct ConformanceKitTests {
  @Test func aPluginThatIsNotThereFailsOneCheckThatSaysSo() throws {
    for (folder, fixtures) in [
      ("/nonexistent", StagedTree.fixtures("qoi")), (StagedTree.plugins, "/nonexistent"),
      (ForeignPlugin.qoi.path, StagedTree.fixtures("qoi")),
    ] {
      let conformance = CoderConformance(pluginDirectory: folder, id: "org.imagecoders.png", fixtures: fixtures)
      #expect(conformance.checks.map(\.family) == [.loading])
      let failure = #expect(throws: ConformanceFailure.self) { try conformance.checks[0].run() }
      #expect(failure?.subject == "org.imagecoders.png")
    }
  }

  @Test func aCoderOfAnotherFormatFailsByFamilyAndFixture() throws {
    // QOI's coder is held against GIF's fixtures, so every picture has to fail, and QOI's own to be told apart.
    let conformance = CoderConformance(
      pluginDirectory: ForeignPlugin.qoi.path, id: "org.example.qoi", fixtures: StagedTree.fixtures("gif"))
    for family in [ConformanceCheck.Family.signature, .pixels, .truncation, .chunkedInput, .limits, .cancellation] {
      let check = try #require(conformance.checks.first { $0.family == family && $0.subject == "loop-3.gif" })
      let failure = #expect(throws: ConformanceFailure.self) { try check.run() }
      #expect(failure?.description.hasPrefix("\(family.rawValue): loop-3.gif: ") == true)
      #expect(failure?.description.contains("expected") == true && failure?.description.contains("found") == true)
    }
    let own = try #require(conformance.checks.first { $0.subject == "refuses rgb8.qoi" })
    #expect(throws: ConformanceFailure.self) { try own.run() }
  }

  @Test func everyFamilyChecksSomething() {
    let conformance = CoderConformance(
      pluginDirectory: StagedTree.plugins, id: "org.imagecoders.gif", fixtures: StagedTree.fixtures("gif"))
    let families = Set(conformance.checks.map(\.family))
    #expect(families == Set(ConformanceCheck.Family.allCases).subtracting([.loading]))
    #expect(Set(conformance.checks.map(\.name)).count == conformance.checks.count)
  }
}
