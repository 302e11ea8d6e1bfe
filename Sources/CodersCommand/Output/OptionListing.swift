// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders

/// The output of `coders options`: the formats that can be written or read with options, or the options of one format.
struct OptionListing {
  private let writers: [Writer]
  private let readers: [Reader]
  private let isOne: Bool

  /// A format and the coder that writes it.
  private struct Writer {
    let format: Manifest.Format
    let manifest: Manifest

    func can(_ capability: String) -> Bool {
      manifest.capabilities.contains(capability) || manifest.options.contains { $0.name == capability }
    }

    /// The format's own options: those without an argument of the command.
    var ownOptions: [OptionDescription] { manifest.options.filter { CommonOption(rawValue: $0.name) == nil } }

    /// The options of common meaning; lossless is a capability, and stands beside quality.
    private static let common = {
      var names = CommonOption.allCases.map(\.name)
      names.insert("lossless", at: 1)
      return names
    }()

    /// The common options of the command, each with the capability that supports it.
    static let commonOptions =
      common.map { ("--" + $0, $0) } + [
        ("--embed-thumbnail", "thumbnail"), ("--orientation keep", "orientation"), ("--loop, --no-reduce", "frames"),
        ("--sizes", "pages"),
      ]

    var supported: [String] { (Self.common + ["thumbnail", "orientation"]).filter(can) }
    var holds: [String] { (can("frames") ? ["animation"] : []) + (can("pages") ? ["pages"] : []) }
    var metadata: [MetadataKind] { MetadataKind.allCases.filter { can($0.name) } }
  }

  /// A format and the coder that reads it with options.
  private struct Reader {
    let format: Manifest.Format
    let manifest: Manifest
  }

  /// - Parameters:
  ///   - format: The format to list, or nil for all.
  ///   - encoder: The coder to list, or nil for the first of each format.
  init(_ registry: CoderRegistry, format: ImageFormat?, encoder: String?) {
    var seen: Set<ImageFormat> = []
    var writers: [Writer] = []
    for manifest in registry.writers where encoder == nil || manifest.id == encoder {
      for described in manifest.writtenFormats where format == nil || described.format == format {
        if seen.insert(described.format).inserted { writers.append(Writer(format: described, manifest: manifest)) }
      }
    }
    self.writers = writers
    readers = encoder == nil ? Self.readers(registry, format: format) : []
    isOne = format != nil
  }

  /// The first coder of each format, where it has options to read with.
  private static func readers(_ registry: CoderRegistry, format: ImageFormat?) -> [Reader] {
    var seen: Set<ImageFormat> = []
    return registry.readers.flatMap { manifest in
      manifest.formats.filter { (format == nil || $0.format == format) && seen.insert($0.format).inserted }
        .map { Reader(format: $0, manifest: manifest) }
    }.filter { !$0.manifest.readOptions.isEmpty }
  }

  var isEmpty: Bool { writers.isEmpty && readers.isEmpty }

  /// Only the names: of the options of one format, or of all formats.
  var names: [String] {
    guard isOne else { return (readers.map(\.format) + writers.map(\.format)).map(\.format.rawValue) }
    return readers.flatMap(\.manifest.readOptions).map(\.name) + writers.flatMap(\.ownOptions).map(\.name)
  }

  /// The tables.
  func lines(_ style: Style) -> [String] {
    guard isOne else {
      return readers.isEmpty ? overview.lines(style) : readersInOverview.lines(style) + [""] + overview.lines(style)
    }
    let parts = readers.map { Self.lines($0, style) } + writers.map { Self.lines($0, style) }
    return Array(parts.joined(separator: [""]))
  }

  private var readersInOverview: Table {
    var table = Table(["TO READ", "EXTENSIONS", "OPTIONS"])
    var seen: Set<String> = []
    for manifest in readers.map(\.manifest) where seen.insert(manifest.id).inserted {
      let formats = readers.filter { $0.manifest.id == manifest.id }.map(\.format)
      table.add([
        manifest.name, formats.flatMap(\.extensions).joined(separator: " "),
        manifest.readOptions.map(\.name).joined(separator: " "),
      ])
    }
    return table
  }

