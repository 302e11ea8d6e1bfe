// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing

@Suite struct DestinationTests {
  private let four = picture(4, 3) { x, y in [UInt8(60 * x), UInt8(80 * y), 20, UInt8(255 - 30 * x)] }

  @Test func anUnwritableTypeMakesNone() {
    #expect(CGImageDestinationCreateWithData(NSMutableData(), "public.movie" as CFString, 1, nil) == nil)
    #expect(CGImageDestinationCreateWithData(NSMutableData(), "com.adobe.pdf" as CFString, 1, nil) == nil)
    #expect(
      CGImageDestinationCreateWithURL(URL(string: "https://example.com/a.png")! as CFURL, kUTTypePNG, 1, nil) == nil)
    let types = CGImageDestinationCopyTypeIdentifiers() as? [String] ?? []
    for type in [
      "public.png", "public.jpeg", "com.compuserve.gif", "public.tiff", "public.heic", "org.webmproject.webp",
    ] {
      #expect(types.contains(type))
    }
  }

  @Test(arguments: ["public.png", "public.tiff", "com.microsoft.bmp", "org.qoiformat.qoi"])
  func losslessTypesKeepEachSample(_ type: String) throws {
    let opaque = picture(5, 4, alpha: .noneSkipLast) { x, y in [UInt8(50 * x), UInt8(60 * y), 7, 255] }
    let made = try #require(file(opaque, type))
    let read = try #require(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil))
    #expect(CGImageSourceGetType(opened(made)!) as String? == type)
    #expect(bytes(read) == bytes(opaque))
  }

  /// Properties of a HEIF file say both, and may differ: the picture is turned by its own.
  @Test func theOrientationOfThePictureCounts() throws {
    let both =
      [kCGImagePropertyOrientation: 3, kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFOrientation: 6]]
      as [CFString: Any]
    let turned = try #require(file(four, "public.jpeg", both))
    let made = try #require(properties(opened(turned)))
    #expect(made[kCGImagePropertyOrientation] as? Int == 3)
    let heif = try #require(properties(try Fixture.source("heif/valid/exif-and-irot.heic")))
    let stated = try #require(heif[kCGImagePropertyOrientation] as? Int)
    #expect(
      (heif[kCGImagePropertyTIFFDictionary] as? [CFString: Any])?[kCGImagePropertyTIFFOrientation] as? Int != stated)
    let converted = try #require(file(four, "public.jpeg", heif))
    let copy = try #require(properties(opened(converted)))
    #expect(copy[kCGImagePropertyOrientation] as? Int == stated)
  }

  /// As programs take a place out: the data begins as a copy of the file.
  @Test func nothingOfACopyStays() throws {
    let gps = [kCGImagePropertyGPSLatitude: 33.5, kCGImagePropertyGPSLatitudeRef: "N"] as [CFString: Any]
    let old = try #require(file(four, "public.jpeg", [kCGImagePropertyGPSDictionary: gps]))
    let data = NSMutableData(data: old + Data(repeating: 7, count: 10_000))
    let destination = try #require(CGImageDestinationCreateWithData(data, kUTTypeJPEG, 1, nil))
    let changes = [kCGImagePropertyGPSDictionary: kCFNull!] as CFDictionary
    CGImageDestinationAddImageFromSource(destination, try #require(opened(old)), 0, changes)
    #expect(CGImageDestinationFinalize(destination))
    #expect(data.length < old.count)
    let found = try #require(properties(opened(data as Data)))
    #expect(found[kCGImagePropertyPixelWidth] as? Int == four.width && found[kCGImagePropertyGPSDictionary] == nil)
  }

  @Test func alphaIsKept() throws {
    let made = try #require(file(four, "public.png"))
    #expect(bytes(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil)) == bytes(four))
  }

  @Test func bytesComeWhenItIsFinished() throws {
    let data = NSMutableData(data: Data([1, 2, 3]))
    let destination = try #require(CGImageDestinationCreateWithData(data, kUTTypePNG, 1, nil))
    CGImageDestinationAddImage(destination, four, nil)
    #expect(data.length == 3)
    #expect(CGImageDestinationFinalize(destination))
    // In place of what was there.
    #expect([UInt8](data as Data).prefix(4) == [0x89, 0x50, 0x4E, 0x47])
    let length = data.length
    #expect(!CGImageDestinationFinalize(destination))
    CGImageDestinationAddImage(destination, four, nil)
    #expect(!CGImageDestinationFinalize(destination))
    #expect(data.length == length)
  }

  @Test func theCountIsKept() throws {
    let data = NSMutableData()
    let none = try #require(CGImageDestinationCreateWithData(data, kUTTypePNG, 1, nil))
    #expect(!CGImageDestinationFinalize(none))
    let tooFew = try #require(CGImageDestinationCreateWithData(data, kUTTypeTIFF, 2, nil))
    CGImageDestinationAddImage(tooFew, four, nil)
    #expect(!CGImageDestinationFinalize(tooFew))
    #expect(data.length == 0)
    let tooMany = try #require(CGImageDestinationCreateWithData(data, kUTTypeTIFF, 1, nil))
    CGImageDestinationAddImage(tooMany, four, nil)
    CGImageDestinationAddImage(tooMany, four, nil)
    #expect(CGImageDestinationFinalize(tooMany))
    #expect(CGImageSourceGetCount(opened(data as Data)!) == 1)
    let any = NSMutableData()
    let unknown = try #require(CGImageDestinationCreateWithData(any, kUTTypeTIFF, 0, nil))
    for _ in 0..<3 { CGImageDestinationAddImage(unknown, four, nil) }
    #expect(CGImageDestinationFinalize(unknown))
    #expect(CGImageSourceGetCount(opened(any as Data)!) == 3)
  }

  @Test func aFileAndAConsumerGetTheSameBytes() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("imageio-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: url) }
    let toFile = try #require(CGImageDestinationCreateWithURL(url as CFURL, kUTTypePNG, 1, nil))
    CGImageDestinationAddImage(toFile, four, nil)
    #expect(CGImageDestinationFinalize(toFile))
    let data = NSMutableData()
    let consumer = try #require(CGDataConsumer(data: data))
    let toConsumer = try #require(CGImageDestinationCreateWithDataConsumer(consumer, kUTTypePNG, 1, nil))
    CGImageDestinationAddImage(toConsumer, four, nil)
    #expect(CGImageDestinationFinalize(toConsumer))
    #expect(try Data(contentsOf: url) == data as Data)
    let nowhere = URL(fileURLWithPath: "/no/such/folder/a.png")
    let lost = try #require(CGImageDestinationCreateWithURL(nowhere as CFURL, kUTTypePNG, 1, nil))
    CGImageDestinationAddImage(lost, four, nil)
    #expect(!CGImageDestinationFinalize(lost))
  }

  @Test func qualityIsTakenFromPictureAndFile() throws {
    let noise = picture(64, 64, alpha: .noneSkipLast) { x, y in
      [UInt8((x * 37 + y * 91) & 255), UInt8((x * x + y * 13) & 255), UInt8((x * y) & 255), 255]
    }
    let low = try #require(file(noise, "public.jpeg", [kCGImageDestinationLossyCompressionQuality: 0.1]))
    let high = try #require(file(noise, "public.jpeg", [kCGImageDestinationLossyCompressionQuality: CGFloat(0.95)]))
    #expect(low.count * 2 < high.count)
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, kUTTypeJPEG, 1, nil))
    CGImageDestinationSetProperties(destination, [kCGImageDestinationLossyCompressionQuality: 0.1] as CFDictionary)
    CGImageDestinationAddImage(destination, noise, nil)
    #expect(CGImageDestinationFinalize(destination))
    #expect(data as Data == low)
    // 1 is without loss where the format has that.
    let webP = try #require(file(noise, "org.webmproject.webp", [kCGImageDestinationLossyCompressionQuality: 1]))
    #expect(bytes(CGImageSourceCreateImageAtIndex(opened(webP)!, 0, nil)) == bytes(noise))
  }

  @Test func theBackgroundIsUnderWhatIsTransparent() throws {
    let clear = picture(16, 16) { _, _ in [0, 0, 0, 0] }
    let white = try #require(file(clear, "public.jpeg"))
    #expect(bytes(CGImageSourceCreateImageAtIndex(opened(white)!, 0, nil)).prefix(3) == [255, 255, 255])
    let color = CGColor(srgbRed: 0, green: 0, blue: 1, alpha: 1)
    let blue = try #require(
      file(clear, "com.microsoft.bmp", [kCGImageDestinationBackgroundColor: color]))
    #expect(CGImageSourceCreateImageAtIndex(opened(blue)!, 0, nil) != nil)
    let jpeg = try #require(file(clear, "public.jpeg", [kCGImageDestinationBackgroundColor: color]))
    let pixel = bytes(CGImageSourceCreateImageAtIndex(opened(jpeg)!, 0, nil)).prefix(3)
    #expect(pixel.first! < 4 && pixel.last! > 251)
  }

  @Test func theLongestSideIsLimited() throws {
    let made = try #require(
      file(picture(40, 20) { _, _ in [9, 9, 9, 255] }, "public.png", [kCGImageDestinationImageMaxPixelSize: 10]))
    let read = try #require(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil))
    #expect(size(read) == "10×5")
  }

  @Test(arguments: [
    ("com.compuserve.gif", kCGImagePropertyGIFDictionary as String), ("public.png", "{PNG}"),
    ("org.webmproject.webp", "{WebP}"), ("public.heics", "{HEICS}"),
  ])
  func anAnimationHasDelaysAndPlays(_ type: String, _ name: String) throws {
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, type as CFString, 3, nil))
    CGImageDestinationSetProperties(destination, [name: ["LoopCount": 5]] as CFDictionary)
    for index in 0..<3 {
      let frame = picture(16, 16, alpha: .noneSkipLast) { x, _ in x / 6 == index ? [250, 0, 0, 255] : [0, 0, 250, 255] }
      let delay = [0.1, 0.25, 0.5][index]
      CGImageDestinationAddImage(destination, frame, [name: ["UnclampedDelayTime": delay]] as CFDictionary)
    }
    #expect(CGImageDestinationFinalize(destination))
    let source = try #require(opened(data as Data))
    #expect(CGImageSourceGetCount(source) == 3)
    let whole = try #require((CGImageSourceCopyProperties(source, nil) as? [String: Any])?[name] as? [String: Any])
    #expect(whole["LoopCount"] as? Int == 5)
    let delays = (whole["FrameInfo"] as? [[String: Any]])?.map { $0["DelayTime"] as? Double }
    #expect(delays == [0.1, 0.25, 0.5])
    for index in 0..<3 {
      let inner = properties(source, index)?[name as CFString] as? [String: Any]
      #expect(inner?["UnclampedDelayTime"] as? Double == [0.1, 0.25, 0.5][index])
      #expect(inner?["LoopCount"] == nil)
    }
  }

  @Test func propertiesBecomeMetadata() throws {
    let given: [CFString: Any] = [
      kCGImagePropertyOrientation: 8,
      kCGImagePropertyExifDictionary: [
        kCGImagePropertyExifExposureTime: 0.004, kCGImagePropertyExifDateTimeOriginal: "2024:05:01 10:07:05",
        kCGImagePropertyExifISOSpeedRatings: [400], kCGImagePropertyExifUserComment: "Grüße",
      ],
      kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFMake: "Maker", kCGImagePropertyTIFFSoftware: "Program"],
      kCGImagePropertyGPSDictionary: [
        kCGImagePropertyGPSLatitude: 33.5, kCGImagePropertyGPSLatitudeRef: "S", kCGImagePropertyGPSLongitude: 151.25,
        kCGImagePropertyGPSLongitudeRef: "E", kCGImagePropertyGPSAltitude: 12.5,
      ],
      kCGImagePropertyIPTCDictionary: [
        kCGImagePropertyIPTCKeywords: ["one", "two"], kCGImagePropertyIPTCCity: "Wien",
      ],
    ]
    for type in ["public.jpeg", "public.png", "org.webmproject.webp", "public.heic"] {
      let made = try #require(file(picture(16, 16) { _, _ in [1, 2, 3, 255] }, type, given))
      let read = try #require(properties(opened(made)))
      #expect(read[kCGImagePropertyOrientation] as? Int == 8, "\(type)")
      let exif = try #require(read[kCGImagePropertyExifDictionary] as? [CFString: Any])
      #expect(exif[kCGImagePropertyExifExposureTime] as? Double == 0.004)
      #expect(exif[kCGImagePropertyExifISOSpeedRatings] as? [Int] == [400])
      #expect(exif[kCGImagePropertyExifUserComment] as? String == "Grüße")
      let gps = try #require(read[kCGImagePropertyGPSDictionary] as? [CFString: Any])
      #expect(gps[kCGImagePropertyGPSLatitude] as? Double == 33.5)
      #expect(gps[kCGImagePropertyGPSLatitudeRef] as? String == "S")
      #expect(gps[kCGImagePropertyGPSLongitudeRef] as? String == "E")
      #expect(gps[kCGImagePropertyGPSAltitude] as? CGFloat == 12.5)
      let iptc = try #require(read[kCGImagePropertyIPTCDictionary] as? [CFString: Any])
      #expect(iptc[kCGImagePropertyIPTCKeywords] as? [String] == ["one", "two"])
      #expect(iptc[kCGImagePropertyIPTCCity] as? String == "Wien")
      if type != "public.heic" { #expect(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil)?.width == 16) }
    }
  }

  @Test func densityAndInterlacingAreWritten() throws {
    let wide = picture(8, 8, alpha: .noneSkipLast) { _, _ in [1, 2, 3, 255] }
    let made = try #require(
      file(
        wide, "public.png",
        [
          kCGImagePropertyDPIWidth: 144, kCGImagePropertyDPIHeight: 144,
          kCGImagePropertyPNGDictionary: [kCGImagePropertyPNGInterlaceType: 1],
        ]))
    let read = try #require(properties(opened(made)))
    #expect(abs((read[kCGImagePropertyDPIWidth] as? Double ?? 0) - 144) < 0.1)
    let png = read[kCGImagePropertyPNGDictionary] as? [CFString: Any]
    #expect(png?[kCGImagePropertyPNGInterlaceType] as? Int == 1)
    let jpeg = try #require(
      file(wide, "public.jpeg", [kCGImagePropertyJFIFDictionary: [kCGImagePropertyJFIFIsProgressive: kCFBooleanTrue!]]))
    let jfif = properties(opened(jpeg))?[kCGImagePropertyJFIFDictionary] as? [CFString: Any]
    #expect(jfif?[kCGImagePropertyJFIFIsProgressive] as? Bool == true)
  }

  @Test func colorsAreStated() throws {
    let image = try #require(
      picture(4, 4) { _, _ in [200, 10, 10, 255] }.copy(colorSpace: CGColorSpace(name: CGColorSpace.displayP3)!))
    let made = try #require(file(image, "public.png"))
    #expect(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil)?.colorSpace?.name == CGColorSpace.displayP3)
    let shared = try #require(file(image, "public.png", [kCGImageDestinationOptimizeColorForSharing: true]))
    let read = try #require(CGImageSourceCreateImageAtIndex(opened(shared)!, 0, nil))
    #expect(read.colorSpace?.name == CGColorSpace.sRGB)
    #expect(bytes(read) != bytes(image))
  }
}
