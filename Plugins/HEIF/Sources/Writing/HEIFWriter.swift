// SPDX-License-Identifier: Apache-2.0

import CodedPictures
import ISOBaseMediaFile
import ImageCoderPlugin

/// Writes HEIC: lossy or lossless pictures, one or several, with alpha and thumbnails, or an image sequence.
///
/// Frames of a sequence are intra pictures. Bitstreams come from libheif's x265; the boxes around them are written here.
///
/// - Format: ISO/IEC 23008-12. Library: libheif 1.15 or later.
final class HEIFWriter: ContainerWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let settings: EncodingSettings
  /// Whether a sequence is written under its own name, and not under that of stills.
  private let isNamedSequence: Bool
  private var layout = FileLayout()
  private var header: ImageHeader?
  private var metadata: [MetadataKind: [UInt8]] = [:]
  private var light = LightLevels()
  /// That of a motion photo.
  private var video: [UInt8]?
  /// The item of each page; the first one is the primary item.
  private var pages: [Int] = []
  /// The thumbnail of the page that comes next.
  private var thumbnail: Picture?
  /// The delays of each frame of the first page.
  private var delays: [FrameDelay] = []
  /// The first page's picture, which further frames have to be like.
  private var first: Picture?
  private var depth: Int?
  /// Whether all pictures are of the Main profile.
  private var isMain = true

  /// ITU-T H.265 §A.4.1 allows more at no level; x265 stops here.
  private static let maxSide = 16_384
  private static let alphaType = "urn:mpeg:hevc:2015:auxid:1"

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    settings = try EncodingSettings(options)
    isNamedSequence = options.format == .heics
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    let isDeep = wanted.format.bytesPerChannel > 1 && settings.depth != 8
    if settings.isLossless, wanted.format.isFloat || (wanted.format.bytesPerChannel > 1 && !isDeep) {
      throw .unsupported("lossless \(wanted.format), and HEVC holds \(settings.depth ?? 12) bits here")
    }
    if wanted.format.isGray || settings.subsampling == .s400 {
      return PixelLayout(
        PixelFormat(isGray: true, hasAlpha: wanted.alpha != .opaque, isDeep: isDeep), wanted.alpha)
    }
    if wanted.format.bytesPerChannel > 1 { return PixelLayout(isDeep ? .rgba16 : .rgba8, wanted.alpha) }
    return wanted
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    let side = max(header.canvas.width, header.canvas.height)
    guard side <= Self.maxSide else {
      throw .unsupported("a canvas of \(header.canvas), and x265 takes \(Self.maxSide) pixels on a side")
    }
    try host.limits.check(canvas: header.canvas)
    // x265 keeps several copies of the picture's planes and of what it knows of each block.
    try host.limits.check(memory: header.canvas.pixelCount * 12)
    guard !header.isAnimated && header.frameCount <= 1 || header.pageCount <= 1 else {
      throw .unsupported("an animation on one of \(header.pageCount) pages")
    }
    self.header = header
    metadata = [:]
    light = LightLevels()
    thumbnail = nil
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard kind != .trailer else {
      try VideoBox.check(metadata, in: header)
      video = video ?? metadata
      return
    }
    self.metadata[kind] = metadata
  }

  func setLight(_ light: LightLevels) throws(CoderError) { self.light = light }

  /// Encodes the thumbnail, which becomes an item when its picture is one.
  func addThumbnail(_ pixels: PixelView) throws(CoderError) {
    guard let header else { throw .outOfOrder("a thumbnail before the header") }
    guard pixels.size != header.canvas else { throw .unsupported("one as large as the picture, \(pixels.size)") }
    thumbnail = try encode(pixels, isThumbnail: true)
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard pages.count < max(header.pageCount, 1) else { return try addSample(pixels, frame: frame) }
    guard frame.rect == Rect(covering: header.canvas) else {
      throw .unsupported("a still picture of \(frame.rect.size) on a canvas of \(header.canvas)")
    }
    let picture = try encode(pixels, isThumbnail: false)
    let item = add(picture, isHidden: false)
    if let thumbnail {
      self.thumbnail = nil
      layout.refer(.thumbnail, from: add(thumbnail, isHidden: true), to: item)
    }
    for kind in [MetadataKind.exif, .xmp] {
      if let payload = metadata[kind] { layout.add(payload, as: kind, of: item) }
    }
    if pages.isEmpty {
      first = picture
      delays = [frame.delay ?? .zero]
    }
    pages.append(item)
  }

  func finish() throws(CoderError) {
    guard let primary = pages.first else { throw .outOfOrder("a file without a picture") }
    // ISO/IEC 23008-12 Annex B.4.1: `heic` promises the Main profiles.
    let stillBrand = FourCC(isMain ? "heic" : "heix")
    layout.groups = try settings.groups.items(ofPages: pages)
    guard let first, let header, header.isAnimated || delays.count > 1 else {
      try layout.write(to: output, primary: primary, brands: [stillBrand, FourCC("mif1"), stillBrand])
      if let video { try output.write(VideoBox.box(of: video)) }
      return
    }
    let movie = MovieLayout(
      timing: try FrameTicks(delays), loopCount: header.loopCount, size: header.canvas,
      orientation: header.orientation, isPremultiplied: first.isPremultiplied)
    // Alpha is the item after its picture.
    let items = first.alpha == nil ? [primary] : [primary, primary + 1]
    // Readers of stills go by the major brand, and show the primary item.
    let brands = [FourCC(isMain ? "hevc" : "hevx"), .imageSequence, FourCC("mif1"), stillBrand]
    try layout.write(
      to: output, primary: primary, brands: isNamedSequence ? brands : brands.reversed(),
      sequence: FileLayout.Sequence(movie: movie, items: items, codedSize: first.color.codedSize))
  }
}

