// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import TestSupport
import Testing

/// Which profiles are sRGB: those that say what sRGB says, whatever they are called.
@Suite struct ICCProfileTests {
  private static func isSRGB(_ bytes: [UInt8]) -> Bool { ICCProfile.isSRGB(bytes.span.bytes) }

  @Test func primariesAndCurveDecide() {
    var profile = MatrixProfile.sRGB
    #expect(Self.isSRGB(profile.bytes))
    profile.name = "c2"
    #expect(Self.isSRGB(profile.bytes))
    profile.curve = .functionOfSRGB
    #expect(Self.isSRGB(profile.bytes))
    profile.curve = .tableOfSRGB(4096)
    #expect(Self.isSRGB(profile.bytes))
    // The gamma that many take for the curve of sRGB is darker in the shadows.
    profile.curve = .gamma(2.2)
    #expect(!Self.isSRGB(profile.bytes))
    profile.curve = .tableOfGamma(2.2)
    #expect(!Self.isSRGB(profile.bytes))
    profile.curve = .gamma(1)
    #expect(!Self.isSRGB(profile.bytes))
  }

  @Test(arguments: [MatrixProfile.displayP3, .adobeRGB].map(\.name))
  func otherSpacesAreNot(_ name: String) {
    var profile = name == MatrixProfile.displayP3.name ? MatrixProfile.displayP3 : .adobeRGB
    #expect(!Self.isSRGB(profile.bytes))
    // Not by their names, nor by their curve alone.
    profile.name = MatrixProfile.sRGB.name
    profile.curve = MatrixProfile.sRGB.curve
    #expect(!Self.isSRGB(profile.bytes))
  }

  @Test(arguments: ["A2B0", "A2B1", "cicp"]) func tablesMaySaySomethingElse(_ tag: String) {
    var profile = MatrixProfile.sRGB
    profile.others = [(tag, [0, 0, 0, 0])]
    #expect(!Self.isSRGB(profile.bytes))
  }

  @Test func aProfileThatEndsTooEarlyIsNone() {
    let bytes = MatrixProfile.sRGB.bytes
    #expect(bytes.count < 8000)
    // The last bytes are the padding of the last curve.
    for count in 0..<(bytes.count - 4) {
      #expect(!Self.isSRGB(Array(bytes.prefix(count))), "\(count) bytes")
    }
  }
}
