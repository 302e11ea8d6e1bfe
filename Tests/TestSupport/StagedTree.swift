// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where things are: `make stage` lays out `build/`, which tests load plugins and headers from.
package enum StagedTree {
  /// The package's root folder.
  package static let root: String = {
    let parts = "\(#filePath)".split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  package static let plugins = "\(root)/build/lib/coders/1"
  package static let headers = "\(root)/build/include"

  /// The folder of this process's Swift runtime. A Swift plugin shares it; a host that is not Swift has to find it.
  package static let runtime: String = {
    let maps = Command.run("grep -o '/.*/libswiftCore.so' /proc/\(getpid())/maps | head -n 1")
    return maps.output.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
  }()

  /// Those plugins, by their folders in `Plugins`, that are not staged, since a library is not on this machine. With
  /// CODERS_ALL_PLUGINS=1 none is called missing, and its tests fail.
  package static func missing(_ plugins: [String]) -> [String] {
    let demandsAll = getenv("CODERS_ALL_PLUGINS").map { String(cString: $0) } == "1"
    return demandsAll ? [] : plugins.filter { access("\(Self.plugins)/lib\($0)Coder.so", F_OK) != 0 }
  }

  /// The formats that have a folder of valid files in `Tests/Fixtures`, and a plugin that is not missing.
  package static let fixtureFormats: [String] = Command.run("cd '\(root)/Tests/Fixtures' && ls -d */valid").output
    .split(separator: "\n").map { String($0.dropLast("/valid".count)) }
    .filter { format in missing(allPlugins.filter { $0.lowercased() == format }).isEmpty }.sorted()

  /// The folders of plugins.
  private static let allPlugins = Command.run("'\(root)/scripts/plugin-names'").output.split(separator: "\n")
    .map(String.init)

  /// A folder of `Tests/Fixtures`.
  package static func fixtures(_ format: String) -> String { "\(root)/Tests/Fixtures/\(format)" }
}
