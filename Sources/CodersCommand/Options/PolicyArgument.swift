// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// A policy on the command line: a preset's name, or a file.
struct PolicyArgument: ExpressibleByArgument {
  let name: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    name = argument
  }
}
