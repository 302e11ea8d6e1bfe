// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Which coders a verb uses: what its options say, or what holds without them.
struct CoderSettings {
  /// Folders that are looked into first.
  var pluginDirectories: [String] = []
  /// Only errors are printed, and only the names in a list.
  var isQuiet = false

  init() {}

  /// The search path of this run. Libraries are loaded when they are needed, perhaps after a plugin has changed the
  /// directory of the process, so relative paths are resolved now.
  func searchPath(_ console: Console) -> PluginSearchPath {
    PluginSearchPath(
      arguments: pluginDirectories.map { console.location(of: $0) },
      environment: { name in
        guard let value = console.environment(name) else { return nil }
        guard name == "CODERS_PLUGIN_PATH" || name == "CODERS_ADD_PLUGIN_PATH" else { return value }
        return value.split(separator: ":").map { $0 == "*" ? "*" : console.location(of: String($0)) }
          .joined(separator: ":")
      }, executable: console.executable)
  }

  /// The coders and plugins that are there, as the user prefers them.
  func catalog(_ console: Console) -> Catalog {
    Catalog(
      searchPath(console), builtIn: console.builtIn, preferences: CoderPreferences(environment: console.environment))
  }

  /// The coders of this run.
  ///
  /// - Parameter policy: The policy that is named on the command line, or nil.
  func registry(_ console: Console, policy: String? = nil) -> CoderRegistry {
    CoderRegistry(
      builtIn: console.builtIn, searchPath: searchPath(console),
      preferences: CoderPreferences(environment: console.environment),
      policy: Self.policy(policy, console).policy)
  }

  /// The policy of a run: the one that is named, or else that of the variable or of the user's file.
  static func policy(_ named: String?, _ console: Console) -> (policy: SecurityPolicy, finding: SecurityPolicy.Finding)
  {
    guard let name = named else {
      return SecurityPolicy.found { variable in
        guard let value = console.environment(variable) else { return nil }
        return variable == "CODERS_POLICY" ? place(of: value, console) : value
      }
    }
    return (SecurityPolicy.loading(place(of: name, console)), .argument)
  }

  /// A name, or the whole path of a file.
  private static func place(of name: String, _ console: Console) -> String {
    name.isEmpty || !(name.contains("/") || name.hasSuffix(".json")) ? name : console.location(of: name)
  }
}
