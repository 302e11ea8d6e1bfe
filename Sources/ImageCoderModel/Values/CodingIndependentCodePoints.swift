// SPDX-License-Identifier: Apache-2.0

/// Colors as code points of ITU-T H.273.
public struct CodingIndependentCodePoints: Sendable, Hashable {
  public var primaries: UInt8
  public var transfer: UInt8
  public var matrix: UInt8
  public var isFullRange: Bool

  public init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }
}
