// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// The output of `coders plugin`.
struct PluginReport {
  let action: String
  /// The folder that was changed, or nil for a list.
  var place: String?
  var plugins: [JSONValue] = []
  /// Files for desktops that were written.
  var types: [String] = []
  /// Files of a removed plugin that stay.
  var kept: [String] = []
  /// What a user should know.
  var notes: [String] = []

  init(_ action: String) { self.action = action }

  /// The output with `--json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    .object([
      "schema": .integer(1), "action": .text(action), "place": .optional(place), "plugins": .list(plugins),
      "types": .texts(types), "kept": .texts(kept), "notes": .texts(notes),
    ])
  }

  mutating func add(
    id: String, version: String, manifest: String?, source: InstalledPlugin.Source?, state: String,
    changed: [String]? = nil
  ) {
    var archive: String?
    if case .archive(let receipt) = source { archive = receipt.source }
    var package: String?
    if case .package(let name) = source { package = name }
    plugins.append(
      .object([
        "id": .text(id), "version": .text(version), "manifest": .optional(manifest),
        "source": .optional(source?.kind), "archive": .optional(archive), "package": .optional(package),
        "state": .text(state), "changed": changed.map { .texts($0) } ?? .null,
      ]))
  }

  mutating func add(_ plugin: InstalledPlugin) {
    add(
      id: plugin.id, version: plugin.version, manifest: plugin.manifest, source: plugin.source,
      state: plugin.reason?.code.rawValue ?? "used", changed: plugin.changed)
  }

  /// The table of `coders plugin list`.
  static func lines(_ plugins: [InstalledPlugin], _ style: Style) -> [String] {
    guard !plugins.isEmpty else { return ["no plugins but those that belong to this program; coders list shows them"] }
    var table = Table(["ID", "VERSION", "PLACE", "SOURCE", "STATE"])
    for plugin in plugins {
      table.add([plugin.id, plugin.version, Path.folder(plugin.manifest), plugin.source.words, plugin.state])
    }
    return table.lines(style)
  }

  /// What GNOME does with a plugin in the place of one user.
  static func note(on place: PluginPlace, archive: String) -> String? {
    guard !place.isSystem else { return nil }
    return """
      GNOME makes thumbnails in a sandbox that has /usr alone, so its file manager shows none with this plugin; others (tumbler) \
      and this command do. For GNOME, and for all users, install it as root: coders plugin install \(archive) --system
      """
  }
}
