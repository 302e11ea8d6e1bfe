// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Blurs beside a convolution in double precision, whose kernel is not cut off before 8 sigma.
@Suite struct BlurTests {
  /// A separable convolution of one channel; what is outside repeats the edge.
  private static func convolved(_ plane: [Double], _ width: Int, _ height: Int, sigma: Double) -> [Double] {
    let reach = Int((8 * sigma).rounded(.up))
    let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = kernel.reduce(0, +)
    /// One line, which is longer at both ends by what the kernel reaches, at one place of it.
    func weighed(_ line: [Double], at start: Int) -> Double {
      var total = 0.0
      for index in kernel.indices { total += line[start + index] * kernel[index] }
      return total / sum
    }
    func extended(_ line: [Double]) -> [Double] {
      Array(repeating: line[0], count: reach) + line + Array(repeating: line[line.count - 1], count: reach)
    }
    var result = plane
    for y in 0..<height {
      let line = extended(Array(result[(y * width)..<((y + 1) * width)]))
      for x in 0..<width { result[y * width + x] = weighed(line, at: x) }
    }
    for x in 0..<width {
      let line = extended((0..<height).map { result[$0 * width + x] })
      for y in 0..<height { result[y * width + x] = weighed(line, at: y) }
    }
    return result
  }

  /// All channels; `hasAlpha`: straight alpha, by which color is multiplied meanwhile.
  private static func convolved(_ pixels: PixelBuffer, sigma: Double) -> [Double] {
    let channels = pixels.format.channelCount
    let (width, height) = (pixels.size.width, pixels.size.height)
    let samples = Pictures.numbers(pixels)
    let hasAlpha = pixels.alpha == .straight
    var planes = (0..<channels).map { c in stride(from: c, to: samples.count, by: channels).map { samples[$0] } }
    if hasAlpha { for c in 0..<(channels - 1) { planes[c] = zip(planes[c], planes[channels - 1]).map(*) } }
    planes = planes.map { convolved($0, width, height, sigma: sigma) }
    if hasAlpha {
      for c in 0..<(channels - 1) { planes[c] = zip(planes[c], planes[channels - 1]).map { $1 > 0 ? $0 / $1 : 0 } }
    }
    return (0..<(width * height)).flatMap { i in planes.map { $0[i] } }
  }

