// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

@Suite struct AVIFConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: "org.imagecoders.avif", fixtures: StagedTree.fixtures("avif"))

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
