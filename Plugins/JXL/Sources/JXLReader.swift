// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Reads JPEG XL: codestreams alone and in their container, stills and animations.
///
/// Boxes are walked here; the codestream is libjxl's. Each frame is delivered as it is shown, layers and frames before it
/// already blended in, so that no frame depends on another for the host.
///
/// - Format: ISO/IEC 18181-1 (codestream) and 18181-2 (file format). Library: libjxl 0.7 or later.
final class JXLReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private let isFirstOnly: Bool
  private var boxes: BoxIndex
  private var headers: HeaderReader
  private var codestream: Codestream { headers.codestream }
  private var frames: Frames
  /// The picture at 1/8, for thumbnails; nil where libjxl has to decode.
  private lazy var eighths = findEighths()
  /// The gain map: a hidden page after the file's one, looked for once the file is complete.
  private lazy var gainMap = findGainMap()

  private struct GainMap {
    let box: GainMapBox
    /// The colors of the picture with the map applied.
    let profile: [UInt8]?
    /// The reader holds plain pointers into it.
    let source: CopiedSource
    let reader: JXLReader
  }

  /// Who decodes.
  private enum Frames {
    case whole(FrameDecoder)
    /// Nothing after the pixels is known yet.
    case incremental(IncrementalFrameDecoder)
  }

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    isFirstOnly = options.contains(.firstFrameOnly)
    guard options.contains(.incremental) else {
      (boxes, headers, frames) = try Self.open(source, isFirstOnly: isFirstOnly, host: host)
      return
    }
    boxes = try BoxIndex(parsing: source, isIncremental: true)
    let range = boxes.codestream
    headers = try HeaderReader(InputFeed(source, range: range), isFirstOnly: isFirstOnly, host: host)
    try headers.advanceToThePicture()
    let (part, start, info) = (boxes.firstPart, headers.firstFrame, headers.codestream.info)
    frames = .incremental(
      IncrementalFrameDecoder(host: host) {
        let order = part.flatMap { SectionOrder(source, part: $0, start: start, info: info) }
        return InputFeed(source, range: range, order: order)
      })
  }

  /// Opens a file of which all bytes are there.
  private static func open(
    _ source: SourceView, isFirstOnly: Bool, host: CoderHost
  ) throws(CoderError) -> (BoxIndex, HeaderReader, Frames) {
    let boxes = try BoxIndex(parsing: source)
    var contents = try source.contents()
    if let range = boxes.codestream {
      guard range.upperBound <= contents.count else {
        throw .io("the source shows \(contents.count) of its bytes, \(range.upperBound) are needed")
      }
      contents = UnsafeRawBufferPointer(rebasing: contents[range])
    }
    let headers = try HeaderReader(
      InputFeed(source, range: boxes.codestream), isFirstOnly: isFirstOnly, host: host)
    try headers.advanceToTheEnd()
    // The frame may begin in another box than the headers: libjxl writes metadata between them.
    if let first = boxes.firstPart, first.mayContinue,
      let parts = try CodestreamParts(source, first, file: contents, from: headers.firstFrame),
      let byte = parts.slices(0..<1).first?.first
    {
      headers.noteFrame(beginningWith: byte)
    }
    return (boxes, headers, .whole(FrameDecoder(headers.codestream, bytes: contents, host: host)))
  }

  /// Reads the whole file once its last byte is there.
  private func readRestIfComplete() throws(CoderError) {
    guard isIncremental, source.size < .max else { return }
    (boxes, headers, frames) = try Self.open(source, isFirstOnly: isFirstOnly, host: host)
    gainMap = findGainMap()
  }

  /// Who reads a page: this reader the only one, another one the gain map, as its own page 0.
  ///
  /// - Returns: nil for this reader.
  private func reader(of page: Int) throws(CoderError) -> JXLReader? {
    guard page != 0 else { return nil }
    guard page == 1, let gainMap else { throw .invalidArgument("page \(page) of a JPEG XL file, which has 1") }
    return gainMap.reader
  }

  private var isIncremental: Bool {
    if case .incremental = frames { return true }
    return false
  }

  /// Channels of depth, once the file is complete: hidden pages after the gain map.
  private var depths: [DepthChannel] { isIncremental ? [] : DepthChannel.all(in: codestream) }
  private var mapCount: Int { !isIncremental && gainMap != nil ? 1 : 0 }

  /// The channel that a page shows; nil for another page.
  private func depth(of page: Int) -> DepthChannel? {
    guard page > 0 else { return nil }
    let (depths, index) = (depths, page - 1 - mapCount)
    return depths.indices.contains(index) ? depths[index] : nil
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try readRestIfComplete()
    var header: ImageHeader
    if let depth = depth(of: page) {
      header = depth.header(in: codestream)
    } else {
      header = try ownHeader(page: page)
    }
    header.hiddenPageCount = mapCount + depths.count
    if page > 0, page <= mapCount {
      header.role = PageRole(.gainMap, name: "jhgm")
      // The colors of its own samples say nothing: they are no light.
      header.cicp = gainMap?.box.points
      // It lies as the picture is stored, unless it says how it is turned itself.
      if header.orientation == .up { header.orientation = try ownHeader(page: 0).orientation }
    }
    return header
  }

  /// The header of the codestream of a page, whatever belongs to it.
  private func ownHeader(page: Int) throws(CoderError) -> ImageHeader {
    if let other = try reader(of: page) { return try other.ownHeader(page: 0) }
    try readRestIfComplete()
    let info = codestream.info
    var header = ImageHeader(
      format: .jpegXL, canvas: codestream.canvas, pixelFormat: codestream.pixelFormat,
      bitsPerChannel: min(max(Int(info.bits_per_sample), 1), 32), alpha: codestream.alpha)
    // ISO/IEC 18181-2 §9.6: the codestream's orientation counts, and a tag in Exif does not.
    header.orientation = Orientation(rawValue: Int(info.orientation.rawValue)) ?? .up
    header.frameCount = max(1, codestream.frames.count)
    header.isIncomplete = isIncremental
    header.isAnimated = info.have_animation != 0
    header.loopCount = header.isAnimated ? LoopCount(plays: info.animation.num_loops) : nil
    header.cicp = codestream.color?.cicp
    header.gamma = codestream.color?.gamma
    header.metadata = Set(boxes.metadata.keys)
    if let color = codestream.color, color.profileSize > 0 { header.metadata.insert(.icc) }
    header.isTruncated = boxes.isTruncated || codestream.isTruncated
    header.isDamaged = codestream.isDamaged
    // VarDCT has its lowest resolution first; samples of a modular picture come in groups of 128 pixels and more.
    header.isProgressive =
      !codestream.isModular || max(codestream.canvas.width, codestream.canvas.height) > 128
    header.isLossless = codestream.isModular && info.uses_original_profile != 0
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    if depth(of: page) != nil {
      guard index == 0 else { throw .invalidArgument("frame \(index) of a still picture, which has 1") }
      return FrameHeader(rect: Rect(covering: codestream.canvas), hasAlpha: false)
    }
    if let other = try reader(of: page) { return try other.frame(index, page: 0) }
    return FrameHeader(
      rect: Rect(covering: codestream.canvas), delay: try frame(index).delay, dependsOn: index,
      hasAlpha: codestream.alpha != .opaque)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    if let depth = depth(of: request.page) {
      let memory = codestream.decodingMemory(for: codestream.pixelFormat)
      try host.limits.check(memory: memory)
      return DecodeOffer(
        request, size: codestream.canvas, pixelFormat: depth.pixelFormat, alpha: .opaque, rowOrder: .any, memory: memory
      )
    }
    if let other = try reader(of: request.page) {
      var inner = request
      inner.page = 0
      var offer = try other.offer(for: inner)
      offer.page = request.page
      return offer
    }
    _ = try frame(request.frame)
    if let offer = try eighthsOffer(for: request) { return offer }
    let format = request.pixelFormat.flatMap { codestream.delivers($0) ? $0 : nil } ?? codestream.pixelFormat
    let memory = codestream.decodingMemory(for: format)
    try host.limits.check(memory: memory)
    return DecodeOffer(
      request, size: codestream.canvas, pixelFormat: format, alpha: codestream.alpha, rowOrder: .any, memory: memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    if let depth = depth(of: offer.page), case .whole(let decoder) = frames {
      guard offer.size == codestream.canvas, offer.pixelFormat == depth.pixelFormat else {
        throw .invalidArgument("an offer of \(offer.size) in \(offer.pixelFormat), which was not made")
      }
      return try decoder.decode(depth, offer, into: sink)
    }
    if let other = try reader(of: offer.page) {
      var inner = offer
      inner.page = 0
      return try other.decode(inner, into: sink)
    }
    _ = try frame(offer.frame)
    if offer.scaleCode == Self.eighthsCode { return try decodeEighths(offer, into: sink) }
    guard offer.size == codestream.canvas, codestream.delivers(offer.pixelFormat) else {
      throw .invalidArgument("an offer of \(offer.size) in \(offer.pixelFormat), which was not made")
    }
    switch frames {
    case .whole(let decoder):
      do throws(CoderError) { try decoder.decode(offer, into: sink) } catch {
        guard error.code == .malformed, LibJXL.limitsSplines, hasSplines else { throw error }
        throw .unsupported("splines that \(LibJXL.name) does not draw, or that are damaged")
      }
    case .incremental(let decoder): try decoder.decode(offer, of: codestream, into: sink)
    }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    guard depth(of: page) == nil else { return nil }
    if let other = try reader(of: page) { return try other.metadata(kind, page: 0) }
    if kind == .icc {
      guard let color = codestream.color, color.profileSize > 0 else { return nil }
      try host.limits.check(metadata: color.profileSize)
      return color.profile
    }
    if kind == .other { return try JXLMetadata.applicationData(in: source, codestream) }
    guard let box = boxes.metadata[kind] else { return nil }
    if box.type == .compressed {
      let content = try CompressedBox.contents(of: box, in: source, prefix: kind == .exif ? 4 : 0, host: host)
      guard kind == .exif else { return content }
      var reader = ByteReader(content.span.bytes, at: box.start, of: "a compressed Exif box", isCutOff: false)
      let prefix = try ExifBox(parsing: &reader, contentBytes: content.count).prefix
      return [UInt8](content[prefix...])
    }
    // Content credentials are the box itself.
    var range = kind == .c2pa ? box.start..<box.end : box.payload
    if kind == .exif {
      var reader = try source.reader(at: box.content, count: 4, of: "the Exif box")
      range = range.dropFirst(try ExifBox(parsing: &reader, contentBytes: range.count).prefix)
    }
    try host.limits.check(metadata: range.count)
    return try ArrayMemory.copy(source.bytes(at: range.lowerBound, count: range.count), for: "metadata")
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    guard depth(of: page) == nil else { return Properties() }
    if let other = try reader(of: page) { return try other.properties(page: 0, frame: frame) }
    if let frame { return Properties(of: try self.frame(frame)) }
    return Properties(of: codestream, boxes: boxes)
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    guard depth(of: page) == nil else { return StoredColor() }
    if let other = try reader(of: page) { return try other.storedColor(page: 0) }
    return StoredColor(light: codestream.light)
  }

  private func frame(_ index: Int) throws(CoderError) -> AnimationFrame {
    if isIncremental {
      // A still has one frame, whose layers do not matter here.
      if codestream.info.have_animation == 0, index == 0 { return AnimationFrame(layers: [], layerCount: 1) }
      try headers.advance(toFrame: index)
    }
    guard codestream.frames.indices.contains(index) else {
      throw .invalidArgument("frame \(index) of a JPEG XL file, which has \(codestream.frames.count)")
    }
    return codestream.frames[index]
  }
}

