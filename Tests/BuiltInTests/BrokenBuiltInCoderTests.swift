// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import ImageCoders
import ImageCodersBuiltIn
import QOICoder
import TestSupport
import Testing

/// What is wrong with a coder that is built in has the same names as with a plugin.
@Suite struct BrokenBuiltInCoderTests {
  private func manifest(_ id: String) -> [UInt8] {
    Array(
      """
      {"id": "\(id)", "name": "Fake", "version": "1.0.0", "abi": {"major": 1}, "library": "libfake.so", \
      "formats": [{"uti": "org.example.fake", "match": [{"bytes": "66616b65"}]}], "capabilities": ["read"]}
      """.utf8)
  }

  private func reason(_ coder: BuiltInCoder, _ id: String) -> String {
    let registry = CoderRegistry(builtIn: [coder], searchPath: .only([]), preferences: CoderPreferences())
    do throws(CoderError) {
      _ = try registry.coder(id)
      return ""
    } catch {
      return error.descriptionWithoutFile
    }
  }

  @Test func oneThatRefusesIsNotUsed() {
    let coder = BuiltInCoder(manifest: manifest("org.example.fake")) { _ in nil }
    #expect(reason(coder, "org.example.fake").hasPrefix("pluginRejected: refused:"))
  }

  @Test func oneOfAnotherIdentifierIsNotUsed() {
    let coder = BuiltInCoder(manifest: manifest("org.example.fake")) { _ in QOICoder.plugin.table }
    #expect(
      reason(coder, "org.example.fake").contains(
        "id_mismatch: built in: the library holds the coder \"org.imagecoders.qoi\", the manifest promises org.example.fake"
      ))
  }

  @Test func aManifestThatIsNotJSONHasAReason() throws {
    let registry = CoderRegistry(
      builtIn: [BuiltInCoder(manifest: Array("no".utf8)) { _ in nil }], searchPath: .only([]),
      preferences: CoderPreferences())
    let entry = try #require(registry.catalog.entries.first)
    #expect(entry.reason?.code == .manifestInvalid)
    #expect(entry.path == "built in")
    let error = #expect(throws: CoderError.self) { try registry.decode(.bytes([1, 2, 3])) }
    #expect(error?.message.hasPrefix("the only coder that was found cannot be used: built in: ") == true)
  }

  /// As with two plugins of one identifier.
  @Test func aPluginTakesThePlaceOfOneThatRefuses() throws {
    let registry = CoderRegistry(
      builtIn: [BuiltInCoder(manifest: manifest("org.imagecoders.qoi")) { _ in nil }],
      searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
    #expect(try registry.coder("org.imagecoders.qoi").formats == [.qoi])
  }
}
