// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the layers say of the merged picture, and their names.
///
/// - Format: Adobe Photoshop File Formats Specification, "Layer and Mask Information Section".
struct LayerSection {
  /// Layers, markers of groups among them.
  private(set) var count = 0
  /// Whether the first alpha channel of the merged picture is its transparency.
  private(set) var hasTransparency = false
  /// Where the records of layers begin in the file, and the end of what they are in.
  private(set) var records: Range<Int>?

  private static let layers: Set<FourCC> = [FourCC("Layr"), FourCC("Lr16"), FourCC("Lr32")]
  private static let transparency: Set<FourCC> = [FourCC("Mtrn"), FourCC("Mt16"), FourCC("Mt32")]
  /// "Additional Layer Information": in a PSB, the lengths of these have 8 bytes.
  private static let wide: Set<FourCC> = [
    FourCC("LMsk"), FourCC("Lr16"), FourCC("Lr32"), FourCC("Layr"), FourCC("Mt16"), FourCC("Mt32"), FourCC("Mtrn"),
    FourCC("Alph"), FourCC("FMsk"), FourCC("lnk2"), FourCC("FEid"), FourCC("FXid"), FourCC("PxSD"),
  ]

  /// Blocks that are looked at in one place: Photoshop writes a few dozen.
  private static let mostBlocks = 1_024

  init() {}

  /// - Parameter reader: Of the section, without its length.
  mutating func parse(_ reader: inout SectionReader, isLarge: Bool) throws(CoderError) {
    let length = try reader.number(bytes: isLarge ? 8 : 4, "the length of the layer info")
    var info = try reader.part(length, of: "the layer info")
    try note(&info)
    guard reader.remaining > 0 else { return }
    try reader.skip(try reader.number(bytes: 4, "the length of the mask info"), "the mask info")
    // Files of 16 and 32 bits have their layers in one of these blocks.
    for _ in 0..<Self.mostBlocks {
      guard let block = try reader.block(lengthBytes: { Self.lengthBytes(of: $0, isLarge: isLarge) }) else { return }
      var content = try reader.part(block.length, of: "a block")
      if Self.layers.contains(block.key) { try note(&content) }
      if Self.transparency.contains(block.key) { hasTransparency = true }
    }
  }

  /// "If it is a negative number, its absolute value is the number of layers and the first alpha channel contains the
  /// transparency data for the merged result" ("Layer info", Layer count).
  private mutating func note(_ info: inout SectionReader) throws(CoderError) {
    guard info.remaining >= 2 else { return }
    let stored = Int16(truncatingIfNeeded: try info.number(bytes: 2, "the layer count"))
    count = Int(stored.magnitude)
    if stored < 0 { hasTransparency = true }
    records = info.place..<(info.place + info.remaining)
  }

  /// The names of the layers, from the lowest one up.
  ///
  /// - Parameters:
  ///   - reader: Of ``records``.
  ///   - limit: Bytes of all names, at most.
  func names(_ reader: inout SectionReader, isLarge: Bool, limit: Int) throws(CoderError) -> [String] {
    var names: [String] = []
    var bytes = 0
    while names.count < count {
      let name = try Self.name(&reader, isLarge: isLarge)
      bytes += name.utf8.count
      guard bytes <= limit else { break }
      names.append(name)
    }
    return names
  }

  /// Reads one record ("Layer records").
  private static func name(_ reader: inout SectionReader, isLarge: Bool) throws(CoderError) -> String {
    try reader.skip(16, "a layer's rectangle")
    let channels = try reader.number(bytes: 2, "a layer's number of channels")
    try reader.skip(channels * (isLarge ? 10 : 6), "a layer's channels")
    // Signature, blend mode, opacity, clipping, flags, filler.
    try reader.skip(12, "a layer's blend mode")
    var extra = try reader.part(try reader.number(bytes: 4, "the length of a layer's data"), of: "a layer's data")
    try extra.skip(try extra.number(bytes: 4, "the length of a mask"), "a layer's mask")
    try extra.skip(try extra.number(bytes: 4, "the length of blending ranges"), "a layer's blending ranges")
    let length = try extra.number(bytes: 1, "the length of a name")
    let name = String(layerName: try extra.bytes(length, "a layer's name"))
    // Padded to a multiple of four bytes, its length among them.
    try extra.skip(min(extra.remaining, 3 - length % 4), "the end of a name")
    for _ in 0..<mostBlocks {
      guard let block = try extra.block(lengthBytes: { lengthBytes(of: $0, isLarge: isLarge) }) else { break }
      var content = try extra.part(block.length, of: "a block")
      if block.key == FourCC("luni") { return try unicode(&content) }
    }
    return name
  }

  /// "Unicode string": the number of UTF-16 code units, then those, with zeros at the end.
  private static func unicode(_ reader: inout SectionReader) throws(CoderError) -> String {
    let stated = try reader.number(bytes: 4, "the length of a name")
    let bytes = try reader.bytes(2 * min(stated, reader.remaining / 2, 1_024), "a layer's name")
    var units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    while units.last == 0 { units.removeLast() }
    return String(decoding: units, as: UTF16.self)
  }

  private static func lengthBytes(of key: FourCC, isLarge: Bool) -> Int { isLarge && wide.contains(key) ? 8 : 4 }
}

extension String {
  /// Text in the encoding of the system that wrote it, which the file does not name: only ASCII is known.
  fileprivate init(layerName bytes: [UInt8]) {
    self.init(String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : "\u{FFFD}" }))
  }
}
