// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// What the pixels of a directory are made of.
///
/// - Format: TIFF 6.0 §§4–8, 16, 18–21, 23; TIFF Technical Notes for ICCLab and ITULab.
struct Samples {
  /// How a sample is to be read: the tag SampleFormat.
  enum Number: Int {
    case unsigned = 1
    case signed = 2
    case float = 3
  }

  let photometric: Photometric
  /// As stored, of one sample.
  let bits: Int
  let number: Number
  /// The number of samples of one pixel, with those that are not used.
  let count: Int
  /// Which sample is alpha.
  let alpha: Int?
  let alphaMode: AlphaMode
  let isPlanar: Bool

  /// Reads what a directory says, and refuses what cannot be shown.
  ///
  /// - Parameter coded: Of old-style JPEG: what libtiff makes of what the directory and the JPEG say.
  init(_ directory: TIFFDirectory, compression: Compression, coded: OldJPEG? = nil) throws(CoderError) {
    let stored = try directory.numbers(Tag.bitsPerSample, limit: 64) ?? [compression == .oldJPEG ? 8 : 1]
    var count = try directory.number(Tag.samplesPerPixel) ?? 1
    // Writers of old-style JPEG leave both tags out.
    if compression == .oldJPEG, directory[Tag.samplesPerPixel] == nil {
      count = try directory.number(Tag.photometric).flatMap { Photometric(rawValue: $0)?.channelCount } ?? 1
    }
    if let coded { count = coded.samples }
    guard (1...65_535).contains(count) else {
      throw .malformed("\(count) samples per pixel, 1 to 65535 are allowed", at: directory.offset)
    }
    let bits = Int(clamping: stored.first ?? 1)
    guard stored.prefix(count).allSatisfy({ $0 == stored.first }) else {
      throw .unsupported(
        "samples of \(stored.prefix(count).map(String.init).joined(separator: ", ")) bits in one pixel")
    }
    let formats = try directory.numbers(Tag.sampleFormat, limit: 64) ?? [1]
    guard formats.prefix(count).allSatisfy({ $0 == formats.first }) else {
      throw .unsupported("samples of different formats in one pixel")
    }
    // Void data (4) is shown as what its bits most likely are.
    let code = formats.first == 4 ? 1 : Int(clamping: formats.first ?? 1)
    guard let number = Number(rawValue: code) else { throw .unsupported("samples of format \(code), 1 to 4 are known") }
    let stated = try Self.photometric(directory, compression: compression, count: count)
    photometric = coded?.photometric ?? stated
    self.bits = bits
    self.number = number
    self.count = count
    isPlanar = try directory.number(Tag.planarConfiguration) == 2 && count > 1
    (alpha, alphaMode) = try Self.alpha(directory, count: count, photometric: photometric, bits: bits)
    try check(compression, directory: directory)
  }

  private static func photometric(
    _ directory: TIFFDirectory, compression: Compression, count: Int
  ) throws(CoderError) -> Photometric {
    guard let code = try directory.number(Tag.photometric) else {
      // The tag is required (TIFF 6.0 §4) and sometimes missing.
      return compression.isFax ? .minIsWhite : count >= 3 ? .rgb : .minIsBlack
    }
    guard let photometric = Photometric(rawValue: code) else {
      throw .unsupported("photometric interpretation \(code), \(Photometric.name(code))")
    }
    return photometric
  }

  /// TIFF 6.0 §18. One sample more than the color has, without an ExtraSamples tag, is taken for straight alpha.
  private static func alpha(
    _ directory: TIFFDirectory, count: Int, photometric: Photometric, bits: Int
  ) throws(CoderError) -> (Int?, AlphaMode) {
    let channels = photometric.channelCount
    guard count > channels, photometric != .logL, photometric != .logLuv else { return (nil, .opaque) }
    guard photometric != .palette || bits <= 8 else { return (nil, .opaque) }
    guard let extra = try directory.numbers(Tag.extraSamples, limit: 64) else {
      return count == channels + 1 && channels > 1 ? (channels, .straight) : (nil, .opaque)
    }
    for (index, meaning) in extra.enumerated() where channels + index < count && meaning == 1 || meaning == 2 {
      guard channels + index < min(count, Int(CTIFF_MAX_CHANNELS)) else { break }
      return (channels + index, meaning == 1 ? .premultiplied : .straight)
    }
    return (nil, .opaque)
  }

