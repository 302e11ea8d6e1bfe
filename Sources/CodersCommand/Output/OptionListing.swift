// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What `coders options` prints: the formats that are written, or all that can be asked for in one of them.
struct OptionListing {
  private let writers: [Writer]
  private let isOne: Bool

  /// A format with the coder that writes it.
  private struct Writer {
    let format: Manifest.Format
    let manifest: Manifest

    func can(_ capability: String) -> Bool { manifest.capabilities.contains(capability) }

    /// Common options of the shell, each with the capability that says whether the writer follows it.
    static let wishes = [
      ("--quality", "quality"), ("--lossless", "lossless"), ("--progressive", "progressive"),
      ("--subsampling", "subsampling"), ("--embed-thumbnail", "thumbnail"), ("--orientation keep", "orientation"),
      ("--loop, --no-reduce", "animation"), ("--sizes", "pages"),
    ]

    var followed: [String] {
      ["quality", "lossless", "progressive", "subsampling", "thumbnail", "orientation"].filter(can)
    }
    var holds: [String] { ["animation", "pages"].filter(can) }
    var metadata: [MetadataKind] { MetadataKind.allCases.filter { can($0.name) } }
  }

  /// - Parameters:
  ///   - format: Or nil for all that are written.
  ///   - encoder: The one coder to look at, or nil for the first of each format.
  init(_ catalog: Catalog, format: ImageFormat?, encoder: String?) {
    var seen: Set<ImageFormat> = []
    var writers: [Writer] = []
    for manifest in catalog.writers where encoder == nil || manifest.id == encoder {
      for described in manifest.formats where format == nil || described.format == format {
        if seen.insert(described.format).inserted { writers.append(Writer(format: described, manifest: manifest)) }
      }
    }
    self.writers = writers
    isOne = format != nil
  }

  var isEmpty: Bool { writers.isEmpty }

  /// Names alone: of the options of a format, or of the formats.
  var names: [String] {
    isOne ? writers.flatMap(\.manifest.options).map(\.name) : writers.map(\.format.format.rawValue)
  }

  /// Tables for people.
  func lines(_ style: Style) -> [String] {
    guard isOne else { return overview.lines(style) }
    return writers.flatMap { Self.lines($0, style) }
  }

  private var overview: Table {
    var table = Table(["FORMAT", "EXTENSIONS", "FOLLOWS", "KEEPS", "HOLDS", "OPTIONS"])
    for writer in writers {
      table.add([
        writer.format.name, writer.format.extensions.joined(separator: " "),
        writer.followed.joined(separator: " "), writer.metadata.map(\.name).joined(separator: " "),
        writer.holds.joined(separator: " "), writer.manifest.options.map(\.name).joined(separator: " "),
      ])
    }
    return table
  }

  private static func lines(_ writer: Writer, _ style: Style) -> [String] {
    var lines = [style.title(writer.format.name.printable)]
    for (name, value) in [
      ("format", writer.format.format.rawValue), ("extensions", writer.format.extensions.joined(separator: " ")),
      ("coder", writer.manifest.id),
    ] {
      lines.append("  \(name)\(String(repeating: " ", count: 13 - name.count))\(value.printable)")
    }
    var common = Table(["OPTION", "FOLLOWED"])
    for (option, capability) in Writer.wishes { common.add([option, writer.can(capability) ? "yes" : "no"]) }
    let kinds = writer.metadata.map(\.name).joined(separator: ",")
    common.add(["--metadata", kinds.isEmpty ? "no" : kinds])
    common.add(["--max-bytes", writer.can("quality") ? "by quality" : "as a limit alone"])
    lines += [""] + common.lines(style)
    guard !writer.manifest.options.isEmpty else { return lines }
    var own = Table(["--option", "TYPE", "VALUES", "DEFAULT", "MEANING"])
    for option in writer.manifest.options {
      let kind = option.kindInWords
      own.add([option.name, kind.type, kind.values, kind.usual, option.text])
    }
    return lines + [""] + own.lines(style)
  }

  /// The contract of `coders options --json`, described in `docs/cli.md`.
  var json: JSON {
    .object([
      "schema": .integer(1),
      "formats": .list(
        writers.map { writer in
          .object([
            "format": .text(writer.format.format.rawValue), "name": .text(writer.format.name),
            "extensions": .texts(writer.format.extensions), "coder": .text(writer.manifest.id),
            "follows": .texts(writer.followed), "metadata": .texts(writer.metadata.map(\.name)),
            "animation": .boolean(writer.can("animation")), "pages": .boolean(writer.can("pages")),
            "options": .list(writer.manifest.options.map { JSON($0) }),
          ])
        }),
    ])
  }
}

extension OptionDescription {
  /// Type, allowed values and default as the shell takes them.
  fileprivate var kindInWords: (type: String, values: String, usual: String) {
    switch kind {
    case .boolean(let value): ("boolean", "true, false", "\(value)")
    case .integer(let range, let value): ("integer", "\(range.lowerBound) to \(range.upperBound)", "\(value)")
    case .number(let range, let value):
      ("number", "\(range.lowerBound.short) to \(range.upperBound.short)", value.short)
    case .choice(let words, let index): ("choice", words.joined(separator: ", "), words[index])
    }
  }
}
