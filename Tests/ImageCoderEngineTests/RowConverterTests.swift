// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

@Suite struct RowConverterTests {
  private static func convert<From: BitwiseCopyable, To: BitwiseCopyable>(
    _ source: [From], _ from: PixelLayout, _ to: PixelLayout, as: To.Type, zero: To
  ) -> [To] {
    let count = source.count * MemoryLayout<From>.size / from.format.bytesPerPixel
    var result = [To](repeating: zero, count: count * to.format.channelCount)
    source.withUnsafeBytes { source in
      result.withUnsafeMutableBytes { result in
        guard let source = source.baseAddress, let result = result.baseAddress else { return }
        RowConverter(from: from, to: to).convert(source, into: result, count: count)
      }
    }
    return result
  }

  private static func bytes(
    _ source: [UInt8], _ from: PixelFormat, _ fromAlpha: AlphaMode, _ to: PixelFormat, _ toAlpha: AlphaMode
  ) -> [UInt8] {
    convert(source, PixelLayout(from, fromAlpha), PixelLayout(to, toAlpha), as: UInt8.self, zero: 0)
  }

  // MARK: - Hand-computed values

  @Test func colorGainsFullAlpha() {
    // Six pixels: one loop of four, and two that are left over.
    let rgb: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    let rgba: [UInt8] = [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255, 13, 14, 15, 255, 16, 17, 18, 255]
    let bgra: [UInt8] = [3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255, 12, 11, 10, 255, 15, 14, 13, 255, 18, 17, 16, 255]
    #expect(Self.bytes(rgb, .rgb8, .opaque, .rgba8, .straight) == rgba)
    #expect(Self.bytes(rgb, .rgb8, .opaque, .bgra8, .premultiplied) == bgra)
    #expect(Self.bytes(rgba, .rgba8, .opaque, .rgb8, .opaque) == rgb)
    #expect(Self.bytes(bgra, .bgra8, .straight, .rgb8, .opaque) == rgb)
    #expect(Self.bytes(rgba, .rgba8, .straight, .bgra8, .straight) == bgra)
  }

  @Test func grayBecomesThreeEqualChannels() {
    #expect(Self.bytes([0, 7, 255], .gray8, .opaque, .rgb8, .opaque) == [0, 0, 0, 7, 7, 7, 255, 255, 255])
    #expect(Self.bytes([9], .gray8, .opaque, .bgra8, .premultiplied) == [9, 9, 9, 255])
    #expect(Self.bytes([9, 100], .grayAlpha8, .straight, .rgba8, .straight) == [9, 9, 9, 100])
    #expect(Self.bytes([200, 100], .grayAlpha8, .straight, .rgb8, .opaque) == [200, 200, 200])
  }

