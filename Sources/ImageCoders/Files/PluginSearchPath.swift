// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc

/// The directories in which manifests are searched, first to last.
public struct PluginSearchPath: Sendable, Equatable {
  /// A directory and why it is looked into.
  package struct Directory: Sendable, Equatable {
    package let path: String
    /// `argument`, `CODERS_PLUGIN_PATH`, `user`, `system`, `executable`, …
    package let origin: String
    /// Whether somebody named it, so that its absence is worth a word.
    package let isExplicit: Bool
  }

  package let directories: [Directory]
  /// The path of the running program, or nil if the system does not report it.
  let executable: String?
  /// Folders that the application trusts.
  private(set) var trusted: [String] = []

  /// Works out the search path.
  ///
  /// 1. `arguments`
  /// 2. `CODERS_PLUGIN_PATH`, which replaces all entries below, and in which `*` stands for them; otherwise
  ///    `CODERS_ADD_PLUGIN_PATH`, which comes before the entries below
  /// 3. `$XDG_DATA_HOME/coders/1`
  /// 4. `/etc/coders/coders.d`
  /// 5. `coders/1` in each directory of `$XDG_DATA_DIRS`
  /// 6. `coders` and `../lib/coders/1` relative to the executable's directory
  /// 7. `/usr/local/lib/coders/1` and `/usr/lib/coders/1`
  ///
  /// The environment of a program with raised privileges is ignored.
  ///
  /// - Parameter arguments: Directories named by the caller.
  public init(arguments: [String] = []) {
    self.init(arguments: arguments, environment: Self.secureEnvironment, executable: Self.executablePath())
  }

  /// These directories and no others.
  public static func only(_ directories: [String]) -> PluginSearchPath {
    PluginSearchPath(
      arguments: directories, environment: { $0 == "CODERS_PLUGIN_PATH" ? "" : nil }, executable: executablePath())
  }

  /// The same search path, with this project's plugins in some of its folders trusted as those beside the program are.
  ///
  ///     let path = PluginSearchPath.only(["/opt/shop/coders"]).trusting(["/opt/shop/coders"])
  ///
  /// For an application that ships plugins of this project in a folder of its own. They count as bundled, as in
  /// `../lib/coders/1` relative to the program, if their identifiers begin with `org.imagecoders.`, and folder, manifest and
  /// library belong to root or to the owner of the program. A plugin of such a name in any other folder is a stranger.
  public func trusting(_ folders: [String]) -> PluginSearchPath {
    var path = self
    path.trusted += folders
    return path
  }

  /// - Parameter environment: Looks a variable up.
  package init(arguments: [String] = [], environment: (String) -> String?, executable: String?) {
    self.executable = executable
    var found = arguments.map { Directory(path: $0, origin: "argument", isExplicit: true) }
    let standard = Self.standard(environment: environment, executable: executable)
    if let list = environment("CODERS_PLUGIN_PATH") {
      for path in Self.split(list) {
        found += path == "*" ? standard : [Directory(path: path, origin: "CODERS_PLUGIN_PATH", isExplicit: true)]
      }
    } else {
      for path in Self.split(environment("CODERS_ADD_PLUGIN_PATH") ?? "") {
        found.append(Directory(path: path, origin: "CODERS_ADD_PLUGIN_PATH", isExplicit: true))
      }
      found += standard
    }
    var seen: Set<String> = []
    directories = found.filter { seen.insert($0.path).inserted }
  }

  private static func standard(environment: (String) -> String?, executable: String?) -> [Directory] {
    var found: [Directory] = []
    func add(_ path: String, _ origin: String) {
      found.append(Directory(path: path, origin: origin, isExplicit: false))
    }
    if let home = environment("XDG_DATA_HOME"), home.hasPrefix("/") {
      add("\(home)/coders/1", "user")
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      add("\(home)/.local/share/coders/1", "user")
    }
    add("/etc/coders/coders.d", "machine")
    for path in split(environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share") where path.hasPrefix("/") {
      add("\(path)/coders/1", "shared data")
    }
    if let executable, let folder = parent(of: executable) {
      // Not the command of that name itself.
      if "\(folder)/coders" != executable { add("\(folder)/coders", "executable") }
      if let prefix = parent(of: folder) { add("\(prefix)/lib/coders/1", "executable") }
    }
    add("/usr/local/lib/coders/1", "installed")
    add("/usr/lib/coders/1", "installed")
    return found
  }

  /// Variables that forbid. An empty one is not understood, and forbids all that it could.
  private static let forbidding = ["CODERS_POLICY", "CODERS_ISOLATION", "CODERS_ALLOW"]

  /// A variable of the environment, or nil if it is unset, or the program runs with raised privileges. An empty one counts
  /// as unset unless it is one that forbids.
  package static func secureEnvironment(_ name: String) -> String? {
    // secure_getenv answers nothing under AT_SECURE: a setuid program must not load what its caller names.
    guard let value = chostsystem_secure_getenv(name), value.pointee != 0 || forbidding.contains(name) else {
      return nil
    }
    return String(cString: value)
  }

  /// The path of the running program, or nil if the system does not report it.
  package static func executablePath() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func split(_ list: String) -> [String] { list.split(separator: ":").map(String.init) }

  package static func parent(of path: String) -> String? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return nil }
    return String(path[..<slash])
  }
}
