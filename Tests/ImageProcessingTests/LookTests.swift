// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageProcessing
import TestSupport
import Testing

/// SSIMULACRA2, held against what the algorithm gives in double precision.
@Suite struct LookTests {
  typealias Sample = @Sendable (_ x: Int, _ y: Int, _ channel: Int) -> Int

  static let size = Size(width: 256, height: 192)

  /// Curves in each channel, which leave the bytes and begin again.
  @Sendable static func original(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    switch channel {
    case 0: (x * x / 64 + y) & 255
    case 1: (x + y * y / 96) & 255
    default: (x * y / 64) & 255
    }
  }

  static func picture(_ sample: Sample) throws -> Image { try picture(size, sample) }

  static func picture(_ size: Size, _ sample: Sample) throws -> Image {
    var bytes: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<3 { bytes.append(UInt8(clamping: sample(x, y, channel))) }
      }
    }
    return Image(try PixelBuffer(copying: bytes, size: size, format: .rgb8, alpha: .opaque))
  }

  /// Distortions, and the scores of the algorithm in double precision; libjxl's own tool says the same within 0.012.
  static let distortions: [(score: Double, sample: Sample)] = [
    (100, original),
    (55.289, { original($0, $1, $2) | 15 }),
    (88.590, { min(original($0, $1, $2) + 3, 255) }),
    (32.055, { original(max($0 - 1, 0), $1, $2) }),
    (-53.219, { original($0, $1, min($2, 1)) }),
    (41.407, { original($0 / 2 * 2, $1 / 2 * 2, $2) }),
  ]

  @Test(arguments: distortions.indices) func scoreIsThatOfDoublePrecision(_ index: Int) throws {
    let (score, sample) = Self.distortions[index]
    let (a, b) = (try Self.picture(Self.original), try Self.picture(sample))
    #expect(abs(try ImageComparison.ssimulacra2(a, b) - score) < 0.01)
  }

  @Test func layoutDoesNotCount() throws {
    let (a, b) = (try Self.picture(Self.original), try Self.picture(Self.distortions[1].sample))
    let wide = Image(try b.pixels.converted(to: PixelLayout(.rgba16, .straight)))
    let score = try ImageComparison.ssimulacra2(a, b)
    // Opaque alpha on two grays is the same picture twice.
    #expect(try ImageComparison.ssimulacra2(a, wide) == score)
    #expect(try ImageComparison.ssimulacra2(Image(a.pixels.converted(to: PixelLayout(.bgra8, .opaque))), b) == score)
  }

  @Test func alphaIsSeenOnDarkAndOnLight() throws {
    func veil(_ level: UInt8, _ alpha: (Int) -> UInt8) throws -> Image {
      let bytes = (0..<64 * 64).flatMap { [level, level, level, alpha($0)] }
      return Image(try PixelBuffer(copying: bytes, size: Size(width: 64, height: 64), format: .rgba8, alpha: .straight))
    }
    let stripes: (Int) -> UInt8 = { $0 / 4 % 2 == 0 ? 0 : 200 }
    // Near the light gray only the dark one shows what is there, and the other way round.
    for level in [UInt8(26), 230] {
      #expect(try ImageComparison.ssimulacra2(veil(level, stripes), veil(level) { _ in 0 }) < 50)
    }
    // Colors that are not seen do not count.
    #expect(try ImageComparison.ssimulacra2(veil(0) { _ in 0 }, veil(255) { _ in 0 }) == 100)
  }

  /// Each side of at least 8 has a scale; the sizes are around whole vectors of eight.
  @Test(arguments: [8, 9, 15, 16, 17, 31, 113]) func smallPicturesHaveScores(_ side: Int) throws {
    let size = Size(width: side, height: 113 - side + 8)
    let (a, b) = (try Self.picture(size, Self.original), try Self.picture(size) { Self.original($0, $1, $2) | 31 })
    let score = try ImageComparison.ssimulacra2(a, b)
    #expect(score < 90 && score > -300)
    #expect(try ImageComparison.ssimulacra2(a, a) == 100)
  }

  @Test func whatCannotBeJudgedIsRefused() throws {
    func code(_ a: Image, _ b: Image) -> CoderError.Code? {
      do throws(CoderError) { _ = try ImageComparison.ssimulacra2(a, b) } catch { return error.code }
      return nil
    }
    let plain = try Self.picture(Self.original)
    #expect(code(plain, try Self.picture(Size(width: 255, height: 192), Self.original)) == .invalidArgument)
    let narrow = try Self.picture(Size(width: 7, height: 99), Self.original)
    #expect(code(narrow, narrow) == .unsupported)
    let light = Image(try plain.pixels.converted(to: PixelLayout(.rgbaFloat32, .opaque)))
    #expect(code(plain, light) == .unsupported)
    for transfer in [UInt8(16), 18] {
      var bright = plain
      bright.cicp = CodingIndependentCodePoints(primaries: 9, transfer: transfer, matrix: 0, isFullRange: true)
      #expect(code(plain, bright) == .unsupported)
    }
    var wide = plain
    wide.cicp = CodingIndependentCodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
    let error = #expect(throws: CoderError.self) { try ImageComparison.ssimulacra2(wide, plain) }
    #expect(error?.message.contains("Display P3") == true)
  }
}
