// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

@Suite struct BMPConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: "org.imagecoders.bmp", fixtures: StagedTree.fixtures("bmp"))

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
