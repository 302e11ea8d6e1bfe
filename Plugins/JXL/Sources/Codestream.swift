// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// What the headers of a codestream say: of the picture, and of each of its frames.
struct Codestream {
  var info = JxlBasicInfo()
  var color: ColorSignal?
  var extraChannels: [ExtraChannel] = []
  /// What is shown: one entry for each frame with a delay, and one for the last.
  var frames: [AnimationFrame] = []
  var isTruncated = false
  var isDamaged = false
  /// Whether the first frame is of the kind that lossless pictures are.
  var isModular = false

  /// Samples wanted from the file's channel of black ink, with its index.
  var black: (index: Int, channel: ExtraChannel)? {
    extraChannels.enumerated().first { $0.element.kind == JXL_CHANNEL_BLACK }.map { ($0.offset, $0.element) }
  }

  var canvas: Size { Size(width: Int(info.xsize), height: Int(info.ysize)) }
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

/// A channel beside those of color.
struct ExtraChannel {
  let kind: JxlExtraChannelType
  let bits: Int
  let exponentBits: Int
  let name: String?

  init(_ decoder: LibJXL.Decoder, index: Int) throws(CoderError) {
    var info = JxlExtraChannelInfo()
    guard JxlDecoderGetExtraChannelInfo(decoder.raw, index, &info) == JXL_DEC_SUCCESS else {
      throw .libraryFailure("libjxl does not describe extra channel \(index)")
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
    case JXL_CHANNEL_SPOT_COLOR: "SpotColor"
    case JXL_CHANNEL_SELECTION_MASK: "SelectionMask"
    case JXL_CHANNEL_BLACK: "Black"
    case JXL_CHANNEL_CFA: "CFA"
    case JXL_CHANNEL_THERMAL: "Thermal"
    default: "Unknown"
    }
  }
}

extension LibJXL {
  /// A name that libjxl copies with a zero after it, or nil when it is empty.
  static func text(
    length: Int, _ copy: (UnsafeMutablePointer<CChar>, Int) -> JxlDecoderStatus
  ) -> String? {
    // ISO/IEC 18181-1 §D.3.6, §F.2: at most 1071 bytes.
    guard length > 0, length <= 1 << 12 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { buffer in
      guard let start = buffer.baseAddress, copy(start, length + 1) == JXL_DEC_SUCCESS else { return nil }
      return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }
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
