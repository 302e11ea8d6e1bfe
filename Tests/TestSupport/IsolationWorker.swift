// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The worker that `make stage` has built, which tests use in place of an installed one.
package enum IsolationWorker {
  /// Lets the registries of this process find it. To be read before the first isolated coder is loaded.
  package static let isThere: Bool = {
    let path = "\(StagedTree.root)/build/lib/coders/coders-worker"
    setenv("CODERS_WORKER", path, 0)
    return access(path, X_OK) == 0
  }()
}
