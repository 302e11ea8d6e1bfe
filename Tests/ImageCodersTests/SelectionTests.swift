// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Which coder reads a file, which is next, and how the choice is told.
@Suite struct SelectionTests {
  private func chosen(_ registry: CoderRegistry, _ options: DecodeOptions = DecodeOptions()) throws -> String? {
    try registry.decode(FakeCoder.file, options: options).coderID
  }

  @Test func theLastRegisteredOfEqualsWins() throws {
    #expect(try chosen(FakeCoder.registry([FakeCoder.make("org.a"), FakeCoder.make("org.b")])) == "org.b")
    #expect(try chosen(FakeCoder.registry([FakeCoder.make("org.b"), FakeCoder.make("org.a")])) == "org.a")
  }

  @Test func registeringAgainReplaces() throws {
    let registry = FakeCoder.registry([
      FakeCoder.make("org.a", .malformed), FakeCoder.make("org.b"), FakeCoder.make("org.a"),
    ])
    #expect(try chosen(registry) == "org.a")
    #expect(registry.coderIDs == ["org.a", "org.b"])
    registry.unregister("org.a")
    #expect(try chosen(registry) == "org.b")
  }

  @Test func aHigherPriorityComesFirst() throws {
    let coders = [FakeCoder.make("org.a"), FakeCoder.make("org.b")]
    let registry = FakeCoder.registry(coders, priorities: ["org.a": 101])
    #expect(try chosen(registry) == "org.a")
    registry.setPriority(102, of: "org.b")
    #expect(try chosen(registry) == "org.b")
  }

  @Test func priorityCountsMoreThanTheStrengthOfASignature() throws {
    let coders = [FakeCoder.make("org.long", letters: "fake fil"), FakeCoder.make("org.short", letters: "fa")]
    #expect(try chosen(FakeCoder.registry(coders, priorities: ["org.short": 101])) == "org.short")
  }

  @Test(arguments: [CoderError.Code.wrongFormat, .unsupported]) func theNextOneTriesAfter(_ code: CoderError.Code)
    throws
  {
    let registry = FakeCoder.registry([FakeCoder.make("org.next"), FakeCoder.make("org.first", code)])
    var steps: [SelectionStep] = []
    let decoder = try registry.open(FakeCoder.file) { steps.append($0) }
    #expect(decoder.coderID == "org.next")
    #expect(steps.map(\.code.rawValue) == ["identified", "identified", "failed", "fallback", "chosen"])
    #expect(steps[2].coder == "org.first")
    #expect(steps[2].message.contains(code.description))
  }

  @Test(arguments: [CoderError.Code.malformed, .truncated, .limitExceeded, .cancelled])
  func noOneTriesAfter(_ code: CoderError.Code) {
    let registry = FakeCoder.registry([FakeCoder.make("org.next"), FakeCoder.make("org.first", code)])
    let error = #expect(throws: CoderError.self) { try registry.decode(FakeCoder.file) }
    #expect(error?.code == code)
    #expect(error?.coder == "org.first")
  }

  @Test func whoKnowsTheFileHasTheLastWord() {
    let wrong = FakeCoder.make("org.wrong", .wrongFormat)
    let lacking = FakeCoder.make("org.lacking", .unsupported)
    for coders in [[wrong, lacking], [lacking, wrong]] {
      let error = #expect(throws: CoderError.self) { try FakeCoder.registry(coders).decode(FakeCoder.file) }
      #expect(error?.code == .unsupported)
      #expect(error?.coder == "org.lacking")
    }
  }