extension HEIFWriter {
  /// Adds a further frame: a whole picture, which takes the place of the one before.
  private func addSample(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header, let primary = pages.first, let first, header.isAnimated || header.frameCount != 1,
      header.pageCount <= 1
    else {
      throw .unsupported("a second frame in a still picture")
    }
    guard frame.rect == Rect(covering: header.canvas), pixels.size == header.canvas else {
      throw .unsupported("a frame of \(frame.rect.size) on a canvas of \(header.canvas), and HEIC holds whole pictures")
    }
    guard frame.blend == .source || pixels.layout.alpha == .opaque else {
      throw .unsupported("a frame that is blended over the one before, which HEIC cannot say")
    }
    try host.limits.check(frames: delays.count + 1)
    let picture = try encode(pixels, isThumbnail: false)
    var parts = [(picture.color, first.color)]
    if let alpha = picture.alpha, let other = first.alpha { parts.append((alpha, other)) }
    guard (picture.alpha == nil) == (first.alpha == nil),
      parts.allSatisfy({ $0.0.configuration == $0.1.configuration })
    else { throw .libraryFailure("x265 encodes frame \(delays.count + 1) with other parameter sets than the first") }
    for (offset, part) in parts.enumerated() { layout.add(sample: part.0.data, behind: primary + offset) }
    delays.append(frame.delay ?? .zero)
  }
}

extension HEIFWriter {
  /// Whether further frames may follow, which have the depth of the first.
  private var isSequence: Bool {
    guard let header else { return false }
    return header.isAnimated || header.frameCount != 1 && header.pageCount <= 1
  }

  /// A picture with its alpha, encoded.
  private struct Picture {
    let color: EncodedPicture
    let alpha: EncodedPicture?
    let isPremultiplied: Bool
    let stated: FileLayout.PictureProperties
  }

  private func encode(_ pixels: PixelView, isThumbnail: Bool) throws(CoderError) -> Picture {
    let bits = try settings.bits(
      of: pixels, stated: header?.bitsPerChannel ?? 16, fixed: isThumbnail ? nil : depth, isThumbnail: isThumbnail)
    if !isThumbnail, isSequence { depth = bits }
    let encoder = try HEVCEncoder(settings: settings, bits: bits, host: host)
    let isGray = pixels.layout.format.isGray
    let profile = metadata[.icc]
    var points = settings.points(for: header?.cicp, hasProfile: profile != nil)
    if isGray { points.isFullRange = true }
    if isGray, settings.isLossless { points.matrix = header?.cicp?.matrix ?? 2 }
    // H.265 Annex A.3.2: 4:2:0 and 8 bits.
    isMain = isMain && bits == 8 && settings.subsampling == .s420 && !isGray && !settings.isLossless
    let color = try encoder.encode(pixels, .color(points))
    let hasAlpha = pixels.layout.alpha != .opaque && pixels.layout.format.hasAlpha
    return Picture(
      color: color, alpha: hasAlpha ? try encoder.encode(pixels, .alpha) : nil,
      isPremultiplied: pixels.layout.alpha == .premultiplied,
      stated: FileLayout.PictureProperties(
        points: points, profile: profile, light: isThumbnail ? LightLevels() : light,
        orientation: header?.orientation ?? .up))
  }

  /// Makes a picture an item, and its alpha another one.
  private func add(_ picture: Picture, isHidden: Bool) -> Int {
    let item = layout.add(picture.color, picture.stated, isHidden: isHidden)
    guard let plane = picture.alpha else { return item }
    let stated = FileLayout.PictureProperties(
      orientation: picture.stated.orientation, auxiliaryType: Self.alphaType)
    let alpha = layout.add(plane, stated, isHidden: true)
    layout.refer(.auxiliary, from: alpha, to: item)
    if picture.isPremultiplied { layout.refer(.premultiplied, from: item, to: alpha) }
    return item
  }
}
