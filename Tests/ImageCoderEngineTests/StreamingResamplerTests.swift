// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

@Suite struct StreamingResamplerTests {
  // MARK: - Against an implementation of others

  /// Results of Pillow 13, `Image.resize(size, LANCZOS, box)`, for 24 × 18 random samples.
  @Test(arguments: [
    (
      Size(width: 7, height: 5), ResamplingRegion(x: 0, y: 0, width: 24, height: 18),
      [
        128, 87, 97, 157, 100, 123, 152, 121, 121, 80, 130, 147, 101, 128, 171, 125, 115, 115, 141, 112, 129, 118, 131,
        130, 111, 146, 122, 133, 101, 95, 126, 95, 115, 112, 131,
      ]
    ),
    (
      Size(width: 24, height: 6), ResamplingRegion(x: 0, y: 3, width: 24, height: 12),
      [
        75, 77, 65, 71, 178, 168, 42, 9, 47, 105, 96, 169, 177, 196, 241, 133, 190, 70, 134, 88, 116, 110, 171, 172,
      ]
    ),
    (
      Size(width: 5, height: 4), ResamplingRegion(x: 2.5, y: 1.25, width: 17.5, height: 15.75),
      [110, 73, 148, 135, 110, 135, 103, 99, 143, 108, 130, 131, 119, 150, 123, 108, 127, 99, 119, 117]
    ),
  ])
  func givesWhatPillowGives(_ size: Size, _ region: ResamplingRegion, _ expected: [Int]) throws {
    var generator = SeededGenerator(seed: 7)
    let source = try PixelBuffer(
      Size(width: 24, height: 18), .gray8, .opaque, bytes: (0..<(24 * 18)).map { _ in generator.byte() })
    let result = try source.resampled(to: size, region: region).bytes
    // Pillow rounds between its two passes.
    for (found, wanted) in zip(result, expected) { #expect(abs(Int(found) - wanted) <= 1) }
  }

  // MARK: - Against the definition

  @Test(arguments: [
    (Size(width: 151, height: 103), Size(width: 150, height: 51)),
    (Size(width: 151, height: 103), Size(width: 54, height: 36)),
    (Size(width: 240, height: 24), Size(width: 31, height: 24)),
    (Size(width: 20, height: 300), Size(width: 5, height: 38)),
  ])
  func smallReductionsAreTheDefinition(_ source: Size, _ result: Size) throws {
    for layout in PixelLayout.all {
      let picture = try PixelBuffer(random: source, layout.format, layout.alpha, seed: 8)
      let found = try picture.resampled(to: result).samples
      let wanted = Lanczos.resampled(picture, to: result, .whole(source))
      let channels = layout.format.channelCount
      var worst = 0.0
      for i in found.indices {
        // Straight color magnifies what rounding has left, so it counts as much as it is seen.
        let alpha = layout.alpha == .straight && i % channels != channels - 1
        let share = alpha ? wanted[i / channels * channels + channels - 1] : 1
        worst = max(worst, abs(found[i] - wanted[i]) * share)
      }
      let step = layout.format.isFloat ? 2e-3 : layout.format.bytesPerChannel == 1 ? 1.0 / 255 : 1.0 / 65_535
      #expect(worst <= 0.6 * step, "\(layout.format) \(layout.alpha): \(worst)")
    }
  }

  @Test(arguments: [
    (Size(width: 1_200, height: 800), Size(width: 64, height: 43)),
    (Size(width: 1_203, height: 797), Size(width: 100, height: 66)),
    (Size(width: 1_023, height: 2_000), Size(width: 33, height: 200)),
    (Size(width: 2_500, height: 300), Size(width: 9, height: 300)),
  ])
  func largeReductionsAreWithin50DecibelsOfTheDefinition(_ source: Size, _ result: Size) throws {
    for layout in [PixelLayout(.rgb8, .opaque), PixelLayout(.gray16, .opaque), PixelLayout(.rgba8, .premultiplied)] {
      let picture = try Self.scene(source, layout)
      let found = try picture.resampled(to: result).samples
      let wanted = Lanczos.resampled(picture, to: result, .whole(source))
      #expect(Self.decibels(found, wanted) >= 50, "\(layout.format): \(Self.decibels(found, wanted))")
    }
  }

  @Test func regionsWithFractionsAreTheDefinition() throws {
    let picture = try PixelBuffer(random: Size(width: 90, height: 70), .rgb8, .opaque, seed: 9)
    let region = ResamplingRegion(x: 10.25, y: 3.5, width: 61.5, height: 44.125)
    let size = Size(width: 24, height: 17)
    let wanted = Lanczos.resampled(picture, to: size, region)
    let worst = zip(try picture.resampled(to: size, region: region).samples, wanted).map { abs($0 - $1) }.max() ?? 1
    #expect(worst <= 0.51 / 255)
  }

  // MARK: - What must be exact

  @Test(arguments: PixelLayout.all)
  func onePixelForOneCopiesBytes(_ layout: PixelLayout) throws {
    let size = Size(width: 37, height: 11)
    let picture = try PixelBuffer(random: size, layout.format, layout.alpha, seed: 10)
    let result = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha)
    let resampler = try StreamingResampler(source: size, layout: layout, region: .whole(size), destination: result)
    resampler.push(picture.base, stride: picture.stride, count: size.height)
    #expect(resampler.finish() == size.height)
    #expect(result.bytes.elementsEqual(picture.bytes))
  }

