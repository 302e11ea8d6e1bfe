// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin
import SharedPlanes

/// An item whose samples are stored as they are (ISO/IEC 23001-17, `unci`).
///
/// Gray, red, green and blue, or luma and chroma, each with alpha: integers of 1 to 16 bits, and floating point, of which 0 to 1
/// is shown.
struct UncompressedItem {
  let item: Item
  let size: Size
  /// The bits per sample that components are brought to: those of the deepest, at least 8.
  let bits: Int
  let subsampling: Subsampling
  let hasAlpha: Bool
  /// Whether the components are red, green and blue.
  let isRGB: Bool
  /// Code points of the item's own.
  let points: CodingIndependentCodePoints?
  private let layout: UncompressedLayout
  private let units: CompressedUnits?
  /// Bytes of all samples with their padding.
  private var byteCount = 0

  private static let maxComponents = 16

  init(_ item: Item, _ properties: ItemProperties, in file: HEIFFile) throws(CoderError) {
    guard let size = properties.size, !size.isEmpty else {
      throw .malformed("the uncompressed item \(item.id) without a size")
    }
    guard let box = properties.configuration, box.type == .uncompressedConfiguration else {
      throw .malformed("the uncompressed item \(item.id) without uncC")
    }
    units = try properties.compression.map { box throws(CoderError) in
      try CompressedUnits(box, units: properties.units, in: file.contents)
    }
    try file.limits.check(canvas: size)
    var known: [UInt16] = []
    if let definitions = properties.components {
      known = try file.contents.read(definitions, as: "cmpd") { reader throws(CoderError) in
        try Self.components(&reader)
      }
    }
    layout = try file.contents.read(box, as: "uncC") { reader throws(CoderError) in
      try UncompressedLayout(parsing: &reader, kinds: known)
    }
    self.item = item
    self.size = size
    points = properties.points
    let shown = layout.components.filter { $0.kind != Self.padding }
    let kinds = shown.map(\.kind)
    bits = max(8, shown.map { $0.isFloat ? 16 : $0.bits }.max() ?? 8)
    hasAlpha = kinds.contains(Self.alpha)
    switch Set(kinds.filter { $0 != Self.alpha }) {
    case [0], [1]: (isRGB, subsampling) = (false, .s400)
    case [4, 5, 6]: (isRGB, subsampling) = (true, .s444)
    case [1, 2, 3]: (isRGB, subsampling) = (false, layout.sampling == 0 ? .s444 : layout.sampling == 1 ? .s422 : .s420)
    default: throw .unsupported("uncompressed components \(kinds), item \(item.id)")
    }
    guard Set(kinds).count == kinds.count || layout.interleave == .multiY else {
      throw .unsupported("components that are there twice, item \(item.id)")
    }
    let (columns, rows) = (layout.columns, layout.rows)
    guard columns <= size.width, rows <= size.height, size.width % columns == 0, size.height % rows == 0,
      layout.sampling == 0 || (size.width / columns) % 2 == 0 && (layout.sampling < 2 || (size.height / rows) % 2 == 0)
    else { throw .malformed("a picture of \(size) in \(columns)×\(rows) tiles, item \(item.id)") }
    // Memory is taken for as many samples as the file has.
    var needed = 0
    for component in 0..<(layout.interleave == .tileComponents ? layout.components.count : 1) {
      let part = layout.bytes(of: tile, component: layout.interleave == .tileComponents ? component : nil)
      let (bytes, overflow) = (part ?? .max).multipliedReportingOverflow(by: columns * rows)
      needed = overflow || bytes > .max - needed ? .max : needed + bytes
    }
    let bytes = try file.bytes(of: item)
    byteCount = needed
    guard needed <= (units == nil ? bytes.count : CompressedUnits.most(from: bytes.count)) || bytes.isCut else {
      throw .malformed("item \(item.id) of \(size) needs \(needed) bytes and has \(bytes.count)")
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
}

extension UncompressedItem {
  private var sampleBytes: Int { bits > 8 ? 2 : 1 }
  private var tile: Size { Size(width: size.width / layout.columns, height: size.height / layout.rows) }

  /// Bytes that decoding takes.
  var memory: Int {
    let planes = size.pixelCount * sampleBytes * 4
    guard units != nil else { return planes }
    let (sum, overflow) = planes.addingReportingOverflow(min(byteCount, 1 << 60))
    return overflow ? .max : sum
  }

  /// Draws a rectangle of the picture, or its first component as alpha.
  ///
  /// - Returns: Rows of the rectangle that are whole, all before the first one whose samples are not there, and why the others
  ///   are not, or what is wrong with them.
  func draw(
    _ region: Rect, into target: PixelTarget, asAlpha: Bool, bytes: ItemBytes,
    points whole: CodingIndependentCodePoints?,
    host: CoderHost
  ) throws(CoderError) -> ReadRows {
    guard let units else {
      let problem: CoderError? =
        bytes.isCut ? .truncated("item \(item.id) is cut after \(bytes.count) bytes", at: bytes.offset) : nil
      return try bytes.withBytes { raw throws(CoderError) in
        let rows = try draw(region, into: target, asAlpha: asAlpha, raw: raw, points: whole, host: host)
        return ReadRows(count: rows, problem: problem)
      }
    }
    try host.limits.check(memory: memory)
    let memory = try host.allocate(bytes: CompressedUnits.memory(for: byteCount), for: "inflated samples")
    defer { host.free(memory) }
    let inflated = try units.inflate(bytes, to: memory, count: byteCount, host: host)
    let raw = UnsafeRawBufferPointer(start: memory, count: inflated.count)
    let rows = try draw(region, into: target, asAlpha: asAlpha, raw: raw, points: whole, host: host)
    return ReadRows(count: rows, problem: inflated.problem)
  }

  /// - Parameter raw: The item's samples, or the first bytes of them.
  /// - Returns: Rows of the rectangle that are whole.
  private func draw(
    _ region: Rect, into target: PixelTarget, asAlpha: Bool, raw: UnsafeRawBufferPointer,
    points whole: CodingIndependentCodePoints?, host: CoderHost
  ) throws(CoderError) -> Int {
    let stride = size.width * sampleBytes
    let planeBytes = stride * size.height
    let memory = try host.allocate(bytes: planeBytes * 4, alignment: 64, for: "samples of an uncompressed item")
    defer { host.free(memory) }
    // Luma, or green; Cb, or blue; Cr, or red; alpha.
    let slots: [UInt16: Int] = isRGB ? [5: 0, 6: 1, 4: 2, 7: 3] : [0: 0, 1: 0, 2: 1, 3: 2, 7: 3]
    var targets: [SampleReader.Target?] = []
    var lumaCount = 0
    for (index, component) in layout.components.enumerated() {
      let side = layout.side(of: index, in: tile)
      // Both of a pair of luma go to the same plane.
      let isPair = layout.interleave == .multiY && !component.isChroma
      defer { lumaCount += isPair ? 1 : 0 }
      targets.append(
        slots[component.kind].map { slot in
          SampleReader.Target(
            plane: memory + slot * planeBytes, stride: stride, tile: side, component: component, bits: bits,
            spacing: isPair ? (first: lumaCount, step: 2) : (first: 0, step: 1))
        })
    }
    let found = try gather(SampleReader(raw, layout: layout, targets: targets), from: raw.count, host: host)
    let rows = min(max(0, found - region.y), region.height)
    guard rows > 0 else { return 0 }
    let size = Size(width: size.width, height: found)
    let region = Rect(x: region.x, y: region.y, width: region.width, height: rows)
    func plane(_ slot: Int) -> PlanarPicture.Plane {
      PlanarPicture.Plane(base: UnsafeRawPointer(memory + slot * planeBytes), stride: stride)
    }
    if asAlpha {
      let picture = try PlanarPicture(size: size, bits: bits, subsampling: .s400, luma: plane(0))
      let converter = try AlphaConverter(bits: bits, format: target.format)
      try converter.convert(picture, region, to: target.base, stride: target.stride)
      return rows
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
    return rows
  }

  /// Puts the samples of all tiles together.
  ///
  /// - Parameter available: Bytes of the samples that are there.
  /// - Returns: Rows of the picture before the first one of which something is not there.
  private func gather(_ reader: SampleReader, from available: Int, host: CoderHost) throws(CoderError) -> Int {
    var rows = size.height
    let whole = layout.bytes(of: tile) ?? 0
    // Where the tiles of a component begin that lie together.
    var starts = [0]
    if layout.interleave == .tileComponents {
      for component in layout.components.indices {
        let part = layout.bytes(of: tile, component: component) ?? 0
        starts.append(starts[component] + part * layout.columns * layout.rows)
      }
    }
    for index in 0..<layout.columns * layout.rows {
      if host.isCancelled { throw .cancelled }
      let (column, row) = (index % layout.columns, index / layout.columns)
      try layout.forEachRun(in: tile) { run throws(CoderError) in
        var start = run.start + index * whole
        if layout.interleave == .tileComponents {
          let component = run.components[0]
          start = starts[component] + index * (layout.bytes(of: tile, component: component) ?? 0) + run.start
        }
        guard start <= available - run.bytes else {
          rows = min(rows, row * tile.height + layout.firstRow(of: run))
          return
        }
        reader.read(run, at: start, column: column, row: row)
      }
    }
    // Chroma of two rows is read for both.
    return rows < size.height && layout.sampling == 2 ? rows / 2 * 2 : rows
  }
}

extension CodingIndependentCodePoints? {
  /// The matrix that they state, or that of pictures that state none.
  fileprivate func matrix() throws(CoderError) -> ColorMatrix {
    guard let self else { return .unspecified }
    return try ColorMatrix(self)
  }
}
