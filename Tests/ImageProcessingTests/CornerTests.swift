// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Rounded corners and their borders.
@Suite struct CornerTests {
  private static func alphas(_ corners: ImageOperation.Corners, _ size: Size) throws(CoderError) -> [Double] {
    let pixels = try PixelBuffer(copying: [UInt8](repeating: 255, count: size.pixelCount), size: size, format: .gray8)
    let samples = Pictures.numbers(try ImageOperation.round(corners).applied(to: pixels))
    return stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
  }

  @Test func countsPointsInsideTheArc() throws {
    let alphas = try Self.alphas(ImageOperation.Corners(2), Size(width: 6, height: 6))
    // Of the 64 points of each of the four pixels of a corner with radius 2, counted by hand in integers: a point is
    // inside if (32 - 2i - 1)² + (32 - 2j - 1)² ≤ 32² in sixteenths.
    func share(_ x: Int, _ y: Int) -> Double {
      var count = 0
      for j in 0..<8 {
        for i in 0..<8 {
          let (dx, dy) = (32 - (16 * x + 2 * i + 1), 32 - (16 * y + 2 * j + 1))
          if dx * dx + dy * dy <= 1024 { count += 1 }
        }
      }
      return Double(count) / 64
    }
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      #expect(abs(alphas[6 * y + x] - share(x, y)) < 0.5 / 255 + 1e-9)
      #expect(alphas[6 * y + 5 - x] == alphas[6 * y + x])
      #expect(alphas[6 * (5 - y) + x] == alphas[6 * y + x])
    }
    #expect(alphas[2] == 1 && alphas[12] == 1 && alphas[14] == 1)
  }

  @Test func areaIsThatOfTheShape() throws {
    let size = Size(width: 90, height: 70)
    let sum = try Self.alphas(ImageOperation.Corners(30), size).reduce(0, +)
    #expect(abs(sum - (6300 - (4 - .pi) * 900)) < 2)
    let one = try Self.alphas(
      ImageOperation.Corners(topLeft: 0, topRight: 20, bottomRight: 0, bottomLeft: 0), size
    ).reduce(0, +)
    #expect(abs(one - (6300 - (1 - .pi / 4) * 400)) < 1)
  }

  @Test func radiiThatOverlapAreScaled() throws {
    // 4 · 100 do not fit into 40×40: a circle of radius 20.
    let circle = try Self.alphas(ImageOperation.Corners(100), Size(width: 40, height: 40))
    #expect(circle == (try Self.alphas(ImageOperation.Corners(20), Size(width: 40, height: 40))))
    // The left side asks for 60 + 20 of 40: everything is halved.
    let size = Size(width: 200, height: 40)
    let tall = try Self.alphas(ImageOperation.Corners(topLeft: 60, topRight: 10, bottomRight: 0, bottomLeft: 20), size)
    #expect(
      tall == (try Self.alphas(ImageOperation.Corners(topLeft: 30, topRight: 5, bottomRight: 0, bottomLeft: 10), size)))
  }

  @Test func borderFollowsTheCorner() throws {
    let size = Size(width: 20, height: 20)
    let pixels = try PixelBuffer(copying: [UInt8](repeating: 255, count: 400), size: size, format: .gray8)
    let red = PixelColor(red: 255, green: 0, blue: 0)
    let result = try ImageOperation.round(.init(6, border: 2, borderColor: red)).applied(to: pixels)
    #expect(result.layout == PixelLayout(.rgba8, .straight))
    let bytes = result.copyBytes()
    func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(bytes[(4 * (20 * y + x))..<(4 * (20 * y + x) + 4)]) }
    #expect(pixel(0, 0) == [0, 0, 0, 0])
    #expect(
      pixel(10, 0) == [255, 0, 0, 255] && pixel(10, 1) == [255, 0, 0, 255] && pixel(10, 2) == [255, 255, 255, 255])
    #expect(pixel(1, 10) == [255, 0, 0, 255] && pixel(10, 19) == [255, 0, 0, 255])
    // On the inner arc, red and white meet in an opaque pixel.
    #expect(pixel(3, 3)[0] == 255 && pixel(3, 3)[3] == 255 && (1..<255).contains(pixel(3, 3)[1]))
  }

  @Test func noRadiusChangesNothing() throws {
    let pixels = try Pictures.bytes([1, 2, 3], 3, .gray8)
    let result = try ImageOperation.round(.init(0)).applied(to: pixels)
    #expect(result.layout == pixels.layout && result.copyBytes() == [1, 2, 3])
  }

  @Test func premultipliedPicturesAreFadedInAllChannels() throws {
    let pixels = try Pictures.bytes(
      Array(repeating: [100, 50, 20, 208], count: 4).flatMap { $0 }, 2, .rgba8, .premultiplied)
    let bytes = try ImageOperation.round(.init(1)).applied(to: pixels).copyBytes()
    // Radius 1: a point is inside if (15 - 2i)² + (15 - 2j)² ≤ 16² in sixteenths.
    var count = 0
    for j in 0..<8 {
      for i in 0..<8 where (15 - 2 * i) * (15 - 2 * i) + (15 - 2 * j) * (15 - 2 * j) <= 256 { count += 1 }
    }
    let share = Double(count) / 64
    #expect(Array(bytes.prefix(4)) == [100, 50, 20, 208].map { UInt8((Double($0) * share).rounded()) })
  }
}
