// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing

@Suite struct CopyTests {
  /// A file of a picture of another one.
  private func added(_ path: String, _ type: String, _ properties: [CFString: Any] = [:]) throws -> Data? {
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, type as CFString, 1, nil))
    CGImageDestinationAddImageFromSource(destination, try Fixture.source(path), 0, properties as CFDictionary)
    return CGImageDestinationFinalize(destination) ? data as Data : nil
  }

  private func copied(
    _ data: Data, _ type: String, _ options: [CFString: Any]
  ) throws -> (data: Data, isDone: Bool, error: NSError?) {
    let result = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(result, type as CFString, 1, nil))
    var error: Unmanaged<CFError>?
    let isDone = CGImageDestinationCopyImageSource(destination, opened(data)!, options as CFDictionary, &error)
    return (result as Data, isDone, error?.takeRetainedValue())
  }

  @Test(arguments: [
    ("jpeg/valid/orientation-6.jpg", "public.jpeg"), ("png/valid/rgba8.png", "public.png"),
    ("webp/valid/lossy.webp", "org.webmproject.webp"), ("heif/valid/exif.heic", "public.heic"),
  ])
  func whereNothingChangesBytesStay(_ path: String, _ type: String) throws {
    #expect(try added(path, type) == Fixture.data(path))
  }

  @Test(arguments: [
    ("jpeg/valid/orientation-6.jpg", "public.jpeg"), ("png/valid/rgba8.png", "public.png"),
    ("webp/valid/lossy.webp", "org.webmproject.webp"), ("heif/valid/exif.heic", "public.heic"),
  ])
  func whereOnlyMetadataChangePixelsStay(_ path: String, _ type: String) throws {
    let made = try #require(
      try added(path, type, [kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFArtist: "A. Author"]]))
    let tiff = properties(opened(made))?[kCGImagePropertyTIFFDictionary] as? [CFString: Any]
    #expect(tiff?[kCGImagePropertyTIFFArtist] as? String == "A. Author")
    let before = CGImageSourceCreateImageAtIndex(try Fixture.source(path), 0, nil)
    #expect(bytes(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil)) == bytes(before))
  }

  @Test func nothingTakesDictionariesAndKeysOut() throws {
    let given: [CFString: Any] = [
      kCGImagePropertyExifDictionary: [kCGImagePropertyExifFNumber: 2.8, kCGImagePropertyExifLensModel: "Lens"],
      kCGImagePropertyGPSDictionary: [kCGImagePropertyGPSLatitude: 1.5, kCGImagePropertyGPSLongitude: 2.5],
    ]
    let full = try #require(file(picture(16, 16) { _, _ in [1, 2, 3, 255] }, "public.jpeg", given))
    let noGPS = try changed(full, "public.jpeg", [kCGImagePropertyGPSDictionary: kCFNull!])
    #expect(noGPS[kCGImagePropertyGPSDictionary] == nil)
    #expect(noGPS[kCGImagePropertyExifDictionary] != nil)
    // As an optional, which a literal makes of it.
    let noExif = try changed(
      full, "public.jpeg",
      [
        kCGImagePropertyExifDictionary: kCFNull as Any, kCGImagePropertyGPSDictionary: kCFNull as Any,
      ])
    #expect(noExif[kCGImagePropertyExifDictionary] == nil)
    let noLens = try changed(
      full, "public.jpeg", [kCGImagePropertyExifDictionary: [kCGImagePropertyExifLensModel: kCFNull!]])
    let exif = try #require(noLens[kCGImagePropertyExifDictionary] as? [CFString: Any])
    #expect(exif[kCGImagePropertyExifLensModel] == nil)
    #expect(exif[kCGImagePropertyExifFNumber] as? Double == 2.8)
  }

  /// In one block of the file, and three dictionaries.
  @Test(arguments: ["public.jpeg", "public.png", "public.tiff"])
  func exifGoesWithoutThePlaceAndTheCamera(_ type: String) throws {
    let given: [CFString: Any] = [
      kCGImagePropertyExifDictionary: [kCGImagePropertyExifFNumber: 2.8],
      kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFMake: "Maker", kCGImagePropertyTIFFSoftware: "A program"],
      kCGImagePropertyGPSDictionary: [
        kCGImagePropertyGPSLatitude: 1.5, kCGImagePropertyGPSLatitudeRef: "S", kCGImagePropertyGPSLongitude: 2.5,
        kCGImagePropertyGPSLongitudeRef: "E",
      ],
    ]
    let full = try #require(file(picture(16, 16) { _, _ in [1, 2, 3, 255] }, type, given))
    let left = try changed(full, type, [kCGImagePropertyExifDictionary: kCFNull!])
    #expect(left[kCGImagePropertyExifDictionary] == nil)
    let tiff = try #require(left[kCGImagePropertyTIFFDictionary] as? [CFString: Any])
    #expect(tiff[kCGImagePropertyTIFFMake] as? String == "Maker")
    #expect(tiff[kCGImagePropertyTIFFSoftware] as? String == "A program")
    let place = try #require(left[kCGImagePropertyGPSDictionary] as? [CFString: Any])
    #expect(place[kCGImagePropertyGPSLatitude] as? Double == 1.5)
    #expect(place[kCGImagePropertyGPSLatitudeRef] as? String == "S")
    #expect(place[kCGImagePropertyGPSLongitudeRef] as? String == "E")
  }

  @Test func anotherTypeIsEncodedWithItsMetadata() throws {
    let made = try #require(try added("jpeg/valid/orientation-6.jpg", "public.png"))
    let read = try #require(properties(opened(made)))
    #expect(read[kCGImagePropertyOrientation] as? Int == 6)
    #expect(read[kCGImagePropertyPixelWidth] as? Int == 37)
    let before = CGImageSourceCreateImageAtIndex(try Fixture.source("jpeg/valid/orientation-6.jpg"), 0, nil)
    #expect(bytes(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil)) == bytes(before))
    let small = try #require(
      try added("jpeg/valid/orientation-6.jpg", "public.jpeg", [kCGImageDestinationImageMaxPixelSize: 20]))
    #expect(properties(opened(small))?[kCGImagePropertyPixelWidth] as? Int == 20)
  }

  @Test func aPictureThatIsNotThereIsAnError() throws {
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, kUTTypePNG, 1, nil))
    CGImageDestinationAddImageFromSource(destination, try Fixture.source("png/valid/rgb8.png"), 3, nil)
    #expect(!CGImageDestinationFinalize(destination))
    #expect(data.length == 0)
  }

  @Test func framesOfAnotherFileBecomeAnAnimation() throws {
    let from = try Fixture.source("webp/valid/animated-loop-3.webp")
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, kUTTypePNG, 3, nil))
    CGImageDestinationSetProperties(
      destination, [kCGImagePropertyPNGDictionary: [kCGImagePropertyAPNGLoopCount: 0]] as CFDictionary)
    for index in 0..<3 { CGImageDestinationAddImageFromSource(destination, from, index, nil) }
    #expect(CGImageDestinationFinalize(destination))
    let made = try #require(opened(data as Data))
    for index in 0..<3 {
      #expect(
        bytes(CGImageSourceCreateImageAtIndex(made, index, nil))
          == bytes(CGImageSourceCreateImageAtIndex(from, index, nil)))
      let (a, b) = (properties(made, index)?["{PNG}" as CFString], properties(from, index)?["{WebP}" as CFString])
      #expect(
        (a as? [String: Any])?["UnclampedDelayTime"] as? Double == (b as? [String: Any])?["UnclampedDelayTime"]
          as? Double)
    }
  }

  // MARK: CGImageDestinationCopyImageSource

  @Test func aCopyHasTheSameBytes() throws {
    let data = try Fixture.data("jpeg/valid/xmp.jpg")
    let copy = try copied(data, "public.jpeg", [:])
    #expect(copy.isDone && copy.data == data)
    #expect(copy.error == nil)
  }

  @Test func aCopySetsDateAndOrientation() throws {
    let data = try Fixture.data("jpeg/valid/orientation-6.jpg")
    let copy = try copied(
      data, "public.jpeg",
      [
        kCGImageDestinationOrientation: 3, kCGImageDestinationDateTime: "2024-05-01T10:07:05Z",
      ])
    #expect(copy.isDone)
    let read = try #require(properties(opened(copy.data)))
    #expect(read[kCGImagePropertyOrientation] as? Int == 3)
    let exif = read[kCGImagePropertyExifDictionary] as? [CFString: Any]
    #expect(exif?[kCGImagePropertyExifDateTimeOriginal] as? String == "2024:05:01 10:07:05")
    let before = CGImageSourceCreateImageAtIndex(opened(data)!, 0, nil)
    #expect(bytes(CGImageSourceCreateImageAtIndex(opened(copy.data)!, 0, nil)) == bytes(before))
  }

  @Test func argumentsThatContradictAreAnError() throws {
    let data = try Fixture.data("jpeg/valid/xmp.jpg")
    let metadata = CGImageMetadataCreateMutable()
    let both = try copied(
      data, "public.jpeg", [kCGImageDestinationMetadata: metadata, kCGImageDestinationOrientation: 1])
    #expect(!both.isDone && both.data.isEmpty)
    #expect(both.error?.code == Int(CGImageMetadataErrors.conflictingArguments.rawValue))
    #expect(both.error?.domain == kCFErrorDomainCGImageMetadata as String)
    let other = try copied(data, "public.png", [:])
    #expect(other.error?.code == Int(CGImageMetadataErrors.unsupportedFormat.rawValue))
    let bad = try copied(data, "public.jpeg", [kCGImageDestinationOrientation: 9])
    #expect(bad.error?.code == Int(CGImageMetadataErrors.badArgument.rawValue))
    let date = try copied(data, "public.jpeg", [kCGImageDestinationDateTime: "yesterday"])
    #expect(date.error?.code == Int(CGImageMetadataErrors.badArgument.rawValue))
  }

  @Test func metadataReplaceOrMerge() throws {
    let old = CGImageMetadataCreateMutable()
    let kept = "photoshop:Headline" as CFString
    CGImageMetadataSetValueWithPath(old, nil, kept, "Old" as CFString)
    let made = NSMutableData()
    let first = try #require(CGImageDestinationCreateWithData(made, "public.jpeg" as CFString, 1, nil))
    CGImageDestinationAddImageAndMetadata(first, picture(16, 16) { _, _ in [5, 6, 7, 255] }, old, nil)
    #expect(CGImageDestinationFinalize(first))
    let data = made as Data
    let metadata = CGImageMetadataCreateMutable()
    CGImageMetadataSetValueWithPath(metadata, nil, "photoshop:City" as CFString, "Wien" as CFString)
    CGImageMetadataSetValueWithPath(
      metadata, nil, "exif:DateTimeOriginal" as CFString, "2024-05-01T10:07:05" as CFString)
    for merges in [false, true] {
      let copy = try copied(
        data, "public.jpeg",
        [
          kCGImageDestinationMetadata: metadata, kCGImageDestinationMergeMetadata: merges,
        ])
      #expect(copy.isDone)
      let after = try #require(CGImageSourceCopyMetadataAtIndex(opened(copy.data)!, 0, nil))
      #expect(CGImageMetadataCopyStringValueWithPath(after, nil, "photoshop:City" as CFString) == "Wien" as CFString)
      #expect((CGImageMetadataCopyTagWithPath(after, nil, kept) != nil) == merges)
      let exif = properties(opened(copy.data))?[kCGImagePropertyExifDictionary] as? [CFString: Any]
      #expect(exif?[kCGImagePropertyExifDateTimeOriginal] as? String == "2024:05:01 10:07:05")
    }
  }

  @Test func placesAndXMPAreLeftOut() throws {
    let data = try Fixture.data("jpeg/valid/xmp.jpg")
    let copy = try copied(
      data, "public.jpeg", [kCGImageMetadataShouldExcludeXMP: true, kCGImageMetadataShouldExcludeGPS: true])
    #expect(copy.isDone)
    #expect(!String(decoding: copy.data, as: UTF8.self).contains("rdf:RDF"))
    #expect(String(decoding: data, as: UTF8.self).contains("rdf:RDF"))
  }
}
