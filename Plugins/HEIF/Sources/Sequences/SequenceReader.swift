// SPDX-License-Identifier: Apache-2.0

import CDe265
import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin
import SharedPlanes

/// Reads image sequences of HEIF with pictures in HEVC.
///
/// The boxes are walked here, and pictures are decoded by libde265 and converted straight into the host's rows. The
/// sequence is the file's one page; still pictures beside it are left out.
///
/// - Format: ISO/IEC 23008-12 §7, ISO/IEC 14496-12, ISO/IEC 14496-15 §8. Library: libde265.
final class SequenceReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private var file: SequenceFile
  private var sequence: SequenceParameters
  private var alphaSequence: SequenceParameters?
  /// Whether samples may lie after the bytes that are there.
  private var isIncremental: Bool
  private var decoder: SequenceDecoder?
  private var alphaDecoder: SequenceDecoder?
  /// The frame that was decoded last, and those that were passed on the way back to it.
  private var lastFrame = -1
  private var cache: FrameCache?

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    isIncremental = options.contains(.incremental)
    do throws(CoderError) {
      (file, sequence, alphaSequence) = try Self.open(source, host)
    } catch {
      // Whether the end of the file is to blame shows with the last byte; the brands say at once whose file it is.
      guard isIncremental, error.code != .wrongFormat else { throw error }
      _ = try source.contents()
      (file, sequence, alphaSequence) = try Self.open(source, host)
      isIncremental = false
    }
  }

  /// Whether decoding can start at the first picture, which may also refer to items of the file. Of an incremental file,
  /// only the bytes are waited for that tell.
  var canStart: Bool {
    get throws(CoderError) { try file.pictures.canStart(in: source, isIncremental: isIncremental) }
  }

  private static func open(
    _ source: SourceView, _ host: CoderHost
  ) throws(CoderError) -> (SequenceFile, SequenceParameters, SequenceParameters?) {
    let file = try SequenceFile(parsing: source, limits: host.limits)
    return (file, try file.pictures.configuration.sequence(), try file.alpha?.configuration.sequence())
  }

  /// Opens the whole file when its last byte has arrived: samples that never came are no frames.
  private func catchUp() throws(CoderError) {
    guard isIncremental, source.size < .max else { return }
    isIncremental = false
    (file, sequence, alphaSequence) = try Self.open(source, host)
    (decoder, alphaDecoder, cache, lastFrame) = (nil, nil, nil, -1)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try check(page: page)
    try catchUp()
    var header = ImageHeader(
      format: .heics, canvas: file.window.size, pixelFormat: isDeep ? .rgba16 : .rgba8,
      bitsPerChannel: sequence.bitDepth, alpha: file.alpha == nil ? .opaque : .straight)
    header.orientation = file.orientation
    header.frameCount = file.frameCount
    header.isAnimated = true
    header.isIncomplete = isIncremental
    header.loopCount = file.loopCount
    header.cicp = file.pictures.statedPoints
    header.subsampling = sequence.chromaFormat.subsampling
    header.metadata = file.pictures.profile == nil ? [] : [.icc]
    header.isTruncated = file.isTruncated
    header.isDamaged = file.isDamaged
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    try check(page: page, frame: index)
    // Decoding a frame brings what its bitstream refers to, so no frame needs another one drawn before it.
    return FrameHeader(
      rect: Rect(covering: file.window.size), delay: file.pictures.delay(of: file.presentation.steps[index].duration),
      dependsOn: index,
      hasAlpha: file.alpha != nil)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try check(page: request.page, frame: request.frame)
    var memory = PictureMemory.bytes(for: sequence)
    if let alphaSequence { memory += PictureMemory.bytes(for: alphaSequence) }
    try host.limits.check(memory: memory)
    let format: PixelFormat = isDeep ? .rgba16 : request.pixelFormat == .bgra8 ? .bgra8 : .rgba8
    return DecodeOffer(
      request, size: file.window.size, pixelFormat: format, alpha: file.alpha == nil ? .opaque : .straight,
      memory: memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try check(page: offer.page, frame: offer.frame)
    let isKnown = isDeep ? offer.pixelFormat == .rgba16 : offer.pixelFormat == .rgba8 || offer.pixelFormat == .bgra8
    guard offer.size == file.window.size, isKnown else {
      throw .invalidArgument("an offer of \(offer.size) \(offer.pixelFormat), which was not made")
    }
    if decoder == nil {
      decoder = try SequenceDecoder(file.pictures, sequence: sequence, source: source, host: host)
    }
    if alphaDecoder == nil, let track = file.alpha, let alphaSequence {
      alphaDecoder = try SequenceDecoder(track, sequence: alphaSequence, source: source, host: host)
    }
    defer { lastFrame = offer.frame }
    if let cache, let rows = cache.rows(of: offer.frame, as: offer.pixelFormat) {
      return try write(rowBytes: cache.rowBytes, into: sink) { range, target, stride in
        for y in range {
          (target + (y - range.lowerBound) * stride).copyMemory(
            from: rows + y * cache.rowBytes, byteCount: cache.rowBytes)
        }
      }
    }
    if offer.frame < lastFrame { try keepFrames(before: offer.frame, as: offer.pixelFormat) } else { cache = nil }
    let rows = try rows(of: offer.frame, as: offer.pixelFormat)
    try write(rowBytes: file.window.width * offer.pixelFormat.bytesPerPixel, into: sink, rows)
  }

  /// Keeps the frames before one, as many as there is memory for: callers that go back ask for them next.
  private func keepFrames(before frame: Int, as format: PixelFormat) throws(CoderError) {
    let cache = FrameCache(size: file.window.size, format: format, host: host)
    self.cache = cache
    for passed in max(0, frame - cache.capacity)..<frame {
      guard let memory = cache.add(passed) else { break }
      do throws(CoderError) {
        let rows = try rows(of: passed, as: format)
        try rows(0..<file.window.height, memory, cache.rowBytes)
      } catch {
        // Its error is told when it is asked for.
        cache.remove(passed)
        guard error.code == .malformed else { throw error }
      }
    }
  }

  /// Writes rows of a frame.
  private typealias RowWriter =
    (_ rows: Range<Int>, _ target: UnsafeMutableRawPointer, _ stride: Int) throws(CoderError) -> Void

  /// Decodes a frame. What is returned writes its rows, until the next one is decoded.
  private func rows(of step: Int, as format: PixelFormat) throws(CoderError) -> RowWriter {
    guard let decoder else { throw .libraryFailure("there is no decoder") }
    let frame = file.presentation.steps[step].frame
    let picture = try planar(try decoder.picture(of: frame), as: sequence)
    var alpha: PlanarPicture?
    if let alphaDecoder, let alphaSequence {
      alpha = try planar(try alphaDecoder.picture(of: frame), as: alphaSequence)
    }
    let points = file.pictures.points
    let rows = PictureRows(
      window: file.window, format: format,
      colors: try PlaneConverter(
        try ColorMatrix(points), isFullRange: points.isFullRange, bits: sequence.bitDepth, format: format),
      alpha: try alphaSequence.map { sequence throws(CoderError) in
        try AlphaConverter(bits: sequence.bitDepth, format: format)
      }, isPremultiplied: file.isPremultiplied)
    return { (range, target, stride) throws(CoderError) in
      try rows.write(range, of: picture, alpha: alpha, to: target, stride: stride)
    }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    try check(page: page)
    guard kind == .icc, let place = file.pictures.profile else { return nil }
    try host.limits.check(metadata: place.count)
    return try source.bytes(at: place.lowerBound, count: place.count, of: "the ICC profile")
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    try check(page: page)
    return StoredColor(light: file.pictures.light(in: source))
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    try check(page: page, frame: frame ?? 0)
    var properties = Properties()
    guard frame == nil else { return properties }
    properties["{HEICS}", "CanvasPixelWidth"] = .integer(Int64(file.window.width))
    properties["{HEICS}", "CanvasPixelHeight"] = .integer(Int64(file.window.height))
    if let ratio = file.pictures.pixelAspectRatio {
      properties["{HEICS}", "HorizontalSpacing"] = .integer(Int64(ratio.horizontal))
      properties["{HEICS}", "VerticalSpacing"] = .integer(Int64(ratio.vertical))
    }
    return properties
  }
}

