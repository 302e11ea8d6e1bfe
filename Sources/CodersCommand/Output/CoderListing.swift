// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// The output of `coders list`: the coders in use in their order, then those that were found but are not used.
struct CoderListing {
  private let used: [(entry: CatalogEntry, manifest: Manifest)]
  private let unused: [(entry: CatalogEntry, reason: SkipReason)]
  private let unreadable: [(path: String, reason: SkipReason)]
  private let outrankings: [Outranking]
  private let catalog: Catalog
  private let searchPath: PluginSearchPath

  init(_ catalog: Catalog, searchPath: PluginSearchPath) {
    used = catalog.entries.compactMap { entry in
      guard let manifest = entry.manifest, entry.reason == nil else { return nil }
      return (entry, manifest)
    }
    unused = catalog.entries.compactMap { entry in entry.reason.map { (entry, $0) } }
    unreadable = catalog.unreadable
    outrankings = catalog.outrankings
    self.catalog = catalog
    self.searchPath = searchPath
  }

  /// The identifiers of the coders in use.
  var ids: [String] { used.map(\.manifest.id) }

  /// The table.
  func lines(_ style: Style) -> [String] {
    var lines: [String] = []
    if used.isEmpty {
      lines.append("no coders found; run coders doctor to see where coders looks for them")
    } else {
      var table = Table(
        ["ID", "FORMAT", "EXTENSIONS", "DOES", "PRIORITY", "VERSION", "LIBRARY"], rightAligned: [4])
      for (entry, manifest) in used {
        table.add([
          manifest.id, Self.first(4, of: manifest.formats.map(\.name), separator: ", "),
          Self.first(8, of: manifest.formats.flatMap(\.extensions), separator: " "), Self.abilities(manifest),
          "\(entry.priority)", manifest.version, entry.place,
        ])
      }
      lines += table.lines(style)
    }
    let namesakes = used.filter(\.entry.isNamesake)
    if !namesakes.isEmpty {
      lines += ["", style.title("Strangers with a name of this project")]
      lines += namesakes.map { "\($0.entry.id): \($0.entry.place)".printable }
    }
    if !outrankings.isEmpty {
      lines += ["", style.title("Tried before bundled coders")]
      lines += outrankings.map { $0.sentence(catalog).printable }
    }
    let refining = used.flatMap { used in
      used.manifest.formats.filter { !$0.refines.isEmpty }.map { (used.manifest.id, $0) }
    }
    if !refining.isEmpty {
      lines += ["", style.title("Kinds of other formats")]
      lines += refining.map { id, format in
        "\(id): \(format.name) refines \(format.refines.map(\.rawValue).joined(separator: ", "))".printable
      }
    }
    let asking = used.map(\.manifest).filter { !$0.siblings.isEmpty || !$0.needs.isEmpty }
    if !asking.isEmpty {
      lines += ["", style.title("Take more than the picture")]
      lines += asking.map { "\($0.id): \(Self.wishes($0))".printable }
    }
    guard !unused.isEmpty || !unreadable.isEmpty else { return lines }
    lines += ["", style.title("Not used")]
    for (entry, reason) in unused {
      lines.append("\(entry.id.printable): \(style.bad(reason.code.rawValue)): \(reason.message.printable)")
      if entry.manifest != nil { lines.append("  \(entry.path.printable)") }
    }
    for (path, reason) in unreadable {
      lines.append("\(path.printable): \(style.bad(reason.code.rawValue)): \(reason.message.printable)")
    }
    return lines
  }

  /// Some names, and how many there are beside them: a coder of many formats would widen the table for all. JSON has them all.
  private static func first(_ most: Int, of names: [String], separator: String) -> String {
    let shown = names.prefix(most).joined(separator: separator)
    return names.count > most ? "\(shown), \(names.count - most) more" : shown
  }

  /// `fonts; threads of its library; files beside the picture: {stem}.xmp`.
  private static func wishes(_ manifest: Manifest) -> String {
    var words = manifest.resourceWords
    if manifest.needs.contains(.threads) { words.append("threads of its library") }
    if !manifest.siblings.isEmpty {
      words.append("files beside the picture: \(manifest.siblings.map(\.text).joined(separator: ", "))")
    }
    return words.joined(separator: "; ")
  }

  private static func abilities(_ manifest: Manifest) -> String {
    var words: [String] = []
    if manifest.canRead { words.append("reads") }
    if manifest.canWrite { words.append("writes") }
    if manifest.animates { words.append("animates") }
    return words.joined(separator: " ")
  }
}

extension Outranking {
  /// `org.example.png is tried before org.imagecoders.png for PNG (read, write)`, and whether that is the user's wish.
  func sentence(_ catalog: Catalog) -> String {
    let directions = (isRead ? ["read"] : []) + (isWritten ? ["write"] : [])
    return "\(coder) is tried before \(bundled) for \(catalog.name(of: format)) (\(directions.joined(separator: ", ")))"
      + (isSet ? ", as the settings say" : "")
  }
}

