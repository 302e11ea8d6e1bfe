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

  /// The formats that have a folder of valid files in `Tests/Fixtures`.
  package static let fixtureFormats: [String] = Command.run("cd '\(root)/Tests/Fixtures' && ls -d */valid").output
    .split(separator: "\n").map { String($0.dropLast("/valid".count)) }.sorted()

  /// A folder of `Tests/Fixtures`.
  package static func fixtures(_ format: String) -> String { "\(root)/Tests/Fixtures/\(format)" }
}
