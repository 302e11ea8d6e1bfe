// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import TestSupport
import Testing

@Suite(.needs("HEIF")) struct HEIFConformanceTests {
  static let conformance = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: "org.imagecoders.heif", fixtures: StagedTree.fixtures("heif"),
    bounds: bounds)

  /// HEVC, as x265 writes it, has 12 bits at most.
  private static var bounds: CoderConformance.Bounds {
    var bounds = CoderConformance.Bounds()
    bounds.losslessBits = 12
    return bounds
  }

  @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
}
