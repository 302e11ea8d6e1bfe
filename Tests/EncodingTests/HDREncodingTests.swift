// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Light in memory, written as PQ and HLG: against the formulas of ITU-R BT.2100, worked out in double precision here.
@Suite struct HDREncodingTests {
  /// Table 4: nits to a signal of PQ.
  private static func pq(_ nits: Double) -> Double {
    let y = pow(nits / 10_000, 2610.0 / 16_384)
    return pow((3424.0 / 4096 + 2413.0 / 128 * y) / (1 + 2392.0 / 128 * y), 2523.0 / 32)
  }

  /// Table 5: light of the scene to a signal of HLG.
  private static func hlg(_ scene: Double) -> Double {
    let (a, b, c) = (0.17883277, 1 - 4 * 0.17883277, 0.55991073)
    return scene <= 1.0 / 12 ? (3 * scene).squareRoot() : a * log(12 * scene - b) + c
  }

  /// Signals of light where 1 is 203 nit, for a display of 1000 nit: the inverse of its own curve, then that of the camera.
  private static func signals(_ light: [Double], _ target: ColorTarget) -> [Double] {
    guard target == .rec2100HLG else { return light.map { pq($0 * 203) } }
    let display = light.map { $0 * 203 / 1000 }
    let luminance = 0.2627 * display[0] + 0.6780 * display[1] + 0.0593 * display[2]
    guard luminance > 0 else { return [0, 0, 0] }
    return display.map { min(hlg($0 * pow(luminance, 1 / 1.2 - 1)), 1) }
  }

  /// Light up to a display's 1000 nit, black, white and vivid colors among it.
  private static let colors: [[Double]] = {
    var random = SplitMix(seed: 3)
    let some: [[Double]] = [
      [0, 0, 0], [1, 1, 1], [4.926, 4.926, 4.926], [1, 0, 0], [0, 0, 2], [0.001, 0.002, 0.0005],
    ]
    // Down to where the signal is less than a step.
    let dark = (0..<40).map { step in (0..<3).map { pow(2, -Double(step) * 1.5 - Double($0)) } }
    return some + dark
      + (0..<210).map { index in
        (0..<3).map { _ in Double(random.below(1_000_000)) / 1_000_000 * (index % 3 == 0 ? 0.02 : 4.9) }
      }
  }()

  /// Light of BT.2020 as a picture of the caller's own.
  private static func picture() throws -> Image {
    let buffer = try PixelBuffer(size: Size(width: 16, height: 16), format: .rgbaFloat32, alpha: .opaque)
    for (index, color) in colors.enumerated() {
      buffer.withMutableRow(index / 16) { row in
        for channel in 0..<4 {
          let value = channel < 3 ? Float(color[channel]) : 1
          row.storeBytes(of: value, toByteOffset: (index % 16 * 4 + channel) * 4, as: Float.self)
        }
      }
    }
    var image = Image(buffer)
    image.cicp = CodingIndependentCodePoints(primaries: 9, transfer: 8, matrix: 0, isFullRange: true)
    return image
  }

  private static func samples(_ image: Image) -> [UInt16] {
    (0..<image.size.height).flatMap { image.pixels.withRow($0) { Array($0.bindMemory(to: UInt16.self)) } }
  }

  private static func worst(_ image: Image, _ target: ColorTarget) -> Double {
    let found = samples(image)
    var worst = 0.0
    for (index, color) in colors.enumerated() {
      // What the samples of the picture are: single precision.
      let exact = signals(color.map { Double(Float($0)) }, target)
      for channel in 0..<3 { worst = max(worst, abs(Double(found[index * 4 + channel]) - exact[channel] * 65_535)) }
    }
    return worst
  }

  /// Within 2 steps of 16 bits, from the darkest light on.
  @Test(arguments: [ColorTarget.rec2100PQ, .rec2100HLG], [ImageFormat.png, .jpegXL, .avif])
  func lightBecomesASignal(_ target: ColorTarget, _ format: ImageFormat) throws {
    var options = EncodeOptions(isLossless: true, color: .convert(to: target))
    if format == .avif {
      options.isLossless = false
      options.quality = 1
      options.values["bit-depth"] = .word("12")
      options.subsampling = .s444
    }
    let file = try Staged.registry.encode(try Self.picture(), as: format, options: options)
    let found = try Staged.registry.decode(.bytes(file), options: DecodeOptions(pixelFormat: .rgba16))
    #expect(found.cicp?.primaries == 9 && found.cicp?.transfer == (target == .rec2100PQ ? 16 : 18))
    #expect(found.metadata[.icc] == nil)
    let worst = Self.worst(found, target)
    // AVIF keeps colors as luma and chroma of 12 bits.
    #expect(worst < (format == .avif ? 65_535.0 / 4095 * 4 : 2), "\(worst)")
  }

