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
      let name = try Self.record(&reader, isLarge: isLarge).name
      bytes += name.utf8.count
      guard bytes <= limit else { break }
      names.append(name)
    }
    return names
  }

  /// All layers, markers of groups among them, from the lowest one up, with where their channels are.
  ///
  /// - Parameters:
  ///   - reader: Of ``records``.
  ///   - limit: Bytes of all names, at most; layers after that are left out.
  func layers(_ reader: inout SectionReader, isLarge: Bool, limit: Int) throws(CoderError) -> [PSDLayer] {
    var layers: [PSDLayer] = []
    var bytes = 0
    while layers.count < count {
      let layer = try Self.record(&reader, isLarge: isLarge)
      bytes += layer.name.utf8.count
      guard bytes <= limit else { return [] }
      layers.append(layer)
    }
    // "Channel image data": of each layer, each channel, in the order of the records.
    var place = reader.place
    for layer in layers.indices {
      for channel in layers[layer].channels.indices {
        layers[layer].channels[channel].place = place
        place = min(place + layers[layer].channels[channel].length, 1 << 56)
      }
    }
    return layers
  }

  /// Reads one record ("Layer records").
  private static func record(_ reader: inout SectionReader, isLarge: Bool) throws(CoderError) -> PSDLayer {
    var layer = PSDLayer()
    var edges: [Int] = []
    for _ in 0..<4 {
      let edge = UInt32(truncatingIfNeeded: try reader.number(bytes: 4, "a layer's rectangle"))
      edges.append(Int(Int32(bitPattern: edge)))
    }
    layer.rect = Rect(x: edges[1], y: edges[0], width: edges[3] - edges[1], height: edges[2] - edges[0])
    let channels = try reader.number(bytes: 2, "a layer's number of channels")
    for _ in 0..<channels {
      let id = Int16(truncatingIfNeeded: try reader.number(bytes: 2, "a channel's number"))
      let length = try reader.number(bytes: isLarge ? 8 : 4, "a channel's length")
      // What is longer than the section leaves it, and so does what follows.
      layer.channels.append(PSDLayer.Channel(id: Int(id), length: min(length, 1 << 48)))
    }
    try reader.skip(4, "a layer's signature")
    layer.blendMode = FourCC(rawValue: UInt32(truncatingIfNeeded: try reader.number(bytes: 4, "a layer's blend mode")))
    layer.opacity = try reader.number(bytes: 1, "a layer's opacity")
    try reader.skip(1, "a layer's clipping")
    layer.isVisible = try reader.number(bytes: 1, "a layer's flags") & 2 == 0
    try reader.skip(1, "a layer's filler")
    var extra = try reader.part(try reader.number(bytes: 4, "the length of a layer's data"), of: "a layer's data")
    try extra.skip(try extra.number(bytes: 4, "the length of a mask"), "a layer's mask")
    try extra.skip(try extra.number(bytes: 4, "the length of blending ranges"), "a layer's blending ranges")
    let length = try extra.number(bytes: 1, "the length of a name")
    layer.name = String(layerName: try extra.bytes(length, "a layer's name"))
    // Padded to a multiple of four bytes, its length among them.
    try extra.skip(min(extra.remaining, 3 - length % 4), "the end of a name")
    for _ in 0..<mostBlocks {
      guard let block = try extra.block(lengthBytes: { lengthBytes(of: $0, isLarge: isLarge) }) else { break }
      var content = try extra.part(block.length, of: "a block")
      switch block.key {
      case FourCC("luni"): layer.name = try unicode(&content)
      // "Section divider setting": of 16-bit files, Photoshop has it under another key.
      case FourCC("lsct"), FourCC("lsdk"):
        layer.marker = PSDLayer.Marker(rawValue: try content.number(bytes: 4, "the type of a group"))
      default: break
      }
    }
    return layer
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
