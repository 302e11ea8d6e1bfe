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

  init() {}

  /// - Parameter reader: Of the section, without its length.
  mutating func parse(_ reader: inout ByteReader, isLarge: Bool) throws(CoderError) {
    let width = isLarge ? 8 : 4
    let length = Int(clamping: try reader.unsigned(bytes: width, "the length of the layer info"))
    var info = try reader.part(length, of: "the layer info")
    try note(&info)
    guard !reader.isAtEnd else { return }
    try reader.skip(Int(try reader.uint32("the length of the layer mask info")), "the layer mask info")
    // Files of 16 and 32 bits have their layers in one of these blocks.
    while let block = try reader.layerBlock(isLarge: isLarge) {
      var content = try reader.part(block.length, of: "a block")
      if Self.layers.contains(block.key) { try note(&content) }
      if Self.transparency.contains(block.key) { hasTransparency = true }
    }
  }

  /// "If it is a negative number, its absolute value is the number of layers and the first alpha channel contains the
  /// transparency data for the merged result" ("Layer info", Layer count).
  private mutating func note(_ info: inout ByteReader) throws(CoderError) {
    guard info.remaining >= 2 else { return }
    let stored = Int16(bitPattern: try info.uint16("the layer count"))
    count = Int(stored.magnitude)
    if stored < 0 { hasTransparency = true }
    records = info.offset..<(info.offset + info.remaining)
  }

  /// The names of the layers, from the lowest one up.
  ///
  /// - Parameters:
  ///   - reader: Of ``records``.
  ///   - limit: Bytes of all names, at most.
  func names(_ reader: inout ByteReader, isLarge: Bool, limit: Int) throws(CoderError) -> [String] {
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
  private static func name(_ reader: inout ByteReader, isLarge: Bool) throws(CoderError) -> String {
    try reader.skip(16, "a layer's rectangle")
    let channels = Int(try reader.uint16("a layer's number of channels"))
    try reader.skip(channels * (isLarge ? 10 : 6), "a layer's channels")
    // Signature, blend mode, opacity, clipping, flags, filler.
    try reader.skip(12, "a layer's blend mode")
    var extra = try reader.part(Int(try reader.uint32("the length of a layer's data")), of: "a layer's data")
    try extra.skip(Int(try extra.uint32("the length of a mask")), "a layer's mask")
    try extra.skip(Int(try extra.uint32("the length of blending ranges")), "a layer's blending ranges")
    let length = Int(try extra.uint8("the length of a name"))
    let name = String(layerName: try extra.array(length, "a layer's name"))
    // Padded to a multiple of four bytes, its length among them.
    try extra.skip(min(extra.remaining, 3 - length % 4))
    while let block = try extra.layerBlock(isLarge: isLarge) {
      var content = try extra.part(block.length, of: "a block")
      guard block.key == FourCC("luni") else { continue }
      return try content.unicodeName()
    }
    return name
  }

  fileprivate static func lengthBytes(of key: FourCC, isLarge: Bool) -> Int { isLarge && wide.contains(key) ? 8 : 4 }
}

extension ByteReader {
  /// Goes to the content of the next block of additional layer information; nil where none begins.
  fileprivate mutating func layerBlock(isLarge: Bool) throws(CoderError) -> (key: FourCC, length: Int)? {
    // Lengths are even by the specification; Photoshop pads to four bytes.
    var start = position
    while start < position + 4, !has("8BIM", at: start), !has("8B64", at: start) { start += 1 }
    guard start < position + 4 else { return nil }
    try seek(to: start + 4)
    let key = try fourCC("a key")
    let width = LayerSection.lengthBytes(of: key, isLarge: isLarge)
    let length = Int(clamping: try unsigned(bytes: width, "the length of a block"))
    return (key, length)
  }

  /// "Unicode string": the number of UTF-16 code units, then those, with zeros at the end.
  fileprivate mutating func unicodeName() throws(CoderError) -> String {
    let count = min(Int(try uint32("the length of a name")), remaining / 2, 1_024)
    var units: [UInt16] = []
    for _ in 0..<count { units.append(try uint16()) }
    while units.last == 0 { units.removeLast() }
    return String(decoding: units, as: UTF16.self)
  }
}

extension String {
  /// Text in the encoding of the system that wrote it, which the file does not name: only ASCII is known.
  fileprivate init(layerName bytes: [UInt8]) {
    self.init(String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : "\u{FFFD}" }))
  }
}
