// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

@Suite(.needs("EXR")) struct EXRConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: "org.imagecoders.exr", fixtures: StagedTree.fixtures("exr"))

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
