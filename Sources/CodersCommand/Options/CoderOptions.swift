// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Options of every verb.
struct CoderOptions: ParsableArguments {
  @Option(
    name: .customLong("plugin-dir"),
    help: ArgumentHelp("Look for plugins in this directory first; can be repeated.", valueName: "dir"))
  var pluginDirectories: [String] = []

  @Flag(help: "Print only errors, and only the names in a list.")
  var quiet = false

  /// The search path of this run.
  func searchPath(_ console: Console) -> SearchPath {
    SearchPath(arguments: pluginDirectories, environment: console.environment, executable: console.executable)
  }

  /// The coders of this run.
  func registry(_ console: Console) -> CoderRegistry {
    CoderRegistry(searchPath: searchPath(console), preferences: Preferences(environment: console.environment))
  }
}
