// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads pictures of OpenEXR. Each part without deep samples is a page; smaller versions of it are hidden pages.
///
/// - Format: OpenEXR File Layout; Technical Introduction to OpenEXR. Library: OpenEXRCore 3.1 or later.
final class EXRReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  let file: EXRFile
  /// Smaller versions of pages, which follow them.
  private let versions: [(page: Int, level: Level)]

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    file = try EXRFile(reading: source, limits: host.limits)
    versions = file.pictures.enumerated().flatMap { page, part in part.versions.map { (page, $0) } }
    try check(file.pictures[0])
    // Names of a file may have any bytes: they are properties, and not in messages.
    for part in file.parts where part.isDeep {
      host.log(
        "part \(part.index + 1) of \(file.parts.count) has deep samples and is left out", severity: .warning)
    }
  }

  /// The canvas, and what decoding needs: the data may be larger than the canvas.
  private func check(_ part: PartHeader) throws(CoderError) {
    try host.limits.check(canvas: part.displayWindow.size)
    guard let needed = try part.decodingMemory() else { return }
    try host.limits.check(memory: needed)
  }

  func part(_ page: Int) throws(CoderError) -> PartHeader {
    if let version = version(page) { return file.pictures[version.page] }
    guard file.pictures.indices.contains(page) else {
      throw .invalidArgument("page \(page) of an OpenEXR file, which has \(file.pictures.count)")
    }
    return file.pictures[page]
  }

  /// The part and the level that a hidden page is, or nil.
  private func version(_ page: Int) -> (page: Int, level: Level)? {
    let index = page - file.pictures.count
    return versions.indices.contains(index) ? versions[index] : nil
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    let part = try part(page)
    try check(part)
    var header = ImageHeader(
      format: .openEXR, canvas: part.displayWindow.size, pixelFormat: part.pixelFormat,
      bitsPerChannel: part.pixelFormat == .rgbaFloat16 ? 16 : 32, alpha: part.alpha)
    header.pageCount = file.pictures.count
    header.hiddenPageCount = versions.count
    if let version = version(page) {
      header.canvas = part.grid.size(of: version.level)
      header.role = PageRole(.reduced, owner: version.page)
    }
    if let code = (part.primaries ?? .standard).code {
      // H.273: a transfer function of 8 is light; RGB has the matrix 0.
      header.cicp = CodingIndependentCodePoints(primaries: code, transfer: 8, matrix: 0, isFullRange: true)
    } else {
      header.gamma = 1
    }
    header.pixelAspect = part.pixelAspect
    header.isLossless = part.isLossless
    header.subsampling = part.subsampling
    return header
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    var stored = StoredColor()
    let part = try part(page)
    guard let primaries = part.primaries, primaries.code == nil else { return stored }
    stored.primaries = primaries
    stored.gamma = SIMD3(repeating: 1)
    return stored
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let part = try part(request.page)
    let level = version(request.page)?.level ?? request.size.map { part.level(for: $0) } ?? Level()
    let whole = part.canvas(of: level)
    let wanted = request.part(in: whole)
    return DecodeOffer(
      request, size: whole, part: wanted, pixelFormat: part.pixelFormat, alpha: part.alpha,
      scaleCode: UInt32(level.y << 8 | level.x),
      memory: try PictureDecoder(part, level: level, shown: wanted).memory())
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let part = try part(offer.page)
    let level = Level(x: Int(offer.scaleCode & 0xFF), y: Int(offer.scaleCode >> 8))
    guard version(offer.page).map({ $0.level == level }) ?? true,
      level == Level() || part.hasWholeLevels && part.grid.levels.contains(level)
    else {
      throw .invalidArgument("an offer of a level that part \(part.index) does not have")
    }
    guard offer.whole == part.canvas(of: level), offer.pixelFormat == part.pixelFormat else {
      throw .invalidArgument("an offer of \(offer.whole) in \(offer.pixelFormat), which was not made")
    }
    let decoder = try PictureDecoder(part, level: level, shown: offer.part)
    try decoder.decode(ChunkTable(part, of: file, in: source, host: host), in: source, host: host, into: sink)
  }
}

extension PartHeader {
  var grid: ChunkGrid { ChunkGrid(window: dataWindow, tiles: tiles, rows: compression?.rows ?? 1) }

  /// The size of the picture of a level: the whole one shows the display window.
  func canvas(of level: Level) -> Size { level == Level() ? displayWindow.size : grid.size(of: level) }

  private var choice: ChannelChoice { ChannelChoice(channels) }

  /// Bytes that decoding holds, or nil for a part that cannot be decoded.
  func decodingMemory() throws(CoderError) -> Int? {
    do throws(CoderError) {
      return try PictureDecoder(self).memory()
    } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }

  /// Half precision if all channels of the picture have it.
  var pixelFormat: PixelFormat {
    choice.places.allSatisfy { channels[$0].type == .half } ? .rgbaFloat16 : .rgbaFloat32
  }

  /// The width of a pixel ÷ its height, from 1/64 to 64; nil for square pixels.
  var pixelAspect: Double? {
    guard let aspect = attributes["pixelAspectRatio"]?.number, (1.0 / 64...64).contains(aspect) else { return nil }
    return aspect == 1 ? nil : aspect
  }

  /// Colors are multiplied by alpha. Where there are no data, the canvas is transparent.
  var alpha: AlphaMode {
    let isCovered = dataWindow.intersection(displayWindow) == displayWindow
    return choice.alpha != nil || !isCovered ? .premultiplied : .opaque
  }

  var isLossless: Bool { choice.places.allSatisfy { compression?.keeps(channels[$0].type) ?? false } }

  var subsampling: Subsampling? {
    guard case .chroma(_, let red, _) = choice.colors else { return nil }
    return switch (channels[red].sampling.width, channels[red].sampling.height) {
    case (1, 1): .s444
    case (1, 2): .s440
    case (2, 1): .s422
    case (2, 2): .s420
    case (4, 1): .s411
    default: nil
    }
  }

  /// Whether the smaller pictures show the canvas, and not more or less of it.
  var hasWholeLevels: Bool { dataWindow == displayWindow && tiles.map { $0.levels != .one } ?? false }

  /// The smaller pictures with the proportions of the whole one.
  var versions: [Level] { hasWholeLevels ? grid.levels.filter { $0.x == $0.y && $0.x > 0 } : [] }

  /// The smallest picture that is at least as large as a size in both directions.
  func level(for size: Size) -> Level {
    guard hasWholeLevels else { return Level() }
    return grid.levels.filter {
      let own = grid.size(of: $0)
      return own.width >= size.width && own.height >= size.height
    }.min { grid.size(of: $0).pixelCount < grid.size(of: $1).pixelCount } ?? Level()
  }
}