  @Test(arguments: PixelLayout.all)
  func oneColorStaysThatColor(_ layout: PixelLayout) throws {
    let source = Size(width: 203, height: 301)
    let picture = try PixelBuffer(size: source, format: layout.format, alpha: layout.alpha)
    let pixel = try PixelBuffer(random: Size(width: 1, height: 1), layout.format, layout.alpha, seed: 11)
    for y in 0..<source.height {
      for x in 0..<source.width {
        (picture.row(y) + x * layout.format.bytesPerPixel)
          .copyMemory(from: pixel.base, byteCount: layout.format.bytesPerPixel)
      }
    }
    for result in [Size(width: 200, height: 301), Size(width: 50, height: 99), Size(width: 2, height: 2)] {
      let found = try picture.resampled(to: result).samples
      let wanted = pixel.samples
      let worst = found.indices.map { abs(found[$0] - wanted[$0 % wanted.count]) }.max()
      #expect(worst ?? 1 <= (layout.format.isFloat ? 1e-3 : 0), "\(layout.format) to \(result)")
    }
  }

  @Test func colorThatIsNotSeenDoesNotBleed() throws {
    // Red where alpha is 0, blue where it is full.
    let source = Size(width: 64, height: 64)
    for size in [Size(width: 24, height: 24), Size(width: 4, height: 4)] {
      let picture = try PixelBuffer(size: source, format: .rgba8, alpha: .straight)
      for i in 0..<source.pixelCount {
        let pixel: SIMD4<UInt8> = i % source.width < 31 ? [255, 0, 0, 0] : [0, 0, 255, 255]
        picture.base.storeBytes(of: pixel, toByteOffset: 4 * i, as: SIMD4<UInt8>.self)
      }
      let result = try picture.resampled(to: size)
      for i in 0..<size.pixelCount {
        let pixel = result.base.load(fromByteOffset: 4 * i, as: SIMD4<UInt8>.self)
        #expect(pixel.x == 0)
        #expect(pixel.w == 0 || pixel.z == 255)
      }
    }
  }

  @Test(arguments: [PixelFormat.rgba8, .grayAlpha8, .rgba16])
  func opaqueRowsAndOthersCountAlike(_ format: PixelFormat) throws {
    // One color, with full alpha in one half of the rows and a fifth of it in the other.
    let source = Size(width: 64, height: 64)
    let picture = try PixelBuffer(size: source, format: .rgba8, alpha: .straight)
    for i in 0..<source.pixelCount {
      let alpha: UInt8 = i / source.width % 2 == 0 ? 255 : 51
      picture.base.storeBytes(of: [200, 200, 200, alpha], toByteOffset: 4 * i, as: SIMD4<UInt8>.self)
    }
    let layout = PixelLayout(format, .straight)
    let result = try picture.converted(to: layout).resampled(to: Size(width: 3, height: 2))
    let bytes = try result.converted(to: PixelLayout(.rgba8, .straight)).bytes
    #expect(bytes == (0..<6).flatMap { _ -> [UInt8] in [200, 200, 200, 153] })
  }

