// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Each keyword refuses what it has to refuse; a schema that lets everything pass would make every test of an output pass.
@Suite struct JSONSchemaTests {
  private func problems(_ schema: String, _ value: String) throws -> [String] {
    try JSONSchema(parsing: Array(schema.utf8)).problems(in: try JSONValue(parsing: Array(value.utf8)))
  }

  private static let refused: [(String, String, String)] = [
    (#"{"type": "integer"}"#, "1.5", "$: 1.5 is not integer"),
    (#"{"type": "integer"}"#, #""1""#, #"$: "1" is not integer"#),
    (#"{"type": "number"}"#, "true", "$: true is not number"),
    (#"{"type": ["string", "null"]}"#, "0", "$: 0 is not string or null"),
    (#"{"type": "boolean"}"#, "null", "$: null is not boolean"),
    (#"{"type": "array"}"#, "{}", "$: an object is not array"),
    (#"{"type": "object"}"#, "[]", "$: a list is not object"),
    (#"{"enum": ["a", 1, null]}"#, #""b""#, #"$: "b" is not in the list"#),
    (#"{"const": 1}"#, "2", "$: 2 is not 1"),
    (#"{"const": {"a": [1], "b": 2}}"#, #"{"b": 2, "a": [1, 1]}"#, "$: an object is not an object"),
    (#"{"properties": {"a": {"type": "null"}}}"#, #"{"a": 1}"#, "$.a: 1 is not null"),
    (#"{"required": ["a", "b"]}"#, #"{"b": 1}"#, "$: a is missing"),
    (#"{"properties": {"a": {}}, "additionalProperties": false}"#, #"{"a": 1, "b": 1}"#, "$: b is not allowed"),
    (#"{"additionalProperties": {"type": "string"}}"#, #"{"b": 1}"#, "$.b: 1 is not string"),
    (#"{"items": {"type": "string"}}"#, #"["a", 1]"#, "$[1]: 1 is not string"),
    (#"{"items": false}"#, "[1]", "$[0]: nothing is allowed here"),
    (#"{"minItems": 2}"#, "[1]", "$: 1 items are beyond minItems 2"),
    (#"{"maxItems": 2}"#, "[1, 2, 3]", "$: 3 items are beyond maxItems 2"),
    (#"{"minimum": 1}"#, "0.5", "$: 0.5 is beyond the minimum 1"),
    (#"{"maximum": 1}"#, "1.5", "$: 1.5 is beyond the maximum 1"),
    (#"{"minLength": 1}"#, #""""#, #"$: "" is too short"#),
    (#"{"pattern": "^a+$"}"#, #""aab""#, #"$: "aab" does not match ^a+$"#),
    (##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}"##, "1", "$: 1 is not null"),
    (##"{"$ref": "#/$defs/b", "$defs": {"a": {"type": "null"}}}"##, "null", ##"$: "#/$defs/b" is not defined"##),
    (#"{"oneOf": [{"type": "integer"}, {"minimum": 1}]}"#, "1", "$: follows 2 of the choices"),
  ]

  @Test(arguments: refused)
  func refuses(_ schema: String, _ value: String, _ problem: String) throws {
    #expect(try problems(schema, value) == [problem])
  }

  @Test func aChoiceNamesTheProblemsOfTheNearest() throws {
    let schema = #"{"oneOf": [{"required": ["a", "b"]}, {"required": ["a", "b", "c"]}]}"#
    #expect(
      try problems(schema, #"{"a": 1}"#) == ["$: follows none of the choices", "$: b is missing"])
    #expect(try problems(#"{"anyOf": [{"const": 1}]}"#, "2") == ["$: follows none of the choices", "$: 2 is not 1"])
  }

  private static let allowed: [(String, String)] = [
    (#"{"type": "integer"}"#, "2.0"), (#"{"type": "number"}"#, "2"), (#"{"const": 1}"#, "1.0"),
    (#"{"const": {"a": [1], "b": 2}}"#, #"{"b": 2, "a": [1]}"#), (#"{"minimum": 1}"#, "1"), (#"{"maximum": 1}"#, "1"),
    (#"{"minimum": 1, "pattern": "a", "required": ["b"], "items": false}"#, "null"),
    (#"{"anyOf": [{"type": "integer"}, {"minimum": 1}]}"#, "1"), (#"{"items": {"type": "string"}}"#, "[]"),
    (#"{"minItems": 1, "maxItems": 1}"#, "[0]"), (#"{"pattern": "b"}"#, #""abc""#), (#"{"minLength": 1}"#, #""ä""#),
    (#"{"properties": {"a": false}, "required": []}"#, "{}"),
  ]

  @Test(arguments: allowed)
  func allows(_ schema: String, _ value: String) throws {
    #expect(try problems(schema, value) == [])
  }

  @Test func aKeywordThatIsNotKnownIsAnError() {
    for schema in [#"{"requried": []}"#, #"{"properties": {"a": {"typ": "null"}}}"#, #"{"oneOf": [{"not": {}}]}"#] {
      #expect(throws: TextProblem.self) { try JSONSchema(parsing: Array(schema.utf8)) }
    }
  }

  /// The schema of manifests, which editors use, allows what the reader of manifests reads.
  @Test func theManifestsHereFollowTheirSchema() throws {
    let schema = try JSONSchema(named: "imgcoder-1")
    let names = Command.run("ls '\(StagedTree.root)/Registry' | grep json").output.split(separator: "\n")
    #expect(names.count == 21)
    for name in names {
      let bytes = try OpenSource(.file("\(StagedTree.root)/Registry/\(name)"), limits: .standard).contents()
      #expect(schema.problems(in: try JSONValue(parsing: bytes)) == [], "\(name)")
    }
  }
}
