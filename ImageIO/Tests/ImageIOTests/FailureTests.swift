// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

/// What each function gives where there is nothing to give.
@Suite struct FailureTests {
  private let still = picture(8, 8) { _, _ in [1, 2, 3, 255] }
  private let always = [kCGImageSourceCreateThumbnailFromImageAlways: true] as CFDictionary

  private func destination(_ data: NSMutableData, _ type: CFString = kUTTypeJPEG) throws -> CGImageDestination {
    try #require(CGImageDestinationCreateWithData(data, type, 1, nil))
  }

  private func nothing(of source: CGImageSource, _ index: Int) {
    #expect(CGImageSourceCreateImageAtIndex(source, index, nil) == nil)
    #expect(CGImageSourceCreateThumbnailAtIndex(source, index, always) == nil)
    #expect(CGImageSourceCreateThumbnailAtIndex(source, index, nil) == nil)
    #expect(CGImageSourceCopyPropertiesAtIndex(source, index, nil) == nil)
    #expect(CGImageSourceCopyMetadataAtIndex(source, index, nil) == nil)
    #expect(CGImageSourceCopyAuxiliaryDataInfoAtIndex(source, index, kCGImageAuxiliaryDataTypeDepth) == nil)
    #expect(CGImageSourceGetStatusAtIndex(source, index) == .statusUnknownType)
    CGImageSourceRemoveCacheAtIndex(source, index)
  }

  @Test func ofASourceThatIsNoPicture() throws {
    let source = try #require(opened(Data("no picture at all, only text".utf8)))
    for index in [0, -1, 7] { nothing(of: source, index) }
    #expect(CGImageSourceGetStatus(source) == .statusUnknownType)
    #expect(CGImageSourceGetCount(source) == 0)
    #expect(CGImageSourceGetType(source) == nil)
    #expect(CGImageSourceGetPrimaryImageIndex(source) == 0)
    #expect(CGImageSourceCopyProperties(source, nil) == nil)
    #expect(CGImageSourceCreateWithDataProvider(try #require(CGDataProvider(data: Data() as CFData)), nil) == nil)
    #expect(CGDataProvider(url: URL(fileURLWithPath: "/no/such/file") as CFURL) == nil)
  }

  @Test(arguments: [Int.min, -1, 3, 4, Int.max]) func ofAnIndexThatIsNotThere(_ index: Int) throws {
    for path in ["gif/valid/loop-3.gif", "tiff/valid/pages.tif", "ico/valid/sizes.ico"] {
      nothing(of: try Fixture.source(path), index)
    }
  }

  /// The primary picture of a HEIF file is the one that is shown; its index, as the item of the second picture has it.
  @Test func thePrimaryPictureIsTheOneThatIsShown() throws {
    for path in [
      "heif/valid/pages.heic", "heif/valid/hidden-primary.heic", "png/valid/rgb8.png", "gif/valid/loop-3.gif",
    ] {
      let source = try Fixture.source(path)
      let index = CGImageSourceGetPrimaryImageIndex(source)
      #expect(index >= 0 && index < CGImageSourceGetCount(source))
      let shown = try Fixture.registry.decode(.file(Fixture.url(path).path)).pixels.size
      let image = CGImageSourceCreateImageAtIndex(source, index, nil)
      #expect(size(image) == "\(shown.width)×\(shown.height)", "\(path)")
    }
  }

  @Test func ofASourceWithoutBytes() {
    let source = CGImageSourceCreateIncremental(nil)
    #expect(CGImageSourceGetStatus(source) == .statusReadingHeader)
    #expect(CGImageSourceGetStatusAtIndex(source, 0) == .statusReadingHeader)
    #expect(CGImageSourceCopyProperties(source, nil) == nil)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil) == nil)
    #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, always) == nil)
    CGImageSourceUpdateDataProvider(source, CGDataProvider(data: Data() as CFData)!, true)
    #expect([.statusUnknownType, .statusUnexpectedEOF].contains(CGImageSourceGetStatus(source)))
    // A source that has all of its bytes takes no others.
    let whole = CGImageSourceCreateWithData(longFile() as CFData, nil)!
    CGImageSourceUpdateData(whole, Data("other".utf8) as CFData, true)
    #expect(CGImageSourceGetStatus(whole) == .statusComplete)
  }

