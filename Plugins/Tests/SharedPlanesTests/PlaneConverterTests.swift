// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes
import Testing

@Suite struct PlaneConverterTests {
  static let codes: [UInt8] = [1, 4, 5, 7, 8, 9, 12]

  /// Every luma beside chroma of all magnitudes: one row for each pair of differences.
  static func table(bits: Int) -> Planes {
    let largest = (1 << bits) - 1
    let steps = Array(stride(from: 0, to: largest, by: (largest + 1) / (bits == 8 ? 16 : 8))) + [largest]
    let columns = 256
    func plane(_ value: @escaping (Int, Int) -> Int) -> Samples {
      Samples(width: columns, height: steps.count * steps.count, value)
    }
    return Planes(
      luma: plane { x, _ in x * largest / (columns - 1) },
      chroma: (plane { _, y in steps[y / steps.count] }, plane { _, y in steps[y % steps.count] }), bits: bits,
      subsampling: .s444)
  }

  /// The largest distance of a sample from the exact value.
  static func distance(
    of planes: Planes, by matrix: ColorMatrix, isFullRange: Bool, as format: PixelFormat
  ) throws -> Double {
    let converter = try PlaneConverter(matrix, isFullRange: isFullRange, bits: planes.bits, format: format)
    let pixels = try planes.converted(by: converter, as: format)
    let equations = Equations(matrix: matrix, isFullRange: isFullRange, bits: planes.bits)
    let top = format.bytesPerChannel == 2 ? 65_535.0 : 255
    guard let chroma = planes.chroma else { return .infinity }
    var largest = 0.0
    for index in planes.luma.values.indices {
      let color = equations.color(
        luma: Double(planes.luma.values[index]), cb: Double(chroma.cb.values[index]),
        cr: Double(chroma.cr.values[index]))
      for channel in 0..<3 {
        let sample = Double(pixels[index * format.channelCount + channel])
        largest = max(largest, abs(sample - color[channel] * top))
      }
    }
    return largest
  }

  @Test(arguments: codes, [true, false]) func eightBitsAreTheNearest(code: UInt8, isFullRange: Bool) throws {
    let matrix = try ColorMatrix(code: code, primaries: 9)
    let distance = try Self.distance(of: Self.table(bits: 8), by: matrix, isFullRange: isFullRange, as: .rgb8)
    #expect(distance <= 0.5002)
  }

  @Test(arguments: [9, 10, 12, 16], [true, false]) func deepSamplesAreNearTheEquations(
    bits: Int, isFullRange: Bool
  ) throws {
    for code in Self.codes {
      let matrix = try ColorMatrix(code: code, primaries: 5)
      let distance = try Self.distance(of: Self.table(bits: bits), by: matrix, isFullRange: isFullRange, as: .rgba16)
      #expect(distance <= 0.53, "matrix \(code)")
    }
  }

  @Test(arguments: [8, 10, 12], [true, false]) func constantLuminanceIsNearTheEquations(
    bits: Int, isFullRange: Bool
  ) throws {
    let matrix = try ColorMatrix(code: 10, primaries: 9, transfer: 14)
    let format: PixelFormat = bits == 8 ? .rgb8 : .rgba16
    let distance = try Self.distance(of: Self.table(bits: bits), by: matrix, isFullRange: isFullRange, as: format)
    #expect(distance <= (bits == 8 ? 0.501 : 0.6))
  }

  @Test(arguments: [8, 10, 12, 16], [true, false]) func identityAndGrayAreExact(bits: Int, isFullRange: Bool) throws {
    for format in [PixelFormat.rgba16, .rgb8] {
      let distance = try Self.distance(of: Self.table(bits: bits), by: .identity, isFullRange: isFullRange, as: format)
      #expect(distance <= 0.5 + 1e-9)
    }
    let gray = Planes(width: 700, height: 3, bits: bits, subsampling: .s400)
    let equations = Equations(matrix: .identity, isFullRange: isFullRange, bits: bits)
    for format in [PixelFormat.gray8, .gray16, .grayAlpha8, .grayAlpha16, .rgb8, .bgra8] {
      let converter = try PlaneConverter(.bt601, isFullRange: isFullRange, bits: bits, format: format)
      let pixels = try gray.converted(by: converter, as: format)
      let top = format.bytesPerChannel == 2 ? 65_535.0 : 255
      for (index, sample) in gray.luma.values.enumerated() {
        let exact = equations.color(luma: Double(sample), cb: 0, cr: 0)[1] * top
        #expect(abs(Double(pixels[index * format.channelCount]) - exact) <= 0.5 + 1e-9)
      }
    }
  }

