// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing
import UniformTypeIdentifiers
import UploadServer

/// A server's code for a Mac, held to what it says.
@Suite struct UploadServerTests {
  /// Sends a file in pieces; with a refusal, how many of them were taken before it.
  private func send(_ data: Data, _ rules: Upload.Rules = Upload.Rules(), piece: Int = 512)
    -> (stored: Upload.Stored?, refusal: Upload.Refusal?, pieces: Int)
  {
    let upload = Upload(rules: rules)
    var pieces = 0
    do throws(Upload.Refusal) {
      for start in stride(from: 0, to: data.count, by: piece) {
        try upload.receive(data.subdata(in: start..<min(start + piece, data.count)))
        pieces += 1
      }
      return (try upload.finish(), nil, pieces)
    } catch {
      return (nil, error, pieces)
    }
  }

  /// 80×40 pixels, red on the left and blue on the right, shown a quarter to the right; with a place.
  private func photo(_ type: UTType) throws -> Data {
    let image = picture(80, 40, alpha: .noneSkipLast) { x, _ in x < 40 ? [255, 0, 0, 255] : [0, 0, 255, 255] }
    let place: [CFString: Any] = [
      kCGImagePropertyGPSLatitude: 48.25, kCGImagePropertyGPSLatitudeRef: "N", kCGImagePropertyGPSLongitude: 16.5,
      kCGImagePropertyGPSLongitudeRef: "E",
    ]
    return try #require(
      file(
        image, type.identifier,
        [
          kCGImagePropertyOrientation: 6, kCGImagePropertyGPSDictionary: place,
          kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFMake: "Maker"],
        ]))
  }

  @Test(arguments: [UTType.jpeg, .png, .heic, .webP]) func takesAPhotoWithoutItsPlace(_ type: UTType) throws {
    let data = try photo(type)
    #expect(properties(opened(data))?[kCGImagePropertyGPSDictionary] != nil)
    var rules = Upload.Rules()
    rules.sides = [30, 10]
    let stored = try #require(send(data, rules).stored)
    #expect(stored.type == type)
    #expect("\(stored.width)×\(stored.height)" == "40×80")
    // The file has the same pixels, and all that it said but the place.
    let source = opened(stored.original)
    let found = try #require(properties(source))
    #expect(found[kCGImagePropertyGPSDictionary] == nil)
    #expect(
      (found[kCGImagePropertyTIFFDictionary] as? [CFString: Any])?[kCGImagePropertyTIFFMake] as? String == "Maker")
    #expect(found[kCGImagePropertyOrientation] as? Int == 6)
    #expect(
      bytes(source.flatMap { CGImageSourceCreateImageAtIndex($0, 0, nil) })
        == bytes(opened(data).flatMap { CGImageSourceCreateImageAtIndex($0, 0, nil) }))
    // What is made of it is upright, and says nothing.
    #expect(stored.smaller.count == 2)
    for (side, width) in [(30, 15), (10, 5)] {
      let file = try #require(stored.smaller[side])
      let small = try #require(opened(file).flatMap { CGImageSourceCreateImageAtIndex($0, 0, nil) })
      #expect(size(small) == "\(width)×\(side)")
      let pixels = bytes(small)
      #expect(pixels[0] > 200 && pixels[2] < 60, "red on top")
      #expect(pixels[pixels.count - 2] > 200 && pixels[pixels.count - 4] < 60, "blue below")
      let said = try #require(properties(opened(file)))
      #expect(said[kCGImagePropertyOrientation] as? Int ?? 1 == 1)
      #expect(said[kCGImagePropertyGPSDictionary] == nil)
      #expect(CGImageSourceGetType(opened(file)!) == kUTTypeJPEG)
    }
  }

  @Test func whatIsTransparentStaysSo() throws {
    let clear = picture(20, 20) { x, _ in [9, 9, 9, UInt8(12 * x)] }
    let data = try #require(file(clear, "public.png"))
    let stored = try #require(send(data).stored)
    let small = try #require(stored.smaller[160].flatMap { opened($0) })
    #expect(CGImageSourceGetType(small) == kUTTypePNG)
  }

  @Test func refusesBeforeAllOfItHasCome() throws {
    let text = send(Data(repeating: 0x41, count: 100_000))
    #expect(text.refusal == .notAPicture && text.refusal?.rawValue == 415)
    #expect(text.pieces < 20)
    // A picture of a type that is not taken.
    let animation = send(try Fixture.data("gif/valid/loop-3.gif"), piece: 64)
    #expect(animation.refusal == .notAPicture)
    // One that is too large, by what its first bytes say.
    var rules = Upload.Rules()
    rules.mostPixels = 199 * 100
    let large = send(longFile(), rules)
    #expect(large.refusal == .tooLarge && large.refusal?.rawValue == 413)
    #expect(large.pieces < longFile().count / 512)
    rules = Upload.Rules()
    rules.mostBytes = 2000
    #expect(send(longFile(), rules).refusal == .tooLarge)
    #expect(send(longFile(), rules).pieces == 3)
  }

  @Test(arguments: ["jpeg", "png", "webp"]) func refusesWhatIsDamaged(_ type: String) throws {
    let whole = try #require(
      file(
        picture(60, 60, alpha: .noneSkipLast) { x, y in [UInt8(x * y & 255), UInt8(x * 4), UInt8(y * 4), 255] },
        type == "webp" ? "org.webmproject.webp" : "public.\(type)"))
    #expect(send(whole.prefix(whole.count * 2 / 3)).refusal == .damaged)
    #expect(send(Data()).refusal == .notAPicture || send(Data()).refusal == .damaged)
  }

  @Test func keepsAGainMapWhereItIsAsked() throws {
    let from = try Fixture.source("avif/valid/gain-map.avif")
    let map = try #require(CGImageSourceCopyAuxiliaryDataInfoAtIndex(from, 0, kCGImageAuxiliaryDataTypeISOGainMap))
    let base = try #require(CGImageSourceCreateImageAtIndex(from, 0, nil))
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, kUTTypeJPEG, 1, nil))
    CGImageDestinationAddImage(destination, base, nil)
    CGImageDestinationAddAuxiliaryDataInfo(destination, kCGImageAuxiliaryDataTypeISOGainMap, map)
    #expect(CGImageDestinationFinalize(destination))
    var rules = Upload.Rules()
    rules.sides = [24, 8]
    for keeps in [true, false] {
      rules.keepsGainMap = keeps
      let stored = try #require(send(data as Data, rules).stored)
      for side in rules.sides {
        let source = try #require(stored.smaller[side].flatMap { opened($0) })
        let found = CGImageSourceCopyAuxiliaryDataInfoAtIndex(source, 0, kCGImageAuxiliaryDataTypeISOGainMap)
        #expect((found != nil) == (keeps && side == 24))
        let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
        #expect(max(image.width, image.height) == side)
      }
    }
  }
}
