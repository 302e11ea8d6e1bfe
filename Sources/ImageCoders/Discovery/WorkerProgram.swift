// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The program in which coders run that are isolated: `coders-worker` for plugins.
enum WorkerProgram {
  /// Its path: what the variable `CODERS_WORKER` names, or where it is installed.
  ///
  /// - Throws: ``SkipReason`` with where it was looked for.
  static func find(
    _ environment: (String) -> String? = PluginSearchPath.secureEnvironment,
    executable: String? = PluginSearchPath.executablePath()
  ) throws(SkipReason) -> String {
    try first(of: places(environment, executable))
  }

  /// The first of these programs that is there.
  ///
  /// - Throws: ``SkipReason`` if none is, or somebody else may have changed it.
  static func first(of places: [String]) throws(SkipReason) -> String {
    for path in places where access(path, X_OK) == 0 {
      do throws(FileProblem) { try TrustedFile.check(path) } catch {
        throw SkipReason(.isolationMissing, "the worker cannot be used: \(error.message)")
      }
      return path
    }
    throw SkipReason(
      .isolationMissing,
      "there is no worker: \(places.joined(separator: ", ")) \(places.count == 1 ? "does" : "do") not exist")
  }

  private static func places(_ environment: (String) -> String?, _ executable: String?) -> [String] {
    if let named = environment("CODERS_WORKER") { return [named] }
    var places: [String] = []
    if let executable, let folder = PluginSearchPath.parent(of: executable) {
      places.append("\(folder)/coders-worker")
      if let prefix = PluginSearchPath.parent(of: folder) { places.append("\(prefix)/lib/coders/coders-worker") }
    }
    for place in ["/usr/local/lib/coders/coders-worker", "/usr/lib/coders/coders-worker"]
    where !places.contains(place) { places.append(place) }
    return places
  }
}
