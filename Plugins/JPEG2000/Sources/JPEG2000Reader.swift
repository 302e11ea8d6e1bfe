// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads JPEG 2000: JP2 files and bare codestreams.
///
/// Boxes, marker segments and colors are handled here. OpenJPEG decodes tiles, each as a codestream of its own. Tiles of an
/// incomplete file are decoded as soon as all of their bytes are there.
///
/// - Format: ISO/IEC 15444-1; of 15444-2 its color spaces. Library: OpenJPEG 2.5 or later.
/// - Not covered: further codestreams and compositions of JPX, pages of JPM.
final class JPEG2000Reader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private var file: FileHeader
  private var codestream: Codestream
  private var map: ChannelMap
  private var orientation: Orientation
  /// Whether nothing but the main header has been read.
  private var isIncremental: Bool
  /// Whether a picture has been decoded.
  private var isShown = false

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    isIncremental = options.contains(.incremental)
    file = try FileHeader(parsing: source, isIncremental: isIncremental)
    codestream = try Codestream(
      parsing: source, in: file.codestream, limits: host.limits, isIncremental: isIncremental)
    map = try ChannelMap(file, grid: codestream.grid)
    orientation = try Self.orientation(of: file, in: source, limits: host.limits)
    if map.colors.count < (file.color?.model?.channelCount ?? 0) {
      host.log("the color space has more channels than the picture", severity: .warning)
    } else if file.color != nil, file.color?.model == nil {
      host.log("the color space is not known; channels count as \(map.model.name)", severity: .warning)
    }
  }

  /// Reads the whole file once its last byte is there.
  private func readRestIfComplete() throws(CoderError) {
    guard isIncremental, source.size < .max else { return }
    file = try FileHeader(parsing: source, isIncremental: false)
    codestream = try Codestream(parsing: source, in: file.codestream, limits: host.limits, isIncremental: false)
    map = try ChannelMap(file, grid: codestream.grid)
    orientation = try Self.orientation(of: file, in: source, limits: host.limits)
    isIncremental = false
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try readRestIfComplete()
    var header = ImageHeader(
      format: .jpeg2000, canvas: codestream.grid.picture(reduction: 0).size, pixelFormat: map.pixelFormat,
      bitsPerChannel: map.colors.reduce(1) { max($0, $1.bits) }, alpha: alpha)
    header.orientation = orientation
    header.metadata = Set(file.metadata.keys)
    (header.resolution, header.pixelAspect) = file.density
    header.isTruncated = codestream.isTruncated
    header.isDamaged = codestream.isDamaged
    // Each of several tiles of an incomplete file is shown once, when it is whole.
    header.isProgressive = codestream.isProgressive && (!isIncremental || isShown || codestream.grid.tileCount == 1)
    header.isIncomplete = isIncremental
    header.isLossless = codestream.isReversible
    header.hasPalette = map.hasPalette
    header.subsampling = subsampling
    // Table I.10: 16 and 18 are sRGB and its luma and color differences, 17 is gray with sRGB's transfer.
    if let space = file.color?.enumerated, [16, 17, 18].contains(space) {
      header.cicp = CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)
    }
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let grid = codestream.grid
    var reduction = 0
    let isCut = codestream.isTruncated || codestream.isDamaged
    if let wanted = request.size, !wanted.isEmpty, !isCut || LibOpenJPEG.reducesCutTiles {
      reduction =
        (0...codestream.maxReduction).last {
          let size = grid.picture(reduction: $0).size
          return size.width >= wanted.width && size.height >= wanted.height
        } ?? 0
    }
    let format = format(for: request.pixelFormat)
    let plan = DecodingPlan(codestream, map: map, reduction: reduction, format: format, limits: host.limits)
    try host.limits.check(memory: plan.memory)
    // A coarse picture needs rows that can be written again, straight into the result.
    let isPreviewed =
      isIncremental && codestream.isProgressive && grid.tileCount == 1 && request.size == nil
      && format == request.pixelFormat ?? map.pixelFormat && (alpha == .opaque || alpha == request.alpha)
    let size = grid.picture(reduction: reduction).size
    return DecodeOffer(
      request, size: size, part: part(of: request, at: reduction), pixelFormat: format, alpha: alpha,
      rowOrder: isPreviewed ? .any : .topDown, scaleCode: UInt32(reduction),
      memory: plan.memory + (movesSamples(reduction) ? RowWriter.memory(size, format) : 0),
      covered: (
        Double(grid.picture(reduction: 0).size.width) / Double(1 << reduction),
        Double(grid.picture(reduction: 0).size.height) / Double(1 << reduction)
      ))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let reduction = Int(offer.scaleCode)
    guard reduction <= codestream.maxReduction,
      offer.whole == codestream.grid.picture(reduction: reduction).size,
      offer.size == offer.whole || offer.part == self.part(offer.part, at: reduction),
      format(for: offer.pixelFormat) == offer.pixelFormat
    else { throw .invalidArgument("an offer that this reader did not make: \(offer.size) \(offer.pixelFormat)") }
    let plan = DecodingPlan(
      codestream, map: map, reduction: reduction, format: offer.pixelFormat, limits: host.limits)
    let decoder = try PictureDecoder(
      codestream, map: map, plan: plan, offer: offer, isIncremental: isIncremental, source: source, host: host)
    defer { isShown = true }
    let rows = try RowWriter(
      sink, size: offer.size, format: offer.pixelFormat, lattice: lattice(reduction), host: host)
    do throws(CoderError) { try decoder.decode(into: rows) } catch {
      if error.code.group == .file { try rows.finish() }
      throw error
    }
    let codestream = decoder.codestream
    if codestream.isTruncated { throw .truncated("the codestream ends early", at: source.size) }
    if codestream.isDamaged { throw .malformed("something other than a tile-part follows in the codestream") }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    if kind == .other { return try JP2Metadata.applicationData(in: source, isBoxed: file.isBoxed) }
    guard let range = file.metadata[kind] else { return nil }
    try host.limits.check(metadata: range.count)
    return try source.bytes(at: range.lowerBound, count: range.count, of: "the \(kind) payload")
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    frame == nil ? try allProperties() : Properties()
  }
}

