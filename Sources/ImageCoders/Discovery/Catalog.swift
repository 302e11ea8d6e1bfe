// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// One manifest that was found, or that is built into the program; used or not.
package struct CatalogEntry: Sendable, Equatable {
  /// What stands for the path of a coder that is part of the program.
  static let builtInPlace = "built in"

  /// The manifest's path, or `built in`.
  package let path: String
  /// What the manifest says, or nil when it could not be read.
  package let manifest: Manifest?
  /// The library's absolute path, or nil when the manifest could not be read, and for a coder that is built in.
  package let library: String?
  /// The coder of the program that it is, or nil for a plugin.
  let builtIn: BuiltInCoder?
  /// Why it is not used, or nil when it is.
  package fileprivate(set) var reason: SkipReason?
  /// The user's priority, else the manifest's.
  package let priority: Int
  /// Whether the user gave it.
  let isPrioritySet: Bool

  /// The coder's identifier, or the manifest's path when it could not be read.
  package var id: String { manifest?.id ?? path }
  /// Where the coder's code is: its library, or `built in`.
  package var place: String { builtIn == nil ? library ?? "" : path }
  /// Whether it is one of this project's, as its place and its owner say: built in, or part of the program's
  /// installation.
  package let isBundled: Bool
  /// Whether it is a stranger with a name of this project.
  package var isNamesake: Bool { !isBundled && manifest.map { Installation.isProjectName($0.id) } ?? false }
  /// Whether its reader wraps no library.
  var isPureSwift: Bool { isBundled && PureSwiftReaders.reason(id) != nil }

  /// The priority that counts among all coders. That of a stranger's manifest does not: only the user's settings put a
  /// stranger before a bundled coder.
  package var standing: Int { isBundled || isPrioritySet ? priority : Self.usualPriority }
  /// The priority that counts among strangers alone.
  var ownPriority: Int { isBundled || isPrioritySet ? Self.usualPriority : priority }

  /// The priority of coders that have none.
  static let usualPriority = 100

  /// What a scan finds wrong with the library; nil for a bundled plugin, which is not scanned.
  ///
  /// - Parameter isFresh: Whether an earlier answer does not count.
  func scan(isFresh: Bool = false) -> SkipReason? {
    guard !isBundled, let manifest, let library else { return nil }
    return LibraryScan.problem(of: library, id: manifest.id, isFresh: isFresh)
  }

  /// What the last scan found wrong with the library as it is now.
  fileprivate var knownScan: SkipReason? {
    guard !isBundled, let library else { return nil }
    return LibraryScan.knownProblem(of: library)
  }

  /// A manifest that could not be read.
  fileprivate init(_ path: String, _ reason: SkipReason) {
    self.path = path
    manifest = nil
    library = nil
    builtIn = nil
    self.reason = reason
    priority = 0
    isPrioritySet = false
    isBundled = false
  }

  fileprivate init(
    _ path: String, _ manifest: Manifest, library: String?, builtIn: BuiltInCoder? = nil, isOwn: Bool,
    preferences: CoderPreferences
  ) {
    self.path = path
    self.manifest = manifest
    self.library = library
    self.builtIn = builtIn
    let set = preferences.priorities[manifest.id]
    priority = set ?? manifest.priority
    isPrioritySet = set != nil
    isBundled = isOwn && Installation.isProjectName(manifest.id)
  }
}

