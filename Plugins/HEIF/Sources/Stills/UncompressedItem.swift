// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin
import SharedPlanes

/// An item whose samples are stored as they are (ISO/IEC 23001-17, `unci`).
///
/// Components of 8 or 16 bits: gray, red, green and blue, or luma and chroma, each with alpha; by components, by pixels
/// or by rows, padded and in tiles.
struct UncompressedItem {
  let item: Item
  let size: Size
  /// The bits per sample of each component.
  let bits: Int
  let subsampling: Subsampling
  let hasAlpha: Bool
  /// Whether the components are red, green and blue.
  let isRGB: Bool
  /// Code points of the item's own.
  let points: CodingIndependentCodePoints?
  private let layout: Layout

  /// How samples lie in the item.
  private struct Layout {
    /// By ISO/IEC 23001-17 table 1, in the order in which they are stored.
    var kinds: [UInt16] = []
    var sampling: UInt8 = 0
    var interleave: UInt8 = 1
    var isLittleEndian = false
    /// Bytes of a pixel, 0 for those of its components.
    var pixelBytes = 0
    /// What rows and tiles are padded to a multiple of, 0 for nothing.
    var rowAlignment = 0
    var tileAlignment = 0
    var columns = 1
    var rows = 1
  }

  private static let maxComponents = 16
  /// More padding than anybody writes.
  private static let maxPadding = 1 << 16

  init(_ item: Item, _ properties: ItemProperties, in file: HEIFFile) throws(CoderError) {
    guard let size = properties.size, !size.isEmpty else {
      throw .malformed("the uncompressed item \(item.id) without a size")
    }
    guard let box = properties.configuration, box.type == .uncompressedConfiguration else {
      throw .malformed("the uncompressed item \(item.id) without uncC")
    }
    guard !properties.isCompressed else {
      throw .unsupported("item \(item.id), uncompressed samples in compressed units")
    }
    try file.limits.check(canvas: size)
    var known: [UInt16] = []
    if let definitions = properties.components {
      known = try file.contents.read(definitions, as: "cmpd") { reader throws(CoderError) in
        try Self.components(&reader)
      }
    }
    let read = try file.contents.read(box, as: "uncC") { reader throws(CoderError) in
      try Self.layout(&reader, components: known)
    }
    (layout, bits) = read
    self.item = item
    self.size = size
    points = properties.points
    let kinds = layout.kinds.filter { $0 != Self.padding }
    hasAlpha = kinds.contains(Self.alpha)
    switch Set(kinds.filter { $0 != Self.alpha }) {
    case [0], [1]: (isRGB, subsampling) = (false, .s400)
    case [4, 5, 6]: (isRGB, subsampling) = (true, .s444)
    case [1, 2, 3]: (isRGB, subsampling) = (false, layout.sampling == 0 ? .s444 : layout.sampling == 1 ? .s422 : .s420)
    default: throw .unsupported("uncompressed components \(kinds), item \(item.id)")
    }
    guard Set(kinds).count == kinds.count else {
      throw .unsupported("components that are there twice, item \(item.id)")
    }
    guard layout.sampling == 0 || layout.interleave == 0 && kinds.contains(2) else {
      throw .unsupported("sampling \(layout.sampling) with interleave \(layout.interleave), item \(item.id)")
    }
    let (columns, rows) = (layout.columns, layout.rows)
    guard columns <= size.width, rows <= size.height, size.width % columns == 0, size.height % rows == 0,
      layout.sampling == 0 || (size.width / columns) % 2 == 0 && (layout.sampling < 2 || (size.height / rows) % 2 == 0)
    else { throw .malformed("a picture of \(size) in \(columns)×\(rows) tiles, item \(item.id)") }
    // Memory is taken for as many samples as the file has.
    let (needed, overflow) = tileBytes.multipliedReportingOverflow(by: columns * rows)
    let bytes = try file.bytes(of: item)
    guard !overflow, needed <= bytes.count || bytes.isCut else {
      throw .malformed("item \(item.id) of \(size) needs \(overflow ? .max : needed) bytes and has \(bytes.count)")
    }
    try file.limits.check(memory: memory)
  }

  private static let alpha: UInt16 = 7
  private static let padding: UInt16 = 12

  /// ISO/IEC 23001-17 §6.1.2.
  private static func components(_ reader: inout ByteReader) throws(CoderError) -> [UInt16] {
    let count = try reader.uint32("the number of components")
    guard count <= maxComponents else { throw .unsupported("\(count) components, \(maxComponents) are read") }
    var kinds: [UInt16] = []
    for _ in 0..<count {
      let kind = try reader.uint16("a component's type")
      if kind >= 0x8000 { _ = reader.terminatedText() }
      kinds.append(kind)
    }
    return kinds
  }

