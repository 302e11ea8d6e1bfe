// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderTesting
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
  init(_ catalog: Catalog, searchPath: PluginSearchPath, preferences: CoderPreferences) {
    sections = [
      Section(
        title: "Search path",
        findings: searchPath.directories.map { Self.directory($0, catalog) }
          + UnusedFiles.find(searchPath, catalog).map { Finding(mark: .warning, text: "\($0.path) \($0.why)") }),
      Section(title: "Coders", findings: Self.coders(catalog)),
      Section(title: "Advisories", findings: [Self.advisoryFile]),
      Section(title: "Settings", findings: Self.settings(preferences, catalog)),
      Section(title: "Isolation", findings: Self.isolation(catalog)),
      Section(title: "Runtime", findings: [Self.runtime]),
    ]
  }

  /// How many findings have a mark.
  func count(_ mark: Finding.Mark) -> Int { sections.flatMap(\.findings).count { $0.mark == mark } }

  /// The number of problems and warnings in words.
  var summary: String {
    let (problems, warnings) = (count(.problem), count(.warning))
    let text = problems == 0 ? "no problems" : problems == 1 ? "1 problem" : "\(problems) problems"
    return warnings == 0 ? text : "\(text), \(warnings == 1 ? "1 warning" : "\(warnings) warnings")"
  }

  /// The output of `coders doctor --json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    .object([
      "schema": .integer(1), "problems": .integer(count(.problem)), "warnings": .integer(count(.warning)),
      "sections": .list(
        sections.map {
          .object(["title": .text($0.title), "findings": .list($0.findings.map(\.json))])
        }),
    ])
  }

  private static func directory(_ directory: PluginSearchPath.Directory, _ catalog: Catalog) -> Finding {
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
    let coders = catalog.entries.flatMap { entry in
      var findings: [Finding] = coder(entry, catalog) + namesake(entry)
      findings += rules(entry)
      findings += (entry.manifest?.warnings ?? []).map { Finding(mark: .warning, text: "\(entry.path): \($0)") }
      return findings
    }
    return coders + catalog.idleRefinements.map { Self.idle($0, catalog) }
      + catalog.outrankings.map {
        // What the user has set is no surprise.
        $0.isSet
          ? Finding(mark: .note, text: $0.sentence(catalog))
          : Finding(
            mark: .warning, text: $0.sentence(catalog),
            advice: "to change that, set its priority or the preferred coders in the settings file")
      }
  }

  private static func idle(_ refinement: IdleRefinement, _ catalog: Catalog) -> Finding {
    Finding(
      mark: .warning,
      text: """
        \(refinement.coder): \(catalog.name(of: refinement.format)) refines \(refinement.refined) and says no more of a \
        file: it is not tried first for that
        """,
      advice: "its manifest needs a longer signature in match, or a condition in and")
  }

  private static func coder(_ entry: CatalogEntry, _ catalog: Catalog) -> [Finding] {
    do throws(SkipReason) {
      let plugin = try LoadedPlugin(entry)
      guard let manifest = entry.manifest else { return [Finding(mark: .note, text: entry.path)] }
      if let difference = difference(manifest, plugin) {
        return [
          Finding(
            mark: .problem, text: "\(entry.id): \(difference)",
            advice: "install the manifest and the library of the same version")
        ]
      }
      let library = plugin.library.isEmpty ? "no wrapped library" : plugin.library
      return [
        Finding(
          mark: .good,
          text: "\(entry.id) \(plugin.version), \(library), priority \(entry.priority): \(entry.place)")
      ] + advisories(plugin.library, manifest)
    } catch {
      let mark: Finding.Mark = [.shadowed, .disabled, .notAllowed].contains(error.code) ? .note : .problem
      let place = entry.manifest == nil ? "" : " (\(entry.path))"
      let finding = Finding(
        mark: mark, text: "\(entry.id)\(place): \(error.code.rawValue): \(error.message)",
        advice: PluginAdvice.sentence(error, entry.manifest?.packages))
      return [finding] + (entry.reason == nil ? substitute(entry.id, catalog) : [])
    }
  }

  /// Open advisories of the library that was found. A distribution mends older versions, which does not show in them.
  private static func advisories(_ found: String, _ manifest: Manifest) -> [Finding] {
    let library = Advisories.libraries(found, manifest.code)
    let open = Advisories.current.open(in: library, fixes: Set(manifest.code?.libraries.flatMap(\.fixes) ?? []))
    guard !open.isEmpty else { return [] }
    return [
      Finding(
        mark: .note,
        text: "\(manifest.id): \(library): "
          + open.map { "\($0.name), mended in \($0.fix)" }.joined(separator: "; "))
    ]
  }

  private static var advisoryFile: Finding {
    let advisories = Advisories.current
    if let problem = advisories.problem {
      return Finding(
        mark: .problem, text: problem,
        advice: "repair it, or take the file of a new release; until then each library counts as broken")
    }
    guard let path = advisories.path else { return Finding(mark: .note, text: "no file of advisories") }
    return Finding(mark: .good, text: "\(path): \(advisories.all.count) advisories")
  }

  /// The plugin that is used in place of one that cannot be loaded.
  private static func substitute(_ id: String, _ catalog: Catalog) -> [Finding] {
    for other in catalog.alternatives(to: id) {
      guard case .success = Result(catching: { () throws(SkipReason) in try LoadedPlugin(other) }) else { continue }
      return [Finding(mark: .note, text: "\(id): \(other.path) is used in its place")]
    }
    return []
  }

  private static func namesake(_ entry: CatalogEntry) -> [Finding] {
    guard entry.isNamesake, entry.reason == nil else { return [] }
    return [
      Finding(
        mark: .warning, text: "\(entry.id): a stranger with a name of this project: \(entry.place)",
        advice: "it is not in this program's own folder of plugins, or has another owner, and is not trusted as bundled"
      )
    ]
  }

  /// The rules that the files of a plugin break, if this project does not test it.
  private static func rules(_ entry: CatalogEntry) -> [Finding] {
    guard entry.manifest != nil, entry.reason == nil, !entry.isBundled else { return [] }
    let plugin = CheckedPlugin(manifest: entry.path, library: entry.library, files: [])
    return CheckRun.staticFailures(of: plugin).map { result in
      let failure = result.failure
      return Finding(
        mark: .problem,
        text: """
          \(entry.id): \(result.check): \(failure?.what ?? ""): expected \(failure?.expected ?? ""), found \
          \(failure?.found ?? "")
          """,
        advice: "its author can repeat this with: coders check \(entry.path) --only \(result.check)")
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

  private static func settings(_ preferences: CoderPreferences, _ catalog: Catalog) -> [Finding] {
    var findings = preferences.problems.map { Finding(mark: .problem, text: $0) }
    let known = Set(catalog.entries.compactMap(\.manifest?.id))
    for (id, priority) in preferences.priorities.sorted(by: { $0.key < $1.key }) {
      findings.append(
        Finding(mark: .note, text: "\(id): priority \(priority)\(known.contains(id) ? "" : ", not installed")"))
    }
    func name(_ id: String) -> String { known.contains(id) ? id : "\(id) (not installed)" }
    for id in preferences.disabled.sorted() {
      findings.append(Finding(mark: .note, text: "\(id): turned off\(known.contains(id) ? "" : ", not installed")"))
    }
    if let allowed = preferences.allowed {
      let names = allowed.sorted().map(name).joined(separator: ", ")
      findings.append(Finding(mark: .note, text: "allowed: \(names.isEmpty ? "no plugin" : "only \(names)")"))
    }
    for (format, preferred) in preferences.preferred.sorted(by: { $0.key < $1.key }) {
      for (direction, ids) in [("read", preferred.read), ("write", preferred.write)] where !ids.isEmpty {
        let names = ids.map(name).joined(separator: ", ")
        findings.append(Finding(mark: .note, text: "preferred to \(direction) \(format): \(names)"))
      }
    }
    return findings.isEmpty ? [Finding(mark: .good, text: "none; the priorities are those of the manifests")] : findings
  }

  /// What this machine offers for processes of plugins, as one of them finds it.
  private static func isolation(_ catalog: Catalog) -> [Finding] {
    var findings: [Finding] = []
    let outer = IsolationReport.confinement
    if !outer.isEmpty {
      findings.append(Finding(mark: .note, text: "this process is confined already: \(outer.joined(separator: ", "))"))
    }
    guard let report = IsolationReport.find(catalog) else {
      return findings + [Finding(mark: .note, text: "no plugin that could be isolated")]
    }
    guard let layers = report.layers else {
      return findings + [Finding(mark: .note, text: "plugins cannot be isolated: \(report.problem)")]
    }
    findings += IsolationLayers.all.map {
      layers.contains($0.layer)
        ? Finding(mark: .good, text: "\($0.name): \($0.text)")
        : Finding(
          mark: .note,
          text: "\($0.name): not here" + (IsolationLayers.needs(of: $0.layer).map { "; it needs \($0)" } ?? ""))
    }
    findings.append(Finding(mark: .good, text: report.bound))
    for mode in [Isolation.Mode.required, .strict] {
      let missing = layers.missing(for: mode).joined(separator: ", ")
      findings.append(
        missing.isEmpty
          ? Finding(mark: .good, text: "--isolate \(mode.word) works")
          : Finding(mark: .note, text: "--isolate \(mode.word) does not work without \(missing)"))
    }
    return findings
  }

  private static var runtime: Finding {
    Finding(
      mark: .good,
      text: """
        \(HostPlatform.runtime), \(HostPlatform.name), plugin interface \
        \(HostPlatform.abiMajor).\(HostPlatform.abiMinor), coders \(CommandProcess.version)
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
    case .abiUnsupported where reason.needsNewerHost: return "install a newer version of this program"
    case .abiUnsupported: return "install a version of the plugin for this program's plugin interface"
    default: return nil
    }
  }
}
