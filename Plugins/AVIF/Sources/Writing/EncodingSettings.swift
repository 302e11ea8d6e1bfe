// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CodedPictures
import ImageCoderPlugin

/// What the options come to for libavif.
struct EncodingSettings {
  /// Whether every sample comes back as it was.
  let isLossless: Bool
  /// AV1's base quantizer as libavif counts it: 0 is lossless, 63 is smallest.
  let quantizer: Int32
  let alphaQuantizer: Int32
  private let speed: Int32
  /// Bits per channel that were asked for, or nil.
  let depth: Int?
  let subsampling: Subsampling
  /// Whether colors are given up.
  var isGray: Bool { subsampling == .s400 }
  /// Whether colors use all of the samples' range.
  let isFullRange: Bool
  /// What aom's encoder is tuned for.
  private let tune: AVIFOption.Tuning
  private let content: AVIFOption.Content
  /// Most frames from one key frame to the next, or 0.
  private let keyFrameInterval: Int32
  private let codec: avifCodecChoice

  /// - Throws: ``CoderError/Code/unsupported`` for options that exclude each other or that AVIF cannot meet.
  init(_ options: WriteOptions) throws(CoderError) {
    isLossless = options.isLossless
    speed = Int32(options[AVIFOption.speed])
    depth = options[AVIFOption.depth].bits
    tune = options[AVIFOption.tune]
    content = options[AVIFOption.content]
    isFullRange = options[AVIFOption.range] == .full
    keyFrameInterval = Int32(options[AVIFOption.keyFrameInterval])
    let encoder = options[AVIFOption.codec]
    codec = encoder == .rav1e ? AVIF_CODEC_CHOICE_RAV1E : AVIF_CODEC_CHOICE_AOM
    guard avifCodecName(codec, avifCodecFlags(AVIF_CODEC_FLAG_CAN_ENCODE.rawValue)) != nil else {
      throw .unsupported("the encoder \(encoder.rawValue), which this libavif does not have")
    }
    let alphaQuality = options[AVIFOption.alphaQuality]
    if isLossless {
      guard codec == AVIF_CODEC_CHOICE_AOM, isFullRange else {
        throw .unsupported("limited range, or an encoder other than aom, in a file that keeps every sample")
      }
      guard alphaQuality == 100 else {
        throw .unsupported("alpha-quality of \(alphaQuality) in a file that keeps every sample")
      }
    }
    subsampling = try options.chroma(AVIFOption.subsampling)
    quantizer = isLossless ? 0 : Self.quantizer(options[AVIFOption.quality])
    alphaQuantizer = Self.quantizer(Double(alphaQuality) / 100)
  }

  /// Quality 1 is quantizer 0 and quality 0 is 63, in a straight line.
  private static func quantizer(_ quality: Double) -> Int32 {
    Int32(((1 - min(max(quality, 0), 1)) * 63).rounded())
  }

  /// The speed of pictures. From 7 on, libavif uses aom's real-time mode for those of a sequence, which is not exact at
  /// quantizer 0, and ends the process on a track of alpha: at 7 always, above where quantizers are small (aom 3.6).
  func speed(isSequence: Bool, hasAlpha: Bool) -> Int32 {
    let isRealTime = isSequence && codec == AVIF_CODEC_CHOICE_AOM
    return isLossless || isRealTime && (hasAlpha || quantizer == 0) ? min(speed, 6) : speed
  }

  /// - Throws: ``CoderError/Code/unsupported`` for a sequence that rav1e has no code for: of less than 16 pixels on a side.
  func check(_ size: Size, isSequence: Bool) throws(CoderError) {
    guard isSequence, codec == AVIF_CODEC_CHOICE_RAV1E, min(size.width, size.height) < 16 else { return }
    throw .unsupported("an animation of \(size) with the encoder rav1e, which has 16 pixels on a side at least")
  }

  /// Whether aom is told that a picture, the first of a file, shows a screen.
  func isScreen(_ pixels: PixelView) -> Bool {
    guard quantizer > 0, codec == AVIF_CODEC_CHOICE_AOM else { return false }
    switch content {
    case .automatic: return ScreenContent.isFound(in: pixels)
    case .picture: return false
    case .screen: return true
    }
  }

  /// A new encoder with these settings, which are all but the speed.
  ///
  /// - Returns: To be destroyed by the caller.
  func makeEncoder() throws(CoderError) -> UnsafeMutablePointer<avifEncoder> {
    guard let encoder = avifEncoderCreate() else {
      throw .outOfMemory(bytes: MemoryLayout<avifEncoder>.size, for: "libavif's encoder")
    }
    encoder.pointee.codecChoice = codec
    encoder.pointee.keyframeInterval = keyFrameInterval
    encoder.pointee.maxThreads = 1
    // A small range around the wanted quantizer lets the encoder give blocks what they need, as avifenc does.
    encoder.pointee.minQuantizer = max(quantizer - (quantizer == 0 ? 0 : 4), 0)
    encoder.pointee.maxQuantizer = min(quantizer + (quantizer == 0 ? 0 : 4), 63)
    encoder.pointee.minQuantizerAlpha = alphaQuantizer
    encoder.pointee.maxQuantizerAlpha = alphaQuantizer
    if quantizer > 0, codec == AVIF_CODEC_CHOICE_AOM {
      avifEncoderSetCodecSpecificOption(encoder, "color:end-usage", "q")
      avifEncoderSetCodecSpecificOption(encoder, "color:cq-level", String(quantizer))
      avifEncoderSetCodecSpecificOption(encoder, "color:tune", tune.rawValue)
    }
    return encoder
  }
}