  /// ISO/IEC 23001-17 §5.2.1.
  private static func layout(
    _ reader: inout ByteReader, components: [UInt16]
  ) throws(CoderError) -> (Layout, bits: Int) {
    let (version, _) = try reader.fullBox()
    let profile = try reader.fourCC("the profile")
    var layout = Layout()
    guard version == 0 else {
      switch (version, "\(profile)") {
      case (1, "rgb3"): layout.kinds = [4, 5, 6]
      case (1, "rgba"): layout.kinds = [4, 5, 6, 7]
      case (1, "abgr"): layout.kinds = [7, 6, 5, 4]
      default: throw .unsupported("uncC of version \(version) and profile \(profile)")
      }
      return (layout, 8)
    }
    let count = try reader.uint32("the number of components")
    guard count > 0, count <= maxComponents else {
      throw .unsupported("\(count) components, 1 to \(maxComponents) are read")
    }
    var depths: Set<Int> = []
    for _ in 0..<count {
      let index = Int(try reader.uint16("a component"))
      guard index < components.count else { throw .malformed("component \(index) of \(components.count)") }
      depths.insert(Int(try reader.uint8("the bits of a component")) + 1)
      let format = try reader.uint8("the format of a component")
      let alignment = try reader.uint8("the bytes of a component")
      guard format == 0, alignment == 0 || depths == [Int(alignment) * 8] else {
        throw .unsupported("components of format \(format) in \(alignment) bytes")
      }
      layout.kinds.append(components[index])
    }
    guard depths.count == 1, let bits = depths.first, bits == 8 || bits == 16 else {
      throw .unsupported("components of \(depths.sorted()) bits; 8 or 16 of all are read")
    }
    layout.sampling = try reader.uint8("the sampling")
    layout.interleave = try reader.uint8("the interleaving")
    let block = try reader.uint8("the size of blocks")
    let flags = try reader.uint8("the flags")
    guard layout.sampling <= 2, [0, 1, 3].contains(layout.interleave), block == 0, flags & 0x70 == 0 else {
      throw .unsupported(
        "sampling \(layout.sampling), interleave \(layout.interleave), blocks of \(block), flags \(flags)")
    }
    layout.isLittleEndian = flags & 0x80 != 0
    func padding(_ field: StaticString) throws(CoderError) -> Int {
      let value = Int(try reader.uint32(field))
      guard value <= maxPadding else { throw .unsupported("padding to \(value) bytes, \(maxPadding) are read") }
      return value
    }
    layout.pixelBytes = try padding("the bytes of a pixel")
    layout.rowAlignment = try padding("the alignment of rows")
    layout.tileAlignment = try padding("the alignment of tiles")
    layout.columns = Int(try reader.uint32("the columns of tiles")) + 1
    layout.rows = Int(try reader.uint32("the rows of tiles")) + 1
    guard layout.pixelBytes == 0 || layout.interleave == 1 && layout.pixelBytes >= layout.kinds.count * bits / 8 else {
      throw .malformed("pixels of \(layout.pixelBytes) bytes for \(layout.kinds.count) components")
    }
    return (layout, bits)
  }
}

extension UncompressedItem {
  private var sampleBytes: Int { bits / 8 }
  private var tile: Size { Size(width: size.width / layout.columns, height: size.height / layout.rows) }

  /// Bytes that decoding takes.
  var memory: Int { size.pixelCount * sampleBytes * 4 }

  /// The samples of a component in a tile.
  private func side(of kind: UInt16) -> Size {
    guard kind == 2 || kind == 3 else { return tile }
    return Size(
      width: layout.sampling > 0 ? tile.width / 2 : tile.width,
      height: layout.sampling > 1 ? tile.height / 2 : tile.height)
  }

  private func padded(_ bytes: Int, to alignment: Int) -> Int {
    alignment > 1 ? (bytes + alignment - 1) / alignment * alignment : bytes
  }

  private func rowBytes(of kind: UInt16) -> Int { padded(side(of: kind).width * sampleBytes, to: layout.rowAlignment) }

  private var pixelBytes: Int { max(layout.pixelBytes, layout.kinds.count * sampleBytes) }

  /// Sides are below 2³², and all else below 2¹⁷.
  private var tileBytes: Int {
    let bytes =
      switch layout.interleave {
      case 1: padded(tile.width * pixelBytes, to: layout.rowAlignment).multipliedReportingOverflow(by: tile.height)
      default:
        (layout.kinds.reduce(0) { $0 &+ rowBytes(of: $1) &* side(of: $1).height }, false)
      }
    return bytes.1 ? .max >> 1 : padded(bytes.0, to: layout.tileAlignment)
  }

