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

  /// The search path of this run. Libraries are loaded when they are needed, perhaps after a plugin has changed the
  /// directory of the process, so relative paths are resolved now.
  func searchPath(_ console: Console) -> SearchPath {
    SearchPath(
      arguments: pluginDirectories.map { console.location(of: $0) },
      environment: { name in
        guard let value = console.environment(name) else { return nil }
        guard name == "CODERS_PLUGIN_PATH" || name == "CODERS_ADD_PLUGIN_PATH" else { return value }
        return value.split(separator: ":").map { $0 == "*" ? "*" : console.location(of: String($0)) }
          .joined(separator: ":")
      }, executable: console.executable)
  }

  /// The coders of this run.
  ///
  /// - Parameter policy: The policy that is named on the command line, or nil.
  func registry(_ console: Console, policy: PolicyArgument? = nil) -> CoderRegistry {
    CoderRegistry(
      searchPath: searchPath(console), preferences: Preferences(environment: console.environment),
      policy: PolicyArgument.found(policy, console).policy)
  }
}
