// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import ImageCoders
import TestSupport
import Testing

/// How bright light is, in files that are written: what their sources say, or what is measured.
@Suite struct LightLevelTests {
  static let formats: [ImageFormat] = [.png, .avif, .heic, .jpegXL]

  /// ITU-R BT.2100-2 table 4.
  private static func nits(_ signal: Double) -> Double {
    let root = pow(signal, 32.0 / 2523)
    return 10_000 * pow(max(root - 3424.0 / 4096, 0) / (2413.0 / 128 - 2392.0 / 128 * root), 16_384.0 / 2610)
  }

  /// A picture of PQ: a dark one with a light of its own in one pixel, which only its green has.
  private static func picture(alpha: AlphaMode = .opaque) throws -> Image {
    let buffer = try PixelBuffer(size: Size(width: 64, height: 64), format: .rgba16, alpha: alpha)
    for y in 0..<64 {
      buffer.withMutableRow(y) { row in
        for x in 0..<64 {
          var pixel: [UInt16] = [20_000, 10_000, 5000, 65_535]
          if x == 9, y == 5 { pixel[1] = 50_000 }
          // Nobody sees this one.
          if x == 3, y == 3, alpha == .straight { pixel = [65_535, 65_535, 65_535, 0] }
          row.baseAddress?.advanced(by: x * 8).copyMemory(from: pixel, byteCount: 8)
        }
      }
    }
    var image = Image(buffer)
    image.cicp = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
    return image
  }

  private static let stated = {
    var light = LightLevels()
    (light.contentPeak, light.frameAveragePeak) = (1234, 56)
    (light.masteringPeak, light.masteringBlack) = (4000, 0.005)
    light.masteringPrimaries = StoredColor.Primaries(
      red: SIMD2(0.68, 0.32), green: SIMD2(0.265, 0.69), blue: SIMD2(0.15, 0.06), white: SIMD2(0.3127, 0.329))
    return light
  }()

  private static func light(of file: [UInt8]) throws -> LightLevels {
    try Staged.registry.open(.bytes(file)).storedColor.light
  }

  /// JPEG XL has the brightest light alone, and a black of 16 bits.
  private static func expect(_ found: LightLevels, _ wanted: LightLevels, in format: ImageFormat) {
    guard format == .jpegXL else {
      #expect(found == wanted)
      return
    }
    #expect(found.contentPeak == wanted.contentPeak)
    #expect(abs((found.masteringBlack ?? 0) - (wanted.masteringBlack ?? 0)) < 1e-5)
  }

