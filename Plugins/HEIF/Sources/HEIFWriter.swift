// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes HEIC: lossy or lossless pictures, one or several, with alpha and thumbnails.
///
/// Bitstreams come from libheif's x265; the boxes around them are written here.
///
/// - Format: ISO/IEC 23008-12. Library: libheif 1.15 or later.
final class HEIFWriter: ContainerWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let settings: EncodingSettings
  private var layout = FileLayout()
  private var header: ImageHeader?
  private var metadata: [MetadataKind: [UInt8]] = [:]
  /// The first page's item.
  private var primary: Int?
  private var pageCount = 0
  /// Whether all pictures are of the Main profile.
  private var isMain = true

  /// ITU-T H.265 §A.4.1 allows more at no level; x265 stops here.
  private static let maxSide = 16_384
  private static let alphaType = "urn:mpeg:hevc:2015:auxid:1"

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    settings = try EncodingSettings(options)
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    if settings.isLossless, wanted.format.bytesPerChannel > 1 {
      throw .unsupported("lossless \(wanted.format), and samples of 8 bits are kept")
    }
    let isDeep = settings.bits > 8
    let format: PixelFormat =
      switch wanted.format {
      case .gray16: isDeep ? .gray16 : .gray8
      case .grayAlpha16: isDeep ? .grayAlpha16 : .grayAlpha8
      case .rgba16, .rgbaFloat16, .rgbaFloat32: isDeep ? .rgba16 : .rgba8
      default: wanted.format
      }
    return PixelLayout(format, wanted.alpha)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    let side = max(header.canvas.width, header.canvas.height)
    guard side <= Self.maxSide else {
      throw .unsupported("a canvas of \(header.canvas), and x265 takes \(Self.maxSide) pixels on a side")
    }
    try host.limits.check(canvas: header.canvas)
    // x265 keeps several copies of the picture's planes and of what it knows of each block.
    try host.limits.check(memory: header.canvas.pixelCount * 12)
    guard header.frameCount <= 1, !header.isAnimated else {
      throw .unsupported("\(header.frameCount) frames in a file of stills")
    }
    self.header = header
    metadata = [:]
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) { self.metadata[kind] = metadata }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard pageCount < max(header.pageCount, 1) else { throw .unsupported("a second frame in a still picture") }
    guard frame.rect == Rect(covering: header.canvas) else {
      throw .unsupported("a still picture of \(frame.rect.size) on a canvas of \(header.canvas)")
    }
    let isGray = pixels.layout.format.isGray
    guard isGray || settings.subsampling != .s400 else {
      throw .unsupported("subsampling 4:0:0 of \(pixels.layout.format), which has colours")
    }
    let encoder = HEVCEncoder(settings: settings, host: host)
    let profile = metadata[.icc]
    var points = settings.points(for: header.cicp, hasProfile: profile != nil)
    if isGray { points.isFullRange = true }
    if isGray, settings.isLossless { points.matrix = header.cicp?.matrix ?? 2 }
    let hasAlpha = pixels.layout.alpha != .opaque && pixels.layout.format.hasAlpha

    var stated = FileLayout.PictureProperties(points: points, profile: profile, orientation: header.orientation)
    let colour = try encoder.encode(pixels, .colour(points))
    // H.265 Annex A.3.2: 4:2:0 and 8 bits.
    isMain = isMain && settings.bits == 8 && settings.subsampling == .s420 && !isGray && !settings.isLossless
    let item = layout.add(colour, stated, isHidden: false)
    if hasAlpha {
      let picture = try encoder.encode(pixels, .alpha)
      let alpha = layout.add(
        picture, FileLayout.PictureProperties(orientation: header.orientation, auxiliaryType: Self.alphaType),
        isHidden: true)
      layout.refer(.auxiliary, from: alpha, to: item)
      if pixels.layout.alpha == .premultiplied { layout.refer(.premultiplied, from: item, to: alpha) }
    } else if let small = Reduction.size(of: pixels.size, within: settings.thumbnail) {
      stated.points = points
      let picture = try Reduction.withReduced(pixels, to: small, host: host) { reduced throws(CoderError) in
        try encoder.encode(reduced, .colour(points))
      }
      layout.refer(.thumbnail, from: layout.add(picture, stated, isHidden: true), to: item)
    }
    for kind in [MetadataKind.exif, .xmp] {
      if let payload = metadata[kind] { layout.add(payload, as: kind, of: item) }
    }
    if primary == nil { primary = item }
    pageCount += 1
  }

  func finish() throws(CoderError) {
    guard let primary else { throw .outOfOrder("a file without a picture") }
    // ISO/IEC 23008-12 Annex B.4.1: `heic` promises the Main profiles.
    try layout.write(to: output, primary: primary, brand: FourCC(isMain ? "heic" : "heix"))
  }
}

/// Makes pictures smaller, by the mean of the pixels that each new one covers.
enum Reduction {
  /// The size of a picture that fits a square, or nil when it fits already or none is wanted.
  static func size(of size: Size, within side: Int) -> Size? {
    let longest = max(size.width, size.height)
    guard side > 0, longest > side else { return nil }
    func scaled(_ value: Int) -> Int { max((value * side + longest / 2) / longest, 1) }
    return Size(width: scaled(size.width), height: scaled(size.height))
  }

  static func withReduced<Result>(
    _ pixels: PixelView, to size: Size, host: CoderHost, _ body: (PixelView) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let format = pixels.layout.format
    let stride = size.width * format.bytesPerPixel
    let memory = try host.allocate(bytes: stride * size.height, for: "a thumbnail")
    defer { host.free(memory) }
    if format.bytesPerChannel == 2 {
      reduce(pixels, to: size, into: memory.assumingMemoryBound(to: UInt16.self))
    } else {
      reduce(pixels, to: size, into: memory.assumingMemoryBound(to: UInt8.self))
    }
    return try body(
      PixelView(layout: pixels.layout, size: size, base: UnsafeRawPointer(memory), stride: stride))
  }

  private static func reduce<Sample: FixedWidthInteger>(
    _ pixels: PixelView, to size: Size, into result: UnsafeMutablePointer<Sample>
  ) {
    let channels = pixels.layout.format.channelCount
    var next = result
    for y in 0..<size.height {
      let top = y * pixels.size.height / size.height
      let bottom = max((y + 1) * pixels.size.height / size.height, top + 1)
      for x in 0..<size.width {
        let left = x * pixels.size.width / size.width
        let right = max((x + 1) * pixels.size.width / size.width, left + 1)
        let count = (bottom - top) * (right - left)
        for channel in 0..<channels {
          var sum = count / 2
          for row in top..<bottom {
            let samples = (pixels.base + row * pixels.stride).assumingMemoryBound(to: Sample.self)
            for column in left..<right { sum &+= Int(samples[column &* channels &+ channel]) }
          }
          next.pointee = Sample(truncatingIfNeeded: sum / count)
          next += 1
        }
      }
    }
  }
}
