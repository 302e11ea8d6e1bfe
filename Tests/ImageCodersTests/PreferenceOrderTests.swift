// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// The order of coders of one format: bundled ones, plugins of others, and those that the user or the program prefers.
@Suite struct PreferenceOrderTests {
  private static let format = ImageFormat(rawValue: "org.example.fake")

  /// Manifests of readers and writers with these keys, whose libraries are none.
  private func folder(_ manifests: [[String: String]]) -> TemporaryFolder {
    let folder = TemporaryFolder()
    folder.write("", to: "libfake.so")
    for (index, keys) in manifests.enumerated() {
      var keys = keys
      keys["capabilities"] = #"["read", "write"]"#
      folder.write(PluginFolder.manifest(keys), to: "\(index).imgcoder.json")
    }
    return folder
  }

  private func registry(_ folder: TemporaryFolder, _ preferences: CoderPreferences = CoderPreferences())
    -> CoderRegistry
  {
    CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: preferences)
  }

  /// The order in which coders are tried for a file: none of them can be loaded.
  private func order(_ registry: CoderRegistry, _ source: ByteSource = FakeCoder.file) -> [String] {
    var steps: [SelectionStep] = []
    _ = try? registry.open(source) { steps.append($0) }
    return steps.filter { $0.code == .failed }.compactMap(\.coder)
  }

  private static let longer = #"[{"uti": "org.example.fake", "match": [{"bytes": "66616b6520"}]}]"#
  private static let other = #"[{"uti": "org.example.other", "match": [{"bytes": "66616b6520"}]}]"#

  @Test func aBundledCoderOfTheFormatComesFirstAtEqualPriority() {
    let folder = folder([
      ["id": #""com.example.fake""#, "formats": Self.longer], ["id": #""org.imagecoders.fake""#],
      ["id": #""org.example.high""#, "priority": "101"],
    ])
    let registry = registry(folder)
    let expected = ["org.imagecoders.fake", "org.example.high", "com.example.fake"]
    #expect(order(registry) == expected)
    #expect(registry.coderIDs == expected)
    #expect(registry.catalog.entries.map(\.id) == expected)
    #expect(registry.writers.map(\.id) == expected)
    registry.register(FakeCoder.make("org.own", .wrongFormat))
    #expect(order(registry) == ["org.own"] + expected)
  }

  /// A manifest's own priority counts among strangers; the user's and the program's put one first.
  @Test func onlySettingsPutAStrangerBeforeABundledCoder() {
    let folder = folder([
      ["id": #""org.example.high""#, "priority": "300"], ["id": #""org.imagecoders.fake""#],
      ["id": #""org.example.special""#, "formats": Self.other, "priority": "200"],
    ])
    // The signature of the special format says more of the file than the two others; its priority says nothing.
    let expected = ["org.example.special", "org.imagecoders.fake", "org.example.high"]
    #expect(order(registry(folder)) == expected)
    #expect(PluginFolder.catalog([folder.path]).outrankings == [])
    var steps: [SelectionStep] = []
    _ = try? registry(folder).open(FakeCoder.file) { steps.append($0) }
    #expect(
      steps.first { $0.code == .identified && $0.coder == "org.example.high" }?.message
        == "by 32 bits of its signature, priority 100, and 300 among plugins that are not bundled")
    var preferences = CoderPreferences()
    preferences.priorities = ["org.example.high": 101]
    #expect(order(registry(folder, preferences)).first == "org.example.high")
    #expect(registry(folder, preferences).catalog.entries.first?.id == "org.example.high")
    let ofProgram = registry(folder)
    ofProgram.setPriority(101, of: "org.example.high")
    #expect(order(ofProgram).first == "org.example.high")
  }

  @Test func aStrangersPriorityCountsAmongStrangers() {
    let folder = folder([
      ["id": #""org.a""#], ["id": #""org.b""#, "priority": "101"], ["id": #""org.c""#, "formats": Self.other],
    ])
    #expect(order(registry(folder)) == ["org.b", "org.c", "org.a"])
    #expect(registry(folder).writers.map(\.id) == ["org.b", "org.a", "org.c"])
  }

  /// A plugin for a more special format than that of a bundled coder works without a priority.
  @Test func aLongerSignatureOfAnotherFormatComesFirst() {
    let folder = folder([
      ["id": #""com.example.other""#, "formats": Self.other], ["id": #""org.imagecoders.fake""#],
    ])
    #expect(order(registry(folder)) == ["com.example.other", "org.imagecoders.fake"])
  }

  @Test func preferredCodersComeFirstWhateverTheirPriorities() {
    let folder = folder([
      ["id": #""org.a""#], ["id": #""org.b""#, "priority": "1"], ["id": #""org.c""#, "priority": "500"],
      ["id": #""org.d""#, "priority": "2"],
    ])
    var preferences = CoderPreferences()
    preferences.preferred = ["org.example.fake": .init(read: ["org.d", "org.none", "org.b"], write: ["org.b"])]
    let registry = registry(folder, preferences)
    #expect(order(registry) == ["org.d", "org.b", "org.c", "org.a"])
    #expect(registry.writer(of: Self.format)?.id == "org.b")
    #expect(registry.writers.map(\.id) == ["org.c", "org.a", "org.d", "org.b"])
    registry.prefer(["org.a"], toRead: Self.format)
    registry.prefer([], toWrite: Self.format)
    #expect(order(registry) == ["org.a", "org.c", "org.d", "org.b"])
    #expect(registry.writer(of: Self.format)?.id == "org.c")
  }

  @Test func aPreferenceIsOfTheFormatThatIsRecognized() {
    let both = """
      [{"uti": "org.example.fake", "match": [{"bytes": "66616b65"}]},
       {"uti": "org.example.gray", "extensions": ["gray"], "match": [{"bytes": "67726179"}]}]
      """
    let folder = folder([
      ["id": #""org.a""#, "formats": both, "priority": "200"], ["id": #""org.b""#, "formats": both],
    ])
    var preferences = CoderPreferences()
    preferences.preferred = ["gray": .init(read: ["org.b"])]
    let registry = registry(folder, preferences)
    #expect(order(registry) == ["org.a", "org.b"])
    #expect(order(registry, .bytes(Array("gray file".utf8))) == ["org.b", "org.a"])
    var steps: [SelectionStep] = []
    _ = try? registry.open(.bytes(Array("gray file".utf8))) { steps.append($0) }
    #expect(
      steps.filter { $0.code == .identified }.map(\.message) == [
        "by 32 bits of its signature, priority 100, and 200 among plugins that are not bundled",
        "by 32 bits of its signature, priority 100, preferred for org.example.gray",
      ])
  }

  @Test func namesWhatComesBeforeBundledCoders() {
    let folder = folder([
      ["id": #""org.a""#, "priority": "101"], ["id": #""org.b""#], ["id": #""org.c""#, "formats": Self.other],
      ["id": #""org.imagecoders.fake""#],
    ])
    var preferences = CoderPreferences()
    preferences.preferred = ["org.example.fake": .init(read: ["org.b"], write: ["org.imagecoders.fake"])]
    let catalog = PluginFolder.catalog([folder.path], preferences: preferences)
    #expect(
      catalog.outrankings.map { "\($0.coder) \($0.bundled) \($0.format) \($0.isRead) \($0.isWritten) \($0.isSet)" } == [
        "org.b org.imagecoders.fake org.example.fake true false true"
      ])
    preferences = CoderPreferences()
    preferences.priorities = ["org.a": 102]
    let outrankings = PluginFolder.catalog([folder.path], preferences: preferences).outrankings
    #expect(outrankings.map { "\($0.coder) \($0.isRead) \($0.isWritten) \($0.isSet)" } == ["org.a true true true"])
    #expect(PluginFolder.catalog([folder.path]).outrankings == [])
  }
}
