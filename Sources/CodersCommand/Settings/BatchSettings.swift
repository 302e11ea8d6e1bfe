// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders

/// How a verb writes a file for each of several inputs: what its options say, or what holds without them.
struct BatchSettings: Sendable {
  /// Files processed at the same time.
  var jobs = ThreadPool.processors
  /// Whether outputs are left as they are that are not older than their inputs.
  var updates = false
  var isJSON = false

  init() {}

  /// Makes the output of each input, and prints what was written.
  ///
  /// - Parameter output: The value of `-o`.
  func run(
    _ work: any FileWork, _ files: [(input: String, output: String)], output: String, isQuiet: Bool,
    _ failures: Failures, _ console: Console
  ) {
    let run = FileRun(work, updates: updates, isQuiet: isQuiet, failures: failures, console)
    let results = run.make(files, jobs: jobs)
    if isJSON {
      let reports = zip(files, results).map { file, result in JSONValue(result, of: file) }
      console.print(JSONValue.object(["schema": .integer(1), "files": .list(reports)]).printed)
    } else if !isQuiet, output != "-" {
      for case .written(let report) in results { console.print(report.file.printable) }
    }
  }
}

extension JSONValue {
  /// What became of an input; `docs/cli.md` documents the keys.
  fileprivate init(_ result: FileRun.Result, of file: (input: String, output: String)) {
    var members: [String: JSONValue] = ["file": .text(file.output), "status": .text("written")]
    switch result {
    case .written(let report): members.merge(report.members) { $1 }
    case .upToDate: members["status"] = .text("up_to_date")
    case .failed(let error):
      members["status"] = .text("failed")
      members["error"] = JSONValue(error)
    }
    members["input"] = .text(file.input)
    self = .object(members)
  }
}
