// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing

/// `kCGImageDestinationEncodeRequest`: what of an HDR picture's light a file gets.
@Suite struct EncodeRequestTests {
  /// A picture with all of its light, as code for a Mac gets it.
  private func bright() throws -> CGImage {
    let options = [kCGImageSourceDecodeRequest: kCGImageSourceDecodeToHDR] as CFDictionary
    let image = try #require(
      CGImageSourceCreateImageAtIndex(try Fixture.source("avif/valid/gain-map.avif"), 0, options))
    #expect(image.bitmapInfo.contains(.floatComponents))
    return image
  }

  private func decoder(_ data: Data?) throws -> ImageDecoder {
    try Fixture.registry.open(.bytes(try #require(data)))
  }

  private func fromSource(_ path: String, _ type: String, _ request: CFString) throws -> Data? {
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, type as CFString, 1, nil))
    CGImageDestinationAddImageFromSource(
      destination, try Fixture.source(path), 0, [kCGImageDestinationEncodeRequest: request] as CFDictionary)
    return CGImageDestinationFinalize(destination) ? data as Data : nil
  }

  @Test(arguments: ["public.jpeg", "public.heic", "public.avif"])
  func aGainMapIsMadeOfABrightPicture(_ type: String) throws {
    let image = try bright()
    let options: [CFString: Any] = [
      kCGImageDestinationEncodeRequest: kCGImageDestinationEncodeToISOGainmap,
      kCGImageDestinationEncodeRequestOptions: [kCGImageDestinationEncodeBaseIsSDR: true],
      kCGImageDestinationLossyCompressionQuality: 0.9,
    ]
    let data = try #require(file(image, type, options))
    let map = try #require(try decoder(data).gainMap())
    #expect(map.parameters.alternateHeadroom > 0)
    let source = try #require(opened(data))
    #expect(CGImageSourceCopyAuxiliaryDataInfoAtIndex(source, 0, kCGImageAuxiliaryDataTypeISOGainMap) != nil)
    // The base is for every display; with the map there is light above white again.
    let base = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(base.bitsPerComponent == 8)
    #expect(size(base) == size(image))
    let hdr = [kCGImageSourceDecodeRequest: kCGImageSourceDecodeToHDR] as CFDictionary
    #expect((CGImageSourceCreateImageAtIndex(source, 0, hdr)?.contentHeadroom ?? 0) > 1)
  }

  @Test(arguments: ["public.heic", "public.avif", "public.jpeg-xl", "public.png"])
  func allLightIsPQ(_ type: String) throws {
    let options = [kCGImageDestinationEncodeRequest: kCGImageDestinationEncodeToISOHDR]
    let ofImage = try decoder(file(try bright(), type, options))
    #expect(ofImage.header.cicp?.transfer == 16)
    #expect(try ofImage.gainMap() == nil)
    let ofSource = try decoder(
      try fromSource("avif/valid/gain-map.avif", type, kCGImageDestinationEncodeToISOHDR))
    #expect(ofSource.header.cicp?.transfer == 16)
    // The light of the map is in the pixels: both ways give the same picture, nearly.
    func brightest(_ decoder: ImageDecoder) throws -> UInt8 {
      try decoder.frame(at: 0).pixels.converted(to: PixelLayout(.rgb8, .opaque)).copyBytes().max() ?? 0
    }
    #expect(abs(Int(try brightest(ofImage)) - Int(try brightest(ofSource))) < 12)
  }

  /// JPEG has no place for PQ: as where a format lacks something, nothing is written.
  @Test func aFormatWithoutHDRIsRefused() throws {
    let options = [kCGImageDestinationEncodeRequest: kCGImageDestinationEncodeToISOHDR]
    #expect(file(try bright(), "public.jpeg", options) == nil)
    #expect(
      file(
        try bright(), "com.compuserve.gif", [kCGImageDestinationEncodeRequest: kCGImageDestinationEncodeToISOGainmap])
        == nil)
  }

  @Test(arguments: ["public.jpeg", "public.heic", "public.png"]) func ordinaryPicturesHaveNoLightAboveWhite(
    _ type: String
  ) throws {
    for path in ["avif/valid/matrix-bt2020-pq.avif", "avif/valid/gain-map.avif"] {
      let made = try decoder(try fromSource(path, type, kCGImageDestinationEncodeToSDR))
      #expect(try made.gainMap() == nil)
      #expect(![16, 18].contains(made.header.cicp?.transfer ?? 1))
    }
    let made = try decoder(
      file(try bright(), type, [kCGImageDestinationEncodeRequest: kCGImageDestinationEncodeToSDR]))
    #expect(made.header.bitsPerChannel == 8 || type != "public.jpeg")
    #expect(![16, 18].contains(made.header.cicp?.transfer ?? 1))
  }

  @Test func aSourceWithAGainMapKeepsItsOwn() throws {
    let path = "avif/valid/gain-map.avif"
    let made = try decoder(try fromSource(path, "public.jpeg", kCGImageDestinationEncodeToISOGainmap))
    let before = try #require(try Fixture.registry.open(.file(Fixture.url(path).path)).gainMap())
    let after = try #require(try made.gainMap())
    #expect(abs(after.parameters.alternateHeadroom - before.parameters.alternateHeadroom) < 1e-4)
    // One of PQ gets one that is made.
    let pq = try decoder(
      try fromSource("avif/valid/matrix-bt2020-pq.avif", "public.jpeg", kCGImageDestinationEncodeToISOGainmap))
    #expect(pq.header.cicp?.transfer != 16)
  }
}
