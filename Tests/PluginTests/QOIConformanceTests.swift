// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

@Suite struct QOIConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: ForeignPlugin.qoi.path, id: "org.example.qoi", fixtures: StagedTree.fixtures("qoi"))

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