  @Test func heicSaysThatItIsHDR() throws {
    let options = EncodeOptions(quality: 1, color: .convert(to: .rec2100PQ))
    let flat = try PixelBuffer(size: Size(width: 64, height: 64), format: .rgbaFloat16, alpha: .opaque)
    for y in 0..<64 {
      flat.withMutableRow(y) { row in
        for index in 0..<256 { row.storeBytes(of: 4, toByteOffset: index * 2, as: Float16.self) }
      }
    }
    let file = try Staged.registry.encode(Image(flat), as: .heic, options: options)
    let found = try Staged.registry.decode(.bytes(file), options: DecodeOptions(pixelFormat: .rgba16))
    #expect(found.cicp?.primaries == 9 && found.cicp?.transfer == 16)
    // 812 nit.
    #expect(abs(Double(Self.samples(found)[0]) - Self.pq(812) * 65_535) < 65_535.0 / 255 * 2)
  }

  @Test func lightWithoutAWordIsThatOfSRGB() throws {
    let red = try PixelBuffer(size: Size(width: 1, height: 1), format: .rgbaFloat32, alpha: .straight)
    red.withMutableRow(0) { row in
      for (index, value) in [1, 0, 0, 0.5].enumerated() {
        row.storeBytes(of: Float(value), toByteOffset: index * 4, as: Float.self)
      }
    }
    let options = EncodeOptions(color: .convert(to: .rec2100PQ))
    let file = try Staged.registry.encode(Image(red), as: .png, options: options)
    let found = Self.samples(try Staged.registry.decode(.bytes(file)))
    // ITU-R BT.2087 table 3.
    for (value, light) in zip(found, [0.6274, 0.0691, 0.0164]) {
      #expect(abs(Double(value) / 65_535 - Self.pq(light * 203)) < 2e-4)
    }
    #expect(found[3] == 32_768)
  }

  @Test func codesOfSDRBecomeHDRAndOtherColors() throws {
    let gray = try PixelBuffer(size: Size(width: 2, height: 1), format: .rgb8, alpha: .opaque)
    gray.withMutableRow(0) { $0.copyBytes(from: [255, 255, 255, 128, 128, 128]) }
    let hdr = try Staged.registry.encode(
      Image(gray), as: .png, options: EncodeOptions(color: .convert(to: .rec2100PQ)))
    let found = try Staged.registry.decode(.bytes(hdr), options: DecodeOptions(pixelFormat: .rgba16))
    #expect(abs(Double(Self.samples(found)[0]) - Self.pq(203) * 65_535) < 2)
    let wide = try Staged.registry.encode(
      Image(gray), as: .jpeg, options: EncodeOptions(quality: 1, color: .convert(to: .displayP3)))
    let decoder = try Staged.registry.open(.bytes(wide))
    #expect(decoder.colorDescription == "Display P3, ICC")
    // What is written already in these colors stays.
    let again = try Staged.registry.convert(
      .bytes(hdr), to: .png, at: .memory, options: EncodeOptions(color: .convert(to: .rec2100PQ)))
    let second = try Staged.registry.decode(.bytes(again.bytes), options: DecodeOptions(pixelFormat: .rgba16))
    #expect(Self.samples(second) == Self.samples(found))
  }

  @Test(arguments: [ImageFormat.jpeg, .webP, .tiff]) func hdrNeedsCodePoints(_ format: ImageFormat) throws {
    let error = #expect(throws: CoderError.self) {
      try Staged.registry.encode(
        try Self.picture(), as: format, options: EncodeOptions(color: .convert(to: .rec2100HLG)))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("avif, heic, jxl and png") ?? false)
  }

  /// Lines of black and white: half the light is a code of 188.
  @Test(arguments: [(false, 128), (true, 188)]) func smallerByLight(_ isLight: Bool, _ wanted: Int) throws {
    let lines = try PixelBuffer(size: Size(width: 32, height: 64), format: .gray8, alpha: .opaque)
    for y in 0..<64 { memset(lines.row(y), Int32(y % 2 * 255), 32) }
    var options = EncodeOptions(maxSize: Size(width: 8, height: 16))
    options.linearLight = isLight
    let file = try Staged.registry.encode(Image(lines), as: .png, options: options)
    let found = try Staged.registry.decode(.bytes(file)).pixels.withRow(8) { Array($0) }
    #expect(found.allSatisfy { abs(Int($0) - wanted) <= 1 }, "\(found)")
  }
}
