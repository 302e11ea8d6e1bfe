// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// A plugin on the search path that is not bundled, with where it came from.
struct InstalledPlugin {
  /// How its files came to the machine.
  enum Source: Equatable {
    /// This command installed an archive.
    case archive(Receipt)
    /// A package of the system has the manifest.
    case package(String)
    /// Somebody copied the files.
    case files

    static func == (first: Source, second: Source) -> Bool { first.words == second.words }

    var words: String {
      switch self {
      case .archive(let receipt): Path.name(receipt.source)
      case .package(let name): "package \(name)"
      case .files: "files"
      }
    }

    var kind: String {
      switch self {
      case .archive: "archive"
      case .package: "package"
      case .files: "files"
      }
    }
  }

  let id: String
  let version: String
  /// The manifest's path.
  let manifest: String
  let source: Source
  /// Why it is not used, or nil.
  let reason: SkipReason?
  /// The build's folder, for a plugin of an archive.
  let build: String?
  /// Files that are missing or not as they were installed, by path; nil where that was not looked at or cannot be known.
  private(set) var changed: [String]?

  /// The plugins of a search path that are not bundled, in the order of the folders.
  ///
  /// - Parameter verifies: Whether the digests of receipts are compared.
  static func all(
    _ searchPath: PluginSearchPath, _ console: Console, verifies: Bool
  ) throws(CoderError) -> [InstalledPlugin] {
    let catalog = Catalog(searchPath, preferences: CoderPreferences(environment: console.environment)).scannedBefore()
    let folders = searchPath.directories.map(\.path)
    func place(_ entry: CatalogEntry) -> (Int, String) {
      (folders.firstIndex(of: Path.folder(entry.path)) ?? folders.count, entry.path)
    }
    var plugins: [InstalledPlugin] = []
    for entry in catalog.entries.sorted(by: { place($0) < place($1) }) {
      guard let manifest = entry.manifest, !entry.isBundled else { continue }
      var plugin = InstalledPlugin(entry, manifest)
      if verifies { try plugin.verify() }
      plugins.append(plugin)
    }
    return plugins
  }

  private init(_ entry: CatalogEntry, _ manifest: Manifest) {
    (id, version, self.manifest, reason) = (manifest.id, manifest.version, entry.path, entry.reason)
    let place = PluginPlace(folder: Path.folder(entry.path), data: "", isSystem: false)
    let build = entry.path == place.manifest(of: manifest.id) ? place.currentBuild(of: manifest.id) : nil
    if let build, let receipt = Receipt(in: build), receipt.id == manifest.id {
      (self.build, source) = (build, .archive(receipt))
    } else {
      self.build = nil
      source = Self.package(of: entry.path).map(Source.package) ?? .files
    }
  }

  /// The package that a file is in, if the system has dpkg and knows it.
  static func package(of path: String) -> String? {
    guard let result = try? ChildProgram.run("dpkg-query", ["--search", "--", path]), result.status == 0 else {
      return nil
    }
    // "PACKAGE[, PACKAGE]: PATH"
    let names = result.output.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ",") }
    return names.isEmpty ? nil : String(decoding: names, as: UTF8.self)
  }

  private mutating func verify() throws(CoderError) {
    guard case .archive(let receipt) = source, let build else { return }
    changed = try Self.changes(receipt, build: build, manifest: manifest)
  }

  /// The files that are missing or have another digest than the receipt says.
  static func changes(_ receipt: Receipt, build: String, manifest: String) throws(CoderError) -> [String] {
    var expected = Dictionary(uniqueKeysWithValues: receipt.digests.map { ("\(build)/\($0)", $1) })
    expected[manifest] = receipt.manifestDigest
    let paths = expected.keys.sorted()
    let files = paths.filter { path in
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
    let digests = try ChecksumList.digests(of: files)
    return paths.filter { digests[$0] != expected[$0] }
  }

  /// `used`, or why it is not; and the files that were changed.
  var state: String {
    let use = reason?.code.rawValue ?? "used"
    guard let changed, !changed.isEmpty else { return use }
    return "\(use), changed: \(changed.map(Path.name).joined(separator: ", "))"
  }
}