  @Test func aPluginThatCannotBeLoadedLeavesTheFileToTheNext() throws {
    let folder = PluginFolder.make([:])
    var preferences = CoderPreferences()
    preferences.priorities = ["org.example.fake": 500]
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: preferences)
    registry.register(FakeCoder.make("org.own"))
    var steps: [SelectionStep] = []
    #expect(try registry.open(FakeCoder.file) { steps.append($0) }.coderID == "org.own")
    #expect(
      steps.contains { $0.coder == "org.example.fake" && $0.code == .failed && $0.message.contains("load_failed") })
  }

  @Test func onlyAllowedFormatsAreRead() throws {
    let registry = FakeCoder.registry([
      FakeCoder.make("org.a", format: "org.example.a"), FakeCoder.make("org.b", format: "org.example.b"),
    ])
    var options = DecodeOptions()
    // The second is what the fake reader says of every file; a format that no coder here has.
    options.allowedFormats = [ImageFormat(rawValue: "org.example.a"), ImageFormat(rawValue: "org.example.fake")]
    #expect(try chosen(registry, options) == "org.a")
    options.allowedFormats = [ImageFormat(rawValue: "org.example.a")]
    let other = #expect(throws: CoderError.self) { try registry.decode(FakeCoder.file, options: options) }
    #expect(other?.code == .unsupported, "a coder of an allowed format that finds another one in the file")
    options.allowedFormats = []
    let error = #expect(throws: CoderError.self) { try registry.decode(FakeCoder.file, options: options) }
    #expect(error?.code == .unsupported)
    #expect(error?.message == "the file is recognized as org.example.a, which the caller does not allow")
    var steps: [SelectionStep] = []
    _ = try? registry.open(FakeCoder.file, options: options) { steps.append($0) }
    #expect(steps.map(\.code.rawValue) == ["not_allowed", "not_allowed"])
  }

  @Test func aCoderCanBeNamed() throws {
    let registry = FakeCoder.registry([FakeCoder.make("org.a"), FakeCoder.make("org.b")])
    #expect(try registry.decode(FakeCoder.file, coder: "org.a").coderID == "org.a")
    let error = #expect(throws: CoderError.self) { try registry.decode(FakeCoder.file, coder: "org.c") }
    #expect(error?.code == .noCoder)
    #expect(error?.message.contains("org.c") == true)
  }

  @Test func whatNobodyKnowsShowsItsFirstBytes() {
    let registry = FakeCoder.registry([FakeCoder.make("org.a")])
    let unknown = #expect(throws: CoderError.self) { try registry.decode(.bytes([0, 1, 0xFE])) }
    #expect(unknown?.code == .noCoder)
    #expect(unknown?.message.contains("0001fe") == true)
    #expect(throws: CoderError.wrongFormat("the file is empty")) { try registry.decode(.bytes([])) }
  }

  @Test func whatIsTooShortToTellSaysHowMuchWouldDo() {
    let folder = PluginFolder.make()
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    var steps: [SelectionStep] = []
    let error = #expect(throws: CoderError.self) {
      try registry.open(.bytes(Array("fak".utf8))) { steps.append($0) }
    }
    #expect(error?.code == .truncated)
    #expect(error?.message.contains("4 bytes") == true, "\(error as Any)")
    #expect(steps.map(\.code.rawValue) == ["need_more"])
    #expect(throws: CoderError.self) { try registry.open(.bytes(Array("fax".utf8))) }
  }

  @Test func theOrderIsTheSameHoweverFilesLie() {
    let ids = ["org.e", "org.b", "org.d", "org.a", "org.c"]
    var expected: [String]?
    var random = SplitMix(seed: 1)
    for _ in 0..<100 {
      let folder = TemporaryFolder()
      folder.write("", to: "libfake.so")
      for (index, id) in ids.shuffled(using: &random).enumerated() {
        let priority = id == "org.d" ? "200" : "100"
        folder.write(PluginFolder.manifest(["id": "\"\(id)\"", "priority": priority]), to: "\(index).imgcoder.json")
      }
      let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
      #expect(registry.coderIDs == expected ?? registry.coderIDs)
      expected = registry.coderIDs
      var steps: [SelectionStep] = []
      _ = try? registry.open(FakeCoder.file) { steps.append($0) }
      #expect(steps.filter { $0.code == .failed }.compactMap(\.coder) == expected)
    }
    #expect(expected == ["org.d", "org.a", "org.b", "org.c", "org.e"])
  }
}
