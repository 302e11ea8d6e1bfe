// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders options`: what can be asked of the writers.
struct OptionsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "options",
    abstract: "List the formats that are written, or what one of them can be asked for.",
    discussion: """
      Without a format, prints a line for each: the common options that its writer follows, the payloads that it keeps, \
      and the options of its own. With one, prints these with type, values, default and meaning; they go behind --option. \
      Common options that are not listed are the same for every format. Reads manifests only: no plugin is loaded.

      Examples:
        coders options
        coders options webp
        coders options "JPEG XL"
        coders options --json png
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Option(name: .customLong("encoder"), help: ArgumentHelp("Of this coder alone.", valueName: "id"))
  var encoder: String?

  @Argument(help: ArgumentHelp("An extension, a name or a type identifier.", valueName: "format"))
  var format: String?

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = coders.registry(console)
    let chosen: ImageFormat? = if let format { try registry.format(named: format, output: "") } else { nil }
    let listing = OptionListing(registry.catalog, format: chosen, encoder: encoder)
    if listing.isEmpty {
      let what = chosen.map { "writes \($0)" } ?? "writes anything"
      throw .noCoder(encoder.map { "no coder with the id \($0) \(what)" } ?? "no coder \(what)")
    }
    if json {
      console.print(listing.json.printed)
    } else if coders.quiet {
      for name in listing.names { console.print(name) }
    } else {
      for line in listing.lines(console.style) { console.print(line) }
    }
    return .ok
  }
}
