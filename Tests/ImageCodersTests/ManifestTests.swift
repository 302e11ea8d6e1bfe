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
         {"name": "mode", "type": "choice", "choices": ["a", "b"], "default": "b"}],
       "decode_options": [
         {"name": "gain", "type": "number", "minimum": 0, "maximum": 2, "default": 1},
         {"name": "password", "type": "text", "maximum": 9, "default": "", "secret": true}],
       "operations": [
         {"name": "org.example.mark", "text": "Mark it.", "from": ["a.b", "c.d"], "to": ["a.b", "e.f"],
          "options": [{"name": "size", "type": "integer", "minimum": 1, "maximum": 9, "default": 6, "text": "How."}],
          "blocks": ["mark"], "takes_out": true}],
       "transcodes": [{"from": "a.b", "to": "e.f"}]}
      """
    let entry = try entry(json)
    #expect(entry.reason == nil)
    let manifest = try #require(entry.manifest)
    #expect(manifest.id == "org.example.fake")
    #expect(manifest.vendor == "Example")
    #expect(manifest.libraryLicense == "Zlib")
    #expect(entry.priority == 7)
    #expect(manifest.formats[0].extensions == ["fake"])
    #expect(manifest.formats[0].signatures[0] == FormatSignature([0x66, 0x61], at: 4, mask: [0xFF, 0xDF], within: 2))
    #expect(manifest.formats[0].signatures[1] == FormatSignature([0x6B, 0x65], at: -2))
    #expect(manifest.names?.loopCount == "Loops")
    #expect(manifest.names?.unclampedDelay == "UnclampedDelayTime")
    #expect(manifest.names?.defaultLoopCount == .plays(1))
    #expect(
      manifest.options.map(\.kind) == [
        .boolean(default: true), .integer(1...9, default: 6), .number(0...1.5, default: 0.5),
        .choice(["a", "b"], default: 1),
      ])
    #expect(
      manifest.readOptions == [
        OptionDescription(name: "gain", text: "", kind: .number(0...2, default: 1)),
        OptionDescription(name: "password", text: "", kind: .text(maximumBytes: 9, default: ""), isSecret: true),
      ])
    let (ab, cd, ef) = (ImageFormat(rawValue: "a.b"), ImageFormat(rawValue: "c.d"), ImageFormat(rawValue: "e.f"))
    #expect(
      manifest.operations == [
        OperationDescription(
          name: "org.example.mark", text: "Mark it.", formats: [.init(from: ab), .init(from: cd, to: ef)],
          options: [OptionDescription(name: "size", text: "How.", kind: .integer(1...9, default: 6))],
          blocks: ["mark"], takesOut: true),
        OperationDescription(
          name: "transcode", text: KnownOperation.transcode.text, formats: [.init(from: ab, to: ef)]),
      ])
  }

  /// The key of version 1.0 is the operation `transcode`.
  @Test func transcodesAreAnOperation() throws {
    let (ab, ef) = (ImageFormat(rawValue: "a.b"), ImageFormat(rawValue: "e.f"))
    let both = try #require(try entry(PluginFolder.manifest("transcodes", #"[{"from": "a.b", "to": "e.f"}]"#)).manifest)
    #expect(both.operations.map(\.name) == ["transcode"])
    #expect(both.operations.first?.formats == [.init(from: ab, to: ef)])
    #expect(both.warnings == [])
  }

  @Test(arguments: ["id", "name", "version", "abi", "library", "formats", "capabilities"])
  func namesAMissingKey(_ key: String) throws {
    let entry = try entry(PluginFolder.manifest(without: key))
    #expect(entry.reason?.code == .manifestInvalid)
    #expect(entry.reason?.message == "line 1, column 1: \(key) is missing")
    #expect(entry.manifest == nil)
    #expect(entry.id == entry.path)
  }

  @Test(arguments: [
    ("id", "7"), ("name", "[]"), ("version", "1"), ("abi", "1"), ("abi", #"{"major": "1"}"#), ("library", "{}"),
    ("formats", "{}"), ("formats", "[{}]"), ("capabilities", #""read""#), ("priority", #""high""#), ("priority", "1.5"),
    ("priority", "1e99"), ("abi", #"{"major": 1.5}"#),
    ("container", "[]"), ("encode_options", #"[{"name": "x"}]"#), ("operations", "{}"),
    ("operations", #"[{"name": "x"}]"#), ("operations", #"[{"name": "x", "from": "a.b"}]"#),
    ("operations", #"[{"name": "x", "from": []}]"#), ("operations", #"[{"name": "x", "from": ["a.b"], "to": []}]"#),
    ("formats", #"[{"uti": "a.b", "match": [{"offset": 0}]}]"#),
  ])
  func namesAKeyOfTheWrongType(_ key: String, _ value: String) throws {
    let reason = try entry(PluginFolder.manifest(key, value)).reason
    #expect(reason?.code == .manifestInvalid)
    #expect(reason?.message.contains(key) == true, "\(reason as Any)")
  }

  /// What is said follows the place, of which each manifest here has its own.
  @Test(arguments: [
    ("id", #""png""#, #"id is "png"; a reverse-DNS name of"#), ("id", #""org.Example.fake""#, "id is"),
    ("id", #""org.example/fake""#, "id is"), ("id", #""org..fake""#, "id is"), ("id", #""org.fake.""#, "id is"),
    ("name", #""""#, #"name is ""; a string that is not empty is allowed"#),
    ("library", #""/usr/lib/libfake.so""#, "library is"), ("library", #""../libfake.so""#, "library is"),
    ("library", #""a/../../libfake.so""#, #"library is "a/../../libfake.so"; a path below"#),
    ("library", #""""#, "library is"), ("library", #""lib\u0000fake.so""#, "library is"),
    ("formats", "[]", "formats is an empty list; at least one format is needed"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": ""}]}]"#, "formats[0].match[0].bytes is"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "abc"}]}]"#, "formats[0].match[0].bytes is"),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "zz"}]}]"#, "formats[0].match[0].bytes is"),
    (
      "formats", #"[{"uti": "a.b"}, {"uti": "a.c", "match": [{"bytes": "61"}, {"bytes": "+1"}]}]"#,
      #"formats[1].match[1].bytes is "+1"; 1 to 64 bytes of hex are allowed"#
    ),
    (
      "formats", #"[{"uti": "a.b", "match": [{"bytes": "aabb", "mask": "ff"}]}]"#,
      #"formats[0].match[0].mask is "ff"; as many bytes of hex as in bytes, 2, are allowed"#
    ),
    ("formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "offset": -1}]}]"#, "formats[0].match[0].offset is -1"),
    (
      "formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "offset": 9999999}]}]"#,
      "formats[0].match[0].offset is 9999999; a whole number from 0 to 65536 is allowed"
    ),
    (
      "formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "within": 9999999}]}]"#,
      "formats[0].match[0].within is 9999999; a whole number from 0 to 4096 is allowed"
    ),
    (
      "formats", #"[{"uti": "a.b", "match": [{"bytes": "aabb", "mask": "00 00"}]}]"#,
      #"formats[0].match[0].mask is "00 00"; at least one bit has to be 1"#
    ),
    (
      "formats", #"[{"uti": "a.b", "extensions": ["."]}]"#,
      #"formats[0].extensions[0] is "."; an extension without a dot"#
    ),
    ("manifest", "0", "manifest is 0; a whole number from 1 to"),
    ("manifest", "1.5", "manifest is 1.5; a whole number"),
    (
      "formats", #"[{"uti": "a.b", "match": [{"bytes": "aa", "from": "middle"}]}]"#,
      #"formats[0].match[0].from is "middle"; "start" or "end" is allowed"#
    ),
    (
      "encode_options", #"[{"name": "x", "type": "color", "default": 1}]"#,
      #"encode_options[0].type is "color"; "boolean", "integer", "number", "choice" or "text" is allowed"#
    ),
    (
      "encode_options", #"[{"name": "x", "type": "integer", "minimum": 2, "maximum": 1, "default": 1}]"#,
      "encode_options[0].minimum is 2; at most the maximum, 1, is allowed"
    ),
    (
      "encode_options", #"[{"name": "x", "type": "integer", "minimum": 0.5, "maximum": 1, "default": 1}]"#,
      "encode_options[0].minimum is 0.5; a whole number from"
    ),
    (
      "encode_options", #"[{"name": "x", "type": "integer", "minimum": 1, "maximum": 9, "default": 10}]"#,
      "encode_options[0].default is 10; a whole number from 1 to 9 is allowed"
    ),
    (
      "encode_options", #"[{"name": "x", "type": "number", "minimum": 0, "maximum": 1, "default": 1.5}]"#,
      "encode_options[0].default is 1.5; a number from 0.0 to 1.0 is allowed"
    ),
    (
      "decode_options", #"[{"name": "x", "type": "boolean", "default": true, "secret": true}]"#,
      "decode_options[0].secret is true; only a text is a secret"
    ),
    ("encode_options", #"[{"name": "x", "type": "number", "default": 1}]"#, "encode_options[0].minimum is missing"),
    (
      "encode_options", #"[{"name": "x", "type": "choice", "choices": ["a"], "default": "b"}]"#,
      #"encode_options[0].default is "b"; one of the choices is allowed"#
    ),
    (
      "encode_options", #"[{"name": "x", "type": "boolean", "default": 1}]"#,
      "encode_options[0].default is 1; true or false is allowed"
    ),
  ])
  func namesAKeyWithoutMeaning(_ key: String, _ value: String, _ says: String) throws {
    let reason = try entry(PluginFolder.manifest(key, value)).reason
    #expect(reason?.code == .manifestInvalid)
    #expect(reason?.message.contains(": \(says)") == true, "\(reason as Any)")
  }

  @Test func aNewerFormatIsToldBeforeItsKeys() throws {
    let message = "line 2, column 14: manifest is 2; this host knows version 1 of the manifest's format"
    #expect(try entry("{\"id\": 7,\n \"manifest\": 2}").reason == SkipReason(.manifestInvalid, message))
    #expect(try entry(PluginFolder.manifest("manifest", "1")).reason == nil)
  }

  @Test func whatMayBeMeantOtherwiseIsAWarning() throws {
    let json = """
      {"id": "org.example.fake", "name": "Fake", "version": "1", "abi": {"major": 1, "minor": 2}, "library": "libfake.so",
       "$schema": "imgcoder-1.schema.json",
       "formats": [{"uti": "org.example.fake", "extensions": [".ff", "FAKE", "fk"],
         "match": [{"bytes": "6162", "from": "end", "offset": 1, "within": 3}]}],
       "capabilities": ["raed", "icc"],
       "capability": []}
      """
    let entry = try entry(json)
    #expect(entry.reason == nil)
    #expect(entry.manifest?.formats[0].extensions == ["ff", "fake", "fk"])
    #expect(entry.manifest?.formats[0].signatures == [FormatSignature([0x61, 0x62], at: -2)])
    let known = ManifestReader.capabilities.joined(separator: ", ")
    #expect(
      entry.manifest?.warnings.map(\.description) == [
        "line 1, column 80: abi.minor is not a known key and is ignored",
        "line 3, column 57: formats[0].extensions[0] is \".ff\"; extensions have no dot and are in lower case, so it is read as \"ff\"",
        "line 3, column 64: formats[0].extensions[1] is \"FAKE\"; extensions have no dot and are in lower case, so it is read as \"fake\"",
        "line 4, column 57: formats[0].match[0].offset is 1; it is read as 2, at which the bytes end with the file",
        "line 4, column 70: formats[0].match[0].within is 3; it is ignored, a signature from the end is not searched",
        "line 5, column 18: capabilities has neither read nor write: the coder is never used",
        "line 5, column 19: capabilities[0] is \"raed\"; it is ignored; known words are \(known)",
        "line 6, column 2: capability is not a known key and is ignored",
      ])
    let none = try self.entry(PluginFolder.manifest("capabilities", "[]"))
    #expect(
      none.manifest?.warnings.map(\.message) == ["capabilities has neither read nor write: the coder is never used"])
  }

  @Test func resourcesAndThreadsAreNeeds() throws {
    #expect(try entry(PluginFolder.manifest("resources", "[\"fonts\"]")).manifest?.needs == .fonts)
    #expect(try entry(PluginFolder.manifest("threads", "\"library\"")).manifest?.needs == .threads)
    #expect(try entry(PluginFolder.manifest("priority", "1")).manifest?.needs == [])
    let unknown = try entry(PluginFolder.manifest("resources", "[\"fonts\", \"files\"]")).manifest
    #expect(unknown?.needs == .fonts)
    #expect(
      unknown?.warnings.map(\.message) == ["resources[1] is \"files\"; it is ignored; known words are fonts"])
    let many = try entry(PluginFolder.manifest("threads", "\"many\"")).manifest
    #expect(many?.warnings.map(\.message) == ["threads is \"many\"; it is ignored; the known word is library"])
  }

  @Test func siblingsAreNamesOfFilesInTheFolder() throws {
    let names = #"["{stem}.xmp", "{name}.xmp", "*", "legend.txt", "../a", "a/b", ".a", "", "*.xmp"]"#
    let manifest = try #require(try entry(PluginFolder.manifest("siblings", names)).manifest)
    #expect(manifest.siblings.map(\.text) == ["{stem}.xmp", "{name}.xmp", "*", "legend.txt"])
    #expect(manifest.warnings.count == 5)
    #expect(
      manifest.warnings.first?.message == """
        siblings[4] is "../a"; it is ignored; "*", and names without a slash that do not begin with a dot, are allowed
        """)
  }

  @Test func eachPluginHasAManifestWithoutWarnings() {
    let entries = PluginFolder.catalog(["\(StagedTree.root)/Registry"]).entries
    let plugins = Command.run("'\(StagedTree.root)/scripts/plugin-names'").output.split(separator: "\n")
    #expect(entries.compactMap(\.manifest?.library).sorted() == plugins.map { "lib\($0)Coder.so" }.sorted())
    for entry in entries {
      #expect(entry.manifest?.warnings == [], "\(entry.path): \(entry.reason as Any)")
    }
  }

  /// The keys of an object of the schema.
  private func keys(_ schema: JSONObject) throws -> [String] {
    try schema.required("properties").object().nodes.map(\.key).sorted()
  }

  @Test func theSchemaHasTheKeysThatAreRead() throws {
    let bytes = try OpenSource(
      .file("\(StagedTree.root)/Registry/schema/imgcoder-1.schema.json"), limits: .standard
    ).contents()
    let schema = try JSONNode(try JSONValue(parsing: bytes), name: "the schema").object()
    let properties = try schema.required("properties").object()
    func items(_ key: String, of object: JSONObject) throws -> JSONObject {
      try object.required(key).object().required("items").object()
    }
    let format = try items("formats", of: properties)
    #expect(try keys(schema) == ManifestReader.keys.sorted())
    #expect(try keys(properties.required("abi").object()) == ManifestReader.abiKeys.sorted())
    #expect(try keys(format) == ManifestReader.formatKeys.sorted())
    let parts = try schema.required("$defs").object()
    #expect(try keys(parts.required("match").object()) == ManifestReader.matchKeys.sorted())
    let conditions = ManifestReader.bytesConditionKeys + ManifestReader.brandConditionKeys
    #expect(
      try keys(parts.required("condition").object()) == (conditions + ManifestReader.tagConditionKeys).sorted())
    #expect(
      try keys(items("dialects", of: format.required("properties").object())) == ManifestReader.dialectKeys.sorted())
    #expect(try keys(properties.required("container").object()) == ManifestReader.containerKeys.sorted())
    let option = try parts.required("option").object()
    #expect(try keys(option) == ManifestReader.optionKeys.sorted())
    #expect(try keys(items("operations", of: properties)) == ManifestReader.operationKeys.sorted())
    #expect(try keys(items("transcodes", of: properties)) == ManifestReader.transcodeKeys.sorted())
    #expect(try keys(properties.required("packages").object()) == ManifestReader.packagesKeys.sorted())
    #expect(try keys(properties.required("code").object()) == ManifestReader.codeKeys.sorted())
    let libraries = try items("libraries", of: properties.required("code").object().required("properties").object())
    #expect(try keys(libraries) == ManifestReader.codeLibraryKeys.sorted())
  }

  @Test func whatKindOfCodeACoderIsIsData() throws {
    let code = """
      {"language": "swift", "bounds": "code", "libraries": [
        {"name": "libavif", "reach": ["decode"], "version": "1.4.2", "fixes": ["a.patch"]}, {"name": "zlib"}]}
      """
    let found = try #require(try entry(PluginFolder.manifest("code", code)).manifest?.code)
    #expect(found.language == "swift" && found.bounds == .code)
    let libraries = found.libraries
    #expect(libraries.map(\.name) == ["libavif", "zlib"] && libraries.map(\.language) == ["c", "c"])
    #expect(libraries.map(\.reads) == [true, true] && libraries.map(\.writes) == [false, true])
    #expect(libraries.map(\.version) == ["1.4.2", nil] && libraries.map(\.fixes) == [["a.patch"], []])
    #expect(Advisories.libraries("libavif 1.4.1", found) == "libavif 1.4.1")
    #expect(Advisories.libraries("zlib 1.2.13", found) == "zlib 1.2.13, libavif 1.4.2")
    #expect(Advisories.libraries("", found, isReading: false) == "")
  }

  @Test func anErrorHasItsPlace() throws {
    let json = """
      {
        "id": "org.example.fake", "name": "Fake", "version": "1", "abi": {"major": 1}, "library": "libfake.so",
        "formats": [
          {
            "uti": "org.example.fäke",
            "name": "ä", "match": [{ "bytes": "61", "offset": 1.5 }]
          }
        ],
        "capabilities": ["read"]
      }
      """
    let message = "line 6, column 57: formats[0].match[0].offset is 1.5; a whole number from 0 to 65536 is allowed"
    #expect(try entry(json).reason == SkipReason(.manifestInvalid, message))
  }

  @Test(arguments: [
    ("{", "line 1, column 2: found the end of the text, expected a key or '}'"),
    ("[]", "line 1, column 1: the manifest is an empty list; an object is allowed"),
    ("nonsense", "line 1, column 1: found nonsense, expected a value"),
    ("\u{FEFF}{}", "line 1, column 1: found a byte order mark, expected a value"),
  ])
  func refusesWhatIsNoManifest(_ text: String, _ message: String) throws {
    #expect(try entry(text).reason == SkipReason(.manifestInvalid, message))
  }

  @Test func refusesAManifestOverOneMebibyte() throws {
    let padding = String(repeating: " ", count: 1 << 20)
    let reason = try #require(try entry(PluginFolder.manifest() + padding).reason)
    #expect(reason.code == .manifestInvalid)
    #expect(reason.message.hasSuffix("/fake.imgcoder.json has more than 1048576 bytes"))
  }
}
