// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ImageCoderPlugin

/// How pictures are encoded: the common wishes and the format's own options.
struct EncodingSettings {
  /// Whether every sample comes back as it was.
  let isLossless: Bool
  /// AV1's base quantizer as libavif counts it: 0 is lossless, 63 is smallest.
  let quantizer: Int32
  let alphaQuantizer: Int32
  let speed: Int32
  /// Bits per channel that were asked for, or nil.
  let depth: Int?
  /// What aom's encoder is tuned for.
  let tune: String
  let subsampling: Subsampling
  /// Whether colours use all of the samples' range.
  let isFullRange: Bool
  /// Most frames from one key frame to the next, or 0.
  private let keyFrameInterval: Int32
  private let codec: avifCodecChoice

  /// What holds when no quality is asked for.
  private static let defaultQuality = 0.75
  private static let depths = ["auto", "8", "10", "12"]
  private static let tunes = ["ssim", "psnr"]
  /// SVT-AV1 is none of them: it starts threads, prints, has 4:2:0 alone, and ends the process on alpha of 10 bits.
  private static let codecs = [
    ("auto", AVIF_CODEC_CHOICE_AOM), ("aom", AVIF_CODEC_CHOICE_AOM), ("rav1e", AVIF_CODEC_CHOICE_RAV1E),
  ]

  /// The format's own options; the registry's manifest lists the same.
  static let descriptions: [OptionDescription] = [
    OptionDescription(name: "speed", text: "effort: 0 is smallest, 10 is fastest", kind: .integer(0...10, default: 6)),
    OptionDescription(
      name: "bit-depth",
      text: "bits per channel; auto takes 8 for 8-bit pictures, 12 for those of 11 and 12 bits, 10 for other deep ones",
      kind: .choice(depths, default: 0)),
    OptionDescription(
      name: "alpha-quality", text: "quality of the alpha plane: 0 is smallest, 100 is lossless",
      kind: .integer(0...100, default: 100)),
    OptionDescription(
      name: "tune", text: "measure of likeness that lossy compression is tuned for", kind: .choice(tunes, default: 0)),
    OptionDescription(
      name: "codec", text: "AV1 encoder, where libavif has it; auto is aom, the only one that keeps every sample",
      kind: .choice(codecs.map(\.0), default: 0)),
    OptionDescription(
      name: "range", text: "values that samples take: all of them, or those of television",
      kind: .choice(["full", "limited"], default: 0)),
    OptionDescription(
      name: "keyframe-interval",
      text: "most frames from one key frame of a sequence to the next; 0 leaves it to the encoder",
      kind: .integer(0...1000, default: 0)),
  ]

  /// - Throws: ``CoderError/Code/unsupported`` for wishes that exclude each other or that AVIF cannot meet.
  init(_ options: WriteOptions) throws(CoderError) {
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(CoderError) -> Int {
      guard let given = options.values[name] else { return value }
      guard let exact = Int(exactly: given), range.contains(exact) else {
        throw .invalidArgument("\(name) of \(given), \(range.lowerBound) to \(range.upperBound) are allowed")
      }
      return exact
    }
    // aom's real-time mode, which libavif takes from 7 on, loses a sample here and there of frames behind the first.
    speed = Int32(min(try integer("speed", in: 0...10, default: 6), options.isLossless ? 6 : 10))
    let depthIndex = try integer("bit-depth", in: 0...3, default: 0)
    depth = depthIndex == 0 ? nil : 6 + 2 * depthIndex
    tune = Self.tunes[try integer("tune", in: 0...1, default: 0)]
    let alphaQuality = try integer("alpha-quality", in: 0...100, default: 100)
    isLossless = options.isLossless
    isFullRange = try integer("range", in: 0...1, default: 0) == 0
    keyFrameInterval = Int32(try integer("keyframe-interval", in: 0...1000, default: 0))
    let named = Self.codecs[try integer("codec", in: 0...(Self.codecs.count - 1), default: 0)]
    codec = named.1
    guard avifCodecName(codec, avifCodecFlags(AVIF_CODEC_FLAG_CAN_ENCODE.rawValue)) != nil else {
      throw .unsupported("the encoder \(named.0), which this libavif does not have")
    }
    if isLossless {
      guard codec == AVIF_CODEC_CHOICE_AOM, isFullRange else {
        throw .unsupported("limited range, or an encoder other than aom, in a file that keeps every sample")
      }
      guard alphaQuality == 100 else {
        throw .unsupported("alpha-quality of \(alphaQuality) in a file that keeps every sample")
      }
      guard options.subsampling == nil || options.subsampling == .s444 || options.subsampling == .s400 else {
        throw .unsupported("subsampling in a file that keeps every sample")
      }
    }
    switch options.subsampling {
    case .s440?, .s411?: throw .unsupported("a subsampling of 4:4:0 or 4:1:1, and AV1 has none of them")
    case let wanted: subsampling = isLossless ? .s444 : wanted ?? .s420
    }
    quantizer = isLossless ? 0 : Self.quantizer(options.quality ?? Self.defaultQuality)
    alphaQuantizer = Self.quantizer(Double(alphaQuality) / 100)
  }

  /// Quality 1 is quantizer 0 and quality 0 is 63, in a straight line.
  private static func quantizer(_ quality: Double) -> Int32 {
    Int32(((1 - min(max(quality, 0), 1)) * 63).rounded())
  }

  /// A new encoder with these settings.
  ///
  /// - Returns: To be destroyed by the caller.
  func makeEncoder() throws(CoderError) -> UnsafeMutablePointer<avifEncoder> {
    guard let encoder = avifEncoderCreate() else {
      throw .outOfMemory(bytes: MemoryLayout<avifEncoder>.size, for: "libavif's encoder")
    }
    encoder.pointee.codecChoice = codec
    encoder.pointee.keyframeInterval = keyFrameInterval
    encoder.pointee.maxThreads = 1
    encoder.pointee.speed = speed
    // A small range around the wanted quantizer lets the encoder give blocks what they need, as avifenc does.
    encoder.pointee.minQuantizer = max(quantizer - (quantizer == 0 ? 0 : 4), 0)
    encoder.pointee.maxQuantizer = min(quantizer + (quantizer == 0 ? 0 : 4), 63)
    encoder.pointee.minQuantizerAlpha = alphaQuantizer
    encoder.pointee.maxQuantizerAlpha = alphaQuantizer
    if quantizer > 0, codec == AVIF_CODEC_CHOICE_AOM {
      avifEncoderSetCodecSpecificOption(encoder, "color:end-usage", "q")
      avifEncoderSetCodecSpecificOption(encoder, "color:cq-level", String(quantizer))
      avifEncoderSetCodecSpecificOption(encoder, "color:tune", tune)
    }
    return encoder
  }
}
