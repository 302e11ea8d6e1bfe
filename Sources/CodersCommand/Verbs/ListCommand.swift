// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders list`: lists the installed coders.
struct ListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list", _superCommandName: superCommandName,
    abstract: "List the installed coders in the order in which they are tried.",
    discussion: """
      Reads only the manifests; no plugin is loaded, except that a library which does not come with coders is loaded \
      once, in a process of its own, to see whether it can be. Coders that were found but are not used follow, each with the \
      reason. If several directories have a coder with the same id, the first one that can be used is. Among coders of \
      one format, the one with the higher priority is tried first; a plugin that does not come with coders is tried before \
      those that do only if the settings give it a priority or prefer it.

      Examples:
        coders list
        coders list --json
        coders list --plugin-dir ./build/lib/coders/1
        CODERS_PRIORITY=org.example.png:200 coders list
        CODERS_ALLOW=org.imagecoders.png,org.imagecoders.gif coders list
      """)

  @Flag(help: "Print JSON with the full content of the manifests.")
  var json = false

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    var list = ListRun()
    list.coders = coders.settings
    list.isJSON = json
    list.run(console)
    return .ok
  }
}
