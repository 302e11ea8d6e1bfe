// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport

/// The misbehaving plugin, built in one of its variants.
struct UnrulyPlugin {
  let registry: CoderRegistry
  private let folder: TemporaryFolder

  static let id = "org.example.unruly"

  /// The variant that misbehaves by file only.
  static let byFile = UnrulyPlugin("PLAIN")

  /// - Parameter variant: One of the macros that the source lists.
  init(_ variant: String) {
    folder = TemporaryFolder()
    let source = "\(StagedTree.root)/Tests/UnrulyPlugin"
    let line =
      "cc -std=c99 -shared -fPIC -O1 -fvisibility=hidden -D\(variant) -I'\(StagedTree.headers)' -o '\(folder.path)/libunruly.so' '\(source)/unruly.c'"
    let result = Command.run("\(line) && cp '\(source)/unruly.imgcoder.json' '\(folder.path)'")
    precondition(result.status == 0, "the unruly plugin cannot be built; has `make stage` run?\n\(result.output)")
    registry = CoderRegistry(
      searchPath: .only([folder.path]),
      preferences: Preferences())
  }

  /// A file that makes it misbehave.
  static func file(_ act: String) -> ByteSource { .bytes(Array("UNRULY \(act)".utf8)) }
}
