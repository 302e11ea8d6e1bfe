// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
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
    var configuration = try file.configuration(in: box)
    if !configuration.isComplete {
      // Parameter sets may stand before the picture instead (ISO/IEC 14496-15 §8.3.2).
      let bytes = try file.bytes(of: item)
      try bytes.withBytes { payload throws(CoderError) in
        try configuration.add(from: payload.bytes, isCut: bytes.isCut, at: bytes.offset)
      }
      guard configuration.isComplete || !bytes.isCut else {
        throw .truncated("item \(item.id) ends before its parameter sets", at: bytes.offset)
      }
    }
    self.item = item
    points = properties.points
    sequence = try configuration.sequence()
    self.configuration = configuration
    // The window may be far smaller than what is decoded.
    try file.limits.check(memory: sequence.decodingMemory)
    try sequence.checkCodedSize()
  }

  /// Whether samples were stored without loss, as far as the parameter sets tell.
  var isLossless: Bool {
    let isExact = sequence.chromaFormat == .monochrome || (sequence.chromaFormat == .full && points?.matrix == 0)
    return configuration.allowsBypass && isExact
  }
}

extension SequenceParameters {
  /// Bytes that libde265 takes while it decodes a still picture, an estimate from above.
  var decodingMemory: Int {
    let sample = bitDepth > 8 ? 2 : 1
    let pixels = codedSize.pixelCount
    let planes = chromaFormat == .monochrome ? 1 : chromaFormat == .half ? 2 : 3
    // The picture, its copy for sample adaptive offset, and what is kept for each block of 4 × 4 and 8 × 8.
    return (1 << 20) &+ pixels &* (2 &* planes &* sample &+ 3)
  }
}
