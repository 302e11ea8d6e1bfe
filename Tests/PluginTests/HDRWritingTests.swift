// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

@Suite struct HDRWritingTests {
  private static func coder() throws -> any ImageCoder {
    try CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
      .coder("org.imagecoders.hdr")
  }

  /// Two pixels side by side.
  private static func picture<Sample>(_ format: PixelFormat, _ samples: [Sample]) throws -> PixelBuffer {
    let buffer = try PixelBuffer(size: Size(width: 2, height: 1), format: format, alpha: .opaque)
    for (index, sample) in samples.enumerated() {
      buffer.row(0).storeBytes(of: sample, toByteOffset: index * MemoryLayout<Sample>.stride, as: Sample.self)
    }
    return buffer
  }

  private static func encoded(_ image: Image, isLossless: Bool = false) throws -> [UInt8] {
    var options = EncodeOptions()
    options.isLossless = isLossless
    return try coder().encode(image, as: .radiance, options: options)
  }

  private static let header = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n"

  @Test func floatingPointIsWrittenAsLight() throws {
    let picture = try Self.picture(.rgbaFloat32, [1, 0.5, 2, 1, -1, 0, 0.75, 1] as [Float])
    let bytes = try Self.encoded(Image(picture))
    #expect(bytes == Array(Self.header.utf8) + [64, 32, 128, 130, 0, 0, 192, 128])
  }

  /// 255 is 1, and 188 is 0.5029 of light.
  @Test func samplesOfSRGBAreWrittenAsLight() throws {
    let picture = try Self.picture(.rgb8, [255, 188, 0, 0, 0, 188] as [UInt8])
    let bytes = try Self.encoded(Image(picture))
    #expect(bytes == Array(Self.header.utf8) + [128, 64, 0, 129, 0, 0, 129, 128])
  }

  @Test func primariesOfOtherColorsAreWritten() throws {
    var image = Image(try Self.picture(.rgbaFloat32, [1, 1, 1, 1, 1, 1, 1, 1] as [Float]))
    image.cicp = CodingIndependentCodePoints(primaries: 12, transfer: 8, matrix: 0, isFullRange: true)
    let bytes = try Self.encoded(image)
    let line = "PRIMARIES=0.68 0.32 0.265 0.69 0.15 0.06 0.3127 0.329\n"
    #expect(String(decoding: bytes, as: UTF8.self).contains("\n\(line)FORMAT="))
    #expect(try Self.coder().decode(.bytes(bytes)).cicp == image.cicp)
  }

  @Test func losslessWritingIsRefused() throws {
    let picture = try Self.picture(.rgb8, [1, 2, 3, 4, 5, 6] as [UInt8])
    #expect {
      try Self.encoded(Image(picture), isLossless: true)
    } throws: {
      ($0 as? CoderError)?.code == .unsupported
    }
  }
}
