// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads pictures of OpenEXR. Each part without deep samples is a page; smaller versions of it, and the whole of data that reach
/// beyond the canvas, are hidden pages.
///
/// - Format: OpenEXR File Layout; Technical Introduction to OpenEXR. Library: OpenEXRCore 3.1 or later.
final class EXRReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  let file: EXRFile
  /// They follow the visible pages.
  private let hidden: [HiddenPage]

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    file = try EXRFile(reading: source, limits: host.limits)
    let (all, limits) = (file.pictures.enumerated().flatMap { HiddenPage.all(of: $1, owner: $0) }, host.limits)
    // Nobody has to look beyond the canvas: what is too large there takes nothing away from the picture.
    hidden = all.filter { (try? limits.check(canvas: $0.size)) != nil }
    if hidden.count < all.count {
      host.log(
        "\(all.count - hidden.count) pictures with what lies beyond the canvas are larger than the limits allow",
        severity: .warning)
    }
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
    if let hidden = hidden(page) { return hidden.part }
    guard file.pictures.indices.contains(page) else {
      throw .invalidArgument("page \(page) of an OpenEXR file, which has \(file.pictures.count)")
    }
    return file.pictures[page]
  }

  private func hidden(_ page: Int) -> HiddenPage? {
    let index = page - file.pictures.count
    return hidden.indices.contains(index) ? hidden[index] : nil
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    let part = try part(page)
    try check(part)
    var header = ImageHeader(
      format: .openEXR, canvas: part.displayWindow.size, pixelFormat: part.pixelFormat,
      bitsPerChannel: part.pixelFormat == .rgbaFloat16 ? 16 : 32, alpha: part.alpha)
    header.pageCount = file.pictures.count
    header.hiddenPageCount = hidden.count
    if let hidden = hidden(page) {
      header.canvas = hidden.size
      header.alpha = hidden.alpha
      header.role = hidden.role
    }
    if let code = (part.primaries ?? .standard).code {
      // H.273: a transfer function of 8 is light; RGB has the matrix 0.
      header.cicp = CodingIndependentCodePoints(primaries: code, transfer: 8, matrix: 0, isFullRange: true)
    } else {
      header.gamma = 1
    }
    header.pixelAspect = part.pixelAspect
    if try metadata(.text, page: page) != nil { header.metadata.insert(.text) }
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
    let hidden = hidden(request.page)
    let view = hidden?.view ?? request.size.map { .canvas(part.level(for: $0)) } ?? .canvas(Level())
    let whole = part.size(of: view)
    let wanted = request.part(in: whole)
    return DecodeOffer(
      request, size: whole, part: wanted, pixelFormat: part.pixelFormat, alpha: hidden?.alpha ?? part.alpha,
      scaleCode: UInt32(view.level.y << 8 | view.level.x),
      memory: try PictureDecoder(part, view, shown: wanted).memory())
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let part = try part(offer.page)
    let level = Level(x: Int(offer.scaleCode & 0xFF), y: Int(offer.scaleCode >> 8))
    let hidden = hidden(offer.page)
    guard hidden.map({ $0.view.level == level }) ?? true,
      level == Level() || part.hasWholeLevels && part.grid.levels.contains(level)
    else {
      throw .invalidArgument("an offer of a level that part \(part.index) does not have")
    }
    let view = hidden?.view ?? .canvas(level)
    guard offer.whole == part.size(of: view), offer.pixelFormat == part.pixelFormat else {
      throw .invalidArgument("an offer of \(offer.whole) in \(offer.pixelFormat), which was not made")
    }
    let decoder = try PictureDecoder(part, view, shown: offer.part)
    try decoder.decode(ChunkTable(part, of: file, in: source, host: host), in: source, host: host, into: sink)
  }
}

extension PartHeader {
  var grid: ChunkGrid { ChunkGrid(window: dataWindow, tiles: tiles, rows: compression?.rows ?? 1) }

  /// The size of all that a view shows: of the whole picture that is the display window.
  func size(of view: PictureDecoder.View) -> Size {
    view == .canvas(Level()) ? displayWindow.size : grid.size(of: view.level)
  }

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
    return hasAlpha || !isCovered ? .premultiplied : .opaque
  }

  var hasAlpha: Bool { choice.alpha != nil }

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
