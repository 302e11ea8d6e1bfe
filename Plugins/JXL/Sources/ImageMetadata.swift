// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What libjxl does not tell of the image header (ISO/IEC 18181-1 §D.3): whether colors are made in the usual way.
enum ImageMetadata {
  /// Whether a codestream has no preview, no animation, no extra channels, no extensions, and the matrices and weights that
  /// everyone has.
  ///
  /// - Parameter bits: From the first byte after the signature on.
  static func isUsual(_ bits: inout BitReader) throws(CoderError) -> Bool {
    try skipSize(&bits)
    guard try !bits.flag() else { return try bits.flag() }
    let hasMore = try bits.flag()
    if hasMore {
      try bits.skip(3)
      if try bits.flag() { try skipSize(&bits) }
      guard try !bits.flag(), try !bits.flag() else { return false }
    }
    let isFloat = try bits.flag()
    _ = try isFloat ? bits.u32((0, 32), (0, 16), (0, 24), (6, 1)) : bits.u32((0, 8), (0, 10), (0, 12), (6, 1))
    if isFloat { try bits.skip(4) }
    try bits.skip(1)
    guard try bits.u32((0, 0), (0, 1), (4, 2), (12, 1)) == 0 else { return false }
    try bits.skip(1)
    try skipColors(&bits)
    if hasMore, try !bits.flag() { try bits.skip(16 + 16 + 1 + 16) }
    guard try bits.u64() == 0 else { return false }
    return try bits.flag()
  }

  /// SizeHeader (§D.2).
  private static func skipSize(_ bits: inout BitReader) throws(CoderError) {
    let isSmall = try bits.flag()
    func skipSide(_ bits: inout BitReader) throws(CoderError) {
      if isSmall { try bits.skip(5) } else { _ = try bits.u32((9, 1), (13, 1), (18, 1), (30, 1)) }
    }
    try skipSide(&bits)
    if try bits.number(3) == 0 { try skipSide(&bits) }
  }

  /// ColourEncoding (§E.2).
  private static func skipColors(_ bits: inout BitReader) throws(CoderError) {
    func value(_ bits: inout BitReader) throws(CoderError) -> Int { try bits.u32((0, 0), (0, 1), (4, 2), (6, 18)) }
    func skipPoint(_ bits: inout BitReader) throws(CoderError) {
      for _ in 0..<2 { _ = try bits.u32((19, 0), (19, 524_288), (20, 1_048_576), (21, 2_097_152)) }
    }
    guard try !bits.flag() else { return }
    let hasProfile = try bits.flag()
    let space = try value(&bits)
    guard !hasProfile else { return }
    // Gray is 1, XYB is 2; a value of 2 stands for chosen points.
    if space != 2 {
      if try value(&bits) == 2 { try skipPoint(&bits) }
      if space != 1, try value(&bits) == 2 { for _ in 0..<3 { try skipPoint(&bits) } }
    }
    if try bits.flag() { try bits.skip(24) } else { _ = try value(&bits) }
    _ = try value(&bits)
  }
}
