// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// The user's preferences for the choice of coders.
public struct CoderPreferences: Sendable, Equatable {
  /// Coders that are tried before all others of a format, whatever their priorities.
  public struct Order: Sendable, Equatable {
    /// Identifiers of readers, the first to try first.
    public var read: [String]
    /// Identifiers of writers, the first to try first.
    public var write: [String]

    /// Makes lists of preferred readers and writers.
    public init(read: [String] = [], write: [String] = []) {
      self.read = read
      self.write = write
    }
  }

  /// Priorities that override those of the manifests, by identifier.
  public var priorities: [String: Int] = [:]
  /// Identifiers of coders that are not used.
  public var disabled: Set<String> = []
  /// Identifiers of the only plugins that are used, or nil for all. Coders that the application registers are always
  /// used.
  public var allowed: Set<String>?
  /// Preferred coders, by a format's type identifier, extension or name: `public.png`, `png`, `PNG`.
  public var preferred: [String: Order] = [:]
  /// Parts of the settings that are not understood, for `coders doctor`.
  public var problems: [String] = []

  /// Makes preferences that change nothing: the manifests' priorities apply, and no coder is disabled.
  public init() {}

  /// What the environment and the user's settings file say.
  public static var user: CoderPreferences { CoderPreferences(environment: PluginSearchPath.secureEnvironment) }

  /// Reads the settings file, then the variables `CODERS_PRIORITY`, `CODERS_ALLOW` and `CODERS_PREFER`, which take
  /// precedence.
  ///
  /// The file is `$XDG_CONFIG_HOME/coders/settings.json`; `Registry/schema/settings-1.schema.json` describes it. The
  /// variables are lists: `org.example.png:200,org.imagecoders.png:off`; `org.imagecoders.png,org.imagecoders.jpeg`;
  /// `png:read=org.example.png,png:write=org.imagecoders.png`.
  ///
  /// - Parameter environment: Returns the value of a variable.
  package init(environment: (String) -> String?) {
    if let path = Self.settingsPath(environment) { read(path) }
    for item in Self.items(environment("CODERS_PRIORITY") ?? "") { setPriority(item) }
    if let list = environment("CODERS_ALLOW") { allowed = Set(Self.items(list)) }
    var replaced: Set<String> = []
    for item in Self.items(environment("CODERS_PREFER") ?? "") { prefer(item, &replaced) }
  }

  private static func items(_ list: String) -> [String] { list.split(separator: ",").map(String.init) }

  /// `org.example.png:200` or `org.example.png:off`.
  private mutating func setPriority(_ item: String) {
    let parts = item.split(separator: ":", maxSplits: 1).map(String.init)
    if parts.count == 2, parts[1] == "off" {
      disabled.insert(parts[0])
    } else if parts.count == 2, let priority = Int(parts[1]) {
      priorities[parts[0]] = priority
      disabled.remove(parts[0])
    } else {
      problems.append("CODERS_PRIORITY: \"\(item)\" is neither id:number nor id:off")
    }
  }

  /// `png:read=org.example.png`; several of a format and direction are in their order.
  ///
  /// - Parameter replaced: Lists that the variable has begun, which replace those of the file.
  private mutating func prefer(_ item: String, _ replaced: inout Set<String>) {
    let sides = item.split(separator: "=", maxSplits: 1).map(String.init)
    let keys = sides.first?.split(separator: ":", maxSplits: 1).map(String.init) ?? []
    let lists: [String: WritableKeyPath<Order, [String]>] = ["read": \.read, "write": \.write]
    guard sides.count == 2, keys.count == 2, let list = lists[keys[1]] else {
      problems.append("CODERS_PREFER: \"\(item)\" is neither format:read=id nor format:write=id")
      return
    }
    if replaced.insert(sides[0]).inserted { preferred[keys[0], default: Order()][keyPath: list] = [] }
    preferred[keys[0], default: Order()][keyPath: list].append(sides[1])
  }

  /// Preferred coders of one direction, by format: each name stands for all installed formats that it names, or else is a
  /// type identifier.
  func preferred(_ list: KeyPath<Order, [String]>, _ catalog: Catalog) -> [ImageFormat: [String]] {
    var formats: [ImageFormat: [String]] = [:]
    // Sorted, so that two names of a format give the same order each time.
    for (name, preferred) in preferred.sorted(by: { $0.key < $1.key }) where !preferred[keyPath: list].isEmpty {
      let named = catalog.formats(named: name)
      for format in named.isEmpty ? [ImageFormat(rawValue: name)] : named {
        formats[format, default: []] += preferred[keyPath: list]
      }
    }
    return formats
  }

  private static func settingsPath(_ environment: (String) -> String?) -> String? {
    if let home = environment("XDG_CONFIG_HOME"), home.hasPrefix("/") { return "\(home)/coders/settings.json" }
    if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.config/coders/settings.json" }
    return nil
  }
}
