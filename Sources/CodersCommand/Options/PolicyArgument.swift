// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// A policy on the command line: a preset's name, or a file.
struct PolicyArgument: ExpressibleByArgument {
  private let name: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    name = argument
  }

  /// The policy of a run: the one that is named, or else that of the variable or of the user's file.
  static func found(_ named: PolicyArgument?, _ console: Console) -> (policy: Policy, finding: Policy.Finding) {
    guard let name = named?.name else {
      return Policy.found { variable in
        guard let value = console.environment(variable) else { return nil }
        return variable == "CODERS_POLICY" ? place(of: value, console) : value
      }
    }
    return (Policy.loading(place(of: name, console)), .argument)
  }

  /// A name, or the whole path of a file.
  private static func place(of name: String, _ console: Console) -> String {
    name.isEmpty || !(name.contains("/") || name.hasSuffix(".json")) ? name : console.location(of: name)
  }
}
