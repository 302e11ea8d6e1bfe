// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the header of one part says.
///
/// - Format: OpenEXR File Layout, "Header Attributes".
struct PartHeader {
  /// The part's number in the file, deep ones counted.
  let index: Int
  /// Whether pixels have any number of samples each.
  let isDeep: Bool
  let channels: [Channel]
  let dataWindow: Window
  let displayWindow: Window
  /// As stored: see `compression`.
  let storedCompression: Int
  /// 0: rows from the top, 1: from the bottom, 2: tiles in any order.
  let lineOrder: Int
  let tiles: TileDescription?
  /// Chunks in the part's table.
  let chunkCount: Int
  /// The primaries that the file states.
  let primaries: StoredColor.Primaries?
  /// Attributes of types that properties have, by their own names.
  let attributes: Properties
  let name: String
  /// Where the table of chunks begins.
  var table = 0

  /// Nil for a compression that is not known.
  var compression: Compression? { Compression(rawValue: storedCompression) }

  init(
    _ reader: inout AttributeReader, index: Int, isMultiPart: Bool, isTiled: Bool, isDeep: Bool, limits: Limits
  ) throws(CoderError) {
    self.index = index
    let start = reader.offset
    var stated = StatedAttributes()
    while let attribute = try reader.next(limits: limits) { try stated.read(attribute, from: reader.source) }
    // Files of one part say by flags what they hold; a type that says otherwise is wrong.
    let type = isMultiPart ? stated.text("type") : nil
    self.isDeep = type.map { $0.hasPrefix("deep") } ?? isDeep
    name = stated.text("name") ?? ""
    attributes = stated.properties
    primaries = stated.primaries
    guard let displayWindow = stated.displayWindow else { throw Self.missing("displayWindow", at: start) }
    guard let dataWindow = stated.dataWindow else { throw Self.missing("dataWindow", at: start) }
    guard let channels = stated.channels else { throw Self.missing("channels", at: start) }
    guard let compression = stated.compression else { throw Self.missing("compression", at: start) }
    self.displayWindow = displayWindow
    self.dataWindow = dataWindow
    self.channels = channels
    storedCompression = compression
    lineOrder = stated.lineOrder ?? 0
    let hasTiles = type.map { $0 == "tiledimage" || $0 == "deeptile" } ?? isTiled
    tiles = hasTiles ? stated.tiles : nil
    if hasTiles, tiles == nil { throw Self.missing("tiles", at: start) }
    try Self.check(channels, in: dataWindow, isTiled: hasTiles, at: start)
    if self.isDeep {
      // Their tables are passed over. A single deep part comes after no other.
      guard let count = stated.chunkCount ?? (isMultiPart ? nil : 0) else {
        throw Self.missing("chunkCount", at: start)
      }
      chunkCount = count
    } else {
      let grid = ChunkGrid(window: dataWindow, tiles: tiles, rows: Compression(rawValue: compression)?.rows ?? 1)
      guard let count = isMultiPart ? stated.chunkCount ?? grid.count : grid.count else {
        throw .malformed("more chunks than a file can have", at: start)
      }
      chunkCount = count
    }
  }

  private static func missing(_ name: StaticString, at place: Int) -> CoderError {
    .malformed("a header without the attribute \(name)", at: place)
  }

  /// Subsampled channels have whole samples, and none in tiles.
  private static func check(
    _ channels: [Channel], in window: Window, isTiled: Bool, at place: Int
  ) throws(CoderError) {
    for channel in channels where channel.isSubsampled {
      guard !isTiled else { throw .malformed("a channel sampled by \(channel.sampling) in tiles", at: place) }
      let (x, y) = (channel.sampling.width, channel.sampling.height)
      guard window.x.lowerBound % x == 0, window.x.count % x == 0, window.y.lowerBound % y == 0, window.y.count % y == 0
      else {
        throw .malformed(
          "a channel sampled by \(channel.sampling) in a window of \(window.size) that begins at "
            + "\(window.x.lowerBound), \(window.y.lowerBound)", at: place)
      }
    }
  }
}

/// The attributes of a header as they are gone through.
private struct StatedAttributes {
  var channels: [Channel]?
  var compression: Int?
  var dataWindow: Window?
  var displayWindow: Window?
  var lineOrder: Int?
  var tiles: TileDescription?
  var chunkCount: Int?
  var primaries: StoredColor.Primaries?
  var properties = Properties()
  private var propertyCount = 0

  /// The most attributes that become properties.
  private static let mostProperties = 512
  private static let mostChannelBytes = 1 << 20
  /// Attributes that become no property by themselves.
  private static let structure: Set<String> = ["channels", "compression", "lineOrder", "tiles", "chunkCount"]

  func text(_ name: String) -> String? {
    guard case .text(let text)? = properties[name] else { return nil }
    return text
  }

  mutating func read(_ attribute: AttributeReader.Attribute, from source: SourceView) throws(CoderError) {
    // What is long is a preview, or something of another program.
    let most = attribute.name == "channels" ? Self.mostChannelBytes : AttributeValue.longest
    guard attribute.value.count <= most else {
      guard !Self.structure.contains(attribute.name) else {
        throw .unsupported(
          "an attribute \(attribute.type) of \(attribute.value.count) bytes, at most \(most) are read",
          at: attribute.value.lowerBound)
      }
      return
    }
    var reader = try source.reader(in: attribute.value, order: .littleEndian, of: "an attribute")
    switch (attribute.name, attribute.type) {
    case ("channels", "chlist"): channels = try Channel.list(parsing: &reader, longestName: 255)
    case ("compression", "compression"): compression = Int(try reader.uint8("the compression"))
    case ("dataWindow", "box2i"): dataWindow = try Window(parsing: &reader, of: "a data window")
    case ("displayWindow", "box2i"): displayWindow = try Window(parsing: &reader, of: "a display window")
    case ("lineOrder", "lineOrder"): lineOrder = Int(try reader.uint8("the order of lines"))
    case ("tiles", "tiledesc"): tiles = try TileDescription(parsing: &reader)
    case ("chunkCount", "int"):
      let count = try reader.int32("the count of chunks")
      guard count >= 0 else { throw .malformed("\(count) chunks", at: attribute.value.lowerBound) }
      chunkCount = count
    default:
      guard propertyCount < Self.mostProperties else { return }
      if attribute.name == "chromaticities", attribute.type == "chromaticities" {
        primaries = try Self.primaries(&reader)
        try reader.seek(to: 0)
      }
      if let value = AttributeValue.property(of: attribute.type, &reader) {
        properties[attribute.name] = value
        propertyCount += 1
      }
    }
  }

  private static func primaries(_ reader: inout ByteReader) throws(CoderError) -> StoredColor.Primaries? {
    var numbers: [Double] = []
    for _ in 0..<8 { numbers.append(try reader.float("a chromaticity")) }
    return StoredColor.Primaries(numbers)
  }
}
