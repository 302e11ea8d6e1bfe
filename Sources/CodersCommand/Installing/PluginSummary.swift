// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What a user is shown of a plugin before it is installed.
struct PluginSummary {
  let lines: [String]

  /// - Parameter console: Its search path and its settings say what the plugin comes before.
  init(_ plugin: StagedPlugin, at place: PluginPlace, _ console: Console) {
    let manifest = plugin.manifest
    var lines: [(title: String, text: String)] = []
    let vendor = manifest.vendor.isEmpty ? "" : ", by \(manifest.vendor)"
    lines.append(("plugin", "\(manifest.id) \(manifest.version), \(manifest.name)\(vendor)"))
    let wrapped = manifest.libraryLicense.map { ", its library \($0)" } ?? ""
    lines.append(("license", (manifest.license.isEmpty ? "not stated" : manifest.license) + wrapped))
    let does = [(manifest.canRead, "reads"), (manifest.canWrite, "writes")].filter(\.0).map(\.1).joined(separator: ", ")
    for format in manifest.formats {
      let names = format.extensions.map { ".\($0)" } + format.mimeTypes
      lines.append(("format", "\(format.name) (\(names.joined(separator: ", "))): \(does)"))
    }
    lines += Self.order(plugin, at: place, console).map { ("order", $0) }
    for key in ["siblings", "resources", "threads"] {
      let words = plugin.manifestJSON.texts(of: key)
      if !words.isEmpty { lines.append((key, words.joined(separator: ", "))) }
    }
    let packages = manifest.packages?.run ?? []
    if !packages.isEmpty { lines.append(("needs", packages.map(Self.package).joined(separator: ", "))) }
    lines += manifest.warnings.map { ("warning", $0.description) }
    lines.append(("place", "\(place.folder)\(place.isSystem ? ", for all users" : "")"))
    self.lines = lines.map { "\($0.title)\(String(repeating: " ", count: 10 - $0.title.count))\($0.text)".printable }
  }

  /// The coders that it comes before or hides, or that hide it.
  private static func order(_ plugin: StagedPlugin, at place: PluginPlace, _ console: Console) -> [String] {
    let id = plugin.manifest.id
    var settings = CoderSettings()
    let path = settings.searchPath(console)
    let preferences = CoderPreferences(environment: console.environment)
    let now = Catalog(path, builtIn: console.builtIn, preferences: preferences)
    let folders = path.directories.map(\.path)
    var sentences: [String] = []
    if let index = folders.firstIndex(of: place.folder) {
      for entry in now.entries where entry.manifest?.id == id && entry.path != place.manifest(of: id) {
        let isEarlier = folders.firstIndex(of: Path.folder(entry.path)).map { $0 < index } ?? false
        sentences.append(
          isEarlier
            ? "\(entry.path) has the same id and comes earlier on the search path, so that one is used"
            : "it is used instead of \(entry.path), which has the same id")
      }
    } else {
      sentences.append("\(place.folder) is not on the search path of this command")
    }
    settings.pluginDirectories = [plugin.folder]
    let then = Catalog(settings.searchPath(console), builtIn: console.builtIn, preferences: preferences)
    sentences += then.outrankings.filter { $0.coder == id }.map { $0.sentence(then) }
    if let entry = then.entries.first(where: { $0.path == "\(plugin.folder)/\(plugin.manifestName)" }) {
      if entry.isNamesake { sentences.append("a stranger with a name of this project") }
      if let reason = entry.reason { sentences.append("not used: \(reason.code.rawValue): \(reason.message)") }
    }
    return sentences
  }

  /// A package, and whether it is missing, if the machine tells.
  private static func package(_ name: String) -> String {
    let words = ["--show", "--showformat=${db:Status-Status}", "--", name]
    guard let result = try? ChildProgram.run("dpkg-query", words) else { return name }
    return result.output.elementsEqual("installed".utf8) ? name : "\(name) (missing: apt install \(name))"
  }
}