// Thumbnails.
extension JXLReader {
  private static let eighthsCode: UInt32 = 1

  private func findEighths() -> EighthsPicture? {
    guard !isIncremental else { return nil }
    return try? EighthsPicture(codestream, source, boxes: boxes, firstFrame: headers.firstFrame, host: host)
  }

  /// - Returns: nil for a size that 1/8 is too small for, and for a picture that is decoded at full size only.
  private func eighthsOffer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer? {
    let size = EighthsPicture.size(of: codestream.canvas)
    guard let wanted = request.size, wanted.width <= size.width, wanted.height <= size.height,
      let eighths
    else { return nil }
    try host.limits.check(memory: eighths.memory)
    let format = request.pixelFormat.flatMap { codestream.delivers($0) && !$0.isFloat ? $0 : nil }
    return DecodeOffer(
      request, size: size, part: request.part(in: size), pixelFormat: format ?? codestream.pixelFormat,
      alpha: codestream.alpha, scaleCode: Self.eighthsCode, memory: eighths.memory,
      covered: (Double(codestream.canvas.width) / 8, Double(codestream.canvas.height) / 8))
  }

  private func decodeEighths(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    guard let eighths, offer.whole == eighths.size, offer.part.isInside(eighths.size),
      codestream.delivers(offer.pixelFormat), !offer.pixelFormat.isFloat
    else { throw .invalidArgument("an offer that this reader did not make: \(offer.whole) \(offer.pixelFormat)") }
    try eighths.deliver(offer.part, format: offer.pixelFormat, into: sink, host: host)
  }
}