  private var overview: Table {
    var table = Table(["FORMAT", "EXTENSIONS", "SUPPORTS", "KEEPS", "HOLDS", "OPTIONS"])
    for writer in writers {
      table.add([
        writer.format.name, writer.format.extensions.joined(separator: " "),
        writer.supported.joined(separator: " "), writer.metadata.map(\.name).joined(separator: " "),
        writer.holds.joined(separator: " "), writer.ownOptions.map(\.name).joined(separator: " "),
      ])
    }
    return table
  }

  private static func head(_ format: Manifest.Format, of coder: String, _ style: Style) -> [String] {
    let rows = [
      ("format", format.format.rawValue), ("extensions", format.extensions.joined(separator: " ")), ("coder", coder),
    ]
    return [style.title(format.name.printable)]
      + rows.map { name, value in "  \(name)\(String(repeating: " ", count: 13 - name.count))\(value.printable)" }
  }

  private static func lines(_ reader: Reader, _ style: Style) -> [String] {
    let table = Self.table("--read-option", reader.manifest.readOptions)
    return head(reader.format, of: reader.manifest.id, style) + [""] + table.lines(style)
  }

  private static func table(_ argument: String, _ options: [OptionDescription]) -> Table {
    var table = Table([argument, "TYPE", "VALUES", "DEFAULT", "MEANING"])
    for option in options {
      let kind = option.kindInWords
      table.add([option.name, kind.type, kind.values, kind.usual, option.text])
    }
    return table
  }

  private static func lines(_ writer: Writer, _ style: Style) -> [String] {
    var lines = head(writer.format, of: writer.manifest.id, style)
    var common = Table(["OPTION", "SUPPORTED"])
    for (option, capability) in Writer.commonOptions { common.add([option, writer.can(capability) ? "yes" : "no"]) }
    let kinds = writer.metadata.map(\.name).joined(separator: ",")
    common.add(["--metadata", kinds.isEmpty ? "no" : kinds])
    common.add(["--max-bytes", writer.can("quality") ? "by lowering the quality" : "as a limit only"])
    lines += [""] + common.lines(style)
    guard !writer.ownOptions.isEmpty else { return lines }
    return lines + [""] + table("--option", writer.ownOptions).lines(style)
  }

  /// The output of `coders options --json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    .object([
      "schema": .integer(1),
      "reading": .list(
        readers.map { reader in
          .object([
            "format": .text(reader.format.format.rawValue), "name": .text(reader.format.name),
            "extensions": .texts(reader.format.extensions), "coder": .text(reader.manifest.id),
            "options": .list(reader.manifest.readOptions.map { JSONValue($0) }),
          ])
        }),
      "formats": .list(
        writers.map { writer in
          .object([
            "format": .text(writer.format.format.rawValue), "name": .text(writer.format.name),
            "extensions": .texts(writer.format.extensions), "coder": .text(writer.manifest.id),
            "follows": .texts(writer.supported), "metadata": .texts(writer.metadata.map(\.name)),
            "animation": .boolean(writer.can("frames")), "pages": .boolean(writer.can("pages")),
            "options": .list(writer.ownOptions.map { JSONValue($0) }),
          ])
        }),
    ])
  }
}

extension OptionDescription {
  /// Type, allowed values and default as they are written on the command line.
  var kindInWords: (type: String, values: String, usual: String) {
    switch kind {
    case .boolean(let value): ("boolean", "true, false", "\(value)")
    case .integer(let range, let value): ("integer", "\(range.lowerBound) to \(range.upperBound)", "\(value)")
    case .number(let range, let value):
      ("number", "\(range.lowerBound.short) to \(range.upperBound.short)", value.short)
    case .choice(let words, let index): ("choice", words.joined(separator: ", "), words[index])
    case .text(let maximum, let value): (isSecret ? "secret" : "text", "at most \(maximum) bytes", value)
    }
  }
}
