// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// What the headers of a codestream say: of the picture, and of each of its frames.
///
/// Pixels are not decoded for it: libjxl tells of each frame's header and steps over its sections.
struct Codestream {
  private(set) var info = JxlBasicInfo()
  private(set) var color: ColorSignal?
  private(set) var extraChannels: [ExtraChannel] = []
  /// What is shown: one entry for each frame with a delay, and one for the last.
  private(set) var frames: [AnimationFrame] = []
  private(set) var isTruncated = false
  private(set) var isDamaged = false
  /// Whether the first frame is of the kind that lossless pictures are.
  private(set) var isModular = false

  /// Samples wanted from the file's channel of black ink, with its index.
  var black: (index: Int, channel: ExtraChannel)? {
    extraChannels.enumerated().first { $0.element.kind == JXL_CHANNEL_BLACK }.map { ($0.offset, $0.element) }
  }

  /// - Parameters:
  ///   - isFirstOnly: Whether frames behind the first are left out.
  /// - Throws: ``CoderError/Code/truncated`` and ``CoderError/Code/malformed`` before the first frame's header;
  ///   ``CoderError/Code/limitExceeded``.
  init(parsing bytes: UnsafeRawBufferPointer, isFirstOnly: Bool, host: CoderHost) throws(CoderError) {
    let decoder = try LibJXL.Decoder(host: host)
    // Layers are told of one by one, so that their names and sizes are known.
    guard JxlDecoderSetCoalescing(decoder.raw, 0) == JXL_DEC_SUCCESS else {
      throw .library("libjxl does not tell layers apart")
    }
    try decoder.begin(bytes, events: JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME)
    var walk = Walk(limits: host.limits)
    var isOpen = true
    while isOpen {
      let status = decoder.next()
      switch status {
      case JXL_DEC_BASIC_INFO: try noteInfo(decoder, limits: host.limits)
      case JXL_DEC_COLOR_ENCODING:
        color = try ColorSignal(decoder, info: info, limits: host.limits)
        try noteFirstFrame(decoder, in: bytes)
      case JXL_DEC_FRAME:
        if isFirstOnly, !frames.isEmpty { return }
        if let frame = try walk.note(decoder, info: info) {
          try host.limits.check(frames: frames.count + 1)
          frames.append(frame)
        }
      case JXL_DEC_SUCCESS: isOpen = false
      case JXL_DEC_NEED_MORE_INPUT:
        isTruncated = true
        isOpen = false
      case JXL_DEC_ERROR:
        if host.isCancelled { throw .cancelled }
        isDamaged = true
        isOpen = false
      default: throw .library("libjxl reports event \(status.rawValue), which it was not asked for")
      }
    }
    guard frames.isEmpty else { return }
    guard color != nil else {
      throw isTruncated
        ? .truncated("a file of \(bytes.count) bytes, its image header is cut", at: bytes.count)
        : .malformed("libjxl finds an error in the image header")
    }
    // Layers of a still whose last one is missing make no picture, and yet there is one to speak of.
    guard isTruncated else { throw .malformed("libjxl finds no frame behind the image header") }
    guard walk.layerCount > 0 else {
      throw .truncated("a file of \(bytes.count) bytes, its first frame's header is cut", at: bytes.count)
    }
    frames.append(walk.unfinished)
  }

  private mutating func noteInfo(_ decoder: LibJXL.Decoder, limits: Limits) throws(CoderError) {
    guard JxlDecoderGetBasicInfo(decoder.raw, &info) == JXL_DEC_SUCCESS else {
      throw .library("libjxl does not show the image header")
    }
    try limits.check(canvas: canvas)
    for index in 0..<Int(info.num_extra_channels) {
      extraChannels.append(try ExtraChannel(decoder, index: index))
    }
  }

  var canvas: Size { Size(width: Int(info.xsize), height: Int(info.ysize)) }

