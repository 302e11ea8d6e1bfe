// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What a program hears that has no coders, or not the one that it needs.
@Suite struct NoCodersTests {
  private func error(_ folders: [String], reading bytes: [UInt8] = [0xFF, 0xD8]) -> CoderError? {
    let registry = CoderRegistry(searchPath: .only(folders), preferences: CoderPreferences())
    return #expect(throws: CoderError.self) { try registry.decode(.bytes(bytes)) }
  }

  @Test func saysWhereWasSearchedAndWhatToDo() {
    let (first, second) = (TemporaryFolder(), TemporaryFolder())
    let found = error([first.path, second.path])
    #expect(found?.code == .noCoder)
    #expect(
      found?.message == """
        no coders were found: this program builds none in (product ImageCodersBuiltIn, a trait for each format), and no \
        plugin is in \(first.path), \(second.path); build them in, install the plugins, or name their directory in \
        CODERS_PLUGIN_PATH
        """)
    #expect(error([])?.message.contains("and no directory is searched;") == true)
    #expect(
      error(["\(first.path)/none"])?.message.contains("no plugin is in \(first.path)/none (no such file or directory);")
        == true)
  }

  @Test func saysTheSameWhenItWrites() throws {
    let registry = CoderRegistry(searchPath: .only([]), preferences: CoderPreferences())
    let pixels = try PixelBuffer(size: Size(width: 1, height: 1), format: .gray8, alpha: .opaque)
    let encoder = #expect(throws: CoderError.self) { try registry.makeEncoder(as: .png).add(pixels) }
    #expect(encoder?.message.hasPrefix("no coders were found:") == true)
    let unknown = #expect(throws: CoderError.self) { try registry.coder("org.example.none") }
    #expect(unknown?.message.hasPrefix("no coders were found:") == true)
  }

  @Test func namesWhatKeepsAllPluginsFromUse() {
    let folder = PluginFolder.make(["platform": #""plan9-mips""#])
    #expect(
      error([folder.path])?.message.hasPrefix(
        "the only coder that was found cannot be used: \(folder.path)/fake.imgcoder.json: platform_mismatch: ")
        == true)
  }

  @Test func namesWhatKeepsSomePluginsFromUse() {
    let (used, unused) = (PluginFolder.make(), PluginFolder.make(["id": #""org.example.b""#, "abi": #"{"major": 9}"#]))
    #expect(
      error([used.path, unused.path])?.message.hasPrefix(
        "no coder of 1 recognizes a file that begins with ffd8; one more cannot be used: \(unused.path)/") == true)
    // Another one of the same identifier is used.
    let replaced = PluginFolder.make(["platform": #""plan9-mips""#])
    #expect(
      error([replaced.path, used.path])?.message == "no coder of 1 recognizes a file that begins with ffd8")
    // A coder that the user turned off is not missed.
    var preferences = CoderPreferences()
    preferences.disabled = ["org.example.b"]
    let other = PluginFolder.make(["id": #""org.example.b""#])
    let registry = CoderRegistry(searchPath: .only([used.path, other.path]), preferences: preferences)
    let found = #expect(throws: CoderError.self) { try registry.decode(.bytes([0xFF, 0xD8])) }
    #expect(found?.message == "no coder of 1 recognizes a file that begins with ffd8")
  }
}