extension JPEG2000Reader {
  private var alpha: AlphaMode {
    map.alpha == nil ? .opaque : map.isPremultiplied ? .premultiplied : .straight
  }

  private func format(for wanted: PixelFormat?) -> PixelFormat {
    let native = map.pixelFormat
    switch wanted {
    case .rgba8? where map.depth == 8: return .rgba8
    case .bgra8? where map.depth == 8: return .bgra8
    case .rgb8? where map.depth == 8 && map.alpha == nil: return .rgb8
    case .rgba16? where map.depth == 16 && native != .rgba16: return .rgba16
    default: return native
    }
  }

  /// The tiles that a request needs, as a part of the picture, or nil for all of them.
  private func part(of request: DecodeRequest, at reduction: Int) -> Rect? {
    request.part(in: codestream.grid.picture(reduction: reduction).size).flatMap { part($0, at: reduction) }
  }

  /// The tiles that have pixels of a part. Samples that are moved are mixed with those of other tiles, and an incomplete
  /// file is shown whole.
  private func part(_ wanted: Rect, at reduction: Int) -> Rect? {
    guard !isIncremental, !movesSamples(reduction) else { return nil }
    let whole = codestream.grid.picture(reduction: reduction)
    let pixels = codestream.grid.tiles(with: wanted, reduction: reduction).pixels
    guard !pixels.isEmpty, pixels.size != whole.size else { return nil }
    return Rect(
      x: pixels.x0 - whole.x0, y: pixels.y0 - whole.y0, width: pixels.size.width, height: pixels.size.height)
  }

  /// Whether samples are moved to where pixels are. Colors that are not multiplied by alpha cannot be mixed.
  private func movesSamples(_ reduction: Int) -> Bool { reduction > 0 && alpha != .straight }

  /// Where the samples of a lower resolution lie, if they are moved.
  private func lattice(_ reduction: Int) -> SampleLattice? {
    guard movesSamples(reduction) else { return nil }
    return SampleLattice(
      codestream.grid.picture(reduction: reduction), of: codestream.grid.picture(reduction: 0), reduction: reduction)
  }

  /// The subsampling of luma and color differences; other subsampled components have no name.
  private var subsampling: Subsampling? {
    guard case .ycc = map.model, !map.hasPalette else { return nil }
    let components = map.colors.map { codestream.grid.components[$0.component] }
    guard components[0].dx == 1, components[0].dy == 1, components[1].dx == components[2].dx,
      components[1].dy == components[2].dy
    else { return nil }
    switch (components[1].dx, components[1].dy) {
    case (1, 1): return .s444
    case (2, 1): return .s422
    case (2, 2): return .s420
    case (1, 2): return .s440
    case (4, 1): return .s411
    default: return nil
    }
  }

  private static func orientation(
    of file: FileHeader, in source: SourceView, limits: Limits
  ) throws(CoderError) -> Orientation {
    guard let range = file.metadata[.exif], range.count <= limits.maxMetadata else { return .up }
    return ExifOrientation.read(try source.view(at: range.lowerBound, count: range.count))
  }

  private func allProperties() throws(CoderError) -> Properties {
    var properties = Properties()
    properties["ColorModel"] = .text(map.model.name)
    let resolution = file.displayResolution ?? file.captureResolution
    if let resolution {
      properties["DPIWidth"] = .number(resolution.x * 0.0254)
      properties["DPIHeight"] = .number(resolution.y * 0.0254)
    }
    func put(_ name: String, _ value: Int) { properties["{JPEG2000}", name] = .integer(Int64(value)) }
    func put(_ name: String, _ value: String) { properties["{JPEG2000}", name] = .text(value) }
    let grid = codestream.grid
    put("Container", file.isBoxed ? "JP2" : "codestream")
    put("Components", grid.components.count)
    let ignored = grid.components.count - map.components.count
    if ignored > 0 { put("IgnoredComponents", ignored) }
    if file.codestreamCount > 1 { put("Codestreams", file.codestreamCount) }
    put("Capabilities", grid.capabilities)
    put("Tiles", grid.tileCount)
    put("TileWidth", grid.tileSize.width)
    put("TileHeight", grid.tileSize.height)
    if let common = codestream.style.common {
      put("ResolutionLevels", common.style.levels + 1)
      put("QualityLayers", common.layers)
      put("Progression", common.progression.rawValue)
      put("Transform", common.style.isReversible ? "5-3 reversible" : "9-7 irreversible")
      put("CodeBlockWidth", 1 << common.style.blockWidth)
      put("CodeBlockHeight", 1 << common.style.blockHeight)
    }
    if let space = file.color?.enumerated { put("EnumeratedColorSpace", space) }
    if let comment = codestream.comment {
      let bytes = [UInt8](copying: try source.bytes(at: comment.lowerBound, count: min(comment.count, 4096)))
      // A.9.2: ISO 8859-15, which agrees with Unicode's first 256 characters except for eight.
      put("Comment", String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    }
    return properties
  }
}
