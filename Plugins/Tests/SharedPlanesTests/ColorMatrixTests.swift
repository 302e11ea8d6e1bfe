// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes
import Testing

@Suite struct ColorMatrixTests {
  /// ITU-T H.273 table 4, for primaries of BT.709.
  static let converted: [UInt8: ColorMatrix] = [
    0: .identity,
    1: .weights(red: 0.2126, blue: 0.0722),
    2: .weights(red: 0.299, blue: 0.114),
    4: .weights(red: 0.30, blue: 0.11),
    5: .weights(red: 0.299, blue: 0.114),
    6: .weights(red: 0.299, blue: 0.114),
    7: .weights(red: 0.212, blue: 0.087),
    8: .yCgCo,
    9: .weights(red: 0.2627, blue: 0.0593),
    16: .yCgCoR(extraBits: 2),
    10: .constantLuminance(red: 0.2627, blue: 0.0593, .bt2020),
    17: .yCgCoR(extraBits: 1),
  ]

  @Test(arguments: UInt8.min...UInt8.max) func eachCodeHasOneAnswer(code: UInt8) throws {
    if let expected = Self.converted[code] {
      for primaries in UInt8.min...UInt8.max {
        #expect(try ColorMatrix(code: code, primaries: primaries) == expected)
      }
    } else if code == 12 {
      guard case .weights = try ColorMatrix(code: code, primaries: 1) else {
        Issue.record("matrix 12 has weights")
        return
      }
    } else if code == 13 {
      guard case .constantLuminance = try ColorMatrix(code: code, primaries: 1) else {
        Issue.record("matrix 13 has weights of light")
        return
      }
    } else if ![11, 14, 15].contains(code) {
      // Reserved values say nothing.
      #expect(try ColorMatrix(code: code, primaries: 1) == .unspecified)
    } else {
      let error = #expect(throws: CoderError.self) { try ColorMatrix(code: code, primaries: 1) }
      #expect(error?.code == .unsupported)
      #expect(error?.message.hasPrefix("matrix coefficients \(code) (") == true)
    }
  }

  @Test(arguments: [(14, "ICtCp"), (11, "SMPTE ST 2085"), (15, "IPT-C2")])
  func whatIsNotConvertedIsNamed(code: UInt8, name: String) {
    let error = #expect(throws: CoderError.self) { try ColorMatrix(code: code, primaries: 9) }
    #expect(error?.message == "matrix coefficients \(code) (\(name))")
  }

  @Test func constantLuminanceNeedsAKnownTransfer() throws {
    #expect(
      try ColorMatrix(code: 10, primaries: 9, transfer: 16) == .constantLuminance(red: 0.2627, blue: 0.0593, .pq))
    let error = #expect(throws: CoderError.self) { try ColorMatrix(code: 10, primaries: 9, transfer: 18) }
    #expect(error?.message == "matrix coefficients 10 (constant luminance) with transfer 18")
  }

  /// Worked out from the chromaticities of H.273 table 2, by solving for the amounts of the primaries that make white.
  @Test(arguments: [
    (1, 0.212639, 0.072192), (2, 0.212639, 0.072192), (4, 0.298967, 0.114612), (5, 0.222004, 0.071341),
    (6, 0.212376, 0.086564), (7, 0.212376, 0.086564), (8, 0.253585, 0.068079), (9, 0.262700, 0.059302),
    (10, 0.0, 0.0), (11, 0.209492, 0.068913), (12, 0.228975, 0.079287), (22, 0.231751, 0.095999),
  ])
  func matrixTwelveComesFromPrimaries(primaries: UInt8, red: Double, blue: Double) throws {
    guard case .weights(let kr, let kb) = try ColorMatrix(code: 12, primaries: primaries) else {
      Issue.record("matrix 12 has weights")
      return
    }
    #expect(abs(kr - red) < 1e-6)
    #expect(abs(kb - blue) < 1e-6)
  }

  @Test func reservedPrimariesDeriveNoMatrix() {
    for primaries in UInt8.min...UInt8.max where ![1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22].contains(primaries) {
      let error = #expect(throws: CoderError.self) { try ColorMatrix(code: 12, primaries: primaries) }
      #expect(error?.code == .unsupported)
    }
  }
}