extension JXLReader {
  /// Whether a frame has splines.
  private var hasSplines: Bool {
    guard let first = boxes.firstPart, let file = try? source.contents(),
      let parts = try? CodestreamParts(source, first, file: file, from: headers.firstFrame)
    else { return false }
    var place = 0
    for _ in 0..<codestream.frames.reduce(Self.mostHiddenFrames, { $0 + $1.layerCount }) {
      guard let frame = try? FrameSections(parts, at: place, info: codestream.info) else { return false }
      if frame.layout.hasSplines { return true }
      if frame.layout.isLast { return false }
      place = frame.end
    }
    return false
  }

  /// Frames that others refer to and that are not shown.
  private static let mostHiddenFrames = 16
}

// The gain map, a file inside the file.
extension JXLReader {
  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    guard page == 1, let gainMap else { return nil }
    switch block {
    case .metadata:
      try host.limits.check(metadata: gainMap.box.metadata.count)
      return gainMap.box.metadata
    case .alternateProfile: return gainMap.profile
    }
  }

  /// - Returns: nil without one, and for one that cannot be opened: the picture is there without it.
  private func findGainMap() -> GainMap? {
    guard let box = boxes.gainMap else { return nil }
    do throws(CoderError) {
      let content: [UInt8]
      if box.type == .compressed {
        content = try CompressedBox.contents(of: box, in: source, prefix: 0, host: host)
      } else {
        try host.limits.check(memory: box.payload.count)
        content = try ArrayMemory.copy(source.bytes(at: box.content, count: box.payload.count), for: "a gain map")
      }
      guard let found = GainMapBox(content) else {
        host.log("a gain map that cannot be read is left out", severity: .warning)
        return nil
      }
      let copy = CopiedSource(content[found.start...])
      // A map inside a map is none.
      let reader = try JXLReader(copy.view, host: host, options: [.firstFrameOnly])
      let profile = found.profile.isEmpty ? nil : try CompressedProfile.decompress(content[found.profile], host: host)
      return GainMap(box: found, profile: profile, source: copy, reader: reader)
    } catch {
      host.log("a gain map that cannot be read is left out: \(error.message)", severity: .warning)
      return nil
    }
  }
}
