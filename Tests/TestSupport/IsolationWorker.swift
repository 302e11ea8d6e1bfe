// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoders

/// The worker that `make stage` has built, which tests use in place of an installed one.
package enum IsolationWorker {
  /// Lets the registries of this process find it. To be read before the first isolated coder is loaded.
  package static let isThere: Bool = {
    let path = "\(StagedTree.root)/build/lib/coders/coders-worker"
    setenv("CODERS_WORKER", path, 0)
    return access(path, X_OK) == 0
  }()

  /// Coders of the folders in workers alone: any test that isolates may be the first of its process.
  package static func registry(
    _ isolation: Isolation = Isolation(.required), of folders: [String] = [StagedTree.plugins]
  ) -> CoderRegistry {
    precondition(isThere, "there is no worker; has `make stage` run?")
    return CoderRegistry(searchPath: .only(folders), preferences: CoderPreferences(), isolation: isolation)
  }
}
