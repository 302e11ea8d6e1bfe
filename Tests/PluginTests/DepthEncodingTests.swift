// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Samples of 9 to 15 bits: what a file held, the next one holds.
@Suite struct DepthEncodingTests {
  private static let registry = EncodingPictures.registry

  /// A format, the bits of a picture, and the bits that a lossless file of it is to have.
  struct Case: CustomTestStringConvertible {
    let format: ImageFormat
    let bits: Int
    let stored: Int
    var testDescription: String { "\(format) \(bits)" }
  }

  private static func cases(_ format: ImageFormat, _ bits: [Int], stored: Int? = nil) -> [Case] {
    bits.map { Case(format: format, bits: $0, stored: stored ?? $0) }
  }

  // libjxl gives some values of these depths back in another way.
  static let cases =
    cases(.avif, [10, 12]) + cases(.heic, [10, 12]) + cases(.pnm, Array(9...15)) + cases(.jpeg2000, Array(9...15))
    + cases(.jpegXL, [10]) + cases(.jpegXL, [9, 11, 12, 13, 14, 15], stored: 16)
    + cases(.tiff, [10], stored: 16) + cases(.png, [12], stored: 16)

  @Test(arguments: cases, [true, false]) func everySampleComesBack(_ item: Case, isGray: Bool) throws {
    let image = try Self.registry.decode(.bytes(EncodingPictures.map(bits: item.bits, isGray: isGray)))
    #expect(image.header?.bitsPerChannel == item.bits)
    let bytes = try Self.registry.encode(image, as: item.format, options: EncodingPictures.lossless)
    // Some readers have no pixels of 16 bits without alpha.
    var same = DecodeOptions()
    same.pixelFormat = image.pixels.format
    let found = try Self.registry.decode(.bytes(bytes), options: same)
    #expect(found.header?.bitsPerChannel == item.stored)
    #expect(EncodingPictures.rows(found.pixels) == EncodingPictures.rows(image.pixels))
    // The same file again from what was read.
    #expect(try Self.registry.encode(found, as: item.format, options: EncodingPictures.lossless) == bytes)
  }

  /// Samples between those of fewer bits need all 16.
  @Test(arguments: [ImageFormat.pnm, .jpeg2000, .jpegXL]) func otherSamplesKeep16Bits(_ format: ImageFormat) throws {
    let image = try Self.registry.decode(.bytes(EncodingPictures.map(bits: 10, isGray: true)))
    image.pixels.row(5).assumingMemoryBound(to: UInt16.self)[7] ^= 1
    let bytes = try Self.registry.encode(image, as: format, options: EncodingPictures.lossless)
    let found = try Self.registry.decode(.bytes(bytes))
    #expect(found.header?.bitsPerChannel == 16)
    #expect(EncodingPictures.rows(found.pixels) == EncodingPictures.rows(image.pixels))
  }

  @Test(arguments: [ImageFormat.avif, .heic]) func otherSamplesAreRefusedWhereThereAreNo16Bits(
    _ format: ImageFormat
  ) throws {
    let image = try Self.registry.decode(.bytes(EncodingPictures.map(bits: 10, isGray: false)))
    image.pixels.row(5).assumingMemoryBound(to: UInt16.self)[7] ^= 1
    let error = #expect(throws: CoderError.self) {
      try Self.registry.encode(image, as: format, options: EncodingPictures.lossless)
    }
    #expect(error?.code == .unsupported)
  }

  /// "Lossless" and fewer bits than the picture has cannot both be.
  @Test(arguments: [ImageFormat.avif, .heic]) func fewerBitsThanThePictureHasAreRefused(_ format: ImageFormat) throws {
    let image = try Self.registry.decode(.bytes(EncodingPictures.map(bits: 10, isGray: false)))
    var options = EncodingPictures.lossless
    options.values["bit-depth"] = "8"
    let error = #expect(throws: CoderError.self) { try Self.registry.encode(image, as: format, options: options) }
    #expect(error?.code == .unsupported)
  }

  @Test(arguments: [
    Case(format: .avif, bits: 10, stored: 10), Case(format: .avif, bits: 12, stored: 12),
    Case(format: .avif, bits: 14, stored: 10), Case(format: .heic, bits: 10, stored: 10),
    Case(format: .heic, bits: 11, stored: 12), Case(format: .heic, bits: 14, stored: 10),
    Case(format: .jpegXL, bits: 12, stored: 12), Case(format: .jpeg2000, bits: 12, stored: 12),
  ]) func lossyFilesHaveTheBitsOfTheirSource(_ item: Case) throws {
    let image = try Self.registry.decode(.bytes(EncodingPictures.map(bits: item.bits, isGray: false)))
    var options = EncodeOptions()
    options.quality = 0.6
    let bytes = try Self.registry.encode(image, as: item.format, options: options)
    #expect(try Self.registry.open(.bytes(bytes)).header.bitsPerChannel == item.stored)
  }
}
