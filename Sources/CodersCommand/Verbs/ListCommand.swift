// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders list`: the coders that are installed.
struct ListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the coders, in the order in which they are tried.",
    discussion: """
      Reads manifests only: no plugin is loaded, so the list is safe and quick. Coders that were found and are not used \
      follow with the reason. The first directory that has an id wins; among coders of a format the higher priority is \
      tried first.

      Examples:
        coders list
        coders list --json
        coders list --plugin-dir ./build/lib/coders/1
        CODERS_PRIORITY=org.example.png:200 coders list
      """)

  @Flag(help: "Print JSON, with all that the manifests say.")
  var json = false

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let path = coders.searchPath(console)
    let listing = CoderListing(
      Catalog(path, preferences: Preferences(environment: console.environment)), searchPath: path)
    if json {
      console.print(listing.json.printed)
    } else if coders.quiet {
      for id in listing.ids { console.print(id) }
    } else {
      for line in listing.lines(console.style) { console.print(line) }
    }
    return .ok
  }
}
