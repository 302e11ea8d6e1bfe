// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

@Suite(.needs("PSD")) struct PSDConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: "org.imagecoders.psd", fixtures: StagedTree.fixtures("psd"))

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