  /// White to the right of a slanted edge, with a dot and a line in the black.
  private static func edges(_ size: Size, _ format: PixelFormat) throws(CoderError) -> PixelBuffer {
    var samples: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isWhite = x > size.width / 2 + y / 5 || (x == 7 && y == 9) || x == 12
        samples += Array(repeating: isWhite ? 255 : 0, count: format.bytesPerPixel)
      }
    }
    return try PixelBuffer(copying: samples, size: size, format: format, alpha: .opaque)
  }

  @Test(arguments: [0.3, 0.5, 1, 2, 3, 3.01, 4.5, 10, 20, 30, 100])
  func isWithinOneLevelOfAConvolution(sigma: Double) throws {
    let size = Size(width: 53, height: 37)
    for pixels in [
      try Self.edges(size, .gray8), try Self.edges(size, .rgb8),
      try Pictures.noise(size, .rgba8, .premultiplied, seed: 1), try Pictures.noise(size, .gray16, .opaque, seed: 2),
    ] {
      var pixels = pixels
      // Color that is multiplied by alpha is not brighter than it.
      if pixels.alpha == .premultiplied {
        pixels = try Pictures.noise(size, .rgba8, .straight, seed: 1).converted(
          to: PixelLayout(.rgba8, .premultiplied))
      }
      let blurred = try ImageOperation.blur(sigma: sigma).applied(to: pixels)
      #expect(blurred.layout == pixels.layout)
      let difference = Pictures.difference(Pictures.numbers(blurred), Self.convolved(pixels, sigma: sigma))
      let levels = pixels.format.bytesPerChannel == 1 ? (sigma <= 20 ? 0.65 : 1.0) : 0.1
      #expect(difference * 255 < levels, "\(pixels.format) is off by \(difference * 255) of 255")
    }
  }

  @Test(arguments: [0.5, 2, 7, 20]) func straightBytesAreWithinALevel(sigma: Double) throws {
    for format in [PixelFormat.rgba8, .bgra8, .grayAlpha8] {
      let pixels = try Pictures.noise(Size(width: 31, height: 27), format, .straight, seed: 6)
      let found = Pictures.numbers(try ImageOperation.blur(sigma: sigma).applied(to: pixels))
      let expected = Self.convolved(pixels, sigma: sigma)
      let channels = format.channelCount
      for index in found.indices {
        // A color counts as much as it shows.
        let alpha = index - index % channels + channels - 1
        let share = index == alpha ? 1 : expected[alpha]
        #expect(abs(found[index] - expected[index]) * share * 255 < 1)
      }
    }
  }

  @Test func bytesAreBlurredWithoutAnotherPicture() throws {
    let size = Size(width: 200, height: 100)
    let pixels = try Pictures.noise(size, .rgb8, .opaque, seed: 8)
    // What is reckoned for the result alone.
    let limits = Limits(maxMemory: 8 * size.pixelCount)
    #expect(try ImageOperation.blur(sigma: 2).applied(to: pixels, limits: limits).size == size)
    #expect { try ImageOperation.blur(sigma: 21).applied(to: pixels, limits: limits) } throws: {
      ($0 as? CoderError)?.limit == .maxMemory
    }
  }

  @Test(arguments: [1.0, 8]) func colorOfTransparentPixelsIsNotMixedIn(sigma: Double) throws {
    // Transparent green beside opaque red: the edge fades, and stays red.
    let row: [UInt8] =
      Array(repeating: [0, 255, 0, 0], count: 20).flatMap { $0 }
      + Array(repeating: [255, 0, 0, 255], count: 20).flatMap { $0 }
    let pixels = try Pictures.bytes(row + row, 40, .rgba8)
    let blurred = try ImageOperation.blur(sigma: sigma).applied(to: pixels).copyBytes()
    for x in 0..<40 where blurred[4 * x + 3] > 0 {
      #expect(Array(blurred[(4 * x)..<(4 * x + 3)]) == [255, 0, 0])
    }
    #expect(blurred[4 * 19 + 3] < 128 && blurred[4 * 20 + 3] >= 128)
  }

  @Test func floatsAndStraightWordsAreWithinAThousandth() throws {
    let size = Size(width: 29, height: 31)
    for (format, alpha) in [
      (PixelFormat.rgbaFloat32, AlphaMode.straight), (.rgba16, .straight), (.grayAlpha16, .straight),
    ] {
      let pixels = try Pictures.noise(size, format, alpha, seed: 3)
      for sigma in [2.0, 12] {
        let blurred = try ImageOperation.blur(sigma: sigma).applied(to: pixels)
        #expect(Pictures.difference(Pictures.numbers(blurred), Self.convolved(pixels, sigma: sigma)) < 0.001)
      }
    }
  }

  @Test(arguments: [0.7, 5, 200, 9999]) func oneColorStaysItself(sigma: Double) throws {
    for format in [PixelFormat.rgb8, .gray16, .rgba16] {
      let pixel = [UInt8](repeating: 0, count: format.bytesPerPixel).indices.map { UInt8(($0 * 31 + 40) % 256) }
      let samples = Array(repeating: pixel, count: 19 * 3).flatMap { $0 }
      let pixels = try Pictures.bytes(samples, 19, format, .opaque)
      let blurred = try ImageOperation.blur(sigma: sigma).applied(to: pixels)
      let expected = Pictures.numbers(pixels)
      let result = Pictures.numbers(blurred)
      for i in expected.indices where format != .rgba16 || i % 4 < 3 {
        #expect(abs(expected[i] - result[i]) < 0.00005)
      }
      if format == .rgba16 { #expect(stride(from: 3, to: result.count, by: 4).allSatisfy { result[$0] == 1 }) }
    }
  }

  @Test func whatIsNoNumberStaysInItsPlace() throws {
    var samples = [Float](repeating: 0.5, count: 4 * 400)
    samples[800] = .nan
    samples[1201] = .infinity
    let pixels = try Pictures.bytes(samples.withUnsafeBytes { Array($0) }, 20, .rgbaFloat32, .opaque)
    for sigma in [2.0, 20] {
      let blurred = Pictures.numbers(try ImageOperation.blur(sigma: sigma).applied(to: pixels))
      #expect(!blurred.contains { $0.isNaN || $0.isInfinite })
      #expect(abs(blurred[2] - 0.5) < 0.0001)
    }
  }

  @Test func onePixelAndThinPicturesAreBlurred() throws {
    for (width, height) in [(1, 1), (1, 50), (50, 1), (17, 2)] {
      let pixels = try Pictures.noise(Size(width: width, height: height), .rgb8, .opaque, seed: 9)
      for sigma in [0.5, 3, 50] {
        let blurred = try ImageOperation.blur(sigma: sigma).applied(to: pixels)
        let difference = Pictures.difference(Pictures.numbers(blurred), Self.convolved(pixels, sigma: sigma))
        #expect(difference * 255 < 1)
      }
    }
  }

  /// Below 0.2 nothing changes, and both ends of what the loops in whole numbers take are taken.
  @Test(arguments: [0, 1e-300, 1e-5, 0.199, 0.2, 20, 20.001, 10_000])
  func deviationsOfAnySizeAreTaken(_ sigma: Double) throws {
    let pixels = try Self.edges(Size(width: 24, height: 16), .rgb8)
    let blurred = Pictures.numbers(try ImageOperation.blur(sigma: sigma).applied(to: pixels))
    if sigma != 0.2 { #expect((blurred == Pictures.numbers(pixels)) == (sigma < 0.2)) }
    let gray = Pictures.numbers(try ImageOperation.blur(sigma: sigma).applied(to: try Self.flat(90)))
    #expect(gray == Pictures.numbers(try Self.flat(90)))
  }

  private static func flat(_ level: UInt8) throws(CoderError) -> PixelBuffer {
    try PixelBuffer(
      copying: [UInt8](repeating: level, count: 24 * 16 * 3), size: Size(width: 24, height: 16), format: .rgb8,
      alpha: .opaque)
  }
}