  /// Worked out by hand from H.273 equations 20 to 46.
  @Test func handWorkedVectors() throws {
    func rgb(_ code: UInt8, _ isFullRange: Bool, _ samples: (Int, Int, Int), bits: Int = 8) throws -> [Int] {
      let planes = Planes(
        luma: Samples(width: 1, height: 1) { _, _ in samples.0 },
        chroma: (
          Samples(width: 1, height: 1) { _, _ in samples.1 }, Samples(width: 1, height: 1) { _, _ in samples.2 }
        ),
        bits: bits, subsampling: .s444)
      let format: PixelFormat = bits == 8 ? .rgb8 : .rgba16
      let converter = try PlaneConverter(
        ColorMatrix(code: code, primaries: 1), isFullRange: isFullRange, bits: bits, format: format)
      return Array(try planes.converted(by: converter, as: format)[0..<3])
    }
    // Red of BT.601, full range: 76 + 1.402 × 127 = 254.05; 76 + 0.3441 × 43 − 0.7141 × 127 = 0.10; 76 − 1.772 × 43 < 0.
    #expect(try rgb(5, true, (76, 85, 255)) == [254, 0, 0])
    // White and black of the limited range.
    #expect(try rgb(1, false, (235, 128, 128)) == [255, 255, 255])
    #expect(try rgb(1, false, (16, 128, 128)) == [0, 0, 0])
    // (126 − 16) × 255 / 219 = 128.08.
    #expect(try rgb(9, false, (126, 128, 128)) == [128, 128, 128])
    // BT.709: 97.81 + 1.7927 × 20 = 133.66; 97.81 + 0.2132 × 30 − 0.5329 × 20 = 93.55; 97.81 − 2.1124 × 30 = 34.43.
    #expect(try rgb(1, false, (100, 98, 148)) == [134, 94, 34])
    // YCgCo: t = 100 − 10; red t + 20, green 110, blue t − 20.
    #expect(try rgb(8, true, (100, 138, 148)) == [110, 110, 70])
    // 10 bits: (502 − 64) / 876 = 0.5 of 65,535.
    #expect(try rgb(9, false, (502, 512, 512), bits: 10).allSatisfy { $0 == 32_768 || $0 == 32_767 })
  }

  /// YCgCo-Re and YCgCo-Ro keep every color (H.273 equations 58 to 65).
  @Test(arguments: [1, 2]) func yCgCoRIsLossless(extraBits: Int) throws {
    let bits = 8 + extraBits
    let values = Array(stride(from: 0, to: 256, by: 15))
    let count = values.count * values.count * values.count
    func color(_ index: Int) -> (r: Int, g: Int, b: Int) {
      (
        values[index % values.count], values[index / values.count % values.count],
        values[index / values.count / values.count]
      )
    }
    func planes(_ index: Int) -> (y: Int, cg: Int, co: Int) {
      let (r, g, b) = color(index)
      let co = r - b
      let t = b + (co >> 1)
      let cg = g - t
      return (t + (cg >> 1), cg + 1 << (bits - 1), co + 1 << (bits - 1))
    }
    let picture = Planes(
      luma: Samples(width: count, height: 1) { x, _ in planes(x).y },
      chroma: (
        Samples(width: count, height: 1) { x, _ in planes(x).cg },
        Samples(width: count, height: 1) { x, _ in planes(x).co }
      ), bits: bits, subsampling: .s444)
    let converter = try PlaneConverter(
      .yCgCoR(extraBits: extraBits), isFullRange: true, bits: bits, format: .rgba16)
    let pixels = try picture.converted(by: converter, as: .rgba16)
    for index in 0..<count {
      let (r, g, b) = color(index)
      #expect(Array(pixels[index * 4..<index * 4 + 4]) == [r * 257, g * 257, b * 257, 65_535])
    }
  }

  @Test func yCgCoROfLimitedRangeIsUnsupported() {
    let error = #expect(throws: CoderError.self) {
      try PlaneConverter(.yCgCoR(extraBits: 2), isFullRange: false, bits: 10, format: .rgba16)
    }
    #expect(error?.code == .unsupported)
  }

  /// In libheif's way, colors are samples of the stored depth, spread over 16 bits.
  @Test(arguments: [9, 10, 12]) func colorsOfTheStoredDepthAreSpread(bits: Int) throws {
    let planes = Planes(width: 640, height: 4, bits: bits, subsampling: .s420)
    let converter = try PlaneConverter(
      .bt601, isFullRange: false, bits: bits, format: .rgba16, rounding: .atStoredDepth)
    let top = (1 << bits) - 1
    for sample in try planes.converted(by: converter, as: .rgba16) {
      let stored = (sample * top + 32_767) / 65_535
      #expect(sample == (stored * 65_535 + top / 2) / top)
    }
  }

  @Test func alphaIsOfTheFullRange() throws {
    var planes = Planes(width: 1023, height: 5, bits: 10, subsampling: .s420)
    planes.alpha = (Planes(width: 1023, height: 5, bits: 12, subsampling: .s400, seed: 7).luma, 12)
    for format in [PixelFormat.rgba16, .rgba8, .bgra8] {
      let converter = try PlaneConverter(.bt601, isFullRange: false, bits: 10, alphaBits: 12, format: format)
      let pixels = try planes.converted(by: converter, as: format)
      let top = format == .rgba16 ? 65_535 : 255
      for (index, sample) in planes.alpha?.samples.values.enumerated() ?? [UInt16]().enumerated() {
        #expect(pixels[index * 4 + 3] == (Int(sample) * top * 2 + 4095) / (2 * 4095))
      }
      // The same from a picture of its own.
      let rect = Rect(x: 511, y: 1, width: 512, height: 3)
      let other = Planes(
        luma: planes.alpha?.samples ?? planes.luma, chroma: nil, bits: 12, subsampling: .s400)
      let alone = try Planes.pixels(of: rect, as: format) { memory, stride in
        try planes.withPicture { try converter.convert($0, rect, to: memory, stride: stride) }
        try other.withPicture {
          try AlphaConverter(bits: 12, format: format).convert($0, rect, to: memory, stride: stride)
        }
      }
      let expected = Planes.part(rect, of: pixels, width: 1023, channels: 4)
      #expect(alone == expected)
    }
  }
}
