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
  ///   - reader: At the number of levels.
  ///   - hasPrecincts: Whether sizes of precincts follow.
  init(parsing reader: inout ByteReader, hasPrecincts: Bool) throws(CoderError) {
    let offset = reader.offset
    levels = Int(try reader.uint8("the number of levels"))
    blockWidth = Int(try reader.uint8("the width of code-blocks")) + 2
    blockHeight = Int(try reader.uint8("the height of code-blocks")) + 2
    try reader.skip(1, "the style of code-blocks")
    isReversible = try reader.uint8("the transform") == 1
    guard levels <= 32, blockWidth <= 10, blockHeight <= 10, blockWidth + blockHeight <= 12 else {
      throw .malformed(
        "\(levels) levels and code-blocks of 2^\(blockWidth)×2^\(blockHeight), 32 and 4096 samples are allowed",
        at: offset)
    }
    precincts = hasPrecincts ? try reader.array(levels + 1, "the sizes of precincts") : []
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
  enum Progression: String, CaseIterable {
    case lrcp = "LRCP"
    case rlcp = "RLCP"
    case rpcl = "RPCL"
    case pcrl = "PCRL"
    case cprl = "CPRL"

    /// As a COD segment has it.
    var code: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    init?(code: Int) {
      guard Self.allCases.indices.contains(code) else { return nil }
      self = Self.allCases[code]
    }
  }

  /// What a COD segment says of all components.
  struct Common {
    let progression: Progression
    let layers: Int
    /// Whether the first three components are transformed together.
    let usesComponentTransform: Bool
    let style: ComponentStyle

    /// - Parameter reader: At the segment's content.
    init(parsing reader: inout ByteReader) throws(CoderError) {
      let flags = try reader.uint8("the flags")
      let order = Int(try reader.uint8("the progression order"))
      guard let progression = Progression(code: order) else {
        throw .malformed("progression order \(order), 0 to 4 are known", at: reader.offset - 1)
      }
      self.progression = progression
      layers = Int(try reader.uint16("the number of layers"))
      guard layers > 0 else { throw .malformed("0 layers, 1 to 65535 are allowed", at: reader.offset - 2) }
      usesComponentTransform = try reader.uint8("the component transform") != 0
      style = try ComponentStyle(parsing: &reader, hasPrecincts: flags & 1 != 0)
    }
  }

  var common: Common?
  /// The styles of COC segments, by component.
  var components: [Int: ComponentStyle] = [:]

  /// Notes a COC segment. Components that do not exist are passed over.
  ///
  /// - Parameters:
  ///   - reader: At the segment's content.
  ///   - count: Of all components.
  mutating func addComponent(parsing reader: inout ByteReader, of count: Int) throws(CoderError) {
    let index = Int(try reader.unsigned(bytes: count < 257 ? 1 : 2, "the component"))
    guard index < count else { return }
    let flags = try reader.uint8("the flags")
    components[index] = try ComponentStyle(parsing: &reader, hasPrecincts: flags & 1 != 0)
  }
}
