// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
package import ImageCoders

/// What desktops are told of a plugin: the types of its files, and that `coders` makes thumbnails of them.
///
/// - Format: freedesktop.org, Shared MIME-info Database 0.21; the files `*.thumbnailer` of GNOME, which others read too.
package struct DesktopTypes {
  let id: String
  /// Media types of the formats that are read.
  private let thumbnailed: [String]
  private let types: [MediaType]

  /// A type that has to be declared.
  private struct MediaType {
    let name: String
    let aliases: [String]
    let comment: String
    let parents: [String]
    let extensions: [String]
    let signatures: [FormatSignature]
  }

  /// - Parameters:
  ///   - json: The manifest's text, for keys that this host does not read.
  ///   - known: Types that shared-mime-info has.
  ///   - mediaType: The media type of a format's identifier.
  package init(
    _ manifest: Manifest, json: JSONValue, known: KnownTypes, mediaType: (String) -> String? = { _ in nil }
  ) {
    id = manifest.id
    let formats = manifest.formats.map { format in (format, names: format.mimeTypes.filter(Self.isMediaType)) }
    thumbnailed = manifest.canRead ? Set(formats.flatMap(\.names)).sorted() : []
    let written = json.members(of: "formats")
    types = formats.enumerated().compactMap { index, format in
      let missing = format.names.filter { !known.contains($0) }
      // An alias of a type that is known would be a second name for what others have described.
      guard let name = missing.first, missing.count == format.names.count else { return nil }
      let refined = index < written.count ? written[index].texts(of: "refines") : []
      return MediaType(
        name: name, aliases: Array(missing.dropFirst()), comment: format.0.name,
        parents: refined.compactMap(mediaType).filter(Self.isMediaType), extensions: format.0.extensions,
        signatures: format.0.signatures.filter { $0.offset >= 0 })
    }
  }

  /// Two names of RFC 6838 section 4.2.
  private static func isMediaType(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.count <= 127
          && part.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "!#$&^_.+-".utf8.contains(byte)
          }
      }
  }

  /// The declaration of the types, or nil if shared-mime-info has all of them.
  package var declaration: String? {
    guard !types.isEmpty else { return nil }
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- Written by coders plugin for \(id). -->
      <mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">

      """
    for type in types {
      text += "  <mime-type type=\"\(type.name)\">\n    <comment>\(Self.escaped(type.comment))</comment>\n"
      for alias in type.aliases { text += "    <alias type=\"\(alias)\"/>\n" }
      for parent in type.parents { text += "    <sub-class-of type=\"\(parent)\"/>\n" }
      if !type.signatures.isEmpty {
        text += "    <magic>\n"
        for signature in type.signatures { text += "      \(Self.match(signature))\n" }
        text += "    </magic>\n"
      }
      for name in type.extensions { text += "    <glob pattern=\"*.\(Self.escaped(Self.globbed(name)))\"/>\n" }
      text += "  </mime-type>\n"
    }
    return text + "</mime-info>\n"
  }

  private static func match(_ signature: FormatSignature) -> String {
    let value = signature.bytes.map { "\\x" + hex($0) }.joined()
    let end = signature.within > 0 ? ":\(signature.offset + signature.within)" : ""
    let mask = signature.mask.isEmpty ? "" : " mask=\"0x\(signature.mask.map(hex).joined())\""
    return "<match type=\"string\" offset=\"\(signature.offset)\(end)\" value=\"\(value)\"\(mask)/>"
  }

  private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  /// An extension in which no letter stands for others.
  private static func globbed(_ name: String) -> String {
    name.reduce(into: "") { $0 += "*?[\\".contains($1) ? "[\($1)]" : "\($1)" }
  }

  private static func escaped(_ text: String) -> String {
    text.printable.reduce(into: "") { text, letter in
      switch letter {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      default: text.append(letter)
      }
    }
  }

  /// The thumbnailer, or nil for a plugin that reads no file with a media type. Its commands are those of
  /// `coders.thumbnailer`.
  package var thumbnailer: String? {
    guard !thumbnailed.isEmpty else { return nil }
    return """
      [Thumbnailer Entry]
      TryExec=coders
      Exec=coders thumbnail --freedesktop --isolate preferred --policy thumbnailer --quiet --size %s --input-uri %u -o %o %i
      MimeType=\(thumbnailed.map { "\($0);" }.joined())

      """
  }

  /// Writes both files, and removes those that are not needed any more.
  ///
  /// - Parameter data: The folder `share`.
  /// - Returns: The paths of the files that are there now.
  func write(into data: String) throws(CoderError) -> [String] {
    var written: [String] = []
    for (path, text) in [
      (Self.declaration(of: id, in: data), declaration), (Self.thumbnailer(of: id, in: data), thumbnailer),
    ] {
      guard let text else {
        unlink(path)
        continue
      }
      try FileTree.makeFolders(Path.folder(path))
      try NewFile.write(Array(text.utf8), to: path)
      chmod(path, 0o644)
      written.append(path)
    }
    return written
  }

  /// Removes both files of a plugin.
  static func remove(_ id: String, from data: String) -> Bool {
    let paths = [declaration(of: id, in: data), thumbnailer(of: id, in: data)]
    return paths.filter { unlink($0) == 0 }.contains(paths[0])
  }

  static func declaration(of id: String, in data: String) -> String { "\(data)/mime/packages/coders-\(id).xml" }

  static func thumbnailer(of id: String, in data: String) -> String { "\(data)/thumbnailers/coders-\(id).thumbnailer" }

  /// Lets desktops see which types are declared in a folder `share`.
  ///
  /// - Returns: What went wrong, or nil.
  static func updateDatabase(of data: String) -> String? {
    do {
      let status = try ChildProgram.run("update-mime-database", ["\(data)/mime"]).status
      return status == 0 ? nil : "update-mime-database \(data)/mime ends with status \(status)"
    } catch {
      return "\(error.message), so the types of files are not known yet: install shared-mime-info"
    }
  }
}

/// The types that shared-mime-info itself declares. Those of other packages are not among them: they may be gone tomorrow.
package struct KnownTypes {
  private let text: String?

  /// Reads the first list of some folders `share`.
  package init(in folders: [String]) {
    text = folders.lazy.compactMap { folder in
      try? FileTree.contents(of: "\(folder)/mime/packages/freedesktop.org.xml", upTo: 64 << 20)
    }.first.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether there is a list.
  package var isFound: Bool { text != nil }

  package func contains(_ type: String) -> Bool {
    guard let text else { return false }
    return ["<mime-type type=\"\(type)\"", "<alias type=\"\(type)\""].contains { text.has($0) }
  }

  /// The folders `share` of the machine.
  static func folders(_ console: Console) -> [String] {
    (console.environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
  }
}

extension JSONValue {
  /// The items of a list that is a member.
  fileprivate func members(of key: String) -> [JSONValue] {
    guard case .list(let items) = member(key)?.content else { return [] }
    return items
  }

  /// A member's text, or its texts.
  func texts(of key: String) -> [String] {
    switch member(key)?.content {
    case .string(let text): [text]
    case .list(let items): items.compactMap { if case .string(let text) = $0.content { text } else { nil } }
    default: []
    }
  }

  private func member(_ key: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }
}