  @Test(arguments: formats, [AlphaMode.opaque, .straight])
  func aPictureInMemoryIsMeasured(_ format: ImageFormat, _ alpha: AlphaMode) throws {
    let found = try Self.light(of: try Staged.registry.encode(try Self.picture(alpha: alpha), as: format))
    let brightest = Self.nits(50_000.0 / 65_535)
    let usual = Self.nits(20_000.0 / 65_535)
    let mean = (usual * (alpha == .opaque ? 4095 : 4094) + brightest) / 4096
    // Boxes have whole nits, no fewer than there are; the chunk has 1/10,000.
    if format == .jpegXL {
      // A half, of 11 significant bits: steps of 1 from 1024 on.
      #expect(abs((found.contentPeak ?? 0) - brightest) <= 0.5, "\(found)")
    }
    let wanted = format == .png ? 1e-4 : 1
    if format != .jpegXL {
      #expect((brightest - 1e-4..<brightest + wanted).contains(found.contentPeak ?? 0), "\(found)")
    }
    if format != .jpegXL { #expect((mean - 1e-4..<mean + wanted).contains(found.frameAveragePeak ?? 0), "\(found)") }
    #expect(found.masteringPeak == nil)
  }

  @Test(arguments: formats) func whatIsStatedIsWritten(_ format: ImageFormat) throws {
    var image = try Self.picture()
    image.light = Self.stated
    Self.expect(try Self.light(of: try Staged.registry.encode(image, as: format)), Self.stated, in: format)
  }

  /// From each format to each.
  @Test(arguments: [ImageFormat.png, .avif, .heic], formats)
  func aConversionKeepsIt(_ source: ImageFormat, _ target: ImageFormat) throws {
    var image = try Self.picture()
    image.light = Self.stated
    let file = try Staged.registry.encode(image, as: source)
    var options = EncodeOptions()
    options.maxSize = Size(width: 32, height: 32)
    let made = try Staged.registry.convert(.bytes(file), to: target, at: .memory, options: options)
    Self.expect(try Self.light(of: made.bytes), Self.stated, in: target)
  }

  @Test(arguments: [ColorTarget.sRGB, .displayP3, .rec2020, .rec2100HLG]) func otherCurvesDropIt(
    _ target: ColorTarget
  ) throws {
    var image = try Self.picture()
    image.light = Self.stated
    let file = try Staged.registry.encode(image, as: .png)
    let decoded = try Staged.registry.decode(.bytes(file), options: DecodeOptions(color: .convert(to: target)))
    #expect(decoded.light == LightLevels())
    for source in [image, decoded] {
      var options = EncodeOptions()
      if source.cicp?.transfer == 16 { options.color = .convert(to: target) }
      #expect(try Self.light(of: try Staged.registry.encode(source, as: .png, options: options)) == LightLevels())
    }
  }

  /// Other primaries: the display is still the same, the largest of red, green and blue is not.
  @Test func otherPrimariesAreMeasured() throws {
    var image = try Self.picture()
    image.cicp?.primaries = 12
    image.light = Self.stated
    let file = try Staged.registry.encode(image, as: .png)
    let options = EncodeOptions(color: .convert(to: .rec2100PQ))
    let made = try Staged.registry.convert(.bytes(file), to: .png, at: .memory, options: options)
    let found = try Self.light(of: made.bytes)
    #expect(found.masteringPeak == 4000 && found.masteringPrimaries == Self.stated.masteringPrimaries)
    // ITU-R BT.2087: of the green of Display P3, 0.9418 are that of BT.2020; of its red 0.0457, of its blue 0.0125.
    let parts = [20_000, 50_000, 5000].map { Self.nits(Double($0) / 65_535) }
    let green = 0.04574 * parts[0] + 0.94178 * parts[1] + 0.01248 * parts[2]
    #expect(abs((found.contentPeak ?? 0) - green) < 0.5, "\(found) \(green)")
  }

  @Test func whiteOfSDRIsMeasured() throws {
    let white = try PixelBuffer(size: Size(width: 2, height: 1), format: .rgb8, alpha: .opaque)
    white.withMutableRow(0) { $0.copyBytes(from: [255, 255, 255, 0, 0, 0]) }
    let options = EncodeOptions(color: .convert(to: .rec2100PQ))
    let found = try Self.light(of: try Staged.registry.encode(Image(white), as: .png, options: options))
    #expect(abs((found.contentPeak ?? 0) - 203) < 0.1 && abs((found.frameAveragePeak ?? 0) - 101.5) < 0.1)
  }

  /// A file that says nothing is passed on so.
  @Test func aFileThatSaysNothingIsNotMeasured() throws {
    let path = "\(StagedTree.fixtures("jxl"))/valid/color-rec2100-pq.jxl"
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let made = try Staged.registry.convert(.bytes(bytes), to: .png, at: .memory)
    #expect(try Self.light(of: made.bytes) == LightLevels())
  }

  /// PNG Third Edition §11.3.2.7 and §11.3.2.8, byte for byte.
  @Test func chunksOfPNG() throws {
    var image = try Self.picture()
    image.light = Self.stated
    let file = try Staged.registry.encode(image, as: .png)
    let display: [UInt8] =
      [0, 0, 0, 24] + Array("mDCV".utf8) + [0x84, 0xD0, 0x3E, 0x80, 0x33, 0xC2, 0x86, 0xC4, 0x1D, 0x4C, 0x0B, 0xB8]
      + [0x3D, 0x13, 0x40, 0x42, 0x02, 0x62, 0x5A, 0, 0, 0, 0, 50]
    let levels: [UInt8] = [0, 0, 0, 8] + Array("cLLI".utf8) + [0, 0xBC, 0x4B, 0x20, 0, 0x08, 0x8B, 0x80]
    #expect(file.firstRange(of: display) != nil && file.firstRange(of: levels) != nil)
  }

  /// Sample entries of tracks say it as items do.
  @Test(arguments: [ImageFormat.avif, .heics]) func sequencesSayIt(_ format: ImageFormat) throws {
    var image = try Self.picture()
    image.light = Self.stated
    image.frames = [image.frames[0], Frame(pixels: try Self.picture(alpha: .opaque).pixels)]
    image.frames[1].pixels.withMutableRow(0) { $0.baseAddress?.storeBytes(of: 9, as: UInt8.self) }
    for index in 0..<2 { image.frames[index].delay = FrameDelay(numerator: 1, denominator: 10) }
    let file = try Staged.registry.encode(image, as: format)
    let decoder = try Staged.registry.open(.bytes(file))
    #expect(decoder.header.isAnimated && decoder.storedColor.light == Self.stated)
    #expect(try decoder.image().frames.count == 2)
    // As an item, too: twice each.
    for name in ["clli", "mdcv"] { #expect(file.ranges(of: Array(name.utf8)).count == 2, "\(name)") }
  }

  @Test(arguments: formats) func aWorkerWritesTheSame(_ format: ImageFormat) throws {
    var image = try Self.picture()
    image.light = Self.stated
    let isolated = IsolationWorker.registry()
    #expect(try isolated.encode(image, as: format) == Staged.registry.encode(image, as: format))
  }
}