extension SequenceReader {
  private var isDeep: Bool { sequence.bitDepth > 8 }

  private func check(page: Int, frame: Int = 0) throws(CoderError) {
    guard page == 0 else { throw .invalidArgument("page \(page) of an image sequence, which has 1") }
    guard frame >= 0, frame < file.frameCount else {
      throw .invalidArgument("frame \(frame) of an image sequence, which has \(file.frameCount)")
    }
  }

  /// The planes of a picture of libde265, which has to be as its parameter set says.
  private func planar(_ image: OpaquePointer, as sequence: SequenceParameters) throws(CoderError) -> PlanarPicture {
    let format = sequence.chromaFormat
    var planes: [PlanarPicture.Plane] = []
    for channel in 0..<(format == .monochrome ? 1 : 3) {
      let width = sequence.size.width / (channel == 0 ? 1 : format.width)
      let height = sequence.size.height / (channel == 0 ? 1 : format.height)
      var stride: Int32 = 0
      guard let base = de265_get_image_plane(image, Int32(channel), &stride),
        Int(de265_get_image_width(image, Int32(channel))) == width,
        Int(de265_get_image_height(image, Int32(channel))) == height,
        Int(de265_get_bits_per_pixel(image, Int32(channel))) == sequence.bitDepth,
        Int(de265_get_chroma_format(image).rawValue) == format.rawValue
      else { throw .malformed("a picture of another size or format than its parameter set's") }
      planes.append(PlanarPicture.Plane(base: UnsafeRawPointer(base), stride: Int(stride)))
    }
    return try PlanarPicture(
      size: sequence.size, bits: sequence.bitDepth, subsampling: format.subsampling, luma: planes[0],
      chroma: planes.count == 3 ? (planes[1], planes[2]) : nil)
  }

  private func write(
    rowBytes: Int, into sink: RowSink, _ write: RowWriter
  ) throws(CoderError) {
    let size = file.window.size
    var y = 0
    while y < size.height {
      let granted = try sink.rows(at: y, count: min(64, size.height - y))
      guard granted.stride >= rowBytes, granted.count >= 1, granted.count <= size.height - y else {
        throw .libraryFailure("the host grants \(granted.count) rows of \(granted.stride) bytes, rows have \(rowBytes)")
      }
      try write(y..<y + granted.count, granted.base, granted.stride)
      try sink.done(at: y, count: granted.count)
      y += granted.count
    }
  }
}
