// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

/// The plugin in Swift over the pictures that the model in C is tested with.
@Suite struct QOIPluginConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: "org.imagecoders.qoi", fixtures: StagedTree.fixtures("qoi"))

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
