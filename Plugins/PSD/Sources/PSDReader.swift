// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads Photoshop's PSD and PSB files: the merged picture, and after it each layer as a page.
///
/// Layers are not put together: Photoshop stores the whole picture beside them, unless it is told not to.
///
/// - Format: Adobe Photoshop File Formats Specification.
final class PSDReader: ContainerReader {
  let source: SourceView
  let host: CoderHost
  let file: PSDFile
  private var truncation: Bool?
  /// Pages after the merged picture.
  private(set) lazy var layers = readLayers()

  private static let blockBytes = 512 << 10
  private static let mostRows = 64

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    file = try PSDFile(source)
    try host.limits.check(canvas: file.header.canvas)
    if let fault = file.layerFault {
      host.log("the layers are passed over: \(fault.message)", severity: .warning)
    }
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header: ImageHeader
    if page > 0, page <= layers.count {
      header = try layerHeader(layers[page - 1])
    } else if page == layers.count + 1, let thumbnail = try thumbnail() {
      header = thumbnail.header
    } else {
      header = try mergedHeader(page: page)
    }
    header.pageCount = 1 + layers.count
    header.hiddenPageCount = try thumbnail() == nil ? 0 : 1
    return header
  }

  private func mergedHeader(page: Int) throws(CoderError) -> ImageHeader {
    guard page == 0 else { throw .invalidArgument("page \(page) of a Photoshop file, which has \(1 + layers.count)") }
    var header = ImageHeader(
      format: .psd, canvas: file.header.canvas, pixelFormat: try pixelFormat(), bitsPerChannel: file.header.depth,
      alpha: try hasAlpha() ? .straight : .opaque)
    header.isLossless = true
    header.hasInks = hasInks
    header.hasPalette = file.header.mode == .indexed
    header.isTruncated = try isTruncated()
    for kind in MetadataKind.allCases where place(of: kind) != nil { header.metadata.insert(kind) }
    (header.resolution, header.pixelAspect) = try density()
    return header
  }

  /// The smallest format that holds all samples.
  private func pixelFormat() throws(CoderError) -> PixelFormat {
    Self.format(isGray: file.header.model == .gray, hasAlpha: try hasAlpha(), depth: file.header.depth)
  }

  static func format(isGray: Bool, hasAlpha: Bool, depth: Int) -> PixelFormat {
    switch depth {
    case 32: .rgbaFloat32
    case 16: isGray ? (hasAlpha ? .grayAlpha16 : .gray16) : (hasAlpha ? .rgba16 : .rgb16)
    default: isGray ? (hasAlpha ? .grayAlpha8 : .gray8) : (hasAlpha ? .rgba8 : .rgb8)
    }
  }

  private func hasAlpha() throws(CoderError) -> Bool {
    if file.header.mode == .indexed { return try transparentIndex() != nil }
    return file.alpha != nil
  }

  /// Whether the file ends before the channels that are read. Of zlib streams, that is known when they are inflated.
  private func isTruncated() throws(CoderError) -> Bool {
    if let truncation { return truncation }
    let isCut: Bool
    switch file.compression {
    case .raw: isCut = source.size - file.data < file.offset(ofPlane: file.planes)
    case .packBits:
      do throws(CoderError) {
        isCut = try PackedPlanes(file, in: source).end > source.size
      } catch {
        guard error.code == .truncated else { throw error }
        isCut = true
      }
    case .zip, .zipWithPrediction: isCut = source.size == file.data
    }
    truncation = isCut
    return isCut
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    if let layer = layer(request.page) { return try layerOffer(layer, for: request) }
    try checkPage(request.page)
    if request.wantsInks, hasInks {
      return DecodeOffer(request, size: file.header.canvas, rowFormat: inkFormat, memory: memory)
    }
    let native = try pixelFormat()
    let format = request.pixelFormat == .rgba8 && native.bytesPerChannel == 1 ? .rgba8 : native
    return DecodeOffer(
      request, size: file.header.canvas, pixelFormat: format, alpha: try hasAlpha() ? .straight : .opaque,
      memory: memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    if let layer = layer(offer.page) { return try decodeLayer(layer, offer, into: sink) }
    try checkPage(offer.page)
    let native = try pixelFormat()
    let isInks = hasInks && offer.rowFormat == inkFormat
    guard offer.size == file.header.canvas,
      isInks || offer.pixelFormat == native || offer.pixelFormat == .rgba8 && native.bytesPerChannel == 1
    else { throw .invalidArgument("an offer of \(offer.size) in \(offer.formatDescription), which was not made") }
    let palette = file.header.mode == .indexed ? try indexedColors() : nil
    let rows = PixelRows(file, format: offer.pixelFormat, output: isInks ? .inks : .colors, palette: palette)
    try decode(rows, into: sink)
  }

  private var hasInks: Bool { file.header.model == .cmyk }

  private var inkFormat: RowFormat { file.header.depth == 8 ? .cmyk8 : .cmyk16 }

  func layer(_ page: Int) -> PSDLayer? { page > 0 && page <= layers.count ? layers[page - 1] : nil }

  private func checkPage(_ page: Int) throws(CoderError) {
    if page == layers.count + 1, try thumbnail() != nil {
      throw .unsupported("the thumbnail is a JPEG file, which the coder of that format reads")
    }
    guard page == 0 else { throw .invalidArgument("page \(page) of a Photoshop file, which has \(1 + layers.count)") }
    guard try hasMergedPicture() else {
      throw .unsupported("a file that was saved without the merged picture, whose layers are not drawn")
    }
  }
}