  /// Looks at the first bits of the first frame's header (ISO/IEC 18181-1 §F.2): `all_default`, two bits of
  /// `frame_type`, and `encoding`. Lossy pictures are VarDCT by default.
  private mutating func noteFirstFrame(_ decoder: LibJXL.Decoder, in bytes: UnsafeRawBufferPointer) throws(CoderError) {
    let left = min(JxlDecoderReleaseInput(decoder.raw), bytes.count)
    let rest = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - left)...])
    isModular = rest.first.map { $0 & 1 == 0 && $0 >> 3 & 1 == 1 } ?? false
    let start = rest.assumingMemoryBound(to: UInt8.self).baseAddress
    guard JxlDecoderSetInput(decoder.raw, start, left) == JXL_DEC_SUCCESS else {
      throw .library("libjxl takes no input")
    }
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
        throw .library("libjxl does not show a frame's header")
      }
      layerCount += 1
      count += 1
      let (most, overflow) = limits.maxFrames.multipliedReportingOverflow(by: Self.layersPerFrame)
      guard overflow || layerCount <= most else {
        throw .limitExceeded(
          "maxFrames", found: layerCount, allowed: most, what: "at \(Self.layersPerFrame) layers to a frame, a count of"
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

/// A frame that is shown: one layer, or several that are drawn over each other.
struct AnimationFrame {
  /// Names of the layers that have one.
  let layers: [String]
  let layerCount: Int
  var delay: FrameDelay?
  /// SMPTE, as 0xHHMMSSFF.
  var timecode: UInt32?
}

/// A channel beside colour.
struct ExtraChannel {
  let kind: JxlExtraChannelType
  let bits: Int
  let exponentBits: Int
  let name: String?

  init(_ decoder: LibJXL.Decoder, index: Int) throws(CoderError) {
    var info = JxlExtraChannelInfo()
    guard JxlDecoderGetExtraChannelInfo(decoder.raw, index, &info) == JXL_DEC_SUCCESS else {
      throw .library("libjxl does not describe extra channel \(index)")
    }
    kind = info.type
    bits = Int(info.bits_per_sample)
    exponentBits = Int(info.exponent_bits_per_sample)
    name = LibJXL.text(length: Int(info.name_length)) { JxlDecoderGetExtraChannelName(decoder.raw, index, $0, $1) }
  }

  /// The kind by its name in ISO/IEC 18181-1 §D.3.6.
  var kindName: String {
    switch kind {
    case JXL_CHANNEL_ALPHA: "Alpha"
    case JXL_CHANNEL_DEPTH: "Depth"
    case JXL_CHANNEL_SPOT_COLOR: "SpotColour"
    case JXL_CHANNEL_SELECTION_MASK: "SelectionMask"
    case JXL_CHANNEL_BLACK: "Black"
    case JXL_CHANNEL_CFA: "CFA"
    case JXL_CHANNEL_THERMAL: "Thermal"
    default: "Unknown"
    }
  }
}

extension LibJXL {
  /// A name that libjxl copies with a zero behind it, or nil when it is empty.
  static func text(
    length: Int, _ copy: (UnsafeMutablePointer<CChar>, Int) -> JxlDecoderStatus
  ) -> String? {
    // ISO/IEC 18181-1 §D.3.6, §F.2: at most 1071 bytes.
    guard length > 0, length <= 1 << 12 else { return nil }
    let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: length + 1)
    defer { buffer.deallocate() }
    guard let start = buffer.baseAddress, copy(start, length + 1) == JXL_DEC_SUCCESS else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
  }
}

extension FrameDelay {
  /// Exact seconds of a number of ticks, in lowest terms.
  init(ticks: UInt32, of animation: JxlAnimationHeader) {
    var above = UInt64(ticks) * UInt64(animation.tps_denominator)
    var below = UInt64(max(animation.tps_numerator, 1))
    var (divisor, rest) = (below, above % below)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    above /= divisor
    below /= divisor
    // Delays over 2^32 seconds in thirtieths, say, are off by less than one part in 2^31.
    while above > UInt64(UInt32.max) {
      above >>= 1
      below = max(below >> 1, 1)
    }
    self.init(numerator: UInt32(truncatingIfNeeded: above), denominator: UInt32(truncatingIfNeeded: below))
  }
}
