// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Options of every verb.
struct CoderOptions: ParsableArguments {
  @Option(
    name: .customLong("plugin-dir"),
    help: ArgumentHelp("Look for plugins in this directory first; can be repeated.", valueName: "dir"))
  var pluginDirectories: [String] = []

  @Flag(help: "Print errors only; list prints ids only.")
  var quiet = false

  /// What the options say.
  var settings: CoderSettings {
    var settings = CoderSettings()
    settings.pluginDirectories = pluginDirectories
    settings.isQuiet = quiet
    return settings
  }
}