  private func check(_ compression: Compression, directory: TIFFDirectory) throws(CoderError) {
    guard count >= photometric.channelCount else {
      throw photometric == .separated
        ? .unsupported("\(count) inks, CMYK is known")
        : .malformed("\(count) samples per pixel, \(photometric.channelCount) are needed", at: directory.offset)
    }
    if photometric == .separated, let inks = try directory.number(Tag.inkSet), inks != 1 {
      throw .unsupported("inks of set \(inks), CMYK is known")
    }
    if photometric == .logL || photometric == .logLuv {
      guard count == photometric.channelCount, !isPlanar else {
        throw .malformed(
          "\(count) samples of LogL or LogLuv, \(photometric.channelCount) are needed", at: directory.offset)
      }
      guard compression.isLog else { throw .unsupported("LogL and LogLuv with compression \(compression.name)") }
      return
    }
    guard !compression.isLog else { throw .unsupported("SGI log compression of another photometric interpretation") }
    switch number {
    case .float:
      guard [16, 24, 32, 64].contains(bits) else { throw .unsupported("floating-point samples of \(bits) bits") }
      guard [.minIsWhite, .minIsBlack, .rgb, .separated].contains(photometric) else {
        throw .unsupported("floating-point samples of photometric interpretation \(photometric.rawValue)")
      }
    case .unsigned, .signed:
      guard (1...16).contains(bits) || [24, 32, 64].contains(bits) else {
        throw .unsupported("samples of \(bits) bits")
      }
    }
    if photometric == .palette {
      guard bits <= 16, number == .unsigned else { throw .unsupported("a palette with \(bits) bits, at most 16") }
    }
    let isLab = [.cieLab, .iccLab, .ituLab].contains(photometric)
    guard !isLab || bits == 8 || bits == 16 else {
      throw .unsupported("L*a*b* samples of \(bits) bits, 8 and 16 are known")
    }
    guard photometric != .yCbCr || bits == 8 else { throw .unsupported("YCbCr samples of \(bits) bits, 8 are known") }
    if compression == .jpeg || compression == .oldJPEG || compression == .webP {
      var isKnown = bits == 8
      // T.81 §H: the lossless process has up to 16 bits.
      if !isKnown, compression == .jpeg, (2...16).contains(bits) { isKnown = try directory.firstJPEG()?.marker == 0xC3 }
      guard isKnown, number == .unsigned else {
        throw .unsupported("\(compression.name) of samples of \(bits) bits, 8 are known")
      }
    }
    guard !compression.isBilevel || (bits == 1 && (count == 1 || isPlanar)) else {
      throw .malformed(
        "\(compression.name) of \(count) samples of \(bits) bits, 1 of 1 bit is needed", at: directory.offset)
    }
  }

  /// The narrowest format that holds the samples; integers of more than 16 bits and floating inks are rounded to 16,
  /// and 64-bit floats to 32.
  var pixelFormat: PixelFormat {
    if number == .float, photometric != .separated { return .rgbaFloat32 }
    let isDeep = bits > 8 && photometric != .palette && photometric != .logL && photometric != .logLuv
    switch photometric {
    case .minIsWhite, .minIsBlack, .mask, .logL:
      return alpha == nil ? (isDeep ? .gray16 : .gray8) : (isDeep ? .grayAlpha16 : .grayAlpha8)
    default:
      return alpha == nil ? (isDeep ? .rgb16 : .rgb8) : (isDeep ? .rgba16 : .rgba8)
    }
  }
}
