// SPDX-License-Identifier: Apache-2.0

/// Plugins in C that tests build with the system's compiler, against the installed headers alone.
package enum ForeignPlugin {
  /// Builds `Tests/QOIPlugin` into a folder of its own, with its manifest.
  package static let qoi: TemporaryFolder = {
    let folder = TemporaryFolder()
    let source = "\(StagedTree.root)/Tests/QOIPlugin"
    let line =
      "cc -std=c99 -shared -fPIC -O2 -fvisibility=hidden -I'\(StagedTree.headers)' -o '\(folder.path)/libqoi.so' '\(source)/qoi.c'"
    let result = Command.run("\(line) && cp '\(source)/qoi.imgcoder.json' '\(folder.path)'")
    precondition(result.status == 0, "the QOI plugin cannot be built; has `make stage` run?\n\(result.output)")
    return folder
  }()
}
