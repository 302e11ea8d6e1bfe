// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Test pictures of a plugin that has the pinned libraries inside: of what these answer in another way than Debian 12's, and
/// of that alone, `answers-pinned.json` has the members that differ, and null for a file that they do not read.
enum PinnedAnswers {
  /// Whether a staged plugin has its libraries inside: its manifest names no packages, and that of `Registry` does.
  static func count(for name: String) -> Bool {
    func namesPackages(_ folder: String) -> Bool {
      let text = try? String(contentsOfFile: "\(folder)/\(name).imgcoder.json", encoding: .utf8)
      return text?.contains("\"packages\"") ?? false
    }
    return namesPackages("\(StagedTree.root)/Registry") && !namesPackages(StagedTree.plugins)
  }

  /// A folder with the pictures of `Tests/Fixtures/NAME`, among those of the other formats, and the answers of the pinned
  /// libraries.
  static func fixtures(_ name: String) throws -> String {
    let changed = "\(StagedTree.fixtures(name))/answers-pinned.json"
    guard FileManager.default.fileExists(atPath: changed) else { return StagedTree.fixtures(name) }
    var answers = try members(of: "\(StagedTree.fixtures(name))/answers.json")
    let folder = "\(StagedTree.root)/build/pinned-answers/\(name)"
    _ = Command.run(
      "rm -rf '\(folder)' && mkdir -p '\(folder)' && cd '\(folder)' && "
        + "ln -s '\(StagedTree.root)'/Tests/Fixtures/* . && rm '\(name)' && "
        + "cp -Rs '\(StagedTree.fixtures(name))' '\(name)' && rm '\(name)/answers.json'")
    for (file, change) in try members(of: changed) {
      if let change = change as? [String: Any], let answer = answers[file] as? [String: Any] {
        answers[file] = answer.merging(change) { $1 }
      } else {
        answers[file] = nil
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)/\(file)")
      }
    }
    let path = "\(folder)/\(name)"
    try JSONSerialization.data(withJSONObject: answers).write(to: URL(fileURLWithPath: "\(path)/answers.json"))
    return path
  }

  private static func members(of path: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let members = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw CocoaError(.propertyListReadCorrupt)
    }
    return members
  }
}
