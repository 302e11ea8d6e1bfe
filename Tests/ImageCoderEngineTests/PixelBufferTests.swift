// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

@Suite struct PixelBufferTests {
  // MARK: - Orientation

  /// Three columns, two rows:
  ///
  ///     1 2 3
  ///     4 5 6
  private static let small = Size(width: 3, height: 2)

  /// What is shown for each orientation, row by row.
  private static let shown: [Orientation: [UInt8]] = [
    .up: [1, 2, 3, 4, 5, 6],
    .upMirrored: [3, 2, 1, 6, 5, 4],
    .down: [6, 5, 4, 3, 2, 1],
    .downMirrored: [4, 5, 6, 1, 2, 3],
    .leftMirrored: [1, 4, 2, 5, 3, 6],
    .right: [4, 1, 5, 2, 6, 3],
    .rightMirrored: [6, 3, 5, 2, 4, 1],
    .left: [3, 6, 2, 5, 1, 4],
  ]

  @Test(arguments: Orientation.allCases)
  func eachOrientationShowsTheSixPixelsInItsOrder(_ orientation: Orientation) throws {
    for format in PixelFormat.allCases {
      let step = format.bytesPerPixel
      // Every byte of a pixel differs, so that one that is lost or moved shows.
      let stored = (1...6).flatMap { pixel in (0..<step).map { UInt8(16 * $0 + pixel) } }
      let expected = Self.shown[orientation]?.flatMap { pixel in (0..<step).map { UInt8(16 * $0 + Int(pixel)) } }
      let result = try PixelBuffer(Self.small, format, .straight, bytes: stored).oriented(by: orientation)
      #expect(result.size == orientation.displayed(Self.small))
      #expect(result.format == format)
      #expect(result.bytes == expected, "\(format)")
    }
  }

  @Test func upIsTheSameBuffer() throws {
    let buffer = try PixelBuffer(random: Self.small, .rgb8, .opaque, seed: 1)
    #expect(try buffer.oriented(by: .up) === buffer)
  }

  @Test(arguments: [
    (Orientation.right, Orientation.left), (.left, .right), (.down, .down), (.upMirrored, .upMirrored),
    (.downMirrored, .downMirrored), (.leftMirrored, .leftMirrored), (.rightMirrored, .rightMirrored),
  ])
  func aTurnAndItsOppositeChangeNothing(_ first: Orientation, _ second: Orientation) throws {
    // Sides that are no multiple of a block of the transposition.
    let size = Size(width: 71, height: 45)
    for format in PixelFormat.allCases {
      let buffer = try PixelBuffer(random: size, format, .straight, seed: 2)
      let back = try buffer.oriented(by: first).oriented(by: second)
      #expect(back.size == size)
      #expect(back.bytes.elementsEqual(buffer.bytes), "\(format)")
    }
  }

  @Test func fourRightTurnsAreAWholeTurnAndTwoAreHalf() throws {
    let buffer = try PixelBuffer(random: Size(width: 33, height: 65), .rgba8, .straight, seed: 3)
    let half = try buffer.oriented(by: .right).oriented(by: .right)
    #expect(half.bytes.elementsEqual(try buffer.oriented(by: .down).bytes))
    #expect(try half.oriented(by: .right).oriented(by: .right).bytes.elementsEqual(buffer.bytes))
  }

  @Test func rowsWithSpaceBetweenThemAreTurned() throws {
    var memory: [UInt8] = [1, 2, 3, 99, 99, 4, 5, 6]
    try memory.withUnsafeMutableBytes { memory in
      let buffer = try PixelBuffer(wrapping: memory, size: Self.small, format: .gray8, alpha: .opaque, stride: 5)
      for orientation in Orientation.allCases where orientation != .up {
        #expect(try buffer.oriented(by: orientation).bytes == Self.shown[orientation])
      }
    }
  }

  // MARK: - Conversion

  @Test func conversionKeepsTheSizeAndCoversAllRows() throws {
    let buffer = try PixelBuffer(Size(width: 1, height: 3), .gray8, .opaque, bytes: [1, 2, 3])
    let result = try buffer.converted(to: PixelLayout(.rgb8, .opaque))
    #expect(result.bytes == [1, 1, 1, 2, 2, 2, 3, 3, 3])
  }

