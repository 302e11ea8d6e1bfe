// SPDX-License-Identifier: Apache-2.0

/// Plugins in C that tests build with the system's compiler, against the installed headers alone.
package enum ForeignPlugin {
  /// `Tests/QOIPlugin` in a folder of its own, with its manifest.
  package static let qoi = folder("QOIPlugin", "qoi")

  /// An argument of the compiler for plugins that use drafts, whose headers are not installed.
  package static let drafts = "-I\(StagedTree.root)/Sources/CImageCoder/include"

  /// Builds a plugin of a folder of `Tests`: `NAME.c` becomes `libNAME.so`, with the manifest `NAME.imgcoder.json` beside
  /// it.
  ///
  /// - Parameters:
  ///   - macros: Macros, with values or without.
  ///   - flags: Further arguments of the compiler.
  package static func folder(
    _ source: String, _ name: String, defining macros: [String] = [], flags: [String] = []
  ) -> TemporaryFolder {
    let folder = TemporaryFolder()
    _ = library("\(source)/\(name).c", as: "lib\(name).so", in: folder, flags: macros.map { "-D\($0)" } + flags)
    let copied = Command.run("cp '\(StagedTree.root)/Tests/\(source)/\(name).imgcoder.json' '\(folder.path)'")
    precondition(copied.status == 0, copied.output)
    return folder
  }

  /// Builds a library from a file of `Tests`.
  ///
  /// - Parameter flags: Further arguments of the compiler.
  /// - Returns: The library's path.
  package static func library(
    _ source: String, as name: String, in folder: TemporaryFolder, flags: [String] = []
  ) -> String {
    let library = "\(folder.path)/\(name)"
    let arguments = flags.map { "'\($0)'" }.joined(separator: " ")
    let result = Command.run(
      "cc -std=c99 -shared -fPIC -O1 -fvisibility=hidden -I'\(StagedTree.headers)' -o '\(library)' "
        + "'\(StagedTree.root)/Tests/\(source)' \(arguments)")
    precondition(result.status == 0, "\(source) cannot be built; has `make stage` run?\n\(result.output)")
    return library
  }
}
