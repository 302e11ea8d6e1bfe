// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// `coders options`: lists the options for reading and writing each format.
struct OptionsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "options",
    abstract: "List the options to read and to write each format, or those of one format.",
    discussion: """
      Without a format, prints a line for each coder that reads with options, and one for each format that can be \
      written: the common options it supports, the metadata it keeps, and the names of its format-specific options. With \
      a format, prints its options with type, values, default and meaning, in two tables: pass those to read with \
      --read-option, those to write with --option. Common options that are not listed work for every format. Reads only \
      the manifests; no plugin is loaded.

      Examples:
        coders options
        coders options webp
        coders options svg
        coders options "JPEG XL"
        coders options --json png
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Option(name: .customLong("encoder"), help: ArgumentHelp("Show only this coder.", valueName: "id"))
  var encoder: String?

  @Argument(help: ArgumentHelp("An extension, a name or a type identifier.", valueName: "format"))
  var format: String?

  @OptionGroup var coders: CoderOptions

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = coders.settings.registry(console)
    let chosen: ImageFormat? = if let format { try registry.formatWithOptions(named: format) } else { nil }
    let listing = OptionListing(registry, format: chosen, encoder: encoder)
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

extension CoderRegistry {
  /// A format that is written, or read with options.
  fileprivate func formatWithOptions(named name: String) throws(CoderError) -> ImageFormat {
    if let found = format(forExtension: name),
      readers.first(where: { $0.formats.contains { $0.format == found } })?.readOptions.isEmpty == false
    {
      return found
    }
    return try format(named: name, output: "")
  }
}
