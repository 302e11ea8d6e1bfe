// SPDX-License-Identifier: Apache-2.0

/// Colors as code points of ITU-T H.273.
public struct CodingIndependentCodePoints: Sendable, Hashable {
  /// ColourPrimaries, H.273 table 2: 1 is BT.709, 9 is BT.2020; 2 is unspecified.
  public var primaries: UInt8
  /// TransferCharacteristics, H.273 table 3: 13 is sRGB, 16 is PQ, 18 is HLG; 2 is unspecified.
  public var transfer: UInt8
  /// MatrixCoefficients, H.273 table 4: 0 is RGB, 6 is BT.601; 2 is unspecified.
  public var matrix: UInt8
  /// VideoFullRangeFlag of H.273: whether samples use all values, rather than 16 to 235 or 240 of 8 bits.
  public var isFullRange: Bool

  /// Makes color information from code points as stored in a file; they are not checked.
  public init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }
}
