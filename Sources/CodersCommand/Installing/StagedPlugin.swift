// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderTesting
import ImageCoders

/// The files of a plugin that is not installed yet, in a folder of their own.
struct StagedPlugin {
  static let suffix = ".imgcoder.json"

  /// The folder of the manifest: the one that was unpacked, or the only one in it.
  let folder: String
  /// Names of all files, that of the checksums too.
  let files: [String]
  /// Digests of all files but that of the checksums, by name.
  let digests: [String: String]
  /// The manifest's name, and what it says.
  let manifestName: String
  let manifest: Manifest
  let manifestJSON: JSONValue

  /// Compares the files with their checksums and with what an archive has to have. No code of the plugin is run.
  ///
  /// - Throws: ``CoderError/Code/malformed``, ``CoderError/Code/checksumMismatch`` or ``CoderError/Code/limitExceeded`` for files
  ///   that are refused; ``CoderError/Code/unsupported`` for a plugin of another machine or interface;
  ///   ``CoderError/Code/pluginRejected``; ``CoderError/Code/io``.
  init(examining unpacked: String) throws(CoderError) {
    let tree = try Self.top(of: unpacked)
    let files = tree.files
    let list = try ChecksumList(
      parsing: try tree.contents(of: ChecksumList.fileName, upTo: ChecksumList.maxBytes))
    (folder, self.files, digests) = (tree.folder, files, list.digests)
    guard !files.contains(Receipt.fileName) else {
      throw .malformed("\(Receipt.fileName) is in the archive; that name is kept for what was installed")
    }
    for name in files where name != ChecksumList.fileName && digests[name] == nil {
      throw .malformed("\(name.printable) is not in \(ChecksumList.fileName), which lists every file")
    }
    let there = Set(files)
    for name in digests.keys.sorted() where !there.contains(name) || name == ChecksumList.fileName {
      throw .malformed("\(ChecksumList.fileName) lists \(name.printable), which is not in the archive")
    }
    let paths = digests.keys.sorted().map { "\(tree.folder)/\($0)" }
    let computed = try ChecksumList.digests(of: paths)
    for (path, name) in zip(paths, digests.keys.sorted()) where computed[path] != digests[name] {
      throw .checksumMismatch(
        "\(name.printable) has the digest \(computed[path] ?? ""), \(ChecksumList.fileName) says \(digests[name] ?? "")"
      )
    }
    let manifests = files.filter { $0.hasSuffix(Self.suffix) }
    guard let name = manifests.first, manifests.count == 1, !name.contains("/") else {
      throw .malformed(
        manifests.isEmpty
          ? "there is no manifest, NAME\(Self.suffix)"
          : "the manifests are \(manifests.joined(separator: ", ").printable); one at the top is allowed")
    }
    let bytes = try tree.contents(of: name, upTo: 1 << 20)
    do { (manifest, manifestJSON) = (try Manifest(json: bytes), try JSONValue(parsing: bytes)) } catch {
      throw .malformed("\(name.printable): \((error as? SkipReason)?.message ?? "\(error)")")
    }
    manifestName = name
    guard there.contains(manifest.library) else {
      throw .malformed("\(name.printable) names the library \(manifest.library.printable), which is not in the archive")
    }
    guard files.contains(where: Self.isLicense) else {
      throw .malformed("there is no text of the license; a file LICENSE, LICENCE or COPYING at the top is needed")
    }
    try checkIsUsable()
  }

  /// Only the top of an archive, or a single folder in it, may have a list of checksums.
  private static func top(of folder: String) throws(CoderError) -> FileTree {
    let tree = try FileTree(folder)
    if tree.files.contains(ChecksumList.fileName) { return tree }
    let tops = Set((tree.files + tree.folders).map { $0.prefix { $0 != "/" } })
    guard let top = tops.first, tops.count == 1, tree.files.contains("\(top)/\(ChecksumList.fileName)") else {
      throw .malformed("there is no \(ChecksumList.fileName), which has the digests of all files")
    }
    return try FileTree("\(folder)/\(top)")
  }

  private static func isLicense(_ name: String) -> Bool {
    !name.contains("/") && ["LICENSE", "LICENCE", "COPYING"].contains { name.uppercased().hasPrefix($0) }
  }

  var library: String { "\(folder)/\(manifest.library)" }

  /// What a registry would say of it: the platform, the interface, the runtime, permissions.
  private func checkIsUsable() throws(CoderError) {
    let catalog = Catalog(.only([folder]))
    if let reason = catalog.unreadable.first?.reason ?? catalog.entries.first?.reason {
      switch reason.code {
      case .abiUnsupported, .platformMismatch, .runtimeMismatch: throw .unsupported("the plugin \(reason.message)")
      default: throw .pluginRejected(reason.message)
      }
    }
  }

  /// Loads the library in a process of its own, as its first load would.
  ///
  /// - Throws: ``CoderError/Code/pluginRejected``.
  func scan() throws(CoderError) {
    guard let reason = LibraryScan.Scanner.found?.scan(library, id: manifest.id) else { return }
    let advice = PluginAdvice.sentence(reason, manifest.packages).map { "; \($0)" } ?? ""
    throw .pluginRejected("\(reason.code.rawValue): \(reason.message)\(advice)")
  }

  /// Runs those checks of the interface that need no samples, each in a process of its own.
  ///
  /// - Throws: ``CoderError/Code/pluginRejected`` with the first that fails; ``CoderError/Code/cancelled``.
  func check(_ console: Console) throws(CoderError) {
    let plugin = CheckedPlugin(manifest: "\(folder)/\(manifestName)", library: library, files: [])
    let checks = PluginCheck.selection(["manifest", "binary"]).checks
    let results = CheckRun(CheckRun.Settings()).results(of: plugin, checks, cancellation: console.cancellation)
    guard !console.cancellation.isCancelled else { throw CoderError(code: .cancelled, message: "interrupted") }
    guard let result = results.first(where: { $0.outcome == .fail }), let failure = result.failure else { return }
    throw .pluginRejected(
      "\(result.check): \(failure.what): expected \(failure.expected), found \(failure.found)".printable)
  }

  /// The manifest with the library in another folder, as it is installed.
  ///
  /// - Parameter prefix: The folder's path relative to the manifest.
  func manifest(libraryIn prefix: String) -> [UInt8] {
    guard case .object(let members) = manifestJSON.content else { return [] }
    let changed = members.map { member in
      member.key == "library" ? JSONValue.Member(writing: "library", .text("\(prefix)/\(manifest.library)")) : member
    }
    return Array((JSONValue(writing: .object(changed)).printed + "\n").utf8)
  }
}
