// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

/// What plugin directories may hold, and what of it is not opened.
@Suite struct DiscoveryTests {
  private func run(_ command: String) throws {
    let result = Command.run(command)
    try #require(result.status == 0, "\(result.output)")
  }

  private func reasons(_ folders: TemporaryFolder...) -> [SkipReason?] {
    PluginFolder.catalog(folders.map(\.path)).entries.map(\.reason)
  }

  // MARK: Files of other kinds

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      ("mkfifo a.imgcoder.json", "a FIFO"), ("mkdir a.imgcoder.json", "a directory"),
      ("ln -s /dev/zero a.imgcoder.json", "a device"), ("mkfifo x && ln -s x a.imgcoder.json", "a FIFO"),
    ])
  func aManifestIsARegularFile(_ command: String, _ kind: String) throws {
    let folder = TemporaryFolder()
    try run("cd '\(folder.path)' && \(command)")
    let message = "\(folder.path)/a.imgcoder.json is \(kind); a regular file is needed"
    #expect(reasons(folder) == [SkipReason(.manifestUnreadable, message)])
  }

  @Test(.timeLimit(.minutes(1)), arguments: [("mkfifo", "a FIFO"), ("mkdir", "a directory")])
  func aLibraryIsARegularFile(_ command: String, _ kind: String) throws {
    let folder = PluginFolder.make()
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    try run("cd '\(folder.path)' && rm libfake.so && \(command) libfake.so")
    let message = "\(folder.path)/libfake.so is \(kind); a regular file is needed"
    #expect(reasons(folder) == [SkipReason(.libraryMissing, message)])
    // What was a library when it was listed may be none when it is loaded.
    let error = #expect(throws: CoderError.self) { try registry.coder("org.example.fake") }
    #expect(error?.message == "library_missing: \(message)")
  }

  @Test(.timeLimit(.minutes(1))) func settingsAreARegularFile() throws {
    let home = TemporaryFolder()
    try run("mkdir '\(home.path)/coders' && mkfifo '\(home.path)/coders/settings.json'")
    let preferences = CoderPreferences(environment: { $0 == "XDG_CONFIG_HOME" ? home.path : nil })
    #expect(preferences.problems == ["\(home.path)/coders/settings.json is a FIFO; a regular file is needed"])
  }

  @Test func aManifestThatLinksToItselfCannotBeRead() throws {
    let folder = TemporaryFolder()
    try run("cd '\(folder.path)' && ln -s b.imgcoder.json a.imgcoder.json && ln -s a.imgcoder.json b.imgcoder.json")
    #expect(
      reasons(folder)
        == ["a", "b"].map { name in
          SkipReason(
            .manifestUnreadable, "\(folder.path)/\(name).imgcoder.json: too many levels of symbolic links")
        })
  }

  @Test func aNameThatIsNotUTF8IsListed() throws {
    let folder = PluginFolder.make()
    try run("cd '\(folder.path)' && cp fake.imgcoder.json \"$(printf 'caf\\351.imgcoder.json')\"")
    let entries = PluginFolder.catalog([folder.path]).entries
    #expect(
      entries.map(\.reason) == [nil, SkipReason(.manifestUnreadable, "the file's name is not UTF-8")])
    #expect(entries.last?.path == "\(folder.path)/caf\u{FFFD}.imgcoder.json")
  }

  // MARK: Who could change a library

  @Test(arguments: ["0777", "1777"]) func aFolderThatAllCanWriteToHoldsNoLibrary(_ mode: String) throws {
    let folder = PluginFolder.make(["library": #""inner/libfake.so""#])
    try run("cd '\(folder.path)' && mkdir inner && mv libfake.so inner")
    #expect(reasons(folder) == [nil])
    try run("chmod \(mode) '\(folder.path)/inner'")
    #expect(reasons(folder) == [SkipReason(.permission, "\(folder.path)/inner can be written by everybody")])
  }

  @Test(arguments: ["0777", "1777"]) func aLinkLeadsToASafeFolder(_ mode: String) throws {
    let (folder, other) = (PluginFolder.make(), TemporaryFolder())
    other.write("", to: "lib.so")
    try run("cd '\(folder.path)' && rm libfake.so && ln -s '\(other.path)/lib.so' libfake.so")
    #expect(reasons(folder) == [nil])
    try run("chmod \(mode) '\(other.path)'")
    let message = "\(other.path) can be written by everybody, so \(other.path)/lib.so could be replaced"
    #expect(reasons(folder) == [SkipReason(.permission, message)])
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    #expect(throws: CoderError.self) { try registry.coder("org.example.fake") }
  }

  @Test func everyLinkOnTheWayCounts() throws {
    let (folder, between, other) = (PluginFolder.make(), TemporaryFolder(), TemporaryFolder())
    other.write("", to: "lib.so")
    try run(
      """
      ln -s '\(other.path)/lib.so' '\(between.path)/link.so' && chmod 777 '\(between.path)'
      cd '\(folder.path)' && rm libfake.so && ln -s '\(between.path)/link.so' libfake.so
      """)
    let message = "\(between.path) can be written by everybody, so \(between.path)/link.so could be replaced"
    #expect(reasons(folder) == [SkipReason(.permission, message)])
  }

  /// A sticky folder such as `/tmp`, in which these folders are, keeps what belongs to its owner.
  @Test func aFolderAboveIsSafeOrSticky() throws {
    let folder = TemporaryFolder()
    folder.write("", to: "a/b/libfake.so")
    folder.write(PluginFolder.manifest(), to: "a/b/fake.imgcoder.json")
    let inner = "\(folder.path)/a/b"
    try run("chmod 1777 '\(folder.path)'")
    #expect(PluginFolder.catalog([inner]).entries.map(\.reason) == [nil])
    try run("chmod 0777 '\(folder.path)'")
    let message = "\(folder.path) can be written by everybody, so \(folder.path)/a could be replaced"
    #expect(PluginFolder.catalog([inner]).unreadable.map(\.reason) == [SkipReason(.permission, message)])
  }

  // MARK: Several plugins of an identifier

  @Test(arguments: [
    (["library": #""nowhere.so""#], SkipReason.Code.libraryMissing), (["abi": #"{"major": 7}"#], .abiUnsupported),
    (["platform": #""plan9-mips""#], .platformMismatch), (["runtime": #""swift/1.0""#], .runtimeMismatch),
  ])
  func onlyAUsablePluginShadows(_ changes: [String: String], _ code: SkipReason.Code) {
    let (first, second) = (PluginFolder.make(changes), PluginFolder.make())
    let entries = PluginFolder.catalog([first.path, second.path]).entries
    #expect(entries.map(\.reason?.code) == [nil, code])
    #expect(entries[0].path.hasPrefix(second.path))
    #expect(PluginFolder.catalog([second.path, first.path]).entries.map(\.reason?.code) == [nil, code])
  }

  @Test func aPluginThatOthersCanChangeDoesNotShadow() {
    let (first, second) = (PluginFolder.make(), PluginFolder.make())
    chmod("\(first.path)/libfake.so", 0o666)
    #expect(reasons(first, second).map { $0?.code } == [nil, .permission])
    first.write("junk", to: "fake.imgcoder.json")
    #expect(reasons(first, second).map { $0?.code } == [nil, .manifestInvalid])
  }

  /// A folder with the staged QOI plugin.
  private func qoiFolder() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try run("cp '\(StagedTree.plugins)/libQOICoder.so' '\(StagedTree.plugins)/qoi.imgcoder.json' '\(folder.path)'")
    return folder
  }

  @Test func aLibraryThatDoesNotLoadLeavesItsPlaceToTheNext() throws {
    let (first, second) = (try qoiFolder(), try qoiFolder())
    first.write("no library", to: "libQOICoder.so")
    let searchPath = PluginFolder.searchPath([first.path, second.path])
    let registry = CoderRegistry(searchPath: searchPath, preferences: CoderPreferences())
    #expect(registry.catalog.entries.map(\.reason?.code) == [nil, .shadowed])
    #expect(registry.coderIDs == ["org.imagecoders.qoi"])
    // QOI's header, one pixel of the color that it begins with, and its end.
    let file: [UInt8] = Array("qoif".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 1]
    var steps: [SelectionStep] = []
    let decoder = try registry.open(.bytes(file)) { steps.append($0) }
    #expect(decoder.coderID == "org.imagecoders.qoi")
    #expect(steps.map(\.code) == [.identified, .failed, .chosen])
    let message = steps[1].message
    #expect(
      message.hasPrefix("\(first.path)/qoi.imgcoder.json: load_failed: \(first.path)/libQOICoder.so: "), "\(message)")
    #expect(message.hasSuffix("; \(second.path)/qoi.imgcoder.json is used in its place"), "\(message)")
  }

  @Test func whenNoneLoadsTheFirstSaysWhy() throws {
    let (first, second) = (try qoiFolder(), try qoiFolder())
    for folder in [first, second] { folder.write("no library", to: "libQOICoder.so") }
    let registry = CoderRegistry(
      searchPath: PluginFolder.searchPath([first.path, second.path]), preferences: CoderPreferences())
    let error = #expect(throws: CoderError.self) { try registry.coder("org.imagecoders.qoi") }
    #expect(error?.message.hasPrefix("load_failed: \(first.path)/libQOICoder.so: ") == true, "\(error as Any)")
  }
}
