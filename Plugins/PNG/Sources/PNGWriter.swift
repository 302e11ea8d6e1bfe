// SPDX-License-Identifier: Apache-2.0

import CPNGShim
import ImageCoderPlugin

/// Writes PNG and APNG.
///
/// Chunks are written here; rows are filtered and deflated in parts by several threads. Frames go out as they come; the
/// number of frames is corrected at the end when it was not known.
///
/// - Format: PNG Third Edition, W3C. Library: libdeflate 1.14.
/// - Not covered: gray of fewer than 8 bits.
final class PNGWriter: ContainerWriter, FrameRowsWriter {
  let output: ByteOutput
  let host: CoderHost
  private let isInterlaced: Bool
  let level: UInt32
  private let filter: UInt32
  private let isPaletteAllowed: Bool

  var layout: PixelLayout?
  private var header: ImageHeader?
  private var light = LightLevels()
  /// Chunks of metadata, held back until the first frame: IHDR comes before them.
  private var metadata: [UInt8] = []
  /// Bytes that the output has.
  private var written = 0
  /// Frames that came.
  private var frameCount = 0
  var framesWritten = 0
  /// Bits of an index.
  var indexDepth = 8
  private var sequence: UInt32 = 0
  /// The offset of acTL, once it is written.
  private var controlOffset: Int?
  /// Whether ``metadata`` has a profile, which is for RGB or for gray.
  private(set) var hasProfile = false
  /// Frames that are held as long as a palette may hold all of them.
  private var indexed: IndexedFrames?
  var isIndexed = false
  /// Frames that are held as long as their alpha may prove to be needless, once no palette has their colors.
  var keyed: KeyedFrames?
  var mayBeKeyed = false
  /// While rows of a frame come, unless they are held.
  private var rows: RowEncoder?

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    isInterlaced = options[PNGOption.progressive]
    level = UInt32(options[PNGOption.compression])
    filter = options[PNGOption.filter].number
    isPaletteAllowed = options[PNGOption.palette] == .automatic
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    let format = wanted.format.isFloat ? .rgba16 : wanted.format
    let accepted = PixelLayout(format, wanted.alpha == .premultiplied ? .straight : wanted.alpha)
    layout = accepted
    return accepted
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    guard header.canvas.width <= 0x7FFF_FFFF, header.canvas.height <= 0x7FFF_FFFF else {
      throw .unsupported("a canvas of \(header.canvas), at most 2147483647 a side are allowed")
    }
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard metadata.count <= 0x7FFF_FF00 else {
      throw .invalidArgument("\(kind) of \(metadata.count) bytes, at most 2147483392 fit a chunk")
    }
    switch kind {
    case .icc: try addProfile(metadata)
    case .exif: self.metadata += LibPNG.chunk(.exif, metadata)
    case .xmp: self.metadata += LibPNG.xmpChunk(metadata)
    case .text:
      for text in ContainerText.texts(in: metadata) { self.metadata += LibPNG.textChunk(text) }
    case .iptc, .c2pa, .geoTIFF, .trailer, .other: throw .unsupported("PNG has no place for \(kind)")
    }
  }

  func setLight(_ light: LightLevels) throws(CoderError) {
    // mDCV means nothing without cICP (PNG Third Edition §11.3.2.7).
    guard header?.cicp != nil else { throw .unsupported("PNG has light levels beside code points alone") }
    self.light = light
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    let header = try check(frame, size: pixels.size, layout: pixels.layout)
    let layout = pixels.layout
    begin(frame, layout: layout, header: header)
    if let indexed {
      if try indexed.add(pixels, frame: frame) { return }
      try giveBack(indexed, layout: layout, header: header)
      self.indexed = nil
    }
    try take(pixels, frame: frame, header: header)
  }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    let header = try check(frame, size: size, layout: layout)
    let stored = image(size, layout: layout, frame: frame, rect: Rect(covering: header.canvas))
    guard frameCount == 0, !header.isAnimated, header.frameCount == 1, RowEncoder.takes(stored) else { return false }
    begin(frame, layout: layout, header: header)
    if let indexed, try !indexed.begin(frame) { self.indexed = nil }
    if indexed == nil { try beginEncoding(header) }
    return true
  }

  func add(rows pixels: PixelView) throws(CoderError) {
    if let indexed, let held = indexed.frames.first, let header {
      if indexed.add(rows: pixels) { return }
      try beginEncoding(header)
      try expand(held, of: indexed, rows: indexed.rowCount) { (pixels) throws(CoderError) in try rows?.add(pixels) }
      self.indexed = nil
    }
    guard let rows else { throw .outOfOrder("rows before their frame") }
    try rows.add(pixels)
  }

  func endRows() throws(CoderError) {
    // What is held is written at the end.
    guard indexed == nil else { return }
    guard let rows else { throw .outOfOrder("the end of a frame that was not begun") }
    written += try rows.finish()
    framesWritten += 1
    self.rows = nil
  }

  private func beginEncoding(_ header: ImageHeader) throws(CoderError) {
    guard let layout else { return }
    try writeLead(header, layout: layout)
    let whole = Rect(covering: header.canvas)
    rows = try RowEncoder(
      image(header.canvas, layout: layout, frame: FrameHeader(rect: whole), rect: whole), to: output, host: host)
  }

  /// Whether a frame may come now, and in this layout.
  private func check(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> ImageHeader {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard frameCount == 0 || header.isAnimated || header.frameCount != 1 else {
      throw .unsupported("a second frame in a still picture; the header says how many there are, or 0")
    }
    // All frames share IHDR's color type and bit depth.
    let agreed = self.layout ?? layout
    guard layout == agreed, layout.alpha != .premultiplied else {
      throw .invalidArgument("pixels of \(layout), \(agreed) was agreed to")
    }
    guard frame.rect.isInside(header.canvas), frame.rect.size == size else {
      throw .invalidArgument("pixels of \(size) for a frame of \(frame.rect.size) on \(header.canvas)")
    }
    return header
  }

  private func begin(_ frame: FrameHeader, layout: PixelLayout, header: ImageHeader) {
    self.layout = layout
    frameCount += 1
    guard frameCount == 1, frame.rect == Rect(covering: header.canvas) else { return }
    if isPaletteAllowed, IndexedFrames.takes(layout) { indexed = IndexedFrames(layout, host: host) }
    mayBeKeyed = isAnimation(header) && KeyedFrames.takes(layout)
  }

  private func isAnimation(_ header: ImageHeader) -> Bool { header.isAnimated || header.frameCount != 1 }

  func finish() throws(CoderError) {
    guard frameCount > 0, let header else { throw .outOfOrder("a picture without frames") }
    if let indexed {
      try write(indexed, header: header)
    } else if let keyed {
      try write(keyed, key: keyed.replaceTransparency(), header: header)
    }
    if let controlOffset, header.frameCount != frameCount {
      try output.patch(control(frames: frameCount, of: header), at: controlOffset)
    }
    try write(LibPNG.chunk(.iend, []))
  }

  private func write(_ bytes: [UInt8]) throws(CoderError) {
    try output.write(bytes)
    written += bytes.count
  }

  /// iCCP. A profile whose colors are not the image's is left out: decoders refuse such files (§11.3.2.3).
  private func addProfile(_ profile: [UInt8]) throws(CoderError) {
    let isGray = layout?.format.isGray ?? false
    let space = profile.count >= 128 ? String(decoding: profile[16..<20], as: UTF8.self) : ""
    guard space == (isGray ? "GRAY" : "RGB ") else {
      host.log("an ICC profile for '\(space)' is left out of \(isGray ? "a gray" : "an RGB") image", severity: .warning)
      return
    }
    metadata += try LibPNG.profileChunk(profile, host: host)
    hasProfile = true
  }

  func writeLead(
    _ header: ImageHeader, layout: PixelLayout, palette: IndexedFrames? = nil, key: KeyedFrames.Key? = nil
  ) throws(CoderError) {
    let image = ImageHeaderChunk(
      canvas: header.canvas, bitDepth: palette == nil ? layout.bitDepth : indexDepth,
      colorType: palette == nil ? layout.colorType : .palette, isInterlaced: isInterlaced)
    try write(PNGFile.signature + image.chunk)
    if isAnimation(header) {
      controlOffset = written
      try write(control(frames: header.frameCount, of: header))
    }
    if let gamma = header.gamma, gamma > 0, gamma < 20_000 {
      var data = ByteWriter()
      data.put(UInt32((gamma * 100_000).rounded()))
      try write(LibPNG.chunk(.gama, data.bytes))
    }
    if let cicp = header.cicp {
      // With a matrix, the samples were not RGB before and are full-range RGB now.
      let isFullRange = cicp.isFullRange || cicp.matrix != 0
      try write(LibPNG.chunk(.cicp, [cicp.primaries, cicp.transfer, 0, isFullRange ? 1 : 0]) + light.chunks)
    }
    try write(LibPNG.densityChunk(header) + metadata)
    metadata = []
    if case .color(let samples) = key { try write(LibPNG.chunk(.trns, samples.flatMap { [0, $0] })) }
    guard let palette else { return }
    let colors = palette.colors
    let entries = colors.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 >> 16 & 0xFF)] }
    try write(LibPNG.chunk(.plte, entries))
    let alphas = colors.prefix { $0 >> 24 < 255 }.map { UInt8($0 >> 24) }
    if !alphas.isEmpty { try write(LibPNG.chunk(.trns, alphas)) }
  }

  private func control(frames: Int, of header: ImageHeader) -> [UInt8] {
    let plays = header.loopCount?.plays ?? 0
    var data = ByteWriter()
    AnimationControl(frameCount: UInt32(clamping: max(1, frames)), plays: min(plays, 0x7FFF_FFFF)).write(to: &data)
    return LibPNG.chunk(.actl, data.bytes)
  }

  func writeFrame(_ pixels: PixelView, frame: FrameHeader, canvas: Size) throws(CoderError) {
    // The first frame is the default image too, which is as large as the canvas; around a smaller one it is transparent.
    let rect = framesWritten == 0 ? Rect(covering: canvas) : frame.rect
    if controlOffset != nil {
      var data = ByteWriter()
      FrameControl(
        sequence: sequence, rect: rect, delay: frame.delay ?? FrameDelay(numerator: 0, denominator: 100),
        disposal: frame.disposal, blend: frame.blend
      ).write(to: &data)
      try write(LibPNG.chunk(.fctl, data.bytes))
      sequence &+= 1
    }
    var image = image(pixels, frame: frame, rect: rect)
    try LibPNG.encode(&image, to: output, host: host)
    sequence = image.sequence
    written += Int(clamping: image.written)
    framesWritten += 1
  }

  /// How a frame is stored.
  func image(_ pixels: PixelView, frame: FrameHeader, rect: Rect) -> cpng_image {
    var image = image(pixels.size, layout: pixels.layout, frame: frame, rect: rect)
    image.pixels = pixels.base.assumingMemoryBound(to: UInt8.self)
    image.stride = UInt64(clamping: pixels.stride)
    return image
  }

  /// The same; where its pixels are is left open.
  func image(_ size: Size, layout: PixelLayout, frame: FrameHeader, rect: Rect) -> cpng_image {
    var image = cpng_image()
    image.width = UInt32(clamping: rect.width)
    image.height = UInt32(clamping: rect.height)
    image.x = UInt32(clamping: frame.rect.x - rect.x)
    image.y = UInt32(clamping: frame.rect.y - rect.y)
    image.pixel_width = UInt32(clamping: size.width)
    image.pixel_height = UInt32(clamping: size.height)
    image.bytes_per_pixel = UInt32(layout.format.bytesPerPixel)
    image.color_type = UInt32((isIndexed ? .palette : layout.colorType).rawValue)
    image.bit_depth = UInt32(isIndexed ? indexDepth : layout.bitDepth)
    image.transforms = layout.transforms.rawValue
    image.level = level
    // Indexes are no amounts: their differences say nothing (§12.7).
    image.filter = isIndexed && filter == 0 ? 1 : filter
    image.is_interlaced = isInterlaced ? 1 : 0
    image.is_frame_data = framesWritten == 0 ? 0 : 1
    image.is_animated = controlOffset == nil ? 0 : 1
    image.sequence = sequence
    return image
  }
}

extension PixelLayout {
  /// How IHDR describes samples of this layout. Alpha that says nothing is not stored.
  fileprivate var colorType: ImageHeaderChunk.ColorType {
    let hasAlpha = format.hasAlpha && alpha != .opaque
    return format.isGray ? (hasAlpha ? .grayAlpha : .gray) : (hasAlpha ? .rgba : .rgb)
  }

  fileprivate var bitDepth: Int { format.bytesPerChannel == 2 ? 16 : 8 }

  fileprivate var transforms: LibPNG.Transforms {
    var transforms: LibPNG.Transforms = []
    if format.hasAlpha, alpha == .opaque { transforms.insert(.dropAlpha) }
    if format == .bgra8 { transforms.insert(.bgr) }
    return transforms
  }
}