  @Test func premultipliedColorIsNeverOverAlpha() throws {
    let picture = try PixelBuffer(random: Size(width: 200, height: 150), .rgba8, .straight, seed: 12)
    for size in [Size(width: 90, height: 70), Size(width: 11, height: 9)] {
      let result = try PixelBuffer(size: size, format: .rgba8, alpha: .premultiplied)
      let resampler = try StreamingResampler(
        source: picture.size, layout: PixelLayout(.rgba8, .straight), region: .whole(picture.size),
        destination: result)
      resampler.push(picture.base, stride: picture.stride, count: 150)
      #expect(resampler.finish() == size.height)
      let premultiplied = try picture.converted(to: PixelLayout(.rgba8, .premultiplied)).resampled(to: size)
      let bytes = result.bytes
      #expect(bytes.indices.allSatisfy { bytes[$0] <= bytes[$0 | 3] })
      #expect(zip(bytes, premultiplied.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }
  }

  @Test func anOpaqueResultHasFullAlpha() throws {
    for (size, alpha) in [
      (Size(width: 20, height: 20), AlphaMode.straight), (Size(width: 9, height: 8), .premultiplied),
    ] {
      let picture = try PixelBuffer(random: Size(width: 20, height: 20), .rgba8, alpha, seed: 13)
      let result = try PixelBuffer(size: size, format: .rgba8, alpha: .opaque)
      let resampler = try StreamingResampler(
        source: picture.size, layout: PixelLayout(.rgba8, alpha), region: .whole(picture.size), destination: result)
      resampler.push(picture.base, stride: picture.stride, count: 20)
      _ = resampler.finish()
      #expect((0..<size.pixelCount).allSatisfy { result.bytes[4 * $0 + 3] == 255 })
    }
  }

  // MARK: - Streaming

  @Test(arguments: [Size(width: 60, height: 41), Size(width: 5, height: 7), Size(width: 200, height: 100)])
  func chunksOfAnySizeGiveTheSameBytes(_ size: Size) throws {
    let picture = try PixelBuffer(random: Size(width: 200, height: 157), .rgba8, .straight, seed: 14)
    let region = ResamplingRegion(x: 0, y: 20, width: 200, height: 100)
    let wanted = try picture.resampled(to: size, region: region).bytes
    for chunk in [1, 7, 64] {
      let result = try PixelBuffer(size: size, format: .rgba8, alpha: .straight)
      let resampler = try StreamingResampler(
        source: picture.size, layout: PixelLayout(.rgba8, .straight), region: region, destination: result)
      var y = 0
      while y < 157 {
        // Rows beyond the last one are ignored; what is behind the pointer then is not read.
        resampler.push(picture.row(y), stride: picture.stride, count: chunk)
        y += chunk
        #expect(resampler.rowsPushed == min(y, 157))
      }
      #expect(resampler.finish() == size.height)
      #expect(result.bytes.elementsEqual(wanted))
    }
  }

  @Test(arguments: [Size(width: 40, height: 40), Size(width: 8, height: 8), Size(width: 120, height: 160)])
  func rowsAreWrittenAsSoonAsTheirInputIsThere(_ size: Size) throws {
    let picture = try PixelBuffer(random: Size(width: 120, height: 160), .gray8, .opaque, seed: 15)
    let wanted = try picture.resampled(to: size).bytes
    let result = try PixelBuffer(size: size, format: .gray8, alpha: .opaque)
    let resampler = try StreamingResampler(
      source: picture.size, layout: PixelLayout(.gray8, .opaque), region: .whole(picture.size), destination: result)
    let reduction = 160 / size.height
    for y in 0..<160 {
      resampler.push(picture.row(y), stride: picture.stride, count: 1)
      let rows = resampler.rowsWritten
      #expect(result.bytes.prefix(rows * size.width).elementsEqual(wanted.prefix(rows * size.width)))
      // The kernel reaches three pixels of the result down from a row's middle, and the last cell has to be whole.
      #expect(rows >= min(size.height, (y + 1) / reduction - 5))
    }
    #expect(resampler.rowsWritten == size.height)
  }

  @Test(arguments: [Size(width: 30, height: 50), Size(width: 10, height: 10), Size(width: 60, height: 200)])
  func anEarlyEndKeepsWhatIsRightAndClearsWhatHasNoInput(_ size: Size) throws {
    let source = Size(width: 60, height: 200)
    let picture = try PixelBuffer(random: source, .rgb8, .opaque, seed: 16)
    let wanted = try picture.resampled(to: size)
    for pushed in [0, 1, 77, 199] {
      let result = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
      for y in 0..<size.height {
        result.row(y).initializeMemory(as: UInt8.self, repeating: 0xAA, count: result.stride)
      }
      let resampler = try StreamingResampler(
        source: source, layout: PixelLayout(.rgb8, .opaque), region: .whole(source), destination: result)
      resampler.push(picture.base, stride: picture.stride, count: pushed)
      let right = resampler.finish()
      #expect(resampler.finish() == right)
      #expect(right < size.height)
      #expect(result.bytes.prefix(right * result.stride).elementsEqual(wanted.bytes.prefix(right * result.stride)))
      let reduction = Double(source.height) / Double(size.height)
      for y in 0..<size.height {
        // Further than the kernel reaches from a row's middle there is no input.
        let reach = reduction == 1 ? 0.5 : 3 * reduction
        let isWithout = (Double(y) + 0.5) * reduction - reach > Double(pushed) + reduction
        let row = result.bytes[(y * result.stride)..<((y + 1) * result.stride)]
        if isWithout { #expect(row.allSatisfy { $0 == 0 }) }
      }
    }
  }

  @Test(arguments: [100, 20])
  func rowsThatLackInputTakeTheLastRowInItsPlace(_ height: Int) throws {
    let source = Size(width: 8, height: 400)
    let size = Size(width: 8, height: height)
    // The last rows are equal, so that a cell of five is what its last row is.
    let picture = try PixelBuffer(random: source, .gray8, .opaque, seed: 18)
    for y in 201..<400 { picture.row(y).copyMemory(from: picture.row(200), byteCount: 8) }
    let wanted = try picture.resampled(to: size)
    let result = try PixelBuffer(size: size, format: .gray8, alpha: .opaque)
    let resampler = try StreamingResampler(
      source: source, layout: PixelLayout(.gray8, .opaque), region: .whole(source), destination: result)
    resampler.push(picture.base, stride: 8, count: 205)
    let right = resampler.finish()
    // Input ends in the middle, and the kernel reaches three rows of the result further.
    #expect((height / 2 - 4...height / 2 - 2).contains(right))
    let last = height / 2 + 3
    #expect(result.bytes[..<(8 * last)] == wanted.bytes[..<(8 * last)])
    #expect(result.bytes[(8 * (last + 2))...].allSatisfy { $0 == 0 })
  }

  // MARK: - Arguments

  @Test func regionsOutsideThePictureAreRefused() throws {
    let destination = try PixelBuffer(size: Size(width: 2, height: 2), format: .rgb8, alpha: .opaque)
    let source = Size(width: 10, height: 10)
    for region in [
      ResamplingRegion(x: -1, y: 0, width: 5, height: 5), ResamplingRegion(x: 6, y: 0, width: 5, height: 5),
      ResamplingRegion(x: 0, y: 6, width: 5, height: 5), ResamplingRegion(x: 0, y: 0, width: 0, height: 5),
      ResamplingRegion(x: 0, y: 0, width: .nan, height: 5), ResamplingRegion(x: .nan, y: 0, width: 5, height: 5),
      ResamplingRegion(x: 0, y: 0, width: 5, height: .infinity),
    ] {
      let error = #expect(throws: CoderError.self) {
        try StreamingResampler(
          source: source, layout: PixelLayout(.rgb8, .opaque), region: region, destination: destination)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func anotherFormatOrAnEmptySourceIsRefused() throws {
    let destination = try PixelBuffer(size: Size(width: 2, height: 2), format: .rgb8, alpha: .opaque)
    let source = Size(width: 10, height: 10)
    let cases = [
      (source, PixelFormat.rgba8), (Size(width: 0, height: 10), .rgb8), (Size(width: 1 << 40, height: 10), .rgb8),
    ]
    for (size, format) in cases {
      let error = #expect(throws: CoderError.self) {
        try StreamingResampler(
          source: size, layout: PixelLayout(format, .opaque), region: .whole(size), destination: destination)
      }
      #expect(error?.code == .invalidArgument)
    }
  }
}

extension StreamingResamplerTests {
  /// Stripes 400 pixels wide: opaque; opaque and clear rows by turns; opaque and half clear ones; clear.
  @Test(arguments: [PixelFormat.rgba8, .grayAlpha8])
  func opaqueAndClearRunsCountAsOthersDo(_ format: PixelFormat) throws {
    let picture = try PixelBuffer(size: Size(width: 1_600, height: 64), format: format, alpha: .straight)
    let channels = format.channelCount
    for y in 0..<64 {
      for x in 0..<1_600 {
        let alpha: UInt8 = y % 2 == 0 && x < 1_200 ? 255 : [255, 0, 127, 0][x / 400]
        let pixel = [UInt8](repeating: alpha == 0 ? 9 : 200, count: channels - 1) + [alpha]
        for (c, sample) in pixel.enumerated() {
          picture.base.storeBytes(of: sample, toByteOffset: (y * 1_600 + x) * channels + c, as: UInt8.self)
        }
      }
    }
    let found = try picture.resampled(to: Size(width: 100, height: 4)).bytes
    for (stripe, alpha) in [255, 128, 191, 0].enumerated() {
      for pixel in stripe * 25 + 6..<stripe * 25 + 19 {
        for y in 0..<4 {
          let sample = (y * 100 + pixel) * channels
          #expect(abs(Int(found[sample + channels - 1]) - alpha) <= 1)
          if alpha > 0 { #expect(found[sample] == 200) }
        }
      }
    }
  }

  private static func decibels(_ a: [Double], _ b: [Double]) -> Double {
    let square = zip(a, b).map { ($0 - $1) * ($0 - $1) }.reduce(0, +) / Double(a.count)
    // Half a decibel at a time: only thresholds are compared, and no library is asked for a logarithm.
    var level = 0.0
    var bound = 1.0
    while square < bound, level < 120 {
      level += 0.5
      bound *= 0.891_250_938_133_745_6
    }
    return level
  }

  /// Slopes, noise, hard edges and lines one pixel thin.
  private static func scene(_ size: Size, _ layout: PixelLayout) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: 17)
    let channels = layout.format.channelCount
    var values = [Double](repeating: 0, count: size.pixelCount * channels)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let slope = 0.2 + 0.5 * Double(x) / Double(size.width) + 0.2 * Double(y) / Double(size.height)
        for c in 0..<channels {
          let noise = (Double(generator.byte()) - 128) / 128 * 0.08
          values[(y * size.width + x) * channels + c] = slope + noise + 0.02 * Double(c)
        }
      }
    }
    for box in 0..<40 {
      let left = Int.random(in: 0..<size.width, using: &generator)
      let top = Int.random(in: 0..<size.height, using: &generator)
      let isLine = box % 4 == 0
      let right = min(size.width, left + Int.random(in: 1...max(1, size.width / 6), using: &generator))
      let bottom = min(size.height, isLine ? top + 1 : top + Int.random(in: 1...100, using: &generator))
      let color = (0..<channels).map { _ in Double(generator.byte()) / 255 }
      for y in top..<bottom {
        for x in left..<right {
          for c in 0..<channels { values[(y * size.width + x) * channels + c] = color[c] }
        }
      }
    }
    let buffer = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha)
    for (i, value) in values.enumerated() {
      let isAlpha = layout.format.hasAlpha && i % channels == channels - 1
      let alpha = layout.alpha == .premultiplied ? 0.5 : 1
      let sample = isAlpha ? 1 : min(max(value * alpha, 0), 1)
      if layout.format.bytesPerChannel == 1 {
        buffer.base.storeBytes(of: UInt8(sample * 255), toByteOffset: i, as: UInt8.self)
      } else {
        buffer.base.storeBytes(of: UInt16(sample * 65_535), toByteOffset: 2 * i, as: UInt16.self)
      }
    }
    return buffer
  }
}