/// The coders of the program, and what was found on a search path. Made from manifests alone: no library is opened.
package struct Catalog: Sendable {
  /// By the priority that counts among all, bundled coders first, strangers by that of their manifests, then by identifier; what is not used comes last, by path.
  package private(set) var entries: [CatalogEntry]
  /// Directories that somebody named, or that are there, and that cannot be read, with the reason.
  package let unreadable: [(path: String, reason: SkipReason)]
  /// The directories of the search path.
  let searched: [String]
  let preferences: CoderPreferences
  /// By identifier, in the order of the search path: usable plugins after the first.
  private let shadowed: [String: [CatalogEntry]]

  /// Reads the manifests of coders that are built in, and all on a search path.
  ///
  /// The first directory that has a usable plugin of an identifier wins; later ones are listed as shadowed. The order of
  /// a directory's files does not matter.
  ///
  /// - Parameters:
  ///   - builtIn: They come before all directories.
  ///   - preferences: The user's priorities, and what the user turned off.
  package init(
    _ searchPath: PluginSearchPath, builtIn: [BuiltInCoder] = [], preferences: CoderPreferences = CoderPreferences()
  ) {
    var found: [CatalogEntry] = []
    var unreadable: [(path: String, reason: SkipReason)] = []
    var winners: [String: String] = [:]
    var shadowed: [String: [CatalogEntry]] = [:]
    func add(_ entry: CatalogEntry) {
      var entry = entry
      if entry.reason == nil, let winner = winners.updateValue(entry.path, forKey: entry.id) {
        winners[entry.id] = winner
        shadowed[entry.id, default: []].append(entry)
        entry.reason = SkipReason(
          .shadowed,
          winner == CatalogEntry.builtInPlace
            ? "a coder with the same id is built into the program"
            : "\(winner) has the same id and comes earlier on the search path")
      }
      found.append(entry)
    }
    for coder in builtIn { add(Self.entry(coder, preferences: preferences)) }
    let installation = Installation(searchPath)
    for directory in searchPath.directories {
      do throws(SkipReason) {
        let listing = try DirectoryListing(directory.path)
        for path in listing.unnameable {
          found.append(CatalogEntry(path, SkipReason(.manifestUnreadable, "the file's name is not UTF-8")))
        }
        for path in listing.manifests {
          add(Self.entry(path, in: listing, of: directory.path, installation, preferences: preferences))
        }
      } catch {
        if directory.isExplicit || error.code == .permission || error.isPassing {
          unreadable.append((directory.path, error))
        }
      }
    }
    entries = found.sorted { first, second in
      if (first.reason == nil) != (second.reason == nil) { return first.reason == nil }
      if first.reason != nil { return (first.id, first.path) < (second.id, second.path) }
      return Self.comes(first, before: second)
    }
    searched = searchPath.directories.map(\.path)
    self.preferences = preferences
    self.unreadable = unreadable
    self.shadowed = shadowed
  }

  /// The same with a reason for each plugin whose library an earlier scan could not load. Nothing is scanned: a library runs
  /// code when it is loaded.
  package func scannedBefore() -> Catalog {
    var catalog = self
    for index in entries.indices where entries[index].reason == nil {
      catalog.entries[index].reason = entries[index].knownScan
    }
    catalog.entries = catalog.entries.filter { $0.reason == nil } + catalog.entries.filter { $0.reason != nil }
    return catalog
  }

  /// Plugins that take the place of a coder, one after the other, if its library turns out to be unusable when it is
  /// loaded.
  package func alternatives(to id: String) -> [CatalogEntry] { shadowed[id] ?? [] }

  /// Whether a coder comes before another one of another identifier, if the user prefers neither for a format.
  static func comes(_ first: CatalogEntry, before second: CatalogEntry) -> Bool {
    if first.standing != second.standing { return first.standing > second.standing }
    if first.isBundled != second.isBundled { return first.isBundled }
    if first.ownPriority != second.ownPriority { return first.ownPriority > second.ownPriority }
    return first.id < second.id
  }

  /// The formats of the coders that are used.
  var formats: some Sequence<Manifest.Format> {
    entries.lazy.filter { $0.reason == nil }.compactMap(\.manifest).flatMap(\.formats)
  }

  /// The first format with an extension, a type identifier or a name, or nil if no coder has it.
  func format(named name: String) -> ImageFormat? {
    let name = name.lowercased()
    return formats.first { $0.has(name) }?.format
  }

  /// The first format with a media type, whose parameters are ignored, or nil if no coder has it.
  ///
  /// - Format: RFC 9110 §8.3.1.
  func format(mimeType type: String) -> ImageFormat? {
    let name = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    return formats.first { $0.mimeTypes.contains(name) }?.format
  }

  /// All formats with an extension, a type identifier or a name: coders may use several identifiers for one.
  package func formats(named name: String) -> Set<ImageFormat> {
    let name = name.lowercased()
    return Set(formats.filter { $0.has(name) }.map(\.format))
  }

  /// Whether any manifest names a format, also of a coder that is not used.
  func knows(_ name: String) -> Bool {
    let name = name.lowercased()
    return entries.contains { $0.manifest?.formats.contains { $0.has(name) } ?? false }
  }

  /// What people call a format, or its type identifier if no coder has it.
  package func name(of format: ImageFormat) -> String {
    formats.first { $0.format == format }?.name ?? format.rawValue
  }

  private static func entry(_ coder: BuiltInCoder, preferences: CoderPreferences) -> CatalogEntry {
    let place = CatalogEntry.builtInPlace
    do throws(SkipReason) {
      let manifest = try Manifest(json: coder.manifest)
      var entry = CatalogEntry(place, manifest, library: nil, builtIn: coder, isOwn: true, preferences: preferences)
      entry.reason = unusable(manifest, preferences: preferences)
      return entry
    } catch {
      return CatalogEntry(place, error)
    }
  }

  private static func entry(
    _ path: String, in listing: DirectoryListing, of directory: String, _ installation: Installation,
    preferences: CoderPreferences
  ) -> CatalogEntry {
    do throws(SkipReason) {
      let manifest = try Manifest(json: try listing.contents(of: path))
      let library = "\(directory)/\(manifest.library)"
      var entry = CatalogEntry(
        path, manifest, library: library,
        isOwn: installation.contains(listing.status) && installation.owns(path, library),
        preferences: preferences)
      entry.reason =
        unusable(manifest, preferences: preferences) ?? unfit(manifest)
        ?? listing.problem(library: manifest.library, path: library)
      return entry
    } catch {
      return CatalogEntry(path, error)
    }
  }

  private static func unusable(_ manifest: Manifest, preferences: CoderPreferences) -> SkipReason? {
    if preferences.disabled.contains(manifest.id) {
      return SkipReason(.disabled, "turned off by CODERS_PRIORITY or the settings file")
    }
    if let allowed = preferences.allowed, !allowed.contains(manifest.id) {
      return SkipReason(.notAllowed, "not in the list of CODERS_ALLOW or of \"allowed\" in the settings file")
    }
    let (needed, offered) = (
      (manifest.abiMajor, manifest.abiMinMinor), (HostPlatform.abiMajor, HostPlatform.abiMinor)
    )
    guard needed.0 == offered.0, needed.1 <= offered.1 else {
      return SkipReason(
        .abiUnsupported,
        "needs version \(needed.0).\(needed.1) of the interface, this host has \(offered.0).\(offered.1)",
        needsNewerHost: needed > offered)
    }
    return nil
  }

  /// Why this process cannot load a library, as the manifest says.
  private static func unfit(_ manifest: Manifest) -> SkipReason? {
    if let platform = manifest.platform, platform != HostPlatform.name {
      return SkipReason(.platformMismatch, "is for \(platform), this is \(HostPlatform.name)")
    }
    if let runtime = manifest.runtime, runtime.hasPrefix("swift/") {
      guard HostPlatform.sharesRuntime else { return SkipReason(.runtimeMismatch, HostPlatform.staticRuntimeAdvice) }
      guard runtime == HostPlatform.runtime else {
        return SkipReason(.runtimeMismatch, "shares the runtime \(runtime), this process has \(HostPlatform.runtime)")
      }
    }
    return nil
  }
}

extension Manifest.Format {
  /// - Parameter name: An extension, a type identifier or a name, in lower case.
  fileprivate func has(_ name: String) -> Bool {
    extensions.contains(name) || format.rawValue == name || self.name.lowercased() == name
  }
}
