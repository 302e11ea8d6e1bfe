// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// What an installation leaves beside the files: what they were, and where they came from.
struct Receipt {
  static let fileName = "receipt.json"
  private static let maxBytes = 4 << 20

  let id: String
  let version: String
  /// The archive's path.
  let source: String
  /// When it was installed, in the form of RFC 3339.
  let time: String
  /// The digest of the manifest as it is installed.
  let manifestDigest: String
  /// Digests of the other files, by name.
  let digests: [String: String]

  init(_ plugin: StagedPlugin, source: String, manifestDigest: String) {
    (id, version, digests) = (plugin.manifest.id, plugin.manifest.version, plugin.digests)
    (self.source, self.manifestDigest) = (source, manifestDigest)
    time = Self.now
  }

  /// Reads the receipt of a folder.
  ///
  /// - Returns: Nil if there is none that can be read.
  init?(in folder: String) {
    do {
      let tree = try FileTree(folder)
      let bytes = try tree.contents(of: Self.fileName, upTo: Self.maxBytes)
      let value = try JSONValue(parsing: bytes, maxBytes: Self.maxBytes)
      let object = try JSONNode(value, name: "the receipt").object()
      id = try object.required("id").word()
      version = try object.required("version").word()
      source = try object.required("source").string()
      time = try object.required("installed").string()
      manifestDigest = try object.required("manifest").word()
      var digests: [String: String] = [:]
      for (name, node) in try object.required("files").object().nodes {
        // A changed receipt must not lead out of the folder.
        guard try ArchiveName.checked(Array(name.utf8)) == name else { return nil }
        digests[name] = try node.word()
      }
      self.digests = digests
    } catch { return nil }
  }

  var bytes: [UInt8] {
    Array(
      (JSONValue.object([
        "schema": .integer(1), "id": .text(id), "version": .text(version), "source": .text(source),
        "installed": .text(time), "manifest": .text(manifestDigest),
        "files": .object(digests.mapValues { .text($0) }),
      ]).printed + "\n").utf8)
  }

  private static var now: String {
    var (seconds, parts) = (Glibc.time(nil), tm())
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
