// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// What policy files say, and that a file that is not understood says so.
@Suite struct PolicyFileTests {
  private static let whole = """
    {
      "$schema": "x",
      "base": "paranoid",
      "formats": { "value": ["png", "public.jpeg"], "reason": "photos" },
      "coders": ["org.a", "org.b"],
      "limits": {
        "maxPixels": 100,
        "maxMemory": { "value": 4096, "reason": "a small machine" }
      },
      "isolation": "required",
      "isolationOfPureSwift": { "value": "preferred" },
      "freshWorkers": false,
      "metadata": true,
      "byFormat": { "gif": { "limits": { "maxFrames": 3 }, "isolation": "strict" }, "png": {} }
    }
    """

  private func problem(_ text: String) -> String? {
    do throws(TextProblem) {
      _ = try SecurityPolicy(parsing: Array(text.utf8), path: "p.json")
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: ["none", "named", "folder"]) func readsWhatMayBeReadBesideAFile(_ word: String) throws {
    let text = #"{"base": "web", "siblings": {"value": "\#(word)", "reason": "r"}}"#
    let policy = try SecurityPolicy(parsing: Array(text.utf8), path: "p.json")
    #expect(policy.siblings?.value.word == word && policy.siblings?.reason == "r")
  }

  @Test func presetsSayWhatMayBeReadBesideAFile() {
    #expect(
      SecurityPolicy.presets.map { "\($0.name) \($0.siblings?.value.word ?? "-")" } == [
        "standard -", "trusted -", "web none", "thumbnailer none", "paranoid none",
      ])
  }

