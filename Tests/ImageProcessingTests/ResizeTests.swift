// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Sizes of results, and what stays of a picture that is cut.
@Suite struct ResizeTests {
  @Test(arguments: [
    ("resize:50x50", 50, 25), ("resize:50x", 50, 25), ("resize:x25", 50, 25), ("resize:300x300", 100, 50),
    ("resize:300x300,enlarge", 300, 150), ("resize:x100,enlarge", 200, 100), ("resize:30x40,fill", 30, 40),
    ("resize:300x40,fill", 100, 40), ("resize:300x40,fill,enlarge", 300, 40), ("resize:30x200,stretch", 30, 50),
    ("resize:30x200,stretch,enlarge", 30, 200), ("resize:1x1", 1, 1), ("resize:33x", 33, 17),
  ])
  func sizeIsAsAsked(operation: String, width: Int, height: Int) throws {
    let size = Size(width: 100, height: 50)
    #expect(try ImageOperation(parsing: operation).size(of: size) == Size(width: width, height: height))
  }

  @Test(arguments: [("left", [0, 1]), ("center", [2, 3]), ("right", [4, 5])] as [(String, [UInt8])])
  func anchorSaysWhatStays(anchor: String, columns: [UInt8]) throws {
    let pixels = try Pictures.bytes([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], 6, .gray8)
    let result = try ImageOperation(parsing: "resize:2x2,fill,\(anchor)").applied(to: pixels)
    #expect(result.copyBytes() == columns + columns)
  }

  @Test func enlargingKeepsAPlainPictureAndItsAlpha() throws {
    let pixels = try Pictures.bytes(Array(repeating: [10, 200, 30, 77], count: 6).flatMap { $0 }, 3, .rgba8)
    let result = try ImageOperation(parsing: "resize:7x9,stretch,enlarge").applied(to: pixels)
    #expect(result.size == Size(width: 7, height: 9) && result.layout == pixels.layout)
    #expect(result.copyBytes() == Array(repeating: [10, 200, 30, 77], count: 63).flatMap { $0 })
  }

  @Test func sizesThatAreNoneAreRefused() throws {
    let pixels = try Pictures.bytes([1], 1, .gray8)
    for size in [Size(width: 0, height: 0), Size(width: -1, height: 5)] {
      let error = #expect(throws: CoderError.self) { try ImageOperation.resize(.init(size)).applied(to: pixels) }
      #expect(error?.code == .invalidArgument)
    }
  }

  /// Lanczos with three lobes in double precision, of columns of 8 samples that are made shorter.
  private static func lanczos(_ samples: [UInt8], to count: Int) -> [Double] {
    let length = samples.count / 8
    let reduction = Double(length) / Double(count)
    func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
    return (0..<count).flatMap { row in
      let center = (Double(row) + 0.5) * reduction
      let weights = (0..<length).map { place in
        let x = (Double(place) + 0.5 - center) / reduction
        return abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0
      }
      let sum = weights.reduce(0, +)
      return (0..<8).map { column in
        weights.indices.reduce(0.0) { $0 + weights[$1] * Double(samples[$1 * 8 + column]) } / sum
      }
    }
  }

  /// Up to a reduction by 8 the filter is exact. From there on pixels are averaged in pairs and more before it runs, which white
  /// noise, the worst picture, shows.
  @Test(arguments: [(399, 1.0), (200, 1), (100, 1), (67, 1), (51, 1), (50, 12), (49, 12), (25, 12), (10, 12)])
  func aReductionIsAsExactAsThePageSays(rows: Int, most: Double) throws {
    let pixels = try Pictures.noise(Size(width: 8, height: 400), .gray8, .opaque, seed: 5)
    let result = try ImageOperation(parsing: "resize:8x\(rows),stretch").applied(to: pixels).copyBytes()
    let wanted = Self.lanczos(pixels.copyBytes(), to: rows).map { min(max($0, 0), 255) }
    let difference = zip(result, wanted).map { abs(Double($0) - $1) }.max()
    #expect(try #require(difference) <= most, "400 rows to \(rows)")
  }
}
