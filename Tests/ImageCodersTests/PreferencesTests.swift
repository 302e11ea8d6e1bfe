// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What the settings file and the environment say of coders.
@Suite struct PreferencesTests {
  private func preferences(_ settings: String, _ environment: [String: String] = [:]) -> CoderPreferences {
    let home = TemporaryFolder()
    home.write(settings, to: "coders/settings.json")
    let preferences = CoderPreferences(environment: { $0 == "XDG_CONFIG_HOME" ? home.path : environment[$0] })
    return preferences.replacing(home.path)
  }

  @Test func readsEveryKey() {
    let found = preferences(
      """
      {"$schema": "x", "priorities": {"org.a": 5, "org.b": -1}, "disabled": ["org.c"], "allowed": ["org.a", "org.b"],
       "prefer": {"public.png": {"read": ["org.b", "org.a"], "write": ["org.a"]}, "gif": {"read": []}}}
      """)
    var expected = CoderPreferences()
    expected.priorities = ["org.a": 5, "org.b": -1]
    expected.disabled = ["org.c"]
    expected.allowed = ["org.a", "org.b"]
    expected.preferred = ["public.png": .init(read: ["org.b", "org.a"], write: ["org.a"]), "gif": .init()]
    #expect(found == expected)
  }

  @Test func variablesTakePrecedence() {
    let settings = #"{"allowed": ["org.a"], "prefer": {"png": {"read": ["org.a"], "write": ["org.a"]}}}"#
    let found = preferences(
      settings, ["CODERS_ALLOW": "org.b,org.c", "CODERS_PREFER": "png:read=org.b,gif:write=org.d,png:read=org.c"])
    #expect(found.allowed == ["org.b", "org.c"])
    #expect(
      found.preferred == ["png": .init(read: ["org.b", "org.c"], write: ["org.a"]), "gif": .init(write: ["org.d"])])
    #expect(found.problems == [])
  }

  @Test(arguments: ["png", "png=org.a", "png:read", "png:look=org.a", "png:read=", "=", ":read=org.a"])
  func aPreferenceThatIsNoneIsAProblem(_ item: String) {
    let found = CoderPreferences(environment: { $0 == "CODERS_PREFER" ? item : nil })
    #expect(found.preferred == [:])
    #expect(found.problems == ["CODERS_PREFER: \"\(item)\" is neither format:read=id nor format:write=id"])
  }

  @Test(arguments: [
    (#"{"prios": {}}"#, "line 1, column 2: prios is not a known key and is ignored"),
    (#"[]"#, "line 1, column 1: the settings file is an empty list; an object is allowed"),
    (#"{"disabled": "x"}"#, #"line 1, column 14: disabled is "x"; a list is allowed"#),
    (#"{"disabled": [1]}"#, "line 1, column 15: disabled[0] is 1; a string that is not empty is allowed"),
    (#"{"prefer": {"png": []}}"#, "line 1, column 20: prefer.png is an empty list; an object is allowed"),
    (#"{"prefer": {"png": {"reads": []}}}"#, "line 1, column 21: prefer.png.reads is not a known key and is ignored"),
    (
      #"{"disabled": [], "disabled": []}"#,
      #"line 1, column 18: the key "disabled" is there twice, first in line 1, column 2"#
    ),
  ])
  func namesWhatIsWrong(_ settings: String, _ message: String) {
    #expect(preferences(settings).problems == ["DIR/coders/settings.json: \(message)"])
  }

  @Test func whatIsRightCountsBesideWhatIsWrong() {
    let found = preferences(
      #"{"priorities": {"org.a": "high", "org.b": 7}, "disabled": 1, "prefer": {"a": 1, "b": {"read": ["org.b", 2]}}}"#)
    #expect(found.priorities == ["org.b": 7])
    #expect(found.preferred == ["b": .init(read: ["org.b"])])
    #expect(
      found.problems == [
        #"DIR/coders/settings.json: line 1, column 26: priorities.org.a is "high"; a whole number from -2147483648 to 2147483647 is allowed"#,
        "DIR/coders/settings.json: line 1, column 59: disabled is 1; a list is allowed",
        "DIR/coders/settings.json: line 1, column 78: prefer.a is 1; an object is allowed",
        "DIR/coders/settings.json: line 1, column 105: prefer.b.read[1] is 2; a string that is not empty is allowed",
      ])
  }

  @Test func anAllowListThatIsNotUnderstoodAllowsNothing() {
    #expect(preferences(#"{"allowed": "org.a"}"#).allowed == [])
    #expect(preferences(#"{"allowed": ["org.a", 1]}"#).allowed == ["org.a"])
    #expect(preferences("{}").allowed == nil)
  }

  @Test func theSchemaHasTheKeysThatAreRead() throws {
    let bytes = try OpenSource(
      .file("\(StagedTree.root)/Registry/schema/settings-1.schema.json"), limits: .standard
    ).contents()
    let properties = try JSONNode(try JSONValue(parsing: bytes), name: "the schema").object().required("properties")
      .object()
    #expect(properties.members.map(\.key) == ["$schema"] + SettingsKeys.all)
    let lists = try properties.required("prefer").object().required("additionalProperties").object()
    #expect(try lists.required("properties").object().members.map(\.key) == SettingsKeys.prefer)
  }

  @Test func onlyAllowedPluginsAreUsed() throws {
    let (first, second) = (PluginFolder.make(["id": #""org.a""#]), PluginFolder.make(["id": #""org.b""#]))
    var preferences = CoderPreferences()
    preferences.allowed = ["org.b"]
    let entries = PluginFolder.catalog([first.path, second.path], preferences: preferences).entries
    #expect(entries.map(\.id) == ["org.b", "org.a"])
    #expect(entries[1].reason?.code.rawValue == "not_allowed_by_settings")
    let registry = CoderRegistry(
      searchPath: PluginFolder.searchPath([first.path, second.path]), preferences: preferences)
    registry.register(FakeCoder.make("org.own"))
    #expect(registry.coderIDs == ["org.own", "org.b"])
    #expect(throws: CoderError.self) { try registry.coder("org.a") }
  }
}

extension CoderPreferences {
  /// With another name for a folder in its problems.
  fileprivate func replacing(_ path: String) -> CoderPreferences {
    var preferences = self
    preferences.problems = problems.map { $0.replacing(path, with: "DIR") }
    return preferences
  }
}
