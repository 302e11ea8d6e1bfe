// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Colors of one space as those of another: against the formulas, worked out in double precision here.
@Suite struct ColorTransformTests {
  private static let points = CodingIndependentCodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)

  /// From light of Display P3 to that of sRGB.
  private static let fromP3 = [
    [1.2249401762805598, -0.2249401762805598, 0], [-0.0420569547096881, 1.0420569547096881, 0],
    [-0.0196375545903344, -0.0786360455506319, 1.0982736001409663],
  ]

  private static func light(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func encoded(_ light: Double) -> Double {
    let light = min(max(light, 0), 1)
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// Exact values of sRGB, 0 to 1, of values of Display P3.
  private static func fromP3(_ color: [Double]) -> [Double] {
    fromP3.map { row in encoded(zip(row, color).reduce(0) { $0 + $1.0 * light($1.1) }) }
  }

  private static func buffer<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ samples: [Sample], _ format: PixelFormat, _ alpha: AlphaMode = .opaque
  ) throws -> PixelBuffer {
    let width = samples.count / format.channelCount
    let buffer = try PixelBuffer(size: Size(width: width, height: 1), format: format, alpha: alpha)
    buffer.withMutableRow(0) { row in samples.withUnsafeBytes { row.copyMemory(from: $0) } }
    return buffer
  }

  private static func samples<Sample: BitwiseCopyable>(_ buffer: PixelBuffer, _: Sample.Type) -> [Sample] {
    buffer.withRow(0) { Array($0.bindMemory(to: Sample.self)) }
  }

  private static func transform(
    _ source: ColorSpace, to target: ColorSpace = .sRGB, _ mapping: ToneMapping = .bt2390, peak: Double? = nil
  ) throws -> ColorTransform {
    try #require(try ColorTransform(from: source, to: target, toneMapping: mapping, peak: peak))
  }

  @Test func colorsOf8BitsAreWithinACode() throws {
    let color = try Self.transform(.displayP3)
    var generator = SeededGenerator(seed: 7)
    var bytes: [UInt8] = [200, 100, 50, 30, 200, 90]
    for _ in 0..<200_000 { for _ in 0..<3 { bytes.append(UInt8.random(in: 0...255, using: &generator)) } }
    let found = Self.samples(
      try Self.buffer(bytes, .rgb8).converted(to: PixelLayout(.rgb8, .opaque), color: color), UInt8.self)
    #expect(Array(found[0..<6]) == [215, 93, 31, 0, 204, 73])
    var worst = 0.0
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let exact = Self.fromP3(bytes[start..<start + 3].map { Double($0) / 255 })
      for channel in 0..<3 { worst = max(worst, abs(Double(found[start + channel]) - exact[channel] * 255)) }
    }
    #expect(worst < 0.7)
  }

  @Test func colorsOf16BitsAreWithinACode() throws {
    let color = try Self.transform(.displayP3)
    var generator = SeededGenerator(seed: 8)
    var words: [UInt16] = []
    for index in 0..<100_000 {
      // Dark colors, too, where the curves are steepest.
      let top: UInt16 = index % 3 == 0 ? 600 : .max
      for _ in 0..<3 { words.append(UInt16.random(in: 0...top, using: &generator)) }
      words.append(UInt16.random(in: 0...UInt16.max, using: &generator))
    }
    let found = Self.samples(
      try Self.buffer(words, .rgba16, .straight).converted(to: PixelLayout(.rgba16, .straight), color: color),
      UInt16.self)
    var worst = 0.0
    for start in stride(from: 0, to: words.count, by: 4) {
      let exact = Self.fromP3(words[start..<start + 3].map { Double($0) / 65_535 })
      for channel in 0..<3 { worst = max(worst, abs(Double(found[start + channel]) - exact[channel] * 65_535)) }
      #expect(found[start + 3] == words[start + 3])
    }
    #expect(worst < 1.5, "\(worst)")
  }

  @Test func everyLayoutHasTheSameColors() throws {
    let color = try Self.transform(.displayP3)
    let straight: [UInt8] = [200, 100, 50, 77]
    func converted(_ buffer: PixelBuffer, _ format: PixelFormat, _ alpha: AlphaMode) throws -> [UInt8] {
      Self.samples(try buffer.converted(to: PixelLayout(format, alpha), color: color), UInt8.self)
    }
    #expect(try converted(Self.buffer(straight, .rgba8, .straight), .rgba8, .straight) == [215, 93, 31, 77])
    let swapped = try Self.buffer([50, 100, 200, 77] as [UInt8], .bgra8, .straight)
    #expect(try converted(swapped, .bgra8, .straight) == [31, 93, 215, 77])
    #expect(try converted(swapped, .rgba8, .straight) == [215, 93, 31, 77])
    #expect(try converted(Self.buffer([200, 100, 50] as [UInt8], .rgb8), .rgba8, .opaque) == [215, 93, 31, 255])
    // Colors are converted apart from alpha: 215 × 77 / 255.
    #expect(try converted(Self.buffer(straight, .rgba8, .straight), .rgba8, .premultiplied) == [65, 28, 9, 77])
    // 50, 25 and 12 of 64 are 199, 100 and 48 of 255, which are 213.8, 92.7 and 27.4.
    #expect(
      try converted(Self.buffer([50, 25, 12, 64] as [UInt8], .rgba8, .premultiplied), .rgba8, .straight)
        == [214, 93, 27, 64])
    // BT.601's luma of 215, 93, 31.
    #expect(try converted(Self.buffer([200, 100, 50] as [UInt8], .rgb8), .gray8, .opaque) == [122])
    let wide = try Self.buffer([200, 100, 50] as [UInt8], .rgb8)
      .converted(to: PixelLayout(.rgba16, .opaque), color: color)
    let exact = Self.fromP3([200, 100, 50].map { $0 / 255 }).map { $0 * 65_535 }
    for (found, exact) in zip(Self.samples(wide, UInt16.self), exact) { #expect(abs(Double(found) - exact) < 1.5) }
  }

  @Test func graysHaveTheirOwnCurve() throws {
    for (gamma, expected) in [(2.2, 129), (1.8, 146)] as [(Double, UInt8)] {
      let color = try Self.transform(ColorSpace("Gray", .gray(.gamma(gamma))))
      let gray = try Self.buffer([0, 128, 255] as [UInt8], .gray8)
      #expect(
        Self.samples(try gray.converted(to: PixelLayout(.gray8, .opaque), color: color), UInt8.self)
          == [0, expected, 255])
      #expect(
        Self.samples(try gray.converted(to: PixelLayout(.rgb8, .opaque), color: color), UInt8.self)
          == [0, 0, 0, expected, expected, expected, 255, 255, 255])
      // As colors, too: a reader may deliver them so.
      let colors = try Self.buffer([128, 128, 128, 9] as [UInt8], .rgba8, .straight)
      #expect(
        Self.samples(try colors.converted(to: PixelLayout(.rgba8, .straight), color: color), UInt8.self)
          == [expected, expected, expected, 9])
    }
    let color = try Self.transform(ColorSpace("Gray", .gray(.gamma(2.2))))
    let deep = try Self.buffer([0, 32_896, 1234, 65_535, 7, 9] as [UInt16], .grayAlpha16, .straight)
    let found = Self.samples(
      try deep.converted(to: PixelLayout(.grayAlpha16, .straight), color: color), UInt16.self)
    #expect(found[1] == 32_896 && found[3] == 65_535 && found[5] == 9)
    #expect(abs(Double(found[2]) - Self.encoded(pow(1234.0 / 65_535, 2.2)) * 65_535) < 1.5)
  }

  @Test func spacesThatAreTheSameNeedNothing() throws {
    let profile = try ICCColorReader.space(MatrixProfile.sRGB.bytes, isGray: false)
    #expect(try ColorTransform(from: .sRGB, to: .sRGB, toneMapping: .bt2390) == nil)
    #expect(try ColorTransform(from: profile, to: .sRGB, toneMapping: .bt2390) == nil)
    #expect(try ColorTransform(from: ColorSpace("Gray", .gray(.sRGB)), to: .sRGB, toneMapping: .bt2390) == nil)
    #expect(try ColorTransform(from: ColorSpace("Gray", .gray(.gamma(2.2))), to: .sRGB, toneMapping: .bt2390) != nil)
  }

  @Test func wideTargetsKeepVividColors() throws {
    let color = try Self.transform(.sRGB, to: .displayP3)
    let red = try Self.buffer([255, 0, 0] as [UInt8], .rgb8)
    // 0.8224620, 0.0331942, 0.0170826 of light.
    #expect(
      Self.samples(try red.converted(to: PixelLayout(.rgb8, .opaque), color: color), UInt8.self) == [234, 51, 35])
  }

  @Test func lightIsKeptInFloatingPoint() throws {
    let hdr = ColorSpace.named(9, 16)
    let color = try Self.transform(hdr, to: .named(9, 8))
    // 1000, 203 and 100 nit.
    let words: [UInt16] = [49_271, 38_055, 33_297, 65_535]
    let result = try Self.buffer(words, .rgba16).converted(to: PixelLayout(.rgbaFloat32, .opaque), color: color)
    let light = Self.samples(result, Float.self)
    for (found, nits) in zip(light, [1000, 203, 100]) { #expect(abs(Double(found) * 203 / Double(nits) - 1) < 1e-3) }
    #expect(light[3] == 1)
  }

  private static func gray(_ nits: Double) -> [UInt16] {
    let value = UInt16((ToneCurve.pq(luminance: nits) * 65_535).rounded())
    return [value, value, value, 65_535]
  }

  @Test(
    arguments: [
      (.clip, [15, 63, 136, 186, 255, 255, 255]), (.bt2390, [15, 63, 136, 186, 229, 250, 255]),
      (.rwtmo, [8, 43, 98, 136, 188, 223, 255]),
    ] as [(ToneMapping, [Int])])
  func graysOfPQAreMapped(_ mapping: ToneMapping, _ codes: [Int]) throws {
    let color = try Self.transform(.named(9, 16), mapping, peak: 1000)
    let nits = [1, 10, 50, 100, 203, 400, 1000].map(Double.init)
    let found = Self.samples(
      try Self.buffer(nits.flatMap(Self.gray), .rgba16).converted(to: PixelLayout(.rgba16, .opaque), color: color),
      UInt16.self)
    for (index, code) in codes.enumerated() {
      let gray = Double(found[4 * index]) / 257
      #expect(gray.rounded() == Double(code), "\(nits[index]) nit")
      // Gray stays gray within the rounding of 16 bits.
      #expect(abs(Int(found[4 * index]) - Int(found[4 * index + 1])) <= 2)
    }
  }

  @Test func colorsOfHDRBecomeThoseOfSRGB() throws {
    func converted(_ space: ColorSpace, _ color: [Double]) throws -> [Double] {
      let words = (color + [1]).map { UInt16(($0 * 65_535).rounded()) }
      let result = try Self.buffer(words, .rgba16).converted(
        to: PixelLayout(.rgba16, .opaque), color: try Self.transform(space, .clip))
      return Self.samples(result, UInt16.self).prefix(3).map { Double($0) / 257 }
    }
    for (found, expected) in [
      (try converted(.named(9, 16), [0.58, 0.5, 0.4]), [255, 167.64, 95.26]),
      (try converted(.named(9, 18), [0.75, 0.6, 0.3]), [255, 165.88, 65.76]),
    ] {
      for (a, b) in zip(found, expected) { #expect(abs(a - b) < 0.02, "\(found)") }
    }
  }

  @Test func thePeakIsMeasuredButForAFewPixels() throws {
    let color = try Self.transform(.named(9, 16))
    var words: [UInt16] = []
    for _ in 0..<19_999 { words += Self.gray(400) }
    words += Self.gray(4000)
    let picture = try Self.buffer(words, .rgba16)
    // One of 20,000 is above.
    #expect(abs(try color.peak(of: picture) - 400) < 0.2)
    #expect(abs(try color.peak(of: Self.buffer(Self.gray(4000), .rgba16)) - 4000) < 2)
    // A picture of SDR's white in HDR keeps its white: nothing is mapped.
    let white = try Self.buffer(Self.gray(203) + Self.gray(100), .rgba16)
    let found = Self.samples(
      try white.converted(to: PixelLayout(.rgb8, .opaque), color: color), UInt8.self)
    #expect(found == [255, 255, 255, 186, 186, 186])
  }

  @Test func targetsHaveCurvesThatRise() throws {
    let matrix = try #require(Chromaticities.sRGB.toXYZ)
    let falling = ColorSpace(
      "Falling", .rgb(toXYZ: matrix, curves: [.table([0, 9, 3, 0xFFFF]), .sRGB, .sRGB]))
    #expect(throws: CoderError.self) { try ColorTransform(from: .sRGB, to: falling, toneMapping: .clip) }
    #expect(throws: CoderError.self) {
      try ColorTransform(from: .sRGB, to: ColorSpace("Printer", .tables), toneMapping: .clip)
    }
  }
}
