// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Reads the headers of a codestream, of the picture and of each of its frames, as far as they are asked for.
///
/// Pixels are not decoded for it: libjxl tells of each frame's header and steps over its sections.
final class HeaderReader {
  /// What is known so far.
  private(set) var codestream = Codestream()
  /// Whether no header follows those that are known.
  private(set) var isOver = false

  /// Where the first frame begins in the file, once the colors are known.
  private(set) var firstFrame = 0

  private let decoder: LibJXL.Decoder
  private let feed: InputFeed
  private let isFirstOnly: Bool
  private let host: CoderHost
  private var walk: Walk

  /// - Parameters:
  ///   - isFirstOnly: Whether frames after the first are left out.
  init(_ feed: InputFeed, isFirstOnly: Bool, host: CoderHost) throws(CoderError) {
    self.feed = feed
    self.isFirstOnly = isFirstOnly
    self.host = host
    walk = Walk(limits: host.limits)
    decoder = try LibJXL.Decoder(host: host)
    // Layers are told of one by one, so that their names and sizes are known.
    guard JxlDecoderSetCoalescing(decoder.raw, 0) == JXL_DEC_SUCCESS else {
      throw .libraryFailure("libjxl does not tell layers apart")
    }
    try decoder.subscribe(to: [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME])
  }

  /// Reads what there is of the picture as a whole.
  ///
  /// - Throws: As ``advanceToTheEnd()``.
  func advanceToThePicture() throws(CoderError) {
    while !isOver, codestream.color == nil { try advance() }
    if isOver { try checkFrames() }
  }

  /// Reads the header of a frame and of those before it, if there are so many.
  ///
  /// - Throws: As ``advanceToTheEnd()``.
  func advance(toFrame index: Int) throws(CoderError) {
    while !isOver, codestream.frames.count <= index { try advance() }
    if isOver { try checkFrames() }
  }

  /// Reads all headers.
  ///
  /// - Throws: ``CoderError/Code/truncated`` and ``CoderError/Code/malformed`` before the first frame's header;
  ///   ``CoderError/Code/limitExceeded``.
  func advanceToTheEnd() throws(CoderError) {
    while !isOver { try advance() }
    try checkFrames()
  }

  /// Bytes to wait for. The picture's headers are known with their last byte, except long ones, a profile most of all,
  /// which libjxl reads from the start each time.
  private var step: Int { codestream.color == nil ? max(1, feed.count / 256) : max(256, feed.count / 256) }

  private func advance() throws(CoderError) {
    let status = try feed.next(decoder, step: step)
    switch status {
    case JXL_DEC_BASIC_INFO: try noteInfo()
    case JXL_DEC_COLOR_ENCODING:
      let color = try ColorSignal(decoder, info: codestream.info, limits: host.limits)
      if let byte = try feed.peek() { noteFrame(beginningWith: byte) }
      codestream.color = color
      firstFrame = feed.position
    case JXL_DEC_FRAME:
      if isFirstOnly, !codestream.frames.isEmpty {
        isOver = true
      } else if let frame = try walk.note(decoder, info: codestream.info) {
        try host.limits.check(frames: codestream.frames.count + 1)
        codestream.frames.append(frame)
      }
    case JXL_DEC_SUCCESS: isOver = true
    case JXL_DEC_NEED_MORE_INPUT:
      codestream.isTruncated = feed.isOver
      isOver = feed.isOver
    case JXL_DEC_ERROR:
      if host.isCancelled { throw .cancelled }
      codestream.isDamaged = true
      isOver = true
    default: throw .libraryFailure("libjxl reports event \(status.rawValue), which it was not asked for")
    }
  }

  /// Looks at the first bits of the first frame's header (ISO/IEC 18181-1 §F.2): `all_default`, two bits of `frame_type`, and
  /// `encoding`. Lossy pictures are VarDCT by default.
  func noteFrame(beginningWith byte: UInt8) { codestream.isModular = byte & 1 == 0 && byte >> 3 & 1 == 1 }

  private func noteInfo() throws(CoderError) {
    guard JxlDecoderGetBasicInfo(decoder.raw, &codestream.info) == JXL_DEC_SUCCESS else {
      throw .libraryFailure("libjxl does not show the image header")
    }
    try host.limits.check(canvas: codestream.canvas)
    for index in 0..<Int(codestream.info.num_extra_channels) {
      codestream.extraChannels.append(try ExtraChannel(decoder, index: index))
    }
  }

  /// Looks whether there is a frame among all headers.
  private func checkFrames() throws(CoderError) {
    guard codestream.frames.isEmpty else { return }
    guard codestream.color != nil else {
      throw codestream.isTruncated
        ? .truncated("a file of \(feed.count) bytes, its image header is cut", at: feed.count)
        : .malformed("libjxl finds an error in the image header")
    }
    // Layers of a still whose last one is missing make no picture, and yet there is one to speak of.
    guard codestream.isTruncated else { throw .malformed("libjxl finds no frame after the image header") }
    guard walk.layerCount > 0 else {
      throw .truncated("a file of \(feed.count) bytes, its first frame's header is cut", at: feed.count)
    }
    codestream.frames.append(walk.unfinished)
  }

  /// Layers on their way to the next frame that is shown.
  private struct Walk {
    /// Layers are drawn for nobody to see, and yet each costs what a frame costs.
    private static let layersPerFrame = 64

    let limits: Limits
    private(set) var layerCount = 0
    private var layers: [String] = []
    private var count = 0

    init(limits: Limits) { self.limits = limits }

    /// What is there of a picture whose last layer is missing.
    var unfinished: AnimationFrame { AnimationFrame(layers: layers, layerCount: count) }

    /// - Returns: The frame that is shown once the layer is drawn, or nil when another layer follows at once.
    mutating func note(_ decoder: LibJXL.Decoder, info: JxlBasicInfo) throws(CoderError) -> AnimationFrame? {
      var header = JxlFrameHeader()
      guard JxlDecoderGetFrameHeader(decoder.raw, &header) == JXL_DEC_SUCCESS else {
        throw .libraryFailure("libjxl does not show a frame's header")
      }
      layerCount += 1
      count += 1
      let (most, overflow) = limits.maxFrames.multipliedReportingOverflow(by: Self.layersPerFrame)
      guard overflow || layerCount <= most else {
        throw .limitExceeded(
          .maxFrames, found: layerCount, allowed: most, what: "at \(Self.layersPerFrame) layers to a frame, a count of"
        )
      }
      try limits.check(
        canvas: Size(width: Int(header.layer_info.xsize), height: Int(header.layer_info.ysize)))
      if let name = LibJXL.text(length: Int(header.name_length), { JxlDecoderGetFrameName(decoder.raw, $0, $1) }) {
        layers.append(name)
      }
      guard header.is_last != 0 || header.duration > 0 else { return nil }
      defer { (layers, count) = ([], 0) }
      var frame = AnimationFrame(layers: layers, layerCount: count)
      if info.have_animation != 0 {
        frame.delay = FrameDelay(ticks: header.duration, of: info.animation)
        if info.animation.have_timecodes != 0 { frame.timecode = header.timecode }
      }
      return frame
    }
  }
}
