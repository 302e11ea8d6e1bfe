// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport

/// Folders with manifests of plugins that need not exist.
enum PluginFolder {
  private static let keys: [(name: String, value: String)] = [
    ("id", #""org.example.fake""#), ("name", #""Fake""#), ("version", #""1.0.0""#), ("abi", #"{"major": 1}"#),
    ("library", #""libfake.so""#), ("formats", #"[{"uti": "org.example.fake", "match": [{"bytes": "66616b65"}]}]"#),
    ("capabilities", #"["read"]"#),
  ]

  /// A manifest, with other values for some of its keys.
  static func manifest(_ changes: [String: String], without missing: String? = nil) -> String {
    var values = keys.filter { $0.name != missing }.map { ($0.name, changes[$0.name] ?? $0.value) }
    for (name, value) in changes where !keys.contains(where: { $0.name == name }) { values.append((name, value)) }
    return "{" + values.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }

  static func manifest(without key: String) -> String { manifest([:], without: key) }
  static func manifest(_ key: String, _ value: String) -> String { manifest([key: value]) }
  static func manifest() -> String { manifest([:]) }

  /// A folder with one plugin, whose library is empty.
  static func make(_ changes: [String: String] = [:], name: String = "fake") -> TemporaryFolder {
    let folder = TemporaryFolder()
    folder.write("", to: "libfake.so")
    folder.write(manifest(changes), to: "\(name).imgcoder.json")
    return folder
  }

  /// The folders, with what has a name of this project in them trusted as its own.
  static func searchPath(_ folders: [String]) -> PluginSearchPath {
    .only(folders).trusting(folders)
  }

  /// What is found in folders, and nowhere else.
  static func catalog(_ folders: [String], preferences: CoderPreferences = CoderPreferences()) -> Catalog {
    Catalog(searchPath(folders), preferences: preferences)
  }
}
