// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Operations on pictures of a few pixels, worked out by hand.
@Suite struct OperationTests {
  /// 3×2: 1 2 3, 4 5 6.
  private static func numbered() throws(CoderError) -> PixelBuffer {
    try Pictures.bytes([1, 2, 3, 4, 5, 6], 3, .gray8)
  }

  private static func rows(_ operation: String, of pixels: PixelBuffer) throws -> [[UInt8]] {
    let result = try ImageOperation(parsing: operation).applied(to: pixels)
    let bytes = result.copyBytes()
    return (0..<result.size.height).map { Array(bytes[($0 * result.rowBytes)..<(($0 + 1) * result.rowBytes)]) }
  }

  @Test(
    arguments: [
      ("crop:2x1+1+1", [[5, 6]]), ("crop:2x2,left", [[1, 2], [4, 5]]), ("crop:1x1,bottom-right", [[6]]),
      ("crop:1x9,center", [[2], [5]]), ("flip:horizontal", [[3, 2, 1], [6, 5, 4]]),
      ("flip:vertical", [[4, 5, 6], [1, 2, 3]]),
      ("rotate:90", [[4, 1], [5, 2], [6, 3]]), ("rotate:-90", [[3, 6], [2, 5], [1, 4]]),
      ("rotate:540", [[6, 5, 4], [3, 2, 1]]), ("inset:0,1,1,0", [[1, 2]]),
      ("inset:-1,0,0,-1,#070707", [[7, 7, 7, 7], [7, 1, 2, 3], [7, 4, 5, 6]]),
      ("inset:1,-1,0,0,#090909", [[4, 5, 6, 9]]), ("border:1,#080808", [[8, 8, 8], [8, 8, 8]]),
    ] as [(String, [[UInt8]])])
  func movesPixels(operation: String, expected: [[UInt8]]) throws {
    #expect(try Self.rows(operation, of: try Self.numbered()) == expected)
  }

