// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What a manifest says is understood, and what is wrong with one is named by its key.
@Suite struct ManifestTests {
  private func entry(_ json: String) throws -> CatalogEntry {
    let folder = TemporaryFolder()
    folder.write("", to: "libfake.so")
    folder.write(json, to: "fake.imgcoder.json")
    return try #require(PluginFolder.catalog([folder.path]).entries.first)
  }

  @Test func readsEveryKey() throws {
    let json = """
      {"id": "org.example.fake", "name": "Fake", "version": "2.1", "vendor": "Example", "license": "MIT",
       "library_license": "Zlib", "abi": {"major": 1, "min_minor": 0}, "library": "libfake.so", "priority": 7,
       "formats": [{"uti": "org.example.fake", "name": "Fake image", "mime": ["image/fake"], "extensions": ["FAKE"],
         "match": [{"offset": 4, "bytes": "66 61", "mask": "ffdf", "within": 2}, {"from": "end", "bytes": "6b65"}]}],
       "capabilities": ["read", "write", "animation"], "unknown": {"keys": "are ignored"},
       "container": {"dictionary": "{Fake}", "loop_count": "Loops", "default_loop_count": 1},
       "encode_options": [
         {"name": "fast", "type": "boolean", "default": true},
         {"name": "level", "type": "integer", "minimum": 1, "maximum": 9, "default": 6, "text": "How."},
         {"name": "gain", "type": "number", "minimum": 0, "maximum": 1.5, "default": 0.5},
         {"name": "mode", "type": "choice", "choices": ["a", "b"], "default": "b"}]}
      """
    let entry = try entry(json)
    #expect(entry.reason == nil)
    let manifest = try #require(entry.manifest)
    #expect(manifest.id == "org.example.fake")
    #expect(manifest.vendor == "Example")
    #expect(manifest.libraryLicense == "Zlib")
    #expect(entry.priority == 7)
    #expect(manifest.formats[0].extensions == ["fake"])
    #expect(manifest.formats[0].signatures[0] == Signature([0x66, 0x61], at: 4, mask: [0xFF, 0xDF], within: 2))
    #expect(manifest.formats[0].signatures[1] == Signature([0x6B, 0x65], at: -2))
    #expect(manifest.names?.loopCount == "Loops")
    #expect(manifest.names?.unclampedDelay == "UnclampedDelayTime")
    #expect(manifest.names?.defaultLoopCount == .plays(1))
    #expect(
      manifest.options.map(\.kind) == [
        .boolean(default: true), .integer(1...9, default: 6), .number(0...1.5, default: 0.5),
        .choice(["a", "b"], default: 1),
      ])
  }

  @Test(arguments: ["id", "name", "version", "abi", "library", "formats", "capabilities"])
  func namesAMissingKey(_ key: String) throws {
    let entry = try entry(PluginFolder.manifest(without: key))
    #expect(entry.reason?.code == .manifestInvalid)
    #expect(entry.reason?.message.contains("key \(key) is missing") == true, "\(entry.reason as Any)")
    #expect(entry.manifest == nil)
    #expect(entry.id == entry.path)
  }

  @Test(arguments: [
    ("id", "7"), ("name", "[]"), ("version", "1"), ("abi", "1"), ("abi", #"{"major": "1"}"#), ("library", "{}"),
    ("formats", "{}"), ("formats", "[{}]"), ("capabilities", #""read""#), ("priority", #""high""#), ("priority", "1.5"),
    ("priority", "1e99"), ("abi", #"{"major": 1.5}"#),
    ("container", "[]"), ("encode_options", #"[{"name": "x"}]"#),
    ("formats", #"[{"uti": "a.b", "match": [{"offset": 0}]}]"#),
  ])
  func namesAKeyOfTheWrongType(_ key: String, _ value: String) throws {
    let reason = try entry(PluginFolder.manifest(key, value)).reason
    #expect(reason?.code == .manifestInvalid)
    #expect(reason?.message.contains(key) == true, "\(reason as Any)")
  }

  @Test(arguments: [
    ("id", #""png""#, "id"), ("id", #""org.Example.fake""#, "id"), ("id", #""org.example/fake""#, "id"),
    ("library", #""/usr/lib/libfake.so""#, "library"), ("library", #""../libfake.so""#, "library"),
    ("library", #""a/../../libfake.so""#, "library"), ("library", #""""#, "library"), ("formats", "[]", "formats"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": ""}]}]"#, "match bytes"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "abc"}]}]"#, "match bytes"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "zz"}]}]"#, "match bytes"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "+1"}]}]"#, "match bytes"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "aabb", "mask": "ff"}]}]"#, "match mask"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "offset": -1}]}]"#, "match offset"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "offset": 9999999}]}]"#, "match offset"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "within": 9999999}]}]"#, "match offset"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "from": "middle"}]}]"#, "match from"),
    ("encode_options", #"[{"name": "x", "type": "color", "default": 1}]"#, "option x"),
    ("encode_options", #"[{"name": "x", "type": "integer", "minimum": 2, "maximum": 1, "default": 1}]"#, "option x"),
    ("encode_options", #"[{"name": "x", "type": "integer", "minimum": 0.5, "maximum": 1, "default": 1}]"#, "option x"),
    ("encode_options", #"[{"name": "x", "type": "number", "default": 1}]"#, "option x"),
    ("encode_options", #"[{"name": "x", "type": "choice", "choices": ["a"], "default": "b"}]"#, "option x"),
    ("encode_options", #"[{"name": "x", "type": "boolean", "default": 1}]"#, "option x"),
  ])
  func namesAKeyWithoutMeaning(_ key: String, _ value: String, _ says: String) throws {
    let reason = try entry(PluginFolder.manifest(key, value)).reason
    #expect(reason?.code == .manifestInvalid)
    #expect(reason?.message.contains(says) == true, "\(reason as Any)")
  }

  @Test(arguments: ["", "{", "[]", "nonsense", "\u{FEFF}{}"]) func refusesWhatIsNoManifest(_ text: String) throws {
    #expect(try entry(text).reason?.code == .manifestInvalid)
  }

  @Test func refusesAManifestOverOneMebibyte() throws {
    let padding = String(repeating: " ", count: 1 << 20)
    #expect(try entry(PluginFolder.manifest() + padding).reason?.code == .manifestInvalid)
  }
}