  /// A list of formats with a typing error would let fewer be read than somebody meant.
  @Test func aNameInFormatsThatNoCoderHasRefusesEverything() throws {
    let folder = PluginFolder.make([
      "formats": #"[{"uti": "org.example.fake", "extensions": ["fake"], "match": [{"bytes": "66616b65"}]}]"#
    ])
    func problem(_ formats: String) throws -> CoderError? {
      let policy = try SecurityPolicy(parsing: Array("{\n\"formats\": \(formats)}".utf8), path: "p.json")
      return CoderRegistry(
        searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences(), policy: policy
      ).policy.problem
    }
    #expect(
      try problem(#"["fake", "faek"]"#)?.message == """
        the policy p.json, line 2 is not understood: formats names "faek", a format that no coder has; known are fake, and \
        type identifiers
        """)
    #expect(try problem(#"["fake", "FAKE", "org.example.fake", "public.png"]"#) == nil)
  }

  @Test func readsEveryKey() throws {
    let policy = try SecurityPolicy(parsing: Array(Self.whole.utf8), path: "p.json")
    #expect(policy.name == "p.json")
    #expect(policy.formats?.value == [ImageFormat(rawValue: "png"), .jpeg])
    #expect(policy.formats?.origin == .file("p.json", line: 4))
    #expect(policy.formats?.reason == "photos")
    #expect(policy.coders == SecurityPolicy.Rule(["org.a", "org.b"], origin: .file("p.json", line: 5)))
    #expect(policy.limits[.maxPixels] == SecurityPolicy.Rule(100, origin: .file("p.json", line: 7)))
    #expect(
      policy.limits[.maxMemory]
        == SecurityPolicy.Rule(4096, origin: .file("p.json", line: 8), reason: "a small machine"))
    #expect(policy.limits[.maxFrames] == SecurityPolicy.paranoid.limits[.maxFrames])
    #expect(policy.isolation?.value == .required)
    #expect(policy.isolationOfPureSwift?.value == .preferred)
    #expect(policy.usesFreshWorkers?.value == false)
    #expect(policy.readsMetadata?.value == true)
    let gif = try #require(policy.formatRules[ImageFormat(rawValue: "gif")])
    #expect(gif.limits == [.maxFrames: SecurityPolicy.Rule(3, origin: .file("p.json", line: 14))])
    #expect(gif.isolation?.value == .strict)
    #expect(policy.formatRules[ImageFormat(rawValue: "png")] == SecurityPolicy.FormatRules())
    #expect(policy.limit(.maxFrames, of: ImageFormat(rawValue: "gif"))?.value == 3)
    #expect(policy.limit(.maxFrames, of: .tiff)?.value == 256)
  }

  @Test(arguments: [
    ("", "line 1, column 1: found the end of the text, expected a value"),
    ("[]", "line 1, column 1: the policy is an empty list; an object is allowed"),
    (
      #"{"base": "webb"}"#,
      #"line 1, column 10: base is "webb"; standard, trusted, web, thumbnailer, paranoid are allowed"#
    ),
    (
      #"{"limit": {}}"#,
      #"line 1, column 2: "limit" is not a known key; "# + PolicyKeys.all.joined(separator: ", ") + " are"
    ),
    (#"{"formats": "png"}"#, #"line 1, column 13: formats is "png"; a list is allowed"#),
    (#"{"siblings": "all"}"#, #"line 1, column 14: siblings is "all"; none, named, folder are allowed"#),
    (#"{"formats": [""]}"#, #"line 1, column 14: formats[0] is ""; a string that is not empty is allowed"#),
    (
      "{\n \"limits\": {\"maxPixels\": -1}}",
      "line 2, column 26: limits.maxPixels is -1; a whole number from 0 to 4503599627370496 is allowed"
    ),
    (#"{"limits": {"maxSide": {"reason": "x"}}}"#, "line 1, column 24: limits.maxSide.value is missing"),
    (
      #"{"limits": {"maxSide": {"value": 1, "because": "x"}}}"#,
      #"line 1, column 37: "because" is not a known key; value, reason are"#
    ),
    (#"{"isolation": "on"}"#, #"line 1, column 15: isolation is "on"; off, preferred, required, strict are allowed"#),
    (
      #"{"readOptions": "some"}"#,
      #"line 1, column 17: readOptions is "some"; all, none or a list of names is allowed"#
    ),
    (#"{"metadata": 0}"#, "line 1, column 14: metadata is 0; true or false is allowed"),
    (
      #"{"byFormat": {"png": {"formats": []}}}"#,
      #"line 1, column 23: "formats" is not a known key; limits, isolation are"#
    ),
    (
      #"{"metadata": true, "metadata": true}"#,
      #"line 1, column 20: the key "metadata" is there twice, first in line 1, column 2"#
    ),
  ])
  func namesThePlace(_ text: String, _ message: String) {
    #expect(problem(text) == message)
  }

  @Test(
    arguments: [
      (#"{"readOptions": "none"}"#, []), (#"{"readOptions": ["a", "b"]}"#, ["a", "b"]),
      (#"{"readOptions": "all"}"#, nil),
      (#"{"base": "paranoid"}"#, []), (#"{"base": "paranoid", "readOptions": "all"}"#, nil),
      (#"{"base": "web", "readOptions": {"value": "none", "reason": "x"}}"#, []),
    ] as [(String, Set<String>?)]) func optionsOfReadersAreNamed(_ text: String, _ names: Set<String>?) throws
  {
    #expect(try SecurityPolicy(parsing: Array(text.utf8), path: "p").readOptions?.value == names)
  }

  /// Every file is a policy or a problem with a place that the text has; nothing ends the process.
  @Test func mutatedFilesAreUnderstoodOrRefused() {
    var random = SplitMix(seed: 16)
    let whole = Array(Self.whole.utf8)
    let pieces =
      ["{", "}", "[", "]", ",", ":", "\"", "\\u", "1e999", "-", "null", "\"value\"", "\"base\"", "\u{0}"]
      .map { Array($0.utf8) } + [[0xFF], [0xC3], [0xEF, 0xBB, 0xBF], Array(repeating: 0x5B, count: 200)]
    var refused = 0
    for _ in 0..<20_000 {
      var text = whole
      for _ in 0...random.below(3) where !text.isEmpty {
        let place = random.below(text.count)
        switch random.below(5) {
        case 0: text[place] ^= 1 << UInt8(random.below(8))
        case 1: text.remove(at: place)
        case 2: text.insert(contentsOf: pieces[random.below(pieces.count)], at: place)
        case 3: text.removeSubrange(place..<min(text.count, place + random.below(60)))
        default: text.removeSubrange(place...)
        }
      }
      do throws(TextProblem) { _ = try SecurityPolicy(parsing: text, path: "p") } catch {
        refused += 1
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        let isThere =
          error.place.line <= lines.count && error.place.column <= lines[error.place.line - 1].count + 1
        if !isThere { Issue.record("\(error) in \(String(decoding: text, as: UTF8.self))") }
      }
    }
    #expect(refused > 10_000)
  }

  @Test func theSchemaHasTheKeysThatAreRead() throws {
    let bytes = try OpenSource(
      .file("\(StagedTree.root)/Registry/schema/policy-1.schema.json"), limits: .standard
    ).contents()
    let schema = try JSONNode(try JSONValue(parsing: bytes), name: "the schema").object()
    let properties = try schema.required("properties").object()
    #expect(properties.members.map(\.key) == ["$schema"] + PolicyKeys.all)
    let limits = try schema.required("$defs").object().required("limits").object().required("properties").object()
    #expect(limits.members.map(\.key) == Limits.table.map(\.name.rawValue))
    for limit in Limits.table {
      let shown = try limits.required(limit.name.rawValue).object().required("description").word()
      #expect(shown == limit.summary)
    }
  }

  @Test func theUsersPolicyIsThatOfTheVariableOrTheFile() {
    let home = TemporaryFolder()
    func found(_ variable: String? = nil) -> (policy: SecurityPolicy, finding: SecurityPolicy.Finding) {
      SecurityPolicy.found { $0 == "XDG_CONFIG_HOME" ? home.path : $0 == "CODERS_POLICY" ? variable : nil }
    }
    #expect(found().policy == .standard)
    #expect(found().finding == .nothing)
    #expect(found("web").policy == .web)
    #expect(found("webb").policy.problem?.code == .invalidArgument)
    #expect(found("\(home.path)/none.json").policy.problem?.code == .io)
    #expect(
      found("").policy.problem?.message
        == "\"\" is no policy; standard, trusted, web, thumbnailer, paranoid are, and paths of files")
    let file = home.write(#"{"base": "web"}"#, to: "coders/policy.json")
    #expect(found().finding == .file(file))
    #expect(found().policy.isolation == SecurityPolicy.web.isolation)
    #expect(found("trusted").policy == .trusted)
    home.write(#"{"base": "#, to: "coders/policy.json")
    #expect(
      found().policy.problem?.message
        == "the policy \(file) is not understood: line 1, column 10: found the end of the text, expected a value")
    _ = Command.run("chmod 666 '\(file)'")
    #expect(found().policy.problem?.message == "the policy cannot be read: \(file) can be written by everybody")
  }

  /// Somebody put the link there, and meant a policy.
  @Test(arguments: ["coders/policy.json", "coders"]) func aLinkToNothingRefusesEverything(_ link: String) {
    let home = TemporaryFolder()
    _ = Command.run("mkdir -p \"$(dirname '\(home.path)/\(link)')\"; ln -s /nowhere/at/all '\(home.path)/\(link)'")
    let found = SecurityPolicy.found { $0 == "XDG_CONFIG_HOME" ? home.path : nil }
    let file = "\(home.path)/coders/policy.json"
    #expect(found.finding == .file(file))
    #expect(
      found.policy.problem?.message
        == "the policy cannot be read: \(file): \(home.path)/\(link) is a link to nothing")
  }

  /// Each setting of a preset says why, and every limit of one is a limit.
  @Test(arguments: SecurityPolicy.presets)
  func presetsGiveReasons(_ preset: SecurityPolicy) {
    for (name, limit) in preset.limits {
      #expect(name.row != nil)
      #expect(limit.reason?.isEmpty == false)
      #expect(limit.origin == .preset(preset.name))
    }
    #expect(preset.isolation == nil || preset.isolation?.reason != nil)
    #expect(SecurityPolicy(preset: preset.name) == preset)
  }
}
