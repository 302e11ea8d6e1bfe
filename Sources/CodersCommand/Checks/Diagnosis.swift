// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoders

/// The findings of `coders doctor`.
struct Diagnosis {
  /// The findings on one topic.
  struct Section {
    let title: String
    let findings: [Finding]
  }

  let sections: [Section]

  /// Checks an installation. This loads every plugin.
  init(searchPath: SearchPath, preferences: Preferences) {
    let catalog = Catalog(searchPath, preferences: preferences)
    sections = [
      Section(title: "Search path", findings: searchPath.directories.map { Self.directory($0, catalog) }),
      Section(title: "Coders", findings: Self.coders(catalog)),
      Section(title: "Settings", findings: Self.settings(preferences, catalog)),
      Section(title: "Runtime", findings: [Self.runtime]),
    ]
  }

  var problemCount: Int { sections.flatMap(\.findings).count { $0.mark == .problem } }

  private static func directory(_ directory: SearchPath.Directory, _ catalog: Catalog) -> Finding {
    let place = "\(directory.path) (\(directory.origin))"
    if let reason = catalog.unreadable.first(where: { $0.path == directory.path })?.reason {
      return Finding(mark: .problem, text: "\(place): \(reason.code.rawValue): \(reason.message)")
    }
    guard Path.isDirectory(directory.path) else { return Finding(mark: .note, text: "\(place): does not exist") }
    guard access(directory.path, R_OK | X_OK) == 0 else {
      return Finding(mark: .problem, text: "\(place): \(String(cString: strerror(errno)).lowercased())")
    }
    let count = catalog.entries.count { Path.folder($0.path) == directory.path }
    return Finding(mark: .good, text: "\(place): \(count == 1 ? "1 manifest" : "\(count) manifests")")
  }

  private static func coders(_ catalog: Catalog) -> [Finding] {
    guard !catalog.entries.isEmpty else {
      return [
        Finding(
          mark: .problem, text: "no manifest in any directory of the search path",
          advice: "install plugins to /usr/local/lib/coders/1, or pass their directory with --plugin-dir")
      ]
    }
    return catalog.entries.map { coder($0) }
  }

  private static func coder(_ entry: CatalogEntry) -> Finding {
    do throws(SkipReason) {
      let plugin = try LoadedPlugin(entry)
      guard let manifest = entry.manifest else { return Finding(mark: .note, text: entry.path) }
      if let difference = difference(manifest, plugin) {
        return Finding(
          mark: .problem, text: "\(entry.id): \(difference)",
          advice: "install the manifest and the library of the same version")
      }
      let library = plugin.library.isEmpty ? "no wrapped library" : plugin.library
      return Finding(
        mark: .good,
        text: "\(entry.id) \(plugin.version), \(library), priority \(entry.priority): \(entry.library ?? "")")
    } catch {
      let mark: Finding.Mark = error.code == .shadowed || error.code == .disabled ? .note : .problem
      let place = entry.manifest == nil ? "" : " (\(entry.path))"
      return Finding(
        mark: mark, text: "\(entry.id)\(place): \(error.code.rawValue): \(error.message)",
        advice: PluginAdvice.sentence(error, entry.manifest?.packages))
    }
  }

  /// How a manifest and its library disagree, or nil.
  private static func difference(_ manifest: Manifest, _ plugin: LoadedPlugin) -> String? {
    if plugin.version != manifest.version {
      return "the library is version \(plugin.version), the manifest \(manifest.version)"
    }
    if manifest.canRead, !plugin.canRead { return "the manifest says that the plugin reads, but the library does not" }
    if manifest.canWrite, !plugin.canWrite {
      return "the manifest says that the plugin writes, but the library does not"
    }
    return nil
  }

  private static func settings(_ preferences: Preferences, _ catalog: Catalog) -> [Finding] {
    var findings = preferences.problems.map { Finding(mark: .problem, text: $0) }
    let known = Set(catalog.entries.compactMap(\.manifest?.id))
    for (id, priority) in preferences.priorities.sorted(by: { $0.key < $1.key }) {
      findings.append(
        Finding(mark: .note, text: "\(id): priority \(priority)\(known.contains(id) ? "" : ", not installed")"))
    }
    for id in preferences.disabled.sorted() {
      findings.append(Finding(mark: .note, text: "\(id): turned off\(known.contains(id) ? "" : ", not installed")"))
    }
    return findings.isEmpty ? [Finding(mark: .good, text: "none; the priorities are those of the manifests")] : findings
  }

  private static var runtime: Finding {
    Finding(
      mark: .good,
      text: """
        \(HostPlatform.runtime), \(HostPlatform.name), plugin interface \
        \(HostPlatform.abiMajor).\(HostPlatform.abiMinor), coders \(Coders.version)
        """)
  }
}

/// Advice about plugins that cannot be used.
package enum PluginAdvice {
  /// What to do about a plugin, or nil when nothing general can be said.
  package static func sentence(_ reason: SkipReason, _ packages: Manifest.Packages?) -> String? {
    switch reason.code {
    case .libraryMissing:
      guard let packages, !packages.build.isEmpty else { return nil }
      return "build the plugin; it needs: apt-get install \(packages.build.joined(separator: " "))"
    case .loadFailed:
      guard let library = reason.missingLibrary, let packages, !packages.run.isEmpty else { return nil }
      return "install \(library): apt-get install \(packages.run.joined(separator: " "))"
    case .runtimeMismatch: return "rebuild the plugin with the compiler that built this program"
    case .abiUnsupported: return "install a version of the plugin for this program's plugin interface"
    default: return nil
    }
  }
}
