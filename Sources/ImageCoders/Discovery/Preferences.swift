// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderEngine
import ImageCoderModel

/// The user's preferences for the order of coders.
public struct Preferences: Sendable, Equatable {
  /// Priorities that override those of the manifests, by identifier.
  public var priorities: [String: Int] = [:]
  /// Identifiers of coders that are not used.
  public var disabled: Set<String> = []
  /// Parts of the settings that are not understood, for `coders doctor`.
  public var problems: [String] = []

  /// Makes preferences that change nothing: the manifests' priorities apply, and no coder is disabled.
  public init() {}

  /// What the environment and the user's settings file say.
  public static var user: Preferences { Preferences(environment: SearchPath.secureEnvironment) }

  /// Reads the settings file, then `CODERS_PRIORITY`, which takes precedence.
  ///
  /// The file is `$XDG_CONFIG_HOME/coders/settings.json`: `{"priorities": {"org.example.png": 200}, "disabled": []}`.
  /// The variable is a list, `org.example.png:200,org.imagecoders.png:off`.
  ///
  /// - Parameter environment: Returns the value of a variable.
  package init(environment: (String) -> String?) {
    if let path = Self.settingsPath(environment) { read(path) }
    for item in (environment("CODERS_PRIORITY") ?? "").split(separator: ",") {
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
  }

  private static func settingsPath(_ environment: (String) -> String?) -> String? {
    if let home = environment("XDG_CONFIG_HOME"), home.hasPrefix("/") { return "\(home)/coders/settings.json" }
    if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.config/coders/settings.json" }
    return nil
  }

  private struct File: Decodable {
    var priorities: [String: Int]?
    var disabled: [String]?
  }

  private mutating func read(_ path: String) {
    do throws(SkipReason) {
      let bytes = try DirectoryListing.contents(of: path)
      guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)) else {
        throw SkipReason(.manifestInvalid, "not settings")
      }
      priorities = file.priorities ?? [:]
      disabled = Set(file.disabled ?? [])
    } catch {
      if error.code != .libraryMissing { problems.append("\(path): \(error.message)") }
    }
  }
}
