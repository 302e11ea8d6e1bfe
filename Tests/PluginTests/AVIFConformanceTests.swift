// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

@Suite(.needs("AVIF")) struct AVIFConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: "org.imagecoders.avif", fixtures: StagedTree.fixtures("avif"),
    bounds: bounds)

  /// AV1 has 12 bits at most.
  private static var bounds: CoderConformance.Bounds {
    var bounds = CoderConformance.Bounds()
    bounds.losslessBits = 12
    return bounds
  }

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
