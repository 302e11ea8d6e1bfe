// SPDX-License-Identifier: Apache-2.0

import CJXL
import CoderTestSupport
import Glibc
import ImageCoderPlugin
import Testing

@testable import JXLCoder

/// Pictures at 1/8 of low frequencies alone, held against averages of what libjxl decodes at full size.
@Suite struct EighthsPictureTests {
  private func reader(_ file: [UInt8]) throws -> JXLReader {
    try JXLReader(MemorySource(file).view, host: MemoryHost().host, options: [])
  }

  private static func eighth(of size: Size) -> Size {
    Size(width: (size.width + 7) / 8, height: (size.height + 7) / 8)
  }

  /// Samples of a picture from 0 to 1.
  private func samples(_ pixels: [UInt8], _ format: PixelFormat) -> [Double] {
    guard format.bytesPerChannel == 2 else { return pixels.map { Double($0) / 255 } }
    return pixels.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map { Double($0) / 65_535 } }
  }

  /// Averages of blocks of 8 × 8 samples, of fewer at the right and at the bottom.
  private func averages(_ samples: [Double], _ size: Size, channels: Int) -> [Double] {
    let small = Self.eighth(of: size)
    var sums = [Double](repeating: 0, count: small.pixelCount * channels)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<channels {
          sums[(y / 8 * small.width + x / 8) * channels + channel] += samples[(y * size.width + x) * channels + channel]
        }
      }
    }
    for y in 0..<small.height {
      for x in 0..<small.width {
        let count = min(8, size.width - 8 * x) * min(8, size.height - 8 * y)
        for channel in 0..<channels { sums[(y * small.width + x) * channels + channel] /= Double(count) }
      }
    }
    return sums
  }

  /// How near the picture at 1/8 is to the averages, in decibels; nil where all of it is decoded.
  private func nearness(_ file: [UInt8]) throws -> Double? {
    let reader = try reader(file)
    let full = try reader.delivered(for: DecodeRequest())
    #expect(full.problem == nil)
    let small = try reader.delivered(for: DecodeRequest(size: Self.eighth(of: full.offer.size)))
    #expect(small.problem == nil)
    guard small.offer.size != full.offer.size else { return nil }
    #expect(small.offer.size == Self.eighth(of: full.offer.size))
    #expect(small.rows == small.offer.size.height)
    let format = full.offer.pixelFormat
    #expect(small.offer.pixelFormat == format)
    let wanted = averages(samples(full.pixels, format), full.offer.size, channels: format.channelCount)
    let found = samples(small.pixels, format)
    let error = zip(wanted, found).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } / Double(wanted.count)
    return -10 * log10(max(error, 1e-12))
  }

  private func expectNear(_ file: [UInt8], _ least: Double) throws {
    let nearness = try #require(try nearness(file), "all of it is decoded")
    #expect(nearness > least)
  }

  @Test(arguments: [Int64(1), 3, 5, 7, 8, 9], [Float(0.3), 1, 4])
  func effortsAndDistances(effort: Int64, distance: Float) throws {
    let size = Size(width: 320, height: 270)
    let picture = EncodedPicture(
      size: size, distance: distance, settings: [(JXL_ENC_FRAME_SETTING_EFFORT, effort)])
    try expectNear(try picture.encoded(), 40)
  }

  @Test(arguments: [
    (1, 1), (7, 9), (8, 8), (17, 300), (256, 256), (257, 100), (2049, 64), (2100, 2056),
  ]) func sizes(width: Int, height: Int) throws {
    let picture = EncodedPicture(
      size: Size(width: width, height: height), settings: [(JXL_ENC_FRAME_SETTING_EFFORT, 3)])
    if width == 1 {
      #expect(try nearness(picture.encoded()) == nil)
    } else {
      try expectNear(try picture.encoded(), 38)
    }
  }

  @Test func progressiveHasAFrameOfLowFrequencies() throws {
    for size in [Size(width: 200, height: 150), Size(width: 2300, height: 2200)] {
      let picture = EncodedPicture(
        size: size,
        settings: [(JXL_ENC_FRAME_SETTING_PROGRESSIVE_DC, 1), (JXL_ENC_FRAME_SETTING_EFFORT, 3)])
      try expectNear(try picture.encoded(), 40)
    }
  }

  @Test func permutedSectionsAreFound() throws {
    let picture = EncodedPicture(
      size: Size(width: 900, height: 800),
      settings: [(JXL_ENC_FRAME_SETTING_GROUP_ORDER, 1), (JXL_ENC_FRAME_SETTING_PROGRESSIVE_AC, 1)])
    try expectNear(try picture.encoded(), 40)
  }

  @Test func grayAndSixteenBits() throws {
    try expectNear(try EncodedPicture(isGray: true).encoded(), 40)
    try expectNear(try EncodedPicture(bits: 16).encoded(), 40)
    try expectNear(try EncodedPicture(isGray: true, bits: 16).encoded(), 40)
  }

  @Test(arguments: [
    (JXL_TRANSFER_FUNCTION_LINEAR, JXL_PRIMARIES_SRGB), (JXL_TRANSFER_FUNCTION_709, JXL_PRIMARIES_2100),
    (JXL_TRANSFER_FUNCTION_SRGB, JXL_PRIMARIES_P3), (JXL_TRANSFER_FUNCTION_DCI, JXL_PRIMARIES_P3),
    (JXL_TRANSFER_FUNCTION_PQ, JXL_PRIMARIES_2100),
  ]) func colors(transfer: JxlTransferFunction, primaries: JxlPrimaries) throws {
    let picture = EncodedPicture(bits: 16, distance: 0.5, transfer: transfer, primaries: primaries)
    // Averages of light and of its code are not the same, most of all for PQ.
    try expectNear(try picture.encoded(), transfer == JXL_TRANSFER_FUNCTION_PQ ? 33 : 36)
  }

  @Test func recompressedJPEG() throws {
    let file = try EncodedPicture.recompressed(SmallJPEG.bytes)
    try expectNear(file, 38)
  }

  @Test func noiseIsLeftOut() throws {
    try expectNear(try EncodedPicture(noise: 400).encoded(), 34)
  }

  @Test func libjxlDecodesWhatHasMoreThanLowFrequencies() throws {
    for picture in [
      EncodedPicture(hasAlpha: true), EncodedPicture(isLossless: true), EncodedPicture(frameCount: 2),
      EncodedPicture(settings: [(JXL_ENC_FRAME_SETTING_RESAMPLING, 2)]),
      EncodedPicture(settings: [(JXL_ENC_FRAME_SETTING_PROGRESSIVE_DC, 2)]),
      EncodedPicture(settings: [(JXL_ENC_FRAME_SETTING_MODULAR, 1)]),
      EncodedPicture(settings: [(JXL_ENC_FRAME_SETTING_PATCHES, 1)], isDrawing: true),
      EncodedPicture(transfer: JXL_TRANSFER_FUNCTION_HLG),
    ] { #expect(try nearness(picture.encoded()) == nil) }
  }

  @Test func aCutFileIsLibjxls() throws {
    let file = try EncodedPicture().encoded()
    let reader = try reader([UInt8](file.dropLast(20)))
    #expect(try reader.offer(for: DecodeRequest(size: Size(width: 20, height: 20))).size == EncodedPicture().size)
  }

  @Test func largerSizesAreDecodedInFull() throws {
    let reader = try reader(EncodedPicture().encoded())
    for (width, height) in [(77, 51), (76, 52)] {
      let offer = try reader.offer(for: DecodeRequest(size: Size(width: width, height: height)))
      #expect(offer.size == EncodedPicture().size)
    }
    let offer = try reader.offer(for: DecodeRequest(size: Size(width: 76, height: 51)))
    #expect(offer.size == Size(width: 76, height: 51))
    #expect(offer.coveredWidth == 75.125)
    #expect(offer.coveredHeight == 50.375)
  }

  @Test func aPartIsCutOutOfTheWhole() throws {
    let reader = try reader(EncodedPicture().encoded())
    let size = Size(width: 76, height: 51)
    let whole = try reader.delivered(for: DecodeRequest(size: size))
    let part = Rect(x: 10, y: 20, width: 30, height: 7)
    let cut = try reader.delivered(for: DecodeRequest(size: size, part: part))
    #expect(cut.offer.part == part)
    for y in 0..<part.height {
      let start = ((part.y + y) * size.width + part.x) * 3
      #expect(cut.pixels[y * part.width * 3..<(y + 1) * part.width * 3] == whole.pixels[start..<start + part.width * 3])
    }
  }

  @Test func damagedFilesAreReadOrRefused() throws {
    let files = [
      try EncodedPicture(size: Size(width: 300, height: 40)).encoded(),
      try EncodedPicture(
        size: Size(width: 300, height: 40), settings: [(JXL_ENC_FRAME_SETTING_PROGRESSIVE_DC, 1)]
      ).encoded(), try EncodedPicture.recompressed(SmallJPEG.bytes),
    ]
    let request = DecodeRequest(size: Size(width: 4, height: 4))
    var random = SystemRandomNumberGenerator()
    for file in files {
      for index in 0..<100 {
        var changed = file
        changed[index % min(file.count, 200)] = .random(in: 0...255, using: &random)
        if index % 3 == 0 { changed[file.count * index / 100] ^= 1 << UInt8(index % 8) }
        _ = try? reader(changed).delivered(for: request)
      }
    }
  }
}
