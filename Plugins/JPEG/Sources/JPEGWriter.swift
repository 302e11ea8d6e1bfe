// SPDX-License-Identifier: Apache-2.0

import CJPEGShim
import ImageCoderPlugin

/// Writes JPEG files.
///
/// 8-bit gray and YCbCr, baseline or progressive. Alpha is not kept: the host flattens pictures that have it.
///
/// - Format: ITU-T T.81, JFIF (T.871), Exif 2.32, XMP part 3 §1.1.3, ICC.1:2022 §B.4. Library: libjpeg-turbo 2.1 or
///   later.
/// - Not covered: CMYK, arithmetic coding, lossless files.
final class JPEGWriter: ContainerWriter, FrameRowsWriter {
  /// libjpeg's qualities at which a thumbnail is tried.
  private static let thumbnailQualities: [Double] = [75, 60, 45, 30, 15]

  /// As much as codes of some 30 megapixels take.
  private static let countedBytes: UInt32 = 16 << 20

  private let output: ByteOutput
  private let host: CoderHost
  private let options: WriteOptions
  private let quality: Double
  private var header: ImageHeader?
  private var segments = ApplicationSegments()
  private var hasPicture = false
  private var trailer: [UInt8] = []
  /// While rows of the picture come.
  private var encoder: JPEGEncoder?

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    guard !options.isLossless else {
      throw .unsupported("lossless JPEG; JPEG files are written with loss, quality 0 to 1")
    }
    self.output = output
    self.host = host
    self.options = options
    quality = options[JPEGOption.quality]
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    if wanted.format.isGray || options.given(JPEGOption.subsampling) == .s400 { return PixelLayout(.gray8, .opaque) }
    switch wanted.format {
    case .rgba8 where wanted.alpha == .opaque, .bgra8 where wanted.alpha == .opaque: return wanted
    default: return PixelLayout(.rgb8, .opaque)
    }
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    guard max(header.canvas.width, header.canvas.height) <= LibJPEG.maximumSide else {
      throw .unsupported("canvas of \(header.canvas); libjpeg writes sides up to \(LibJPEG.maximumSide)")
    }
    guard header.frameCount <= 1 else {
      throw .unsupported("\(header.frameCount) frames; a JPEG file holds 1")
    }
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    if kind == .trailer { trailer = metadata } else { try segments.add(metadata, as: kind) }
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    _ = try beginRows(frame, size: pixels.size, layout: pixels.layout)
    try add(rows: pixels)
    try endRows()
  }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard !hasPicture else { throw .unsupported("a second frame; a JPEG file holds 1") }
    guard size == header.canvas else {
      throw .invalidArgument("a frame of \(size) on a canvas of \(header.canvas)")
    }
    guard try self.layout(for: layout) == layout else {
      throw .invalidArgument("pixels of \(layout), which were not agreed to")
    }
    hasPicture = true
    var settings = settings(
      size, layout.format, percent: max(1, quality * 100),
      subsampling: options.given(JPEGOption.subsampling) ?? (quality >= 0.9 ? .s444 : .s420))
    if let density = FileHeader.Density(header) {
      settings.density_unit = UInt32(density.unit)
      settings.density_x = UInt32(density.x)
      settings.density_y = UInt32(density.y)
    }
    encoder = try JPEGEncoder(
      options: settings, segments: segments.bytes(orientation: header.orientation, host: host), to: output, host: host)
    return true
  }

  func add(rows: PixelView) throws(CoderError) {
    guard let encoder else { throw .outOfOrder("rows before their frame") }
    try encoder.add(rows)
  }

  func endRows() throws(CoderError) {
    guard let encoder else { throw .outOfOrder("the end of a frame that was not begun") }
    try encoder.finish()
    self.encoder = nil
  }

  /// Keeps a thumbnail in Exif, at the best of some qualities that fits beside the payload that was given.
  func addThumbnail(_ pixels: PixelView) throws(CoderError) {
    guard let header, !hasPicture else { throw .outOfOrder("a thumbnail before the header or after the picture") }
    guard let room = segments.roomForThumbnail(orientation: header.orientation) else {
      throw .unsupported("a thumbnail beside an Exif payload whose first directory cannot be read")
    }
    guard room > 0 else { throw .unsupported("a thumbnail beside an Exif payload that fills its segment") }
    var count = 0
    for percent in Self.thumbnailQualities {
      // Exif 2.32 §4.5.8: baseline, chroma subsampled, no restart markers.
      var settings = settings(pixels.size, pixels.layout.format, percent: percent, subsampling: .s420)
      settings.effort = CJPEG_EFFORT_FAST
      settings.is_optimized = options.given(JPEGOption.optimize) == true ? 1 : 0
      settings.is_progressive = 0
      settings.restart_rows = 0
      settings.is_thumbnail = 1
      let memory = MemoryOutput()
      try LibJPEG.encode(pixels, options: settings, segments: [], to: memory.output, host: host)
      count = memory.bytes.count
      guard count > room else {
        segments.thumbnail = memory.bytes
        return
      }
    }
    throw .unsupported(
      "a thumbnail of \(pixels.size), \(count) bytes at the lowest quality; Exif has room for \(room)")
  }

  func finish() throws(CoderError) {
    guard hasPicture else { throw .outOfOrder("no frame was added") }
    if !trailer.isEmpty { try output.write(trailer) }
  }

  /// What holds for a picture, apart from its segments.
  private func settings(
    _ size: Size, _ format: PixelFormat, percent: Double, subsampling: Subsampling
  ) -> cjpeg_encode_options {
    let factors = Self.samplingFactors(subsampling)
    let effort = options[JPEGOption.effort]
    // The smallest file is one of several scans.
    let isProgressive = options.given(JPEGOption.progressive) ?? (effort == .small)
    let isOptimized = options.given(JPEGOption.optimize) ?? (effort != .fast)
    return cjpeg_encode_options(
      width: UInt32(clamping: size.width), height: UInt32(clamping: size.height),
      pixel_format: format.rawValue, quality: percent, horizontal: factors.horizontal,
      vertical: factors.vertical, effort: Self.effort(effort), is_progressive: isProgressive ? 1 : 0,
      // A profile for colors is none for gray.
      is_optimized: isOptimized ? 1 : 0, counted_bytes: Self.countedBytes, may_be_gray: segments.hasProfile ? 0 : 1,
      restart_rows: UInt32(options[JPEGOption.restart]), is_thumbnail: 0, density_unit: 0, density_x: 0, density_y: 0,
      segments: nil, segments_length: 0)
  }

  private static func effort(_ effort: JPEGOption.Effort) -> cjpeg_effort {
    switch effort {
    case .fast: CJPEG_EFFORT_FAST
    case .default: CJPEG_EFFORT_DEFAULT
    case .small: CJPEG_EFFORT_SMALL
    }
  }

  /// Luma samples per chroma sample.
  private static func samplingFactors(_ subsampling: Subsampling) -> (horizontal: UInt32, vertical: UInt32) {
    switch subsampling {
    case .s444, .s400: (1, 1)
    case .s422: (2, 1)
    case .s420: (2, 2)
    case .s440: (1, 2)
    case .s411: (4, 1)
    }
  }
}