  @Test func anOpaquePictureIsStraightAndPremultipliedInTheSameMemory() throws {
    let buffer = try PixelBuffer(random: Size(width: 3, height: 2), .rgba8, .opaque, seed: 6)
    for alpha in [AlphaMode.straight, .premultiplied] {
      let result = try buffer.converted(to: PixelLayout(.rgba8, alpha))
      #expect(result.base == buffer.base)
      #expect(result.alpha == alpha)
      #expect(result.bytes == buffer.bytes)
    }
  }

  // MARK: - Flattening

  @Test func straightColorIsLaidOverTheBackground() throws {
    let buffer = try PixelBuffer(
      Size(width: 3, height: 1), .rgba8, .straight, bytes: [200, 100, 0, 255, 200, 100, 0, 0, 200, 100, 0, 51])
    let result = try buffer.flattened(on: PixelColor(red: 255, green: 0, blue: 100))
    #expect(PixelLayout(result.format, result.alpha) == PixelLayout(.rgb8, .opaque))
    // 51 is a fifth: 200/5 + 255 × 4/5, 100/5, 100 × 4/5.
    #expect(result.bytes == [200, 100, 0, 255, 0, 100, 244, 20, 80])
  }

  @Test func premultipliedColorIsLaidOverTheBackground() throws {
    let buffer = try PixelBuffer(Size(width: 1, height: 1), .bgra8, .premultiplied, bytes: [0, 20, 40, 51])
    #expect(try buffer.flattened(on: PixelColor(red: 255, green: 0, blue: 100)).bytes == [244, 20, 80])
  }

  @Test func grayWithAlphaBecomesColorWhereItIsEightBits() throws {
    let buffer = try PixelBuffer(Size(width: 1, height: 1), .grayAlpha8, .straight, bytes: [100, 51])
    #expect(try buffer.flattened(on: PixelColor(red: 255, green: 0, blue: 100)).bytes == [224, 20, 100])
  }

  @Test func opaquePicturesOfEightBitsBecomeRGB() throws {
    let rgb = try PixelBuffer(Size(width: 1, height: 1), .rgb8, .opaque, bytes: [1, 2, 3])
    #expect(try rgb.flattened(on: PixelColor(red: 9, green: 9, blue: 9)) === rgb)
    let gray = try PixelBuffer(Size(width: 1, height: 1), .gray8, .opaque, bytes: [7])
    #expect(try gray.flattened(on: PixelColor(red: 9, green: 9, blue: 9)).bytes == [7, 7, 7])
    let rgba = try PixelBuffer(Size(width: 1, height: 1), .rgba8, .opaque, bytes: [1, 2, 3, 255])
    #expect(try rgba.flattened(on: PixelColor(red: 9, green: 9, blue: 9)).bytes == [1, 2, 3])
  }

  @Test func widerFormatsKeepTheirFormatWithFullAlpha() throws {
    let deep = try PixelBuffer(size: Size(width: 1, height: 1), format: .rgba16, alpha: .straight)
    deep.base.storeBytes(of: SIMD4<UInt16>(50_000, 0, 65_535, 13_107), as: SIMD4<UInt16>.self)
    let flat = try deep.flattened(on: PixelColor(red: 255, green: 255, blue: 0))
    #expect(PixelLayout(flat.format, flat.alpha) == PixelLayout(.rgba16, .opaque))
    #expect(flat.words == [62_428, 52_428, 13_107, 65_535])

    let gray = try PixelBuffer(size: Size(width: 1, height: 1), format: .grayAlpha16, alpha: .premultiplied)
    gray.base.storeBytes(of: SIMD2<UInt16>(100, 0), as: SIMD2<UInt16>.self)
    // The luma of pure red: 0.299 × 65535 = 19594.97.
    #expect(try gray.flattened(on: PixelColor(red: 255, green: 0, blue: 0)).words == [19_695, 65_535])

    let float = try PixelBuffer(size: Size(width: 1, height: 1), format: .rgbaFloat32, alpha: .straight)
    float.base.storeBytes(of: SIMD4<Float>(1, 0.5, 0, 0.25), as: SIMD4<Float>.self)
    #expect(try float.flattened(on: PixelColor(red: 0, green: 0, blue: 255)).samples == [0.25, 0.125, 0.75, 1])
  }

