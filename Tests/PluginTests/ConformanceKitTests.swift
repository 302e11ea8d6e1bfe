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

  /// The QOI plugin in C with a line of its source changed by a command of sed.
  private static func plugin(changedBy command: String) -> TemporaryFolder {
    let folder = TemporaryFolder()
    let source = "\(StagedTree.root)/Tests/QOIPlugin"
    let result = Command.run(
      """
      cd '\(folder.path)' && cp '\(source)'/* . && sed '\(command)' qoi.c >changed.c && ! cmp -s qoi.c changed.c &&
      cc -std=c99 -shared -fPIC -O2 -fvisibility=hidden -I'\(StagedTree.headers)' -I. -o libqoi.so changed.c
      """)
    #expect(result.status == 0, "\(result.output)")
    return folder
  }

  private static func failures(
    of folder: TemporaryFolder, optionsWithoutEffect: [String: String] = [:]
  ) -> [String: String] {
    let conformance = CoderConformance(
      pluginDirectory: folder.path, id: "org.example.qoi", fixtures: StagedTree.fixtures("qoi"),
      optionsWithoutEffect: optionsWithoutEffect)
    var failures: [String: String] = [:]
    for check in conformance.checks where [.options, .roundTrip, .loading].contains(check.family) {
      do throws(ConformanceFailure) { try check.run() } catch { failures[check.name] = "\(error)" }
    }
    return failures
  }

  @Test func anOptionWithoutEffectFailsUnlessItIsDeclared() throws {
    let folder = Self.plugin(changedBy: "s/is_linear = options.*/is_linear = 0;/")
    let found = Self.failures(of: folder)
    #expect(Array(found.keys) == ["options: colorspace changes a file"])
    #expect(found.values.first?.contains("expected two that give different files from one picture") == true)
    #expect(Self.failures(of: folder, optionsWithoutEffect: ["colorspace": "the header is not written"]).isEmpty)
  }

  @Test func aDeclarationNeedsANameAndAReason() {
    let found = Self.failures(of: ForeignPlugin.qoi, optionsWithoutEffect: ["no-such": "a reason", "colorspace": ""])
    #expect(
      Set(found.keys) == [
        "options: no-such, declared without effect", "options: colorspace, declared without effect",
      ])
  }

  @Test func filesThatDifferByThemselvesShowNoEffect() {
    let folder = Self.plugin(changedBy: "s/header.13. = .*/static uint8_t count; header[13] = count++;/")
    #expect(Self.failures(of: folder)["options: colorspace changes a file"] != nil)
  }

  @Test func aWriterThatClaimsLosslessMayNotRefuseEightBits() {
    let folder = Self.plugin(changedBy: "s/if (is_deep .. writer->is_lossless)/if (writer->is_lossless)/")
    let found = Self.failures(of: folder)
    for layout in ["gray8", "gray-alpha8", "rgb8", "rgba8", "bgra8"] {
      #expect(found["round trip: QOI of \(layout), lossless"]?.contains("the manifest claims lossless") == true)
    }
    #expect(found["round trip: QOI of rgba16, lossless"] == nil)
  }

  @Test func aWriterThatTakesALayoutMayNotRefuseItLater() {
    let change =
      "s/if (is_deep .. writer->is_lossless)/if (0)/; "
      + "s/.accepted = IMGCODER_PIXEL_RGBA8;/*accepted = is_deep ? IMGCODER_PIXEL_RGBA16 : IMGCODER_PIXEL_RGBA8;/; "
      + "s/  if (writer->frames++ > 0)/  if (pixels->pixel_format == IMGCODER_PIXEL_RGBA16 || writer->frames++ > 0)/"
    let found = Self.failures(of: Self.plugin(changedBy: change))
    #expect(found["round trip: QOI of rgba16, lossless"]?.contains("the writer takes the layout") == true)
    #expect(found["round trip: QOI of rgba8, lossless"] == nil)
  }
}
