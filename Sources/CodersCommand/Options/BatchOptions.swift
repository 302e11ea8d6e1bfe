// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandRuns
import ImageCoderEngine
import ImageCoders

/// Options of verbs that write a file for each of several inputs.
struct BatchOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Files processed at the same time. (default: the number of processors)", valueName: "n"))
  var jobs: Int?

  @Flag(help: "Leave outputs as they are that are not older than their inputs.")
  var update = false

  @Flag(help: "Print a report of the written files as JSON.")
  var json = false

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs is \(jobs), it must be at least 1") }
  }

  /// Makes the output of each input, and prints what was written.
  ///
  /// - Parameter output: The value of `-o`.
  func run(
    _ work: any FileWork, _ files: [(input: String, output: String)], output: String, isQuiet: Bool,
    _ failures: Failures, _ console: Console
  ) {
    let run = FileRun(work, updates: update, isQuiet: isQuiet, failures: failures, console)
    let results = run.make(files, jobs: jobs ?? ThreadPool.processors)
    if json {
      let reports = zip(files, results).map { file, result in JSON(result, of: file) }
      console.print(JSON.object(["schema": .integer(1), "files": .list(reports)]).printed)
    } else if !isQuiet, output != "-" {
      for case (let file, .written) in zip(files, results) { console.print(file.output.printable) }
    }
  }
}

extension JSON {
  /// What became of an input; `docs/cli.md` documents the keys.
  fileprivate init(_ result: FileRun.Result, of file: (input: String, output: String)) {
    var members: [String: JSON] = ["file": .text(file.output), "status": .text("written")]
    switch result {
    case .written(let report): members.merge(report.members) { $1 }
    case .upToDate: members["status"] = .text("up_to_date")
    case .failed(let error):
      members["status"] = .text("failed")
      members["error"] = JSON(error)
    }
    members["input"] = .text(file.input)
    self = .object(members)
  }
}