  @Test func ofTypesThatAreNotWritten() throws {
    for type in ["no.such.type", "", "public.image", "com.adobe.pdf"] as [CFString] {
      #expect(CGImageDestinationCreateWithData(NSMutableData(), type, 1, nil) == nil)
      #expect(CGImageDestinationCreateWithURL(URL(fileURLWithPath: "/tmp/a") as CFURL, type, 1, nil) == nil)
      let consumer = try #require(CGDataConsumer(data: NSMutableData()))
      #expect(CGImageDestinationCreateWithDataConsumer(consumer, type, 1, nil) == nil)
    }
    #expect(CGImageDestinationCreateWithData(NSMutableData(), kUTTypePNG, -1, nil) == nil)
  }

  @Test func ofPicturesThatCannotBeAdded() throws {
    let data = NSMutableData()
    let text = try destination(data)
    CGImageDestinationAddImageFromSource(text, try #require(opened(Data("only text".utf8))), 0, nil)
    #expect(!CGImageDestinationFinalize(text))
    for index in [-1, 1, Int.max] {
      let none = try destination(data)
      CGImageDestinationAddImageFromSource(none, try Fixture.source("png/valid/rgb8.png"), index, nil)
      #expect(!CGImageDestinationFinalize(none))
    }
    #expect(data.length == 0)
    // Without metadata, and with pictures beside it of a kind that nobody knows, it is a file all the same.
    let plain = try destination(data)
    CGImageDestinationSetProperties(plain, nil)
    CGImageDestinationAddImageAndMetadata(plain, still, nil, nil)
    CGImageDestinationAddAuxiliaryDataInfo(plain, "no.such.kind" as CFString, [:])
    #expect(CGImageDestinationFinalize(plain))
    #expect(CGImageSourceGetCount(opened(data as Data)!) == 1)
  }

  @Test func ofAConsumerThatTakesNothing() throws {
    let callbacks = CGDataConsumerCallbacks(putBytes: { _, _, _ in 0 }, releaseConsumer: nil)
    let consumer = try #require(withUnsafePointer(to: callbacks) { CGDataConsumer(info: nil, cbks: $0) })
    let made = try #require(CGImageDestinationCreateWithDataConsumer(consumer, kUTTypePNG, 1, nil))
    CGImageDestinationAddImage(made, still, nil)
    #expect(!CGImageDestinationFinalize(made))
    #expect(CGDataConsumer(url: URL(string: "https://example.com/a")! as CFURL) == nil)
  }

  @Test func ofCopies() throws {
    func code(_ fill: (CGImageDestination) -> Void, _ source: CGImageSource, _ options: CFDictionary? = nil) throws
      -> CGImageMetadataErrors?
    {
      let data = NSMutableData()
      let made = try destination(data)
      fill(made)
      var error: Unmanaged<CFError>?
      if CGImageDestinationCopyImageSource(made, source, options, &error) {
        #expect(!CGImageDestinationFinalize(made), "a copy ends the destination")
        return nil
      }
      #expect(data.length == 0)
      return error.flatMap { CGImageMetadataErrors(rawValue: Int32($0.takeRetainedValue().code)) }
    }
    let jpeg = try #require(opened(longFile()))
    #expect(try code({ _ in }, jpeg) == nil)
    #expect(try code({ CGImageDestinationAddImage($0, still, nil) }, jpeg) == .badArgument)
    #expect(try code({ _ = CGImageDestinationFinalize($0) }, jpeg) == .badArgument)
    #expect(try code({ _ in }, try Fixture.source("png/valid/rgb8.png")) == .unsupportedFormat)
    #expect(try code({ _ in }, try #require(opened(Data("only text".utf8)))) == .unsupportedFormat)
    #expect(try code({ _ in }, CGImageSourceCreateIncremental(nil)) == .unsupportedFormat)
    for value in [0, 9, Double.nan, -1] as [Any] {
      #expect(try code({ _ in }, jpeg, [kCGImageDestinationOrientation: value] as CFDictionary) == .badArgument)
    }
    #expect(try code({ _ in }, jpeg, [kCGImageDestinationDateTime: 5] as CFDictionary) == .badArgument)
  }

  @Test func ofMetadata() {
    let empty = CGImageMetadataCreateMutable()
    #expect(CGImageMetadataCopyTags(empty) == nil)
    #expect(CGImageMetadataCreateXMPData(empty, nil) == nil)
    #expect(CGImageMetadataCreateFromXMPData(Data() as CFData) == nil)
    #expect(CGImageMetadataCopyTagWithPath(empty, nil, "dc:title" as CFString) == nil)
    #expect(CGImageMetadataCopyStringValueWithPath(empty, nil, "dc:title" as CFString) == nil)
    #expect(!CGImageMetadataRemoveTagWithPath(empty, nil, "dc:title" as CFString))
    let (exif, number) = (kCGImagePropertyExifDictionary, kCGImagePropertyExifFNumber)
    #expect(CGImageMetadataCopyTagMatchingImageProperty(empty, exif, number) == nil)
    var calls = 0
    for path in [nil, "dc:title", "", "no path"] as [CFString?] {
      CGImageMetadataEnumerateTagsUsingBlock(empty, path, nil) { _, _ in
        calls += 1
        return true
      }
    }
    #expect(calls == 0)
  }

  /// A program may say once, before it opens a picture, what it reads; it is another process that does so here.
  @Test func typesOfTheWholeProgram() async {
    await #expect(processExitsWith: .success) {
      let types = ["public.png", "no.such.type"] as CFArray
      precondition(CGImageSourceSetAllowableTypes(["no.such.type"] as CFArray) == -50)
      precondition(CGImageSourceSetAllowableTypes(types) == 0)
      precondition(CGImageSourceSetAllowableTypes(types) == -50)
      let png = try Fixture.source("png/valid/rgb8.png")
      precondition(CGImageSourceGetStatus(png) == .statusComplete)
      let jpeg = try Fixture.source("jpeg/valid/baseline-420.jpg")
      precondition(CGImageSourceGetStatus(jpeg) == .statusUnknownType)
      precondition(CGImageSourceCreateImageAtIndex(jpeg, 0, nil) == nil)
      // A source cannot let in more.
      let options = [kCGImageSourceAllowableTypes: ["public.jpeg"]] as CFDictionary
      let both = CGImageSourceCreateWithData(try Fixture.data("jpeg/valid/baseline-420.jpg") as CFData, options)!
      precondition(CGImageSourceGetCount(both) == 0)
    }
    _ = CGImageSourceGetCount(opened(longFile())!)
    #expect(CGImageSourceSetAllowableTypes(["public.png"] as CFArray) == -50)
  }

  @Test func typesOfASource() throws {
    let data = try Fixture.data("jpeg/valid/baseline-420.jpg")
    for (types, count) in [(["public.jpeg"], 1), (["public.png", "public.jpeg"], 1), (["public.png"], 0), ([], 0)] {
      let options = [kCGImageSourceAllowableTypes: types] as CFDictionary
      let source = try #require(CGImageSourceCreateWithData(data as CFData, options))
      #expect(CGImageSourceGetCount(source) == count)
      #expect(CGImageSourceGetStatus(source) == (count == 1 ? .statusComplete : .statusUnknownType))
      #expect((CGImageSourceCreateImageAtIndex(source, 0, nil) != nil) == (count == 1))
      let arriving = CGImageSourceCreateIncremental(options)
      CGImageSourceUpdateData(arriving, data as CFData, true)
      #expect(CGImageSourceGetCount(arriving) == count)
    }
  }
}
