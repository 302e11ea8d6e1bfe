// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Turns by any angle, beside a bicubic filter in double precision.
@Suite struct RotationTests {
  private static func weight(_ x: Double) -> Double {
    let x = abs(x)
    return x < 1 ? 1.5 * x * x * x - 2.5 * x * x + 1 : x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0
  }

  /// A gray picture, turned: each pixel's color and coverage.
  private static func turned(_ plane: [Double], _ size: Size, _ degrees: Double, into result: Size) -> [(
    Double, Double
  )] {
    let angle = degrees * .pi / 180
    func sample(_ x: Int, _ y: Int) -> Double {
      plane[min(max(y, 0), size.height - 1) * size.width + min(max(x, 0), size.width - 1)]
    }
    return (0..<result.pixelCount).map { index in
      let x = Double(index % result.width) + 0.5 - Double(result.width) / 2
      let y = Double(index / result.width) + 0.5 - Double(result.height) / 2
      let u = x * cos(angle) + y * sin(angle) + Double(size.width) / 2
      let v = y * cos(angle) - x * sin(angle) + Double(size.height) / 2
      // The part of the pixel that is inside, counted on 32×32 points.
      var inside = 0
      for j in 0..<32 {
        for i in 0..<32 {
          let (dx, dy) = (x + (Double(i) - 15.5) / 32, y + (Double(j) - 15.5) / 32)
          let (a, b) = (dx * cos(angle) + dy * sin(angle), dy * cos(angle) - dx * sin(angle))
          if abs(a) <= Double(size.width) / 2, abs(b) <= Double(size.height) / 2 { inside += 1 }
        }
      }
      var sum = 0.0
      for j in (Int(floor(v)) - 3)...(Int(floor(v)) + 3) {
        for i in (Int(floor(u)) - 3)...(Int(floor(u)) + 3) {
          sum += sample(i, j) * weight(u - 0.5 - Double(i)) * weight(v - 0.5 - Double(j))
        }
      }
      return (min(max(sum, 0), 1), Double(inside) / 1024)
    }
  }

  @Test(arguments: [1.0, 30, 45, 89.5, 133, 200, 300.25]) func followsTheFilter(degrees: Double) throws {
    let size = Size(width: 23, height: 17)
    for format in [PixelFormat.gray8, .gray16, .rgb8] {
      let pixels = try Pictures.noise(size, format, .opaque, seed: 5)
      let result = try ImageOperation.rotate(.init(degrees)).applied(to: pixels)
      let withAlpha: [PixelFormat: PixelFormat] = [.gray8: .grayAlpha8, .gray16: .grayAlpha16, .rgb8: .rgba8]
      #expect(result.layout == PixelLayout(try #require(withAlpha[format]), .straight))
      let (given, samples, channels) = (Pictures.numbers(pixels), Pictures.numbers(result), format.channelCount)
      var (worst, shares) = (0.0, 0.0)
      for channel in 0..<channels {
        let plane = stride(from: channel, to: given.count, by: channels).map { given[$0] }
        for (index, (color, share)) in Self.turned(plane, size, degrees, into: result.size).enumerated() {
          let pixel = samples[((channels + 1) * index)...].prefix(channels + 1).map { $0 }
          shares = max(shares, abs(pixel[channels] - share))
          // A faint pixel's color is only as exact as its alpha.
          worst = max(worst, abs(pixel[channel] - color) * min(share, 0.99 * pixel[channels]))
        }
      }
      #expect(worst * 255 < 1)
      // As exact as the points of the expected value are.
      #expect(shares < 0.025)
    }
  }

  @Test func sizeHoldsTheTurnedPicture() throws {
    let size = Size(width: 100, height: 50)
    // 100 · 0.866 + 50 · 0.5 = 111.6, 100 · 0.5 + 50 · 0.866 = 93.3
    #expect(try ImageOperation.rotate(.init(30)).size(of: size) == Size(width: 112, height: 94))
    #expect(try ImageOperation.rotate(.init(90)).size(of: size) == Size(width: 50, height: 100))
    #expect(try ImageOperation.rotate(.init(30, keepsSize: true)).size(of: size) == size)
    #expect(try ImageOperation.rotate(.init(90, keepsSize: true)).size(of: size) == size)
  }

  @Test func alphaIsTheAreaOfThePicture() throws {
    let pixels = try Pictures.bytes([UInt8](repeating: 255, count: 60 * 40), 60, .gray8)
    for degrees in [10.0, 45, 77] {
      let samples = Pictures.numbers(try ImageOperation.rotate(.init(degrees)).applied(to: pixels))
      let area = stride(from: 1, to: samples.count, by: 2).reduce(0) { $0 + samples[$1] }
      #expect(abs(area - 2400) < 1)
    }
  }

  @Test func opaqueBackgroundKeepsTheLayout() throws {
    let pixels = try Pictures.bytes([UInt8](repeating: 90, count: 3 * 100), 10, .rgb8)
    let result = try ImageOperation.rotate(.init(45, background: PixelColor(red: 1, green: 2, blue: 3))).applied(
      to: pixels)
    #expect(result.layout == pixels.layout)
    #expect(Array(result.copyBytes().prefix(3)) == [1, 2, 3])
    let middle = 3 * (result.size.width * (result.size.height / 2) + result.size.width / 2)
    #expect(Array(result.copyBytes()[middle..<(middle + 3)]) == [90, 90, 90])
  }

  @Test func onePixelIsTurned() throws {
    let pixels = try Pictures.bytes([7, 8, 9], 1, .rgb8)
    let result = try ImageOperation.rotate(.init(45, keepsSize: true)).applied(to: pixels)
    // A square of side 1 turned by 45° leaves four corners of the pixel free: 2 · (√2 - 1) = 0.828 of it is covered.
    #expect(Array(result.copyBytes().prefix(3)) == [7, 8, 9])
    #expect((204...218).contains(result.copyBytes()[3]))
  }

  @Test func floatsMayBeBrighterThanOne() throws {
    let samples = [Float](repeating: 3, count: 4 * 64)
    let pixels = try Pictures.bytes(samples.withUnsafeBytes { Array($0) }, 8, .rgbaFloat32, .opaque)
    let result = try ImageOperation.rotate(.init(20, background: .black, keepsSize: true)).applied(to: pixels)
    let middle = Pictures.numbers(result)[4 * 36]
    #expect(abs(middle - 3) < 0.0001)
  }
}