  @Test func borderLeavesTheMiddle() throws {
    let pixels = try Pictures.bytes(Array(1...20), 5, .gray8)
    #expect(
      try Self.rows("border:1,black", of: pixels) == [
        [0, 0, 0, 0, 0], [0, 7, 8, 9, 0], [0, 12, 13, 14, 0], [0, 0, 0, 0, 0],
      ])
  }

  @Test func colorsAreMixedByLuma() throws {
    let pixels = try Pictures.bytes([200, 100, 50, 10, 20, 30], 2, .rgb8)
    // 0.299 · 200 + 0.587 · 100 + 0.114 · 50 = 124.2; 2.99 + 11.74 + 3.42 = 18.15
    #expect(try Self.rows("grayscale:1", of: pixels) == [[124, 124, 124, 18, 18, 18]])
    // 124.2 + 2 · (200 - 124.2) = 275.8; 75.8; -24.2 | 1.85, 21.85, 41.85
    #expect(try Self.rows("saturation:2", of: pixels) == [[255, 76, 0, 2, 22, 42]])
    #expect(try Self.rows("brightness:1.5", of: pixels) == [[255, 150, 75, 15, 30, 45]])
    #expect(try Self.rows("grayscale:0", of: pixels) == [[200, 100, 50, 10, 20, 30]])
  }

  /// Whole numbers for bytes: each is the exact value, rounded, or beside it where that lies between two.
  @Test(arguments: [
    "grayscale:0.3", "grayscale:1", "saturation:1.7", "saturation:100", "brightness:0.37", "brightness:100",
  ])
  func bytesAreMixedAsExactly(operation: String) throws {
    let samples = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ ($0 &* $0) >> 5) }
    let pixels = try Pictures.bytes(samples, 1_000, .rgb8)
    let mixed = try #require(try Self.rows(operation, of: pixels).first)
    let words = operation.split(separator: ":")
    let factor = try #require(Double(words[1]))
    let saturation = words[0] == "grayscale" ? 1 - factor : words[0] == "saturation" ? factor : 1
    let brightness = words[0] == "brightness" ? factor : 1
    for first in stride(from: 0, to: samples.count, by: 3) {
      let color = samples[first..<(first + 3)].map(Double.init)
      let luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]
      for channel in 0..<3 {
        let exact = (saturation * color[channel] + (1 - saturation) * luma) * brightness
        let found = Double(mixed[first + channel])
        #expect(abs(found - min(max(exact, 0), 255)) <= 0.53, "\(samples[first..<(first + 3)]): \(exact)")
      }
    }
  }

  @Test func brightnessKeepsAlpha() throws {
    let straight = try Pictures.bytes([100, 200, 40, 128], 1, .rgba8)
    #expect(try Self.rows("brightness:2", of: straight) == [[200, 255, 80, 128]])
    let premultiplied = try Pictures.bytes([50, 100, 20, 128], 1, .rgba8, .premultiplied)
    #expect(try Self.rows("brightness:2", of: premultiplied) == [[100, 128, 40, 128]])
  }

  @Test func tintKeepsTheShape() throws {
    let pixels = try Pictures.bytes([10, 20, 30, 255, 10, 20, 30, 0, 10, 20, 30, 128], 3, .rgba8)
    #expect(try Self.rows("tint:#ff8000", of: pixels) == [[255, 128, 0, 255, 0, 0, 0, 0, 255, 128, 0, 128]])
    let gray = try Pictures.bytes([0, 128, 255], 3, .gray8)
    // Gray becomes color: 128 · 255 ÷ 255, 128 · 128 ÷ 255 = 64.25.
    #expect(try Self.rows("tint:#ff8000,multiply", of: gray) == [[0, 0, 0, 128, 64, 0, 255, 128, 0]])
    #expect(try Self.rows("tint:#ffffff80,screen", of: gray) == [[128, 192, 255]])
  }

  @Test func blendModesFollowTheirFormulas() throws {
    // 0.8 and 0.4 over 0.2: both below and above ½.
    let pixels = try Pictures.bytes([204, 51], 2, .gray8)
    let expected: [(ImageOperation.BlendMode, [UInt8])] = [
      (.normal, [102, 102]), (.multiply, [82, 20]), (.screen, [224, 133]), (.overlay, [194, 41]), (.darken, [102, 51]),
      (.lighten, [204, 102]), (.hardLight, [163, 41]), (.difference, [102, 51]), (.exclusion, [143, 112]),
    ]
    for (mode, values) in expected {
      #expect(try Self.rows("tint:#666666,\(mode.rawValue)", of: pixels) == [values], "\(mode)")
    }
  }

  /// Porter and Duff: the source times the alpha of the backdrop, and the backdrop times the alpha of the source.
  @Test func operatorsOfPorterAndDuffChangeAlpha() throws {
    let shape = try Pictures.bytes([10, 20, 30, 255, 10, 20, 30, 0, 10, 20, 30, 128], 3, .rgba8)
    #expect(try Self.rows("tint:#ff800080,source-in", of: shape) == [[255, 128, 0, 128, 0, 0, 0, 0, 255, 128, 0, 64]])
    // An opaque picture gets alpha.
    let gray = try Pictures.bytes([0, 128, 255], 3, .gray8)
    #expect(try Self.rows("tint:#ffffff80,destination-in", of: gray) == [[0, 128, 128, 128, 255, 128]])
    // A mask of two pixels in the middle of three: its colors do not count, and what is beside it goes.
    let picture = try Pictures.bytes([200, 100, 50, 200, 100, 50, 200, 100, 50], 3, .rgb8)
    let mask = try Pictures.bytes([1, 2, 3, 255, 4, 5, 6, 51], 2, .rgba8)
    func masked(_ x: Int, _ opacity: Double = 1) throws -> [[UInt8]] {
      var overlay = ImageOperation.Overlay(mask, at: .topLeft, x: x, opacity: opacity)
      overlay.mode = .destinationIn
      let result = try ImageOperation.overlay(overlay).applied(to: picture)
      #expect(result.alpha == .straight)
      return [result.copyBytes()]
    }
    #expect(try masked(1) == [[0, 0, 0, 0, 200, 100, 50, 255, 200, 100, 50, 51]])
    #expect(try masked(-1) == [[200, 100, 50, 51, 0, 0, 0, 0, 0, 0, 0, 0]])
    #expect(try masked(7) == [[UInt8](repeating: 0, count: 12)])
  }

  @Test func exposureIsBrightnessInStops() throws {
    let pixels = try Pictures.bytes([10, 100, 200], 3, .gray8)
    #expect(try ImageOperation(parsing: "exposure:1") == .brightness(2))
    #expect(try Self.rows("exposure:-1", of: pixels) == [[5, 50, 100]])
    #expect(try Self.rows("exposure:1", of: pixels) == [[20, 200, 255]])
    #expect(throws: CoderError.self) { try ImageOperation(parsing: "exposure:7") }
  }

  /// Compositing and Blending Level 1, §9, in double precision: #e66428 over three colors.
  @Test func modesOfSeveralColorsFollowTheirFormulas() throws {
    let pixels = try Pictures.bytes([204, 51, 102, 20, 240, 10, 0, 255, 128], 3, .rgb8)
    let expected: [(ImageOperation.BlendMode, [Int])] = [
      (.softLight, [223, 42, 60, 55, 237, 3, 0, 255, 84]),
      (.colorDodge, [255, 84, 121, 204, 255, 12, 0, 255, 152]),
      (.colorBurn, [198, 0, 0, 0, 217, 0, 0, 255, 0]),
      (.hue, [181, 76, 28, 255, 113, 48, 255, 134, 79]),
      (.saturation, [229, 39, 102, 42, 224, 34, 42, 232, 137]),
      (.color, [200, 70, 10, 246, 116, 56, 255, 134, 79]),
      (.luminosity, [234, 81, 132, 10, 220, 0, 0, 205, 103]),
    ]
    for (mode, values) in expected {
      let found = try #require(try Self.rows("tint:#e66428,\(mode.rawValue)", of: pixels).first)
      for (value, sample) in zip(values, found) { #expect(abs(value - Int(sample)) <= 1, "\(mode): \(found)") }
    }
  }

  @Test(arguments: [
    ("contrast:1.5", [236, 86, 11]),
    ("contrast:0", [128, 128, 128]),
    ("invert", [55, 155, 205]),
    ("invert:0.25", [164, 114, 89]),
    ("sepia", [165, 147, 114]),
    ("hue:180", [35, 135, 185]),
    ("hue:360", [200, 100, 50]),
    ("matrix:0,1,0,0,0,0,1,0,1,0,0,0", [100, 50, 200]),
    ("gamma:2", [226, 160, 113]),
    ("gamma:0.5", [157, 39, 10]),
  ]) func colorsFollowTheirFormulas(_ operation: String, _ expected: [UInt8]) throws {
    let pixels = try Pictures.bytes([200, 100, 50], 1, .rgb8)
    #expect(try Self.rows(operation, of: pixels) == [expected])
    // The same under alpha, which stays.
    let clear = try Pictures.bytes([200, 100, 50, 128], 1, .rgba8)
    let found = try #require(try Self.rows(operation, of: clear).first)
    for (value, sample) in zip(expected + [128], found) { #expect(abs(Int(value) - Int(sample)) <= 1) }
  }

  @Test func grayStaysGrayIfItCan() throws {
    let gray = try Pictures.bytes([0, 100], 2, .gray8)
    #expect(try Self.rows("invert", of: gray) == [[255, 155]])
    // 0.393 + 0.769 + 0.189 is 1.351, 1.203 and 0.937 of 100.
    #expect(try Self.rows("sepia", of: gray) == [[0, 0, 0, 135, 120, 94]])
  }

  /// An edge of 100 and 150: beside it the blur takes away, and sharpening adds, the same on both sides.
  @Test func sharpeningIsAnUnsharpMask() throws {
    let row = (0..<32).map { UInt8($0 < 16 ? 100 : 150) }
    let pixels = try Pictures.bytes(row, 32, .gray8)
    let sharp = try #require(try Self.rows("sharpen:1,2", of: pixels).first)
    // Sigma 1: the step's blur is the sum of the kernel, 0.30 beyond half a pixel and 0.067 beyond one and a half.
    func share(_ distance: Double) -> Double { 0.5 * erfc(distance / 2.0.squareRoot()) }
    for (place, distance) in [(15, 0.5), (14, 1.5), (13, 2.5)] {
      // The kernel's sums by whole pixels are those of the Gaussian within a hundredth.
      #expect(abs(Double(sharp[place]) - (100 - 2 * 50 * share(distance))) <= 2)
      #expect(Int(sharp[place]) + Int(sharp[31 - place]) == 250)
    }
    #expect(sharp[0] == 100 && sharp[31] == 150)
  }

  @Test(arguments: [
    "contrast:-1", "sepia:2", "hue:1e7", "matrix:1,2,3", "gamma:0", "sharpen:-1", "sharpen:1,200",
    "matrix:2000,0,0,0,0,0,0,0,0,0,0,0",
  ])
  func whatIsOutOfRangeIsRefused(_ operation: String) throws {
    let pixels = try Pictures.bytes([1, 2, 3], 1, .rgb8)
    let error = #expect(throws: CoderError.self) { try Self.rows(operation, of: pixels) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func flattenLaysOverAColor() throws {
    let pixels = try Pictures.bytes([255, 0, 0, 128, 9, 9, 9, 0], 2, .rgba8)
    let flat = try ImageOperation.flatten(PixelColor(red: 0, green: 0, blue: 255)).applied(to: pixels)
    #expect(flat.layout == PixelLayout(.rgb8, .opaque))
    #expect(flat.copyBytes() == [128, 0, 127, 0, 0, 255])
    let words = try Pictures.words([65_535, 0, 1_000, 32_768], 2, .grayAlpha16)
    let white = try ImageOperation.flatten(.white).applied(to: words)
    #expect(white.layout == PixelLayout(.gray16, .opaque))
    // 1000 · 32768 ÷ 65535 + 32767 = 33267.0
    #expect(Pictures.numbers(white) == [1, 33_267.0 / 65_535])
  }

  @Test func overlayLiesWhereItIsAsked() throws {
    let base = try Pictures.bytes(Array(repeating: 100, count: 12), 4, .gray8)
    let mark = try Pictures.bytes([200, 255, 50, 128], 2, .grayAlpha8)
    func result(_ overlay: ImageOperation.Overlay) throws -> [UInt8] {
      try ImageOperation.overlay(overlay).applied(to: base).copyBytes()
    }
    // 50 · 128 ÷ 255 + 100 · 127 ÷ 255 = 74.9
    #expect(
      try result(ImageOperation.Overlay(mark, at: .topLeft)) == [200, 75, 100, 100] + Array(repeating: 100, count: 8))
    #expect(try result(ImageOperation.Overlay(mark, at: .bottomRight)) == Array(repeating: 100, count: 10) + [200, 75])
    #expect(
      try result(ImageOperation.Overlay(mark, at: .bottomRight, x: 1, y: -1)) == Array(repeating: 100, count: 7) + [
        200, 100, 100, 100, 100,
      ])
    #expect(try result(ImageOperation.Overlay(mark, at: .topLeft, x: -1)) == [75] + Array(repeating: 100, count: 11))
    #expect(try result(ImageOperation.Overlay(mark, at: .topLeft, x: 4)) == Array(repeating: 100, count: 12))
    // Half of 200 and half of 100.
    #expect(try result(ImageOperation.Overlay(mark, at: .topLeft, opacity: 0.5))[0] == 150)
    #expect(
      try result(ImageOperation.Overlay(mark, at: .topLeft, x: .max, y: .min)) == Array(repeating: 100, count: 12))
  }

  @Test func overlayBringsColorAndDepthStays() throws {
    let base = try Pictures.words([0, 65_535], 2, .gray16)
    let mark = try Pictures.bytes([255, 0, 0], 1, .rgb8)
    let result = try ImageOperation.overlay(.init(mark, at: .left)).applied(to: base)
    #expect(result.layout == PixelLayout(.rgba16, .opaque))
    #expect(Pictures.numbers(result) == [1, 0, 0, 1, 1, 1, 1, 1])
  }

  @Test func overlaysAreNamedByTheirSamples() throws {
    let (one, same, other) = (
      try Self.numbered(), try Self.numbered(), try Pictures.bytes([1, 2, 3, 4, 5, 7], 3, .gray8)
    )
    #expect(ImageOperation.Overlay(one) == ImageOperation.Overlay(same))
    #expect(ImageOperation.Overlay(one) != ImageOperation.Overlay(other))
    #expect(ImageOperation.Overlay(one) != ImageOperation.Overlay(one, x: 1))
    // FNV-1a of "gray8 opaque 3 2\n" and 1 to 6, worked out in Python.
    #expect(ImageOperation.Overlay(one).digest == "f78ee8e03181d4e75096db9270425ec3")
  }

  @Test(arguments: [
    ("crop:4x1+0+0", "a part of 4×1 at 0,0 is not inside the picture of 3×2"),
    ("border:2", "a border of 2 pixels for a picture of 3×2; 1 to 1 are allowed"),
    ("blur:-1", "the sigma of a blur of -1.0; 0.0 to 10000.0 are allowed"),
    ("grayscale:2", "an amount of gray of 2.0; 0.0 to 1.0 are allowed"),
    ("inset:2", "insets of 2,2,2,2 leave nothing of a picture of 3×2"),
    ("round:-3", "the radius of a corner of -3.0; 0.0 to 1000000.0 are allowed"),
  ])
  func refusesValuesOutOfRange(operation: String, message: String) throws {
    let pixels = try Self.numbered()
    let error = #expect(throws: CoderError.self) { try ImageOperation(parsing: operation).applied(to: pixels) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == message)
  }

  @Test func limitsAreCheckedBeforeMemoryIsAskedFor() throws {
    let pixels = try Self.numbered()
    for operation in ["inset:-1000000", "resize:60000x60000,stretch,enlarge", "inset:-1073741824,0,0,0"] {
      let error = #expect(throws: CoderError.self) { try ImageOperation(parsing: operation).applied(to: pixels) }
      #expect(error?.code == .limitExceeded)
    }
    let error = #expect(throws: CoderError.self) {
      try ImageOperation.blur(sigma: 9).applied(to: pixels, limits: Limits(maxMemory: 10))
    }
    #expect(error?.limit == .maxMemory)
  }
}
