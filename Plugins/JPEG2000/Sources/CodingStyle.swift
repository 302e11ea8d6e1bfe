// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// How a component of a tile is coded: the SPcod and SPcoc parameters (ISO/IEC 15444-1 A.6.1).
struct ComponentStyle: Equatable {
  /// Halvings, 0 to 32.
  let levels: Int
  /// Exponents of the code-blocks' sides.
  let blockWidth: Int
  let blockHeight: Int
  let isReversible: Bool
  /// Exponents of the precincts' sides, width in the low half, from the lowest resolution; empty for the largest.
  let precincts: [UInt8]

  /// - Parameters:
  ///   - bytes: From the number of levels on.
  ///   - hasPrecincts: Whether sizes of precincts follow.
  init(parsing bytes: ArraySlice<UInt8>, hasPrecincts: Bool, at offset: Int) throws(CoderError) {
    let bytes = Array(bytes)
    guard bytes.count >= 5, bytes.count >= 5 + (hasPrecincts ? Int(bytes[0]) + 1 : 0) else {
      throw .malformed("coding parameters of \(bytes.count) bytes, 5 and one for each precinct are needed", at: offset)
    }
    levels = Int(bytes[0])
    blockWidth = Int(bytes[1]) + 2
    blockHeight = Int(bytes[2]) + 2
    guard levels <= 32, blockWidth <= 10, blockHeight <= 10, blockWidth + blockHeight <= 12 else {
      throw .malformed(
        "\(levels) levels and code-blocks of 2^\(blockWidth)×2^\(blockHeight), 32 and 4096 samples are allowed",
        at: offset)
    }
    isReversible = bytes[4] == 1
    precincts = hasPrecincts ? Array(bytes[5...(5 + levels)]) : []
  }

  /// Exponents of the precincts' sides at a resolution.
  func precinct(at resolution: Int) -> (width: Int, height: Int) {
    guard precincts.indices.contains(resolution) else { return (15, 15) }
    return (Int(precincts[resolution] & 15), Int(precincts[resolution] >> 4))
  }
}

/// How tiles are coded: COD and COC segments of the main header or of one tile's (A.6.1, A.6.2).
struct CodingStyle {
  /// In which order packets come (A.6.1, table A.16).
  enum Progression: Int, CaseIterable {
    case lrcp, rlcp, rpcl, pcrl, cprl

    var name: String { ["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"][rawValue] }
  }

  /// What a COD segment says of all components.
  struct Common {
    let progression: Progression
    let layers: Int
    /// Whether the first three components are transformed together.
    let usesComponentTransform: Bool
    let style: ComponentStyle

    init(parsing bytes: [UInt8], at offset: Int) throws(CoderError) {
      guard bytes.count >= 10 else {
        throw .malformed("a COD segment of \(bytes.count + 2) bytes, 12 are needed", at: offset)
      }
      guard let progression = Progression(rawValue: Int(bytes[1])) else {
        throw .malformed("progression order \(bytes[1]), 0 to 4 are known", at: offset + 1)
      }
      self.progression = progression
      layers = bytes.uint16(at: 2)
      guard layers > 0 else { throw .malformed("0 layers, 1 to 65535 are allowed", at: offset + 2) }
      usesComponentTransform = bytes[4] != 0
      style = try ComponentStyle(parsing: bytes[5...], hasPrecincts: bytes[0] & 1 != 0, at: offset + 5)
    }
  }

  var common: Common?
  /// Of COC segments, by component.
  var components: [Int: ComponentStyle] = [:]

  /// Notes a COC segment's payload. Components that do not exist are passed over.
  mutating func add(component bytes: [UInt8], of count: Int, at offset: Int) throws(CoderError) {
    let width = count < 257 ? 1 : 2
    guard bytes.count >= width + 6 else {
      throw .malformed("a COC segment of \(bytes.count + 2) bytes, \(width + 8) are needed", at: offset)
    }
    let index = width == 1 ? Int(bytes[0]) : bytes.uint16(at: 0)
    guard index < count else { return }
    components[index] = try ComponentStyle(
      parsing: bytes[(width + 1)...], hasPrecincts: bytes[width] & 1 != 0, at: offset + width + 1)
  }
}
