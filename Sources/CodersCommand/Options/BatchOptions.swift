// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

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

  /// What the options say.
  var settings: BatchSettings {
    var settings = BatchSettings()
    if let jobs { settings.jobs = jobs }
    settings.updates = update
    settings.isJSON = json
    return settings
  }
}
