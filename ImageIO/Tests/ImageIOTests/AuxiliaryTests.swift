// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing

@Suite struct AuxiliaryTests {
  private func info(_ source: CGImageSource?, _ type: CFString) -> [CFString: Any]? {
    source.flatMap { CGImageSourceCopyAuxiliaryDataInfoAtIndex($0, 0, type) } as? [CFString: Any]
  }

  @Test func depthIsRowsAndADescription() throws {
    let source = try Fixture.source("heif/valid/auxiliary.heic")
    let found = try #require(info(source, kCGImageAuxiliaryDataTypeDepth))
    let data = try #require(found[kCGImageAuxiliaryDataInfoData] as? Data)
    let description = try #require(found[kCGImageAuxiliaryDataInfoDataDescription] as? [CFString: Any])
    let decoder = try Fixture.registry.open(.file(Fixture.url("heif/valid/auxiliary.heic").path))
    let picture = try #require(try decoder.auxiliaryPictures().first { $0.kind == .depth })
    let pixels = try decoder.decodeAuxiliary(picture).pixels
    #expect([UInt8](data) == pixels.copyBytes())
    #expect(description[kCGImagePropertyWidth] as? Int == pixels.size.width)
    #expect(description[kCGImagePropertyHeight] as? Int == pixels.size.height)
    #expect(description[kCGImagePropertyBytesPerRow] as? Int == pixels.rowBytes)
    #expect(description[kCGImagePropertyPixelFormat] as? Int == 0x4C30_3038)  // L008
    #expect(info(source, kCGImageAuxiliaryDataTypePortraitEffectsMatte) == nil)
    #expect(info(try Fixture.source("png/valid/rgb8.png"), kCGImageAuxiliaryDataTypeDepth) == nil)
  }