  @Test func colorBecomesLuma() {
    // 0.299 × 255 = 76.245, 0.587 × 255 = 149.685, 0.114 × 255 = 29.07; 2.99 + 11.74 + 3.42 = 18.15.
    let colors: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 255, 255, 255]
    #expect(Self.bytes(colors, .rgb8, .opaque, .gray8, .opaque) == [76, 150, 29, 18, 255])
    #expect(Self.bytes([30, 20, 10, 77], .bgra8, .straight, .grayAlpha8, .straight) == [18, 77])
  }

  @Test func sixteenBitsAreEightTimes257() {
    let layouts = (PixelLayout(.gray8, .opaque), PixelLayout(.gray16, .opaque))
    let all = (0...255).map { UInt8($0) }
    let wide = Self.convert(all, layouts.0, layouts.1, as: UInt16.self, zero: 0)
    #expect(wide == (0...255).map { UInt16($0 * 257) })
    #expect(Self.convert(wide, layouts.1, layouts.0, as: UInt8.self, zero: 0) == all)
  }

  @Test func eightBitsAreTheNearestOfAllSixteen() {
    let all = (0...65_535).map { UInt16($0) }
    let expected = (0...65_535).map { UInt8((2 * $0 + 257) / 514) }
    let target = PixelLayout(.gray8, .opaque)
    let direct = Self.convert(all, PixelLayout(.gray16, .opaque), target, as: UInt8.self, zero: 0)
    #expect(direct.elementsEqual(expected))
    // The path through an intermediate row rounds as the direct one does.
    let both: [UInt16] = all.flatMap { [$0, 65_535] }
    let indirect = Self.convert(both, PixelLayout(.grayAlpha16, .straight), target, as: UInt8.self, zero: 0)
    #expect(indirect.elementsEqual(expected))
  }

  @Test func floatsAreClampedAndRounded() {
    let floats: [Float] = [0, 0.5, 1, 1, -1, 2, .nan, 1, 0.001, 0.002, 0.998, 0.25]
    let layout = PixelLayout(.rgbaFloat32, .straight)
    #expect(
      Self.convert(floats, layout, PixelLayout(.rgba8, .straight), as: UInt8.self, zero: 0)
        == [0, 128, 255, 255, 0, 255, 0, 255, 0, 1, 254, 64])
    #expect(
      Self.convert(floats, layout, PixelLayout(.rgba16, .straight), as: UInt16.self, zero: 0)
        == [0, 32_768, 65_535, 65_535, 0, 65_535, 0, 65_535, 66, 131, 65_404, 16_384])
    #expect(
      Self.convert([255, 51, 0] as [UInt8], PixelLayout(.rgb8, .opaque), layout, as: Float.self, zero: 0)
        == [1, 0.2, 0, 1])
  }

  @Test func droppingAlphaBringsColorBack() {
    #expect(Self.bytes([50, 25, 0, 100], .rgba8, .premultiplied, .rgb8, .opaque) == [128, 64, 0])
    #expect(Self.bytes([50, 25, 0, 100], .rgba8, .straight, .rgb8, .opaque) == [50, 25, 0])
    #expect(Self.bytes([50, 25, 0, 100], .rgba8, .straight, .rgba8, .opaque) == [50, 25, 0, 255])
    #expect(Self.bytes([50, 25, 0, 100], .rgba8, .premultiplied, .bgra8, .opaque) == [0, 64, 128, 255])
  }

  // MARK: - Every value

  /// A pixel for each byte, which all its colors have, with one alpha.
  private static func ramp(_ format: PixelFormat, alpha: Int, _ value: (Int) -> Int = { $0 }) -> [UInt8] {
    (0...255).flatMap { color -> [UInt8] in
      [UInt8](repeating: UInt8(value(color)), count: format.channelCount - 1) + [UInt8(alpha)]
    }
  }

  @Test(arguments: [PixelFormat.rgba8, .bgra8, .grayAlpha8])
  func premultiplyingRoundsEveryPairOfBytesExactly(_ format: PixelFormat) {
    for alpha in 0...255 {
      let result = Self.bytes(Self.ramp(format, alpha: alpha), format, .straight, format, .premultiplied)
      #expect(result == Self.ramp(format, alpha: alpha) { ($0 * alpha + 127) / 255 })
    }
  }

  @Test(arguments: [PixelFormat.rgba8, .bgra8, .grayAlpha8])
  func unpremultiplyingRoundsEveryPairOfBytesExactly(_ format: PixelFormat) {
    for alpha in 0...255 {
      let result = Self.bytes(Self.ramp(format, alpha: alpha), format, .premultiplied, format, .straight)
      // Nearest, half up; 0 where nothing is seen, and the maximum where color is over alpha.
      let expected = Self.ramp(format, alpha: alpha) { color in
        alpha == 0 ? 0 : min(255, (2 * color * 255 + alpha) / (2 * alpha))
      }
      #expect(result == expected)
    }
  }

  @Test func swappingWhilePremultiplyingIsBothInTurn() {
    var generator = SeededGenerator(seed: 4)
    let source = (0..<4_000).map { _ in generator.byte() }
    for (from, to) in [(AlphaMode.straight, AlphaMode.premultiplied), (.premultiplied, .straight)] {
      let inTurn = Self.bytes(Self.bytes(source, .rgba8, from, .bgra8, from), .bgra8, from, .bgra8, to)
      #expect(Self.bytes(source, .rgba8, from, .bgra8, to) == inTurn)
      #expect(Self.bytes(inTurn, .bgra8, to, .rgba8, to) == Self.bytes(source, .rgba8, from, .rgba8, to))
    }
  }

  @Test func everyHalfPrecisionNumberIsReadExactly() {
    let all = (0...65_535).map { Float16(bitPattern: UInt16($0)) }
    let result = Self.convert(
      all, PixelLayout(.rgbaFloat16, .straight), PixelLayout(.rgbaFloat32, .straight), as: Float.self, zero: 0)
    let wrong = zip(all, result).filter { half, float in
      half.isNaN ? !float.isNaN : Float(half).bitPattern != float.bitPattern
    }
    #expect(wrong.isEmpty)
  }

  @Test func halfPrecisionIsWrittenAsTheNearest() {
    var generator = SeededGenerator(seed: 5)
    var all: [Float] = [0, -0.0, 65_504, 65_519.99, 65_520, 1e30, .infinity, -.infinity, 0x1p-24, 0x1p-25, 0x1.8p-25]
    for bits in stride(from: UInt32(0), to: 0x7C00, by: 1) {
      // Between each two numbers of half precision: the middle, and its neighbours.
      let low = Float(Float16(bitPattern: UInt16(bits)))
      let high = Float(Float16(bitPattern: UInt16(bits + 1)))
      if high.isFinite { all += [(low + high) / 2, ((low + high) / 2).nextUp, ((low + high) / 2).nextDown] }
    }
    for _ in 0..<20_000 { all.append(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))) }
    while all.count % 4 != 0 { all.append(0) }
    let result = Self.convert(
      all, PixelLayout(.rgbaFloat32, .straight), PixelLayout(.rgbaFloat16, .straight), as: Float16.self, zero: 0)
    let wrong = zip(all, result).filter { float, half in
      float.isNaN ? !half.isNaN : Float16(float).bitPattern != half.bitPattern
    }
    #expect(wrong.isEmpty)
  }

  // MARK: - Every pair of layouts

  /// One pixel by the rules of the documentation, in exact enough arithmetic.
  private static func expected(_ pixel: [Double], _ from: PixelLayout, _ to: PixelLayout) -> [Double] {
    var color = from.format.isGray ? [pixel[0], pixel[0], pixel[0]] : Array(pixel[0..<3])
    if from.format == .bgra8 { color.reverse() }
    var alpha = from.alpha == .opaque ? 1 : pixel[pixel.count - 1]
    if from.alpha == .premultiplied, to.alpha != .premultiplied {
      color = color.map { alpha == 0 ? 0 : min($0 / alpha, from.format.isFloat ? .infinity : 1) }
    }
    if from.alpha == .straight, to.alpha == .premultiplied { color = color.map { $0 * alpha } }
    if to.alpha == .opaque { alpha = 1 }
    if to.format == .bgra8 { color.reverse() }
    var result = to.format.isGray ? [0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]] : color
    if to.format.hasAlpha { result.append(alpha) }
    return result.map { to.format.isFloat ? $0 : min(max($0, 0), 1) }
  }

  @Test(arguments: PixelLayout.all)
  func everyPairOfLayoutsFollowsTheRules(_ from: PixelLayout) throws {
    // More pixels than one chunk of the intermediate row, and not a multiple of any vector.
    let size = Size(width: 301, height: 2)
    let source = try PixelBuffer(random: size, from.format, from.alpha, seed: 6)
    let samples = source.samples
    for to in PixelLayout.all {
      let result = try source.converted(to: to)
      #expect(PixelLayout(result.format, result.alpha) == to)
      let found = result.samples
      let step: Double = to.format.isFloat ? (to.format == .rgbaFloat16 ? 1e-3 : 1e-5) : 0.5
      let scale: Double = to.format.isFloat ? 1 : to.format.bytesPerChannel == 1 ? 255 : 65_535
      // Samples of gray are rounded twice where alpha changes too: once per channel and once as luma.
      let tolerance = to.format.isFloat ? step : from.format.isGray || !to.format.isGray ? 0.51 : 1.01
      var worst = 0.0
      for i in 0..<size.pixelCount {
        let pixel = Array(samples[(i * from.format.channelCount)..<((i + 1) * from.format.channelCount)])
        let wanted = Self.expected(pixel, from, to)
        for (c, value) in wanted.enumerated() {
          let got = found[i * to.format.channelCount + c]
          worst = max(worst, abs(got - value) * scale / max(1, to.format.isFloat ? abs(value) : 1))
        }
      }
      #expect(worst <= tolerance, "\(from.format) \(from.alpha) to \(to.format) \(to.alpha): \(worst)")
    }
  }

  @Test(arguments: PixelLayout.all)
  func widerIntegersAndBackChangeNothing(_ layout: PixelLayout) throws {
    guard layout.format.bytesPerChannel == 1 else { return }
    let source = try PixelBuffer(random: Size(width: 67, height: 3), layout.format, layout.alpha, seed: 7)
    let wide = try source.converted(to: PixelLayout(.rgba16, layout.alpha))
    #expect(try wide.converted(to: layout).bytes.elementsEqual(source.bytes))
    let float = try source.converted(to: PixelLayout(.rgbaFloat32, layout.alpha))
    #expect(try float.converted(to: layout).bytes.elementsEqual(source.bytes))
  }

  @Test(arguments: PixelLayout.all)
  func identityIsSaidAndCopiesBytes(_ layout: PixelLayout) throws {
    let converter = RowConverter(from: layout, to: layout)
    #expect(converter.isIdentity)
    let source = try PixelBuffer(random: Size(width: 5, height: 1), layout.format, layout.alpha, seed: 8)
    let result = try PixelBuffer(size: source.size, format: layout.format, alpha: layout.alpha)
    converter.convert(source.base, into: result.base, count: 5)
    #expect(result.bytes == source.bytes)
    #expect(try source.converted(to: layout) === source)
  }

  @Test func onlyLayoutsWithTheSameBytesAreIdentical() {
    for from in PixelLayout.all {
      for to in PixelLayout.all {
        let isSame = from.format == to.format && (from.alpha == to.alpha || from.alpha == .opaque)
        #expect(RowConverter(from: from, to: to).isIdentity == isSame)
      }
    }
  }

  @Test func rowsMayLieAtOddAddresses() throws {
    var generator = SeededGenerator(seed: 9)
    let bytes = (0..<2_000).map { _ in generator.byte() }
    for from in PixelLayout.all where !from.format.isFloat {
      for to in PixelLayout.all where !to.format.isFloat {
        let converter = RowConverter(from: from, to: to)
        let size = 50 * to.format.bytesPerPixel
        var even = [UInt8](repeating: 0, count: size + 1)
        var odd = even
        bytes.withUnsafeBytes { source in
          let aligned = Array(source[1...])
          aligned.withUnsafeBytes { aligned in
            even.withUnsafeMutableBytes { converter.convert(aligned.baseAddress!, into: $0.baseAddress!, count: 50) }
          }
          odd.withUnsafeMutableBytes {
            converter.convert(source.baseAddress! + 1, into: $0.baseAddress! + 1, count: 50)
          }
        }
        #expect(even[..<size] == odd[1...], "\(from) to \(to)")
      }
    }
  }
}
