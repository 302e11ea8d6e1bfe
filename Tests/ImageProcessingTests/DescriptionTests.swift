// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import Testing

/// Placeholders, hashes, main colors and differences, beside values of other programs.
@Suite struct DescriptionTests {
  /// 8×6: red grows to the right, green downwards.
  private static func gradient(alpha: (Int, Int) -> UInt8 = { _, _ in 255 }) throws(CoderError) -> PixelBuffer {
    var samples: [UInt8] = []
    for y in 0..<6 {
      for x in 0..<8 {
        samples += [UInt8(x * 30 % 256), UInt8(y * 40 % 256), UInt8(x * y * 7 % 256), alpha(x, y)]
      }
    }
    return try Pictures.bytes(samples, 8, .rgba8)
  }

  private static func parabola(_ width: Int, _ height: Int, _ change: (Int, Int) -> Int = { _, _ in 0 })
    throws(CoderError) -> PixelBuffer
  {
    var samples: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        samples.append(UInt8(max(0, min(255, (x * x + 3 * y * y + x * y) % 256 + change(x, y)))))
      }
    }
    return try Pictures.bytes(samples, width, .gray8)
  }

  /// Worked out by a program in Python, written from the description of the format.
  @Test func thumbHashIsThePublishedOne() throws {
    // A picture without waves that are 0: half way between two steps, they would be rounded by chance.
    #expect(
      try ThumbHash.bytes(of: Self.gradient { UInt8(($0 * 37 + $1 * 11) % 256) }) == [
        88, 25, 134, 12, 140, 39, 131, 138, 160, 107, 135, 119, 168, 233, 144, 130, 127, 55, 192, 116, 134, 104, 120,
        135, 8,
      ])
  }

  /// Of the package blurhash 1.1.5 for Python.
  @Test func blurHashIsThePublishedOne() throws {
    #expect(try BlurHash.text(of: Self.gradient()) == "LcE.,z31a{%1zDNOfQnPenf9fQf6")
    let one = try BlurHash.text(of: Pictures.bytes([255, 255, 255], 1, .rgb8), across: 1, down: 1)
    // No waves: size flag 0, scale 0, then 0xFFFFFF in base 83.
    #expect(one == "00TSUA")
    #expect(throws: CoderError.self) { try BlurHash.text(of: Self.gradient(), across: 10) }
  }

  /// Of the package imagehash 4.3.2 for Python.
  @Test func perceptualHashIsThatOfImageHash() throws {
    let hash = try PerceptualHash(Self.parabola(32, 32))
    #expect(hash.description == "8f0e0f060e17be3e")
    #expect(PerceptualHash(parsing: hash.description) == hash)
    #expect(PerceptualHash(parsing: "+f0e0f060e17be3e") == nil)
    #expect(hash.distance(to: PerceptualHash(bits: hash.bits ^ 0x8001)) == 2)
  }

  @Test func perceptualHashHardlyChangesWithTheSize() throws {
    let large = try Self.parabola(16, 12).resampled(to: Size(width: 400, height: 300))
    let hash = try PerceptualHash(large)
    let small = try PerceptualHash(large.resampled(to: Size(width: 90, height: 68)))
    #expect(hash.distance(to: small) <= 2)
    let other = try PerceptualHash(try ImageOperation.flipHorizontal.applied(to: large))
    #expect(hash.distance(to: other) > 16)
  }

  /// Of scikit-image 0.26: structural_similarity with Gaussian weights, peak_signal_noise_ratio.
  @Test func differencesAreThoseOfScikitImage() throws {
    let (a, b) = (try Self.parabola(24, 20), try Self.parabola(24, 20) { ($0 * 5 + $1 * 3) % 17 - 8 })
    let comparison = try ImageComparison(a, b)
    #expect(abs(comparison.ssim - 0.997801750235783) < 0.00001)
    #expect(abs(comparison.psnr - 34.43439387579468) < 0.0001)
    #expect(abs(comparison.maximum * 255 - 8) < 0.0001)
    #expect(abs(comparison.mean * 255 - 4.15625) < 0.0001)
    #expect(comparison.differingPixels == 449)
    #expect(abs(comparison.dssim - (1 - comparison.ssim) / 2) < 1e-12)
  }

  @Test func equalPicturesInDifferentLayoutsAreEqual() throws {
    let a = try Self.gradient { x, y in x == 0 ? 0 : 255 }
    let same = try ImageComparison(a, a.converted(to: PixelLayout(.rgba16, .premultiplied)))
    #expect(same.psnr == .infinity && same.ssim == 1 && same.differingPixels == 0)
    // Color that is not seen does not count.
    var bytes = a.copyBytes()
    bytes[0] = 99
    #expect(try ImageComparison(a, Pictures.bytes(bytes, 8, .rgba8)).psnr == .infinity)
    bytes[3] = 255
    #expect(try ImageComparison(a, Pictures.bytes(bytes, 8, .rgba8)).differingPixels == 1)
    #expect(throws: CoderError.self) { try ImageComparison(a, Self.parabola(8, 5)) }
  }

  @Test func differenceIsSeenAsAPicture() throws {
    let (a, b) = (
      try Pictures.bytes([10, 20, 30, 1, 1, 1], 2, .rgb8), try Pictures.bytes([13, 20, 20, 1, 1, 1], 2, .rgb8)
    )
    let picture = try ImageComparison.picture(of: a, b, amplification: 4)
    #expect(picture.layout == PixelLayout(.rgb8, .opaque))
    #expect(picture.copyBytes() == [12, 0, 40, 0, 0, 0])
  }

  @Test func mainColorsHaveTheirShares() throws {
    let stripe: [UInt8] = [255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 255, 0, 255, 0, 0]
    let pixels = try Pictures.bytes(stripe + stripe, 5, .rgba8)
    let colors = try DominantColor.colors(of: pixels, count: 5)
    #expect(colors.map(\.color) == [PixelColor(red: 255, green: 0, blue: 0), PixelColor(red: 0, green: 0, blue: 255)])
    #expect(colors.map(\.share) == [0.75, 0.25])
    let clear = try Pictures.bytes([1, 2, 3, 0], 1, .rgba8)
    #expect(try DominantColor.colors(of: clear, count: 3).isEmpty)
    #expect(throws: CoderError.self) { try DominantColor.colors(of: pixels, count: 0) }
  }
}