extension PSDReader {
  /// Rows of each channel that are held at a time.
  private static func rowsAtOnce(_ header: PSDHeader, planes: Int) -> Int {
    min(mostRows, max(1, blockBytes / (header.rowBytes * planes)))
  }

  static func blockMemory(_ header: PSDHeader, planes: Int) -> Int {
    rowsAtOnce(header, planes: planes) * header.rowBytes * planes
  }

  private var memory: Int {
    let block = Self.blockMemory(file.header, planes: file.planes)
    return switch file.compression {
    case .raw, .packBits: block
    case .zip, .zipWithPrediction: block + InflatedPlanes.memory(for: file)
    }
  }

  private func planes() throws(CoderError) -> any StoredPlanes {
    switch file.compression {
    case .raw: RawPlanes(file, in: source)
    case .packBits: try PackedPlanes(file, in: source)
    case .zip, .zipWithPrediction: try InflatedPlanes(file, in: source, host: host)
    }
  }

  private func decode(_ pixels: PixelRows, into sink: RowSink) throws(CoderError) {
    try host.limits.check(memory: memory)
    try decode(pixels, try planes(), of: file.header, planes: file.planes, into: sink)
  }

  /// - Parameters:
  ///   - header: Of the picture, or of a part that is stored by itself.
  ///   - planeCount: Channels that are read.
  func decode(
    _ pixels: PixelRows, _ planes: any StoredPlanes, of header: PSDHeader, planes planeCount: Int, into sink: RowSink
  ) throws(CoderError) {
    let needed = Self.blockMemory(header, planes: planeCount)
    try host.limits.check(memory: needed)
    let count = Self.rowsAtOnce(header, planes: planeCount)
    let (rowBytes, height) = (header.rowBytes, header.canvas.height)
    let memory = try host.allocate(bytes: needed, for: "rows of the channels")
    defer { host.free(memory) }
    let block = memory.assumingMemoryBound(to: UInt8.self)
    var y = 0
    while y < height {
      guard !host.isCancelled else { throw .cancelled }
      let wanted = min(count, height - y)
      var found = ReadRows(count: wanted)
      for plane in 0..<planeCount {
        let read = try planes.read(y..<(y + wanted), of: plane, to: block + plane * count * rowBytes)
        if read.count < found.count { found = read }
      }
      var done = 0
      while done < found.count {
        let rows = try sink.rows(at: y + done, count: found.count - done)
        let granted = min(rows.count, found.count - done)
        for row in 0..<granted {
          let stored = (0..<planeCount).map { block + ($0 * count + done + row) * rowBytes }
          pixels.convert(stored, to: rows.base + row * rows.stride)
        }
        try sink.done(at: y + done, count: granted)
        done += granted
      }
      if found.count < wanted {
        throw found.problem ?? .truncated("the file has \(y + done) of \(height) rows", at: source.size)
      }
      y += wanted
    }
    if let problem = planes.checksumProblem { throw problem }
  }
}
