// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

/// What is found on a search path, what is used of it, and why the rest is not.
@Suite struct CatalogTests {
  @Test func theFirstFolderWins() {
    let (first, second) = (PluginFolder.make(), PluginFolder.make(["version": #""2.0.0""#]))
    let entries = PluginFolder.catalog([first.path, second.path]).entries
    #expect(entries.map(\.reason?.code) == [nil, .shadowed])
    #expect(entries[0].path.hasPrefix(first.path))
    #expect(entries[1].reason?.message.contains(first.path) == true)
    let other = PluginFolder.catalog([second.path, first.path]).entries
    #expect(other[0].manifest?.version == "2.0.0")
  }

  @Test func withinAFolderNamesDecide() {
    let folder = PluginFolder.make(name: "b")
    folder.write(PluginFolder.manifest("version", #""0.1""#), to: "a.imgcoder.json")
    folder.write("not json", to: "readme.json")
    folder.write("not json", to: ".imgcoder.json")
    let entries = PluginFolder.catalog([folder.path]).entries
    #expect(entries.count == 2)
    #expect(entries[0].manifest?.version == "0.1")
    #expect(entries[1].reason?.code == .shadowed)
  }

  @Test func prioritiesComeBeforeIdentifiers() {
    let folder = TemporaryFolder()
    folder.write("", to: "libfake.so")
    for (id, priority) in [("org.b", 100), ("org.a", 100), ("org.c", 200), ("org.d", 50)] {
      folder.write(
        PluginFolder.manifest(["id": "\"\(id)\"", "priority": "\(priority)"]), to: "\(id).imgcoder.json")
    }
    #expect(PluginFolder.catalog([folder.path]).entries.map(\.id) == ["org.c", "org.a", "org.b", "org.d"])
    let preferences = CoderPreferences(environment: { $0 == "CODERS_PRIORITY" ? "org.d:300,org.c:off,nonsense" : nil })
    let entries = PluginFolder.catalog([folder.path], preferences: preferences).entries
    #expect(entries.map(\.id) == ["org.d", "org.a", "org.b", "org.c"])
    #expect(entries.map(\.priority) == [300, 100, 100, 200])
    #expect(entries[3].reason?.code == .disabled)
    #expect(preferences.problems.count == 1)
  }

  @Test func settingsAreReadAndTheVariableWins() {
    let home = TemporaryFolder()
    home.write(
      #"{"priorities": {"org.a": 5, "org.b": 6}, "disabled": ["org.c", "org.b"]}"#, to: "coders/settings.json")
    let environment = ["XDG_CONFIG_HOME": home.path, "CODERS_PRIORITY": "org.b:9"]
    let preferences = CoderPreferences(environment: { environment[$0] })
    #expect(preferences.priorities == ["org.a": 5, "org.b": 9])
    #expect(preferences.disabled == ["org.c"])
    #expect(preferences.problems.isEmpty)
    home.write("nonsense", to: "coders/settings.json")
    #expect(CoderPreferences(environment: { $0 == "XDG_CONFIG_HOME" ? home.path : nil }).problems.count == 1)
    #expect(CoderPreferences(environment: { $0 == "HOME" ? "/nonexistent" : nil }) == CoderPreferences())
  }

  @Test(arguments: [
    ("abi", #"{"major": 2}"#, SkipReason.Code.abiUnsupported, "2"), ("abi", #"{"major": 0}"#, .abiUnsupported, "0"),
    ("abi", #"{"major": 1, "min_minor": 99}"#, .abiUnsupported, "99"),
    ("platform", #""plan9-mips""#, .platformMismatch, "plan9-mips"),
    ("runtime", #""swift/1.0""#, .runtimeMismatch, "swift/1.0"),
    ("library", #""libmissing.so""#, .libraryMissing, "libmissing"),
  ])
  func whatDoesNotFitSaysWhy(_ key: String, _ value: String, _ code: SkipReason.Code, _ says: String) {
    let folder = PluginFolder.make([key: value])
    let entries = PluginFolder.catalog([folder.path]).entries
    #expect(entries.map(\.reason?.code) == [code])
    #expect(entries.first?.reason?.message.contains(says) == true)
    // A manifest that could be read is shown even so.
    #expect(entries.first?.manifest?.id == "org.example.fake")
  }

  @Test(arguments: [(#"{"major": 2}"#, true), (#"{"major": 1, "min_minor": 7}"#, true), (#"{"major": 0}"#, false)])
  func tellsANewerPluginFromAnOlderOne(_ abi: String, _ isNewer: Bool) {
    let folder = PluginFolder.make(["abi": abi])
    #expect(PluginFolder.catalog([folder.path]).entries.map(\.reason?.needsNewerHost) == [isNewer])
  }

  @Test func aRuntimeThatIsNotSwiftIsNobodysConcern() {
    let folder = PluginFolder.make(["runtime": #""rust/1.0""#])
    #expect(PluginFolder.catalog([folder.path]).entries.map(\.reason) == [nil])
  }

  @Test func whatOthersCouldWriteIsNotUsed() throws {
    let folder = PluginFolder.make()
    chmod("\(folder.path)/libfake.so", 0o666)
    var entries = PluginFolder.catalog([folder.path]).entries
    #expect(entries.map(\.reason?.code) == [.permission])
    #expect(entries.first?.reason?.message.contains("libfake.so") == true)

    chmod("\(folder.path)/libfake.so", 0o644)
    chmod("\(folder.path)/fake.imgcoder.json", 0o646)
    entries = PluginFolder.catalog([folder.path]).entries
    #expect(entries.map(\.reason?.code) == [.permission])
    #expect(entries.first?.manifest == nil)

    chmod("\(folder.path)/fake.imgcoder.json", 0o644)
    chmod(folder.path, 0o777)
    let catalog = PluginFolder.catalog([folder.path])
    #expect(catalog.entries.isEmpty)
    #expect(catalog.unreadable.first { $0.path == folder.path }?.reason.code == .permission)
    chmod(folder.path, 0o755)
    #expect(PluginFolder.catalog([folder.path]).entries.map(\.reason) == [nil])
  }

  @Test(.enabled(if: geteuid() == 0, "changing a file's owner needs root"))
  func whatBelongsToAnotherUserIsNotUsed() {
    let folder = PluginFolder.make()
    chown("\(folder.path)/libfake.so", 12_345, 0)
    #expect(PluginFolder.catalog([folder.path]).entries.map(\.reason?.code) == [.permission])
  }

  @Test func aNamedFolderThatIsMissingIsReported() {
    let catalog = PluginFolder.catalog(["/nonexistent/coders"])
    #expect(catalog.unreadable.contains { $0.path == "/nonexistent/coders" })
    #expect(catalog.entries.isEmpty)
  }

  @Test func aLibraryThatIsNoneIsRefusedWhenItIsNeeded() {
    let folder = PluginFolder.make()
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    let error = #expect(throws: CoderError.self) { try registry.decode(.bytes(Array("fake".utf8))) }
    #expect(error?.code == .pluginRejected)
    #expect(error?.message.hasPrefix("load_failed: ") == true)
  }

  @Test func thePermissionIsAskedAgainWhenTheLibraryIsLoaded() {
    let folder = PluginFolder.make()
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    chmod("\(folder.path)/libfake.so", 0o666)
    let error = #expect(throws: CoderError.self) { try registry.coder("org.example.fake") }
    #expect(error?.message.hasPrefix("permission: ") == true)
  }
}
