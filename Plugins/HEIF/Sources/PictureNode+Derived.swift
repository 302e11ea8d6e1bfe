// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension PictureNode {
  /// Equal tiles in rows and columns (ISO/IEC 23008-12 §6.6.2.3).
  static func grid(
    _ item: Item, in file: HEIFFile, chain: [UInt32]
  ) throws(CoderError) -> (content: Content, size: Size) {
    let (rows, columns, size) = try file.bytes(of: item).read { reader throws(CoderError) in
      guard try reader.uint8("a grid") == 0 else { throw .unsupported("a grid of a version that is not 0") }
      let isWide = try reader.uint8("a grid") & 1 == 1
      let rows = try reader.uint8("a grid") + 1
      let columns = try reader.uint8("a grid") + 1
      let width = Int(try reader.number(isWide ? 4 : 2, of: "a grid"))
      return (rows, columns, Size(width: width, height: Int(try reader.number(isWide ? 4 : 2, of: "a grid"))))
    }
    try file.limits.check(canvas: size)
    let inputs = file.meta.references(from: item.id, as: .derivedFrom)
    guard inputs.count == rows * columns else {
      throw .malformed("a grid of \(columns)×\(rows) tiles with \(inputs.count) pictures")
    }
    var tiles: [PictureNode] = []
    tiles.reserveCapacity(inputs.count)
    for input in inputs { tiles.append(try file.node(input, inside: chain)) }
    let tile = tiles[0].placement.shown
    guard tiles.allSatisfy({ $0.placement.shown == tile }) else {
      throw .malformed("a grid with tiles of different sizes")
    }
    // The canvas is covered, and no row or column of tiles lies outside it.
    guard tile.width * columns >= size.width, tile.height * rows >= size.height,
      tile.width * (columns - 1) < size.width, tile.height * (rows - 1) < size.height
    else {
      throw .malformed("a grid of \(columns)×\(rows) tiles of \(tile) on a canvas of \(size)")
    }
    return (.grid(columns: columns, tile: tile, tiles: tiles), size)
  }

  /// ISO/IEC 23008-12 §6.6.2.2.
  static func overlay(
    _ item: Item, in file: HEIFFile, chain: [UInt32]
  ) throws(CoderError) -> (content: Content, size: Size) {
    let inputs = file.meta.references(from: item.id, as: .derivedFrom)
    let (background, size, offsets) = try file.bytes(of: item).read { reader throws(CoderError) in
      guard try reader.uint8("an overlay") == 0 else { throw .unsupported("an overlay of a version that is not 0") }
      let width = try reader.uint8("an overlay") & 1 == 1 ? 4 : 2
      var background: [UInt16] = []
      for _ in 0..<4 { background.append(UInt16(truncatingIfNeeded: try reader.uint16("an overlay"))) }
      let columns = Int(try reader.number(width, of: "an overlay"))
      let size = Size(width: columns, height: Int(try reader.number(width, of: "an overlay")))
      var offsets: [(x: Int, y: Int)] = []
      func signed(_ value: UInt64) -> Int {
        width == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(Int16(truncatingIfNeeded: value))
      }
      for _ in 0..<inputs.count {
        let x = signed(try reader.number(width, of: "an overlay"))
        offsets.append((x, signed(try reader.number(width, of: "an overlay"))))
      }
      return (background, size, offsets)
    }
    try file.limits.check(canvas: size)
    var layers: [(node: PictureNode, x: Int, y: Int)] = []
    for (input, offset) in zip(inputs, offsets) {
      layers.append((try file.node(input, inside: chain), offset.x, offset.y))
    }
    return (.overlay(Overlay(background: background, layers: layers)), size)
  }
}

/// An item that is one HEVC picture (ISO/IEC 23008-12 Annex B).
struct CodedItem {
  let item: Item
  let configuration: HEVCConfiguration
  let sequence: SequenceParameters
  /// Code points of the item's own.
  let points: CodingIndependentCodePoints?

  init(_ item: Item, _ properties: ItemProperties, in file: HEIFFile) throws(CoderError) {
    guard let box = properties.configuration else {
      throw .malformed("item \(item.id) of HEVC without a configuration")
    }
    let configuration = try HEVCConfiguration(parsing: box, in: file.contents)
    self.item = item
    self.configuration = configuration
    points = properties.points
    if let sequence = configuration.sequence {
      self.sequence = sequence
    } else {
      sequence = try Self.sequence(in: try file.bytes(of: item), of: item, lengthSize: configuration.lengthSize)
    }
    // The window may be far smaller than what is decoded.
    try file.limits.check(memory: sequence.decodingMemory)
  }

  /// Parameter sets may stand before the picture instead (ISO/IEC 14496-15 §8.3.2).
  private static func sequence(
    in bytes: ItemBytes, of item: Item, lengthSize: Int
  ) throws(CoderError) -> SequenceParameters {
    let found = try bytes.withBytes { payload throws(CoderError) -> SequenceParameters? in
      var units = UnitReader(payload, lengthSize: lengthSize, isCut: bytes.isCut, at: bytes.offset)
      while let unit = try units.next() {
        guard HEVCConfiguration.type(of: unit[0]) == HEVCConfiguration.sequenceUnit else { continue }
        return try SequenceParameters(parsing: unit, at: bytes.offset)
      }
      return nil
    }
    guard let found else {
      throw bytes.isCut
        ? .truncated("item \(item.id) ends before its parameter sets", at: bytes.offset)
        : .malformed("item \(item.id) without a sequence parameter set", at: bytes.offset)
    }
    return found
  }

  /// Whether samples were stored without loss, as far as the parameter sets tell.
  var isLossless: Bool {
    let isExact = sequence.chroma == .monochrome || (sequence.chroma == .full && points?.matrix == 0)
    return configuration.allowsBypass && isExact
  }
}

/// The NAL units of an item, each behind its length (ISO/IEC 14496-15 §4.3.3).
struct UnitReader {
  private let bytes: UnsafeRawBufferPointer
  private let lengthSize: Int
  private let isCut: Bool
  private let start: Int
  private var offset = 0
  /// Whether the bytes ended inside a unit.
  private(set) var isUnitCut = false

  init(_ bytes: UnsafeRawBufferPointer, lengthSize: Int, isCut: Bool, at start: Int) {
    self.bytes = bytes
    self.lengthSize = lengthSize
    self.isCut = isCut
    self.start = start
  }

  /// The next unit, or nil at the end; of a cut item's last unit what is there. A unit has at least its header.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for a unit that its item has no room for.
  mutating func next() throws(CoderError) -> UnsafeRawBufferPointer? {
    while offset < bytes.count {
      let left = bytes.count - offset
      var length = 0
      for index in 0..<min(lengthSize, left) { length = length << 8 | Int(bytes[offset + index]) }
      guard left >= lengthSize, length <= left - lengthSize else {
        guard isCut else {
          throw .malformed("a NAL unit of \(length) bytes, its item has \(left) left", at: start + offset)
        }
        isUnitCut = true
        let first = offset + lengthSize
        offset = bytes.count
        return first + 2 < bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[first...]) : nil
      }
      let first = offset + lengthSize
      offset = first + length
      if length > 2 { return UnsafeRawBufferPointer(rebasing: bytes[first..<offset]) }
    }
    return nil
  }
}
