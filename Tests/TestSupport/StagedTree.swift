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

  /// Those plugins that have valid files in `Tests/Fixtures`, under the name of the manifest: all, or those that the variable
  /// CODERS_PLUGINS names.
  package static let pluginsWithFixtures: [String] = {
    let names =
      getenv("CODERS_PLUGINS").map { String(cString: $0) } ?? Command.run("'\(root)/scripts/plugin-names'").output
    return names.split { $0 == " " || $0 == "\n" }.map(String.init)
      .filter { access("\(fixtures($0.lowercased()))/valid", F_OK) == 0 }.sorted()
  }()

  /// The folders of the fixtures of those that are not missing.
  package static let fixtureFormats = pluginsWithFixtures.filter { missing([$0]).isEmpty }.map { $0.lowercased() }

  /// A folder of `Tests/Fixtures`.
  package static func fixtures(_ format: String) -> String { "\(root)/Tests/Fixtures/\(format)" }
}