  @Test(arguments: PixelLayout.all)
  func flatteningStaysWithinHalfAStep(_ layout: PixelLayout) throws {
    let size = Size(width: 300, height: 2)
    let buffer = try PixelBuffer(random: size, layout.format, layout.alpha, seed: 4)
    let result = try buffer.flattened(on: PixelColor(red: 30, green: 200, blue: 90))
    #expect(result.alpha == .opaque && result.size == size)
    let colors = try buffer.converted(to: PixelLayout(.rgbaFloat32, layout.alpha)).samples
    let found = try result.converted(to: PixelLayout(.rgbaFloat32, .opaque)).samples
    let luma = (0.299 * 30 + 0.587 * 200 + 0.114 * 90) / 255
    let background = layout.format == .grayAlpha16 ? [luma, luma, luma] : [30.0 / 255, 200.0 / 255, 90.0 / 255]
    let step = layout.format.bytesPerChannel == 1 ? 1.0 / 255 : layout.format == .rgbaFloat16 ? 2e-3 : 1.0 / 65_535
    var worst = 0.0
    for i in 0..<size.pixelCount {
      let alpha = colors[4 * i + 3]
      for c in 0..<3 {
        let color = layout.alpha == .straight ? colors[4 * i + c] * alpha : colors[4 * i + c]
        worst = max(worst, abs(found[4 * i + c] - (color + background[c] * (1 - alpha))))
      }
      #expect(found[4 * i + 3] == 1)
    }
    // The luma of the background has been rounded before.
    #expect(worst <= (layout.format == .grayAlpha16 ? 1.01 : 0.51) * step)
  }

  // MARK: - Resampling

  @Test func resamplingToTheSameSizeIsTheSameBuffer() throws {
    let buffer = try PixelBuffer(random: Size(width: 9, height: 9), .rgb8, .opaque, seed: 5)
    #expect(try buffer.resampled(to: buffer.size) === buffer)
    #expect(try buffer.resampled(to: buffer.size, region: .whole(buffer.size)) === buffer)
  }

  @Test func resamplingARegionOfWholePixelsCutsItOut() throws {
    let buffer = try PixelBuffer(
      Size(width: 3, height: 3), .gray8, .opaque, bytes: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    let region = ResamplingRegion(x: 1, y: 1, width: 2, height: 2)
    #expect(try buffer.resampled(to: Size(width: 2, height: 2), region: region).bytes == [5, 6, 8, 9])
  }

  // MARK: What applications see of samples

  @Test func samplesAreCopiedInAndOut() throws {
    let size = Size(width: 2, height: 3)
    // Rows of 6 bytes, 8 apart; the last one has no padding.
    let padded = (0..<22).map { UInt8($0) }
    let pixels = try PixelBuffer(copying: padded, size: size, format: .rgb8, stride: 8)
    #expect(pixels.copyBytes() == [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21])
    let row = pixels.samples(inRow: 1)
    #expect(row.count == 6 && row[0] == 8 && row[5] == 13)
    pixels.withMutableSamples(inRow: 1) { row in for index in row.indices { row[index] += 100 } }
    #expect(pixels.samples(inRow: 1)[5] == 113)
    #expect(pixels.samples(inRow: 0)[5] == 5 && pixels.samples(inRow: 2)[0] == 16)
    #expect(throws: CoderError.invalidArgument("21 bytes with a stride of 8 do not hold 2×3 pixels of rgb8")) {
      try PixelBuffer(copying: padded.dropLast(), size: size, format: .rgb8, stride: 8)
    }
    #expect(throws: CoderError.invalidArgument("22 bytes with a stride of 5 do not hold 2×3 pixels of rgb8")) {
      try PixelBuffer(copying: padded, size: size, format: .rgb8, stride: 5)
    }
  }

  @Test func samplesHaveTheFormatsType() throws {
    let pixels = try PixelBuffer(size: Size(width: 2, height: 1), format: .grayAlpha16, alpha: .straight)
    pixels.withMutableSamples(inRow: 0, as: UInt16.self) { row in
      for index in row.indices { row[index] = UInt16(index + 1) * 257 }
    }
    let samples = pixels.samples(inRow: 0, as: UInt16.self)
    #expect(samples.count == 4 && samples[3] == 1028)
    #expect(pixels.copyBytes() == [1, 1, 2, 2, 3, 3, 4, 4])
  }
}
