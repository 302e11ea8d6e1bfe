// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a suite where a plugin that it needs is not staged, and names it.
  static func needs(_ plugins: String...) -> Self {
    let missing = StagedTree.missing(plugins).joined(separator: ", ")
    return .enabled(if: missing.isEmpty, "\(missing) is not staged: its library is not on this machine")
  }
}
