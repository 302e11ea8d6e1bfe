// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders operations`: lists what coders do with whole files.
struct OperationsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "operations",
    abstract: "List the operations on whole files that the coders have, or those for one format.",
    discussion: """
      An operation writes a new file, or takes a part out of a file, without decoding pixels: it turns a JPEG without loss, \
      or stores one as JPEG XL. `coders apply` runs it.

      Without a format, prints one line for each operation of each coder: the formats that it works on, and the names of its \
      values and blocks. With a format, prints each operation for files of that format with its values: type, range, default \
      and meaning. Reads only the manifests; no plugin is loaded. Names with a dot belong to the plugin's author.

      Examples:
        coders operations
        coders operations jpeg
        coders operations --json
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Argument(help: ArgumentHelp("An extension, a name or a type identifier.", valueName: "format"))
  var format: String?

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = coders.settings.registry(console)
    let chosen = try format.map { (name) throws(CoderError) in try registry.formatOfOperations(named: name) }
    let listing = OperationListing(registry, format: chosen)
    if listing.isEmpty, let format { throw .noCoder("no coder has an operation for \(format)") }
    if json {
      console.print(listing.json.printed)
    } else if coders.quiet {
      for name in listing.names { console.print(name.printable) }
    } else {
      for line in listing.lines(console.style) { console.print(line) }
    }
    return .ok
  }
}
