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

  /// A folder of `Tests/Fixtures`.
  package static func fixtures(_ format: String) -> String { "\(root)/Tests/Fixtures/\(format)" }
}