  @Test func aGainMapSaysWhatItsLevelsMean() throws {
    let found = try #require(info(try Fixture.source("avif/valid/gain-map.avif"), kCGImageAuxiliaryDataTypeISOGainMap))
    let metadata = try #require(found[kCGImageAuxiliaryDataInfoMetadata] as? CGImageMetadata)
    let map = try #require(
      try Fixture.registry.open(.file(Fixture.url("avif/valid/gain-map.avif").path)).gainMap()?.parameters)
    func number(_ name: String) -> Double? {
      (CGImageMetadataCopyStringValueWithPath(metadata, nil, "hdrgm:\(name)" as CFString) as String?).flatMap {
        Double($0)
      }
    }
    #expect(number("HDRCapacityMax") == map.alternateHeadroom)
    #expect(number("GainMapMax") == map.red.maximum)
    #expect(number("OffsetSDR") == map.red.baseOffset)
  }

  private static let types =
    [
      kCGImageAuxiliaryDataTypeDepth, kCGImageAuxiliaryDataTypeDisparity, kCGImageAuxiliaryDataTypePortraitEffectsMatte,
      kCGImageAuxiliaryDataTypeSemanticSegmentationSkinMatte, kCGImageAuxiliaryDataTypeSemanticSegmentationHairMatte,
      kCGImageAuxiliaryDataTypeSemanticSegmentationTeethMatte,
      kCGImageAuxiliaryDataTypeSemanticSegmentationGlassesMatte, kCGImageAuxiliaryDataTypeSemanticSegmentationSkyMatte,
    ] as [String]

  /// All that there are, one by one, in a file that is turned: they lie as the picture is stored, here as there.
  @Test(arguments: types, ["public.heic", "public.jpeg"])
  func areWrittenAsTheyLie(_ type: String, _ format: String) throws {
    // Bright on the left.
    let levels = (0..<16 * 8).map { UInt8($0 % 16 < 8 ? 240 : 10) }
    let tag = CGImageMetadataCreateMutable()
    #expect(
      CGImageMetadataRegisterNamespaceForPrefix(tag, "http://example.com/ns/" as CFString, "ex" as CFString, nil))
    #expect(CGImageMetadataSetValueWithPath(tag, nil, "ex:By" as CFString, "camera" as CFString))
    let info: [CFString: Any] = [
      kCGImageAuxiliaryDataInfoData: Data(levels) as CFData,
      kCGImageAuxiliaryDataInfoDataDescription: [
        kCGImagePropertyWidth: 16, kCGImagePropertyHeight: 8, kCGImagePropertyBytesPerRow: 16,
        kCGImagePropertyPixelFormat: 0x4C30_3038,
      ] as CFDictionary, kCGImageAuxiliaryDataInfoMetadata: tag,
    ]
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, format as CFString, 1, nil))
    // Before the picture or after it.
    CGImageDestinationAddAuxiliaryDataInfo(destination, type as CFString, info as CFDictionary)
    CGImageDestinationAddImage(
      destination, picture(64, 32) { x, y in [UInt8(x), UInt8(y), 0, 255] },
      [kCGImagePropertyOrientation: 6] as CFDictionary)
    #expect(CGImageDestinationFinalize(destination))
    let source = try #require(opened(data as Data))
    for other in Self.types {
      #expect((self.info(source, other as CFString) != nil) == (other == type), "\(other)")
    }
    let found = try #require(self.info(source, type as CFString))
    let description = try #require(found[kCGImageAuxiliaryDataInfoDataDescription] as? [CFString: Any])
    #expect(description[kCGImagePropertyWidth] as? Int == 16)
    #expect(description[kCGImagePropertyHeight] as? Int == 8)
    #expect(description[kCGImagePropertyOrientation] as? Int == 6)
    let read = [UInt8](try #require(found[kCGImageAuxiliaryDataInfoData] as? Data))
    #expect(zip(read, levels).allSatisfy { abs(Int($0) - Int($1)) < 32 })
    let said = try #require(found[kCGImageAuxiliaryDataInfoMetadata] as? CGImageMetadata)
    #expect(CGImageMetadataCopyStringValueWithPath(said, nil, "ex:By" as CFString) == "camera" as CFString)
  }

  @Test(arguments: [kCGImageAuxiliaryDataTypeDepth, kCGImageAuxiliaryDataTypeDisparity] as [String])
  func depthIsWritten(_ type: String) throws {
    let levels = (0..<64).map { UInt8($0 * 4) }
    let description: [CFString: Any] = [
      kCGImagePropertyWidth: 8, kCGImagePropertyHeight: 8, kCGImagePropertyBytesPerRow: 8,
      kCGImagePropertyPixelFormat: 0x4C30_3038,
    ]
    let info: [CFString: Any] = [
      kCGImageAuxiliaryDataInfoData: Data(levels) as CFData,
      kCGImageAuxiliaryDataInfoDataDescription: description as CFDictionary,
    ]
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, "public.heic" as CFString, 1, nil))
    CGImageDestinationAddImage(destination, picture(64, 64) { x, y in [UInt8(x), UInt8(y), 0, 255] }, nil)
    CGImageDestinationAddAuxiliaryDataInfo(destination, type as CFString, info as CFDictionary)
    #expect(CGImageDestinationFinalize(destination))
    let found = try #require(self.info(opened(data as Data), type as CFString))
    #expect((found[kCGImageAuxiliaryDataInfoDataDescription] as? [CFString: Any])?[kCGImagePropertyWidth] as? Int == 8)
    // HEVC keeps them nearly.
    let read = [UInt8](try #require(found[kCGImageAuxiliaryDataInfoData] as? Data))
    #expect(zip(read, levels).allSatisfy { abs(Int($0) - Int($1)) < 24 })
  }

  @Test func aGainMapIsMovedToAnotherFile() throws {
    let from = try Fixture.source("avif/valid/gain-map.avif")
    let map = try #require(CGImageSourceCopyAuxiliaryDataInfoAtIndex(from, 0, kCGImageAuxiliaryDataTypeISOGainMap))
    let base = try #require(CGImageSourceCreateImageAtIndex(from, 0, nil))
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg" as CFString, 1, nil))
    CGImageDestinationAddImage(destination, base, nil)
    CGImageDestinationAddAuxiliaryDataInfo(destination, kCGImageAuxiliaryDataTypeISOGainMap, map)
    #expect(CGImageDestinationFinalize(destination))
    let before = try #require(try Fixture.registry.open(.file(Fixture.url("avif/valid/gain-map.avif").path)).gainMap())
    let after = try #require(try Fixture.registry.open(.bytes(data as Data)).gainMap())
    #expect(abs(after.parameters.alternateHeadroom - before.parameters.alternateHeadroom) < 1e-4)
    #expect(after.pixels.size == before.pixels.size)
    // And kept, or not, where the file is encoded again.
    for keeps in [true, false] {
      let again = NSMutableData()
      let other = try #require(CGImageDestinationCreateWithData(again, "public.jpeg" as CFString, 1, nil))
      let properties: [CFString: Any] = [
        kCGImageDestinationPreserveGainMap: keeps, kCGImageDestinationLossyCompressionQuality: 0.8,
      ]
      CGImageDestinationAddImageFromSource(other, opened(data as Data)!, 0, properties as CFDictionary)
      #expect(CGImageDestinationFinalize(other))
      #expect((try Fixture.registry.open(.bytes(again as Data)).gainMap() != nil) == keeps)
    }
  }

  @Test func rowsThatDoNotFitAreAnError() throws {
    let info: [CFString: Any] = [
      kCGImageAuxiliaryDataInfoData: Data(count: 10) as CFData,
      kCGImageAuxiliaryDataInfoDataDescription: [
        kCGImagePropertyWidth: 8, kCGImagePropertyHeight: 8, kCGImagePropertyBytesPerRow: 8,
        kCGImagePropertyPixelFormat: 0x4C30_3038,
      ] as CFDictionary,
    ]
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, "public.heic" as CFString, 1, nil))
    CGImageDestinationAddImage(destination, picture(64, 64) { _, _ in [1, 2, 3, 255] }, nil)
    CGImageDestinationAddAuxiliaryDataInfo(destination, kCGImageAuxiliaryDataTypeDepth, info as CFDictionary)
    #expect(!CGImageDestinationFinalize(destination))
    #expect(data.length == 0)
  }
}