extension CoderListing {
  /// The output of `coders list --json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    .object([
      "schema": .integer(1),
      "coders": .list(used.map { json($0.entry, $0.manifest) }),
      "not_used": .list(
        unused.map { entry, reason in
          .object([
            "id": .optional(entry.manifest?.id), "manifest": .text(entry.path), "code": .text(reason.code.rawValue),
            "message": .text(reason.message),
          ])
        }),
      "unreadable": .list(
        unreadable.map { path, reason in
          .object([
            "path": .text(path), "code": .text(reason.code.rawValue), "message": .text(reason.message),
          ])
        }),
      "search_path": .list(
        searchPath.directories.map { .object(["path": .text($0.path), "origin": .text($0.origin)]) }),
    ])
  }

  private func json(_ entry: CatalogEntry, _ manifest: Manifest) -> JSONValue {
    .object([
      "id": .text(manifest.id), "name": .text(manifest.name), "version": .text(manifest.version),
      "vendor": .text(manifest.vendor), "license": .text(manifest.license),
      "library_license": .optional(manifest.libraryLicense), "library": .optional(entry.library),
      "manifest": .text(entry.path), "platform": .optional(manifest.platform), "runtime": .optional(manifest.runtime),
      "abi": .object(["major": .integer(manifest.abiMajor), "min_minor": .integer(manifest.abiMinMinor)]),
      "priority": .integer(entry.priority), "reads": .boolean(manifest.canRead), "writes": .boolean(manifest.canWrite),
      "animates": .boolean(manifest.animates), "bundled": .boolean(entry.isBundled),
      "capabilities": .texts(manifest.capabilities.sorted()),
      "formats": .list(
        manifest.formats.map {
          .object([
            "uti": .text($0.format.rawValue), "name": .text($0.name), "mime": .texts($0.mimeTypes),
            "extensions": .texts($0.extensions), "refines": .texts($0.refines.map(\.rawValue)),
          ])
        }),
      "encode_options": .list(manifest.options.map { JSONValue($0) }),
      "decode_options": .list(manifest.readOptions.map { JSONValue($0) }),
      "siblings": .texts(manifest.siblings.map(\.text)), "resources": .texts(manifest.resourceWords),
      "threads": .optional(manifest.needs.contains(.threads) ? "library" : nil),
      "code": manifest.code.map { JSONValue($0) } ?? .null,
      "outranks": .list(
        outrankings.filter { $0.coder == manifest.id }.map {
          .object([
            "coder": .text($0.bundled), "format": .text($0.format.rawValue), "read": .boolean($0.isRead),
            "write": .boolean($0.isWritten), "set": .boolean($0.isSet),
          ])
        }),
    ])
  }
}

extension Manifest {
  var animates: Bool { capabilities.contains("animation") }

  /// The words of its key `resources`.
  var resourceWords: [String] { PluginNeeds.resources.filter { needs.contains($0.need) }.map(\.word) }
}

extension JSONValue {
  /// What kind of code a coder is, with the keys of a manifest, and the advisories that are open where the version is
  /// known.
  init(_ code: CodeDescription) {
    self = .object([
      "language": .text(code.language), "bounds": .text(code.bounds.rawValue),
      "libraries": .list(
        code.libraries.map { library in
          let open =
            library.version.map {
              Advisories.current.open(in: "\(library.name) \($0)", fixes: Set(library.fixes))
            } ?? []
          return .object([
            "name": .text(library.name), "language": .text(library.language), "reads": .boolean(library.reads),
            "writes": .boolean(library.writes), "version": .optional(library.version), "fixes": .texts(library.fixes),
            "advisories": .texts(open.map(\.name)),
          ])
        }),
    ])
  }

  /// An option description, with the keys of a manifest.
  init(_ option: OptionDescription) {
    var members: [String: JSONValue] = ["name": .text(option.name), "text": .text(option.text)]
    switch option.kind {
    case .boolean(let value):
      members.merge(["type": .text("boolean"), "default": .boolean(value)]) { $1 }
    case .integer(let range, let value):
      members.merge([
        "type": .text("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        "default": .integer(value),
      ]) { $1 }
    case .number(let range, let value):
      members.merge([
        "type": .text("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
        "default": .number(value),
      ]) { $1 }
    case .choice(let words, let index):
      members.merge(["type": .text("choice"), "choices": .texts(words), "default": .text(words[index])]) { $1 }
    case .text(let maximum, let value):
      members.merge(["type": .text("text"), "maximum": .integer(maximum), "default": .text(value)]) { $1 }
    }
    if option.isSecret { members["secret"] = .boolean(true) }
    self = .object(members)
  }
}