  /// Where the first sample of a component's row lies in a tile, and how far apart samples are.
  private func place(of component: Int, row: Int) -> (start: Int, step: Int) {
    let kinds = layout.kinds
    switch layout.interleave {
    case 1:
      return (
        row * padded(tile.width * pixelBytes, to: layout.rowAlignment) + component * sampleBytes, pixelBytes
      )
    case 3:
      let whole = kinds.reduce(0) { $0 + rowBytes(of: $1) }
      return (row * whole + kinds[..<component].reduce(0) { $0 + rowBytes(of: $1) }, sampleBytes)
    default:
      let before = kinds[..<component].reduce(0) { $0 + rowBytes(of: $1) * side(of: $1).height }
      return (before + row * rowBytes(of: kinds[component]), sampleBytes)
    }
  }

  /// Draws a rectangle of the picture, or its first component as alpha.
  func draw(
    _ region: Rect, into target: PixelTarget, asAlpha: Bool, bytes: ItemBytes,
    points whole: CodingIndependentCodePoints?,
    host: CoderHost
  ) throws(CoderError) {
    guard !bytes.isCut else { throw .truncated("item \(item.id) is cut after \(bytes.count) bytes", at: bytes.offset) }
    let stride = size.width * sampleBytes
    let planeBytes = stride * size.height
    let memory = try host.allocate(bytes: planeBytes * 4, alignment: 64, for: "samples of an uncompressed item")
    defer { host.free(memory) }
    // Luma, or green; Cb, or blue; Cr, or red; alpha.
    let slots: [UInt16: Int] = isRGB ? [5: 0, 6: 1, 4: 2, 7: 3] : [0: 0, 1: 0, 2: 1, 3: 2, 7: 3]
    try bytes.withBytes { raw throws(CoderError) in
      for (component, kind) in layout.kinds.enumerated() {
        guard let slot = slots[kind] else { continue }
        if host.isCancelled { throw .cancelled }
        gather(component, from: raw, to: memory + slot * planeBytes, stride: stride)
      }
    }
    func plane(_ slot: Int) -> PlanarPicture.Plane {
      PlanarPicture.Plane(base: UnsafeRawPointer(memory + slot * planeBytes), stride: stride)
    }
    if asAlpha {
      let picture = try PlanarPicture(size: size, bits: bits, subsampling: .s400, luma: plane(0))
      let converter = try AlphaConverter(bits: bits, format: target.format)
      return try converter.convert(picture, region, to: target.base, stride: target.stride)
    }
    let alphaBits = hasAlpha && target.format.hasAlpha ? bits : nil
    let picture = try PlanarPicture(
      size: size, bits: bits, subsampling: subsampling, luma: plane(0),
      chroma: subsampling == .s400 ? nil : (plane(1), plane(2)), alpha: alphaBits.map { (plane(3), $0) })
    let points = points ?? whole
    // Red, green and blue, and gray, are what they are.
    let isDirect = isRGB || subsampling == .s400
    let matrix: ColorMatrix
    if isDirect { matrix = isRGB ? .identity : .unspecified } else { matrix = try points.matrix() }
    let converter = try PlaneConverter(
      matrix, isFullRange: isDirect || points?.isFullRange ?? true, bits: bits, alphaBits: alphaBits,
      format: target.format)
    try converter.convert(picture, region, to: target.base, stride: target.stride)
  }

  /// Puts the samples of a component together, in the machine's order.
  private func gather(
    _ component: Int, from raw: UnsafeRawBufferPointer, to plane: UnsafeMutableRawPointer, stride: Int
  ) {
    let part = side(of: layout.kinds[component])
    let count = sampleBytes
    let isSwapped = count == 2 && !layout.isLittleEndian
    for index in 0..<layout.columns * layout.rows {
      let (column, row) = (index % layout.columns, index / layout.columns)
      for y in 0..<part.height {
        let place = place(of: component, row: y)
        var from = index * tileBytes + place.start
        var to = plane + (row * part.height + y) * stride + column * part.width * count
        for _ in 0..<part.width {
          if count == 1 {
            to.storeBytes(of: raw[from], as: UInt8.self)
          } else {
            let value = raw.loadUnaligned(fromByteOffset: from, as: UInt16.self)
            to.storeBytes(of: isSwapped ? value.byteSwapped : value, as: UInt16.self)
          }
          from += place.step
          to += count
        }
      }
    }
  }
}

extension CodingIndependentCodePoints? {
  /// The matrix that they state, or that of pictures that state none.
  fileprivate func matrix() throws(CoderError) -> ColorMatrix {
    guard let self else { return .unspecified }
    return try ColorMatrix(self)
  }
}
