// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import MobileCoreServices
import Testing
import UniformTypeIdentifiers

/// What code for a Mac does with dictionaries, texts and numbers, each done here.
@Suite struct BridgingTests {
  private let a = "A" as CFString, b = "B" as CFString

  @Test func valuesOfOptionsAreRead() throws {
    let side = kCGImageSourceThumbnailMaxPixelSize
    let always = kCGImageSourceCreateThumbnailFromImageAlways
    let typed: [CFString: Any] = [always: true, side: 10]
    let texts: [String: Any] = [always as String: kCFBooleanTrue!, side as String: CGFloat(10)]
    let plain: NSDictionary = [always: 1, side: Float(10)]
    let any: [AnyHashable: Any] = [always: kCFBooleanTrue as Any, side: UInt16(10)]
    let objects: [NSObject: AnyObject] = [always: NSNumber(value: true), side: NSNumber(value: 10.0)]
    let mutable = NSMutableDictionary()
    mutable[always] = true
    mutable[side as String] = 10
    let source = try Fixture.source("png/valid/rgb8.png")
    for options in [
      typed as CFDictionary, texts as CFDictionary, plain, any as CFDictionary, objects as CFDictionary, mutable,
      [always: kCFBooleanTrue, side: 10 as CFNumber] as CFDictionary,
    ] { #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, options)?.width == 10) }
    for options in [[always: false, side: 10] as CFDictionary, [always: kCFBooleanFalse!] as CFDictionary] {
      #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, options) == nil)
    }
  }

  @Test func propertiesAreCast() throws {
    let found = CGImageSourceCopyPropertiesAtIndex(try Fixture.source("gif/valid/loop-3.gif"), 1, nil)
    let typed = try #require(found as? [CFString: Any])
    #expect(typed[kCGImagePropertyPixelWidth] as? Int == 16)
    #expect(typed[kCGImagePropertyPixelWidth] as? CGFloat == 16)
    #expect(typed[kCGImagePropertyPixelWidth] as? UInt32 == 16)
    #expect(typed[kCGImagePropertyPixelWidth] as? NSNumber == 16)
    #expect(typed[kCGImagePropertyHasAlpha] as? Bool == true)
    #expect(
      (typed[kCGImagePropertyGIFDictionary] as? [CFString: Any])?[kCGImagePropertyGIFUnclampedDelayTime] as? Double
        == 0.2)
    let texts = try #require(found as? [String: Any])
    #expect((texts["{GIF}"] as? [String: Any])?["UnclampedDelayTime"] as? Double == 0.2)
    #expect(texts[kCGImagePropertyGIFDictionary as String] is NSDictionary)
    let any = try #require(found as? [AnyHashable: Any])
    #expect(any[kCGImagePropertyPixelWidth] as? Int == 16)
    #expect(any["PixelWidth"] as? Int == 16)
    #expect(
      (any[kCGImagePropertyGIFDictionary] as? [AnyHashable: Any])?[kCGImagePropertyGIFDelayTime] as? Double == 0.2)
    let plain = try #require(found as NSDictionary?)
    #expect(plain[kCGImagePropertyPixelWidth] as? Int == 16)
    #expect(plain["PixelWidth"] as? CGFloat == 16)
    #expect((found! as! [String: AnyObject])["PixelWidth"] as? Int == 16)
    #expect((found as? [NSObject: AnyObject])?[kCGImagePropertyPixelWidth] as? Int == 16)
  }

  /// The way in which GIF loaders have read delays for ten years: pointers to objects inside of dictionaries.
  @Test func pointersLeadToObjectsThatStay() throws {
    let properties = try #require(
      CGImageSourceCopyPropertiesAtIndex(try Fixture.source("gif/valid/loop-3.gif"), 2, nil))
    let key = Unmanaged.passUnretained(kCGImagePropertyGIFDictionary).toOpaque()
    let delay = Unmanaged.passUnretained(kCGImagePropertyGIFUnclampedDelayTime).toOpaque()
    for _ in 0..<20_000 {
      var place: UnsafeRawPointer?
      #expect(CFDictionaryGetValueIfPresent(properties, key, &place))
      let inner = unsafeBitCast(try #require(place), to: CFDictionary.self)
      let number = unsafeBitCast(try #require(CFDictionaryGetValue(inner, delay)), to: AnyObject.self)
      #expect(number as? Double == 0.3)
    }
    var place: UnsafeRawPointer?
    #expect(!CFDictionaryGetValueIfPresent(properties, Unmanaged.passUnretained(a).toOpaque(), &place))
    #expect(place == nil)
    #expect(CFDictionaryContainsKey(properties, key))
    #expect(CFDictionaryGetCount(properties) == properties.count)
    let frames =
      (CGImageSourceCopyProperties(try Fixture.source("gif/valid/loop-3.gif"), nil)?[kCGImagePropertyGIFDictionary]
      as? NSDictionary)?[
        kCGImagePropertyGIFFrameInfoArray] as? NSArray
    let list = try #require(frames)
    #expect(CFArrayGetCount(list) == 3)
    let last = unsafeBitCast(CFArrayGetValueAtIndex(list, 2), to: CFDictionary.self)
    #expect(last[kCGImagePropertyGIFDelayTime] as? Double == 0.3)
    #expect(CFArrayGetValueAtIndex(list, 3) == nil)
  }

  @Test func namesAreTextsAndObjects() {
    #expect(String(kCGImagePropertyGIFDictionary) == "{GIF}")
    #expect(kCGImagePropertyGIFDictionary as String == "{GIF}")
    #expect("\(kCGImagePropertyGIFDictionary)" == "{GIF}")
    #expect(Set([a, b, "A" as CFString]).count == 2)
    switch "public.png" as CFString {
    case kUTTypePNG: break
    default: Issue.record("a switch over CFString")
    }
    #expect(3.5 as CGFloat as CFNumber == 3.5)
    #expect((Data([1]) as CFData).length == 1)
    #expect((URL(fileURLWithPath: "/tmp") as CFURL as URL).path == "/tmp")
    #expect((["a", "b"] as CFArray as? [String]) == ["a", "b"])
    #expect(CFEqual(a, "A" as CFString) && !CFEqual(a, b))
    #expect(CFHash(a) == CFHash("A" as CFString))
    #expect(CFGetTypeID(a) == CFStringGetTypeID() && CFGetTypeID([:] as CFDictionary) == CFDictionaryGetTypeID())
    #expect(CFStringCompare(a, "a" as CFString, .compareCaseInsensitive) == .compareEqualTo)
    #expect(CFStringCompare(a, b, []) == .compareLessThan)
    let data = CFDataCreateMutable(kCFAllocatorDefault, 0)!
    data.append(Data([1, 2]))
    #expect(CFDataGetLength(data) == 2 && CFDataGetBytePtr(data)[1] == 2)
    #expect(CFDataCreate(nil, [5, 6], 2) == Data([5, 6]) as CFData)
    #expect(autoreleasepool { 3 } == 3)
    let status: OSStatus = 0
    let seconds: CFTimeInterval = 1
    let index: CFIndex = 2
    let type: CFTypeID = 3
    #expect(Double(status) + seconds + Double(index) + Double(type) == 6)
    let array: CFMutableArray = NSMutableArray()
    let object: CFTypeRef = array
    let null: CFNull = kCFNull
    #expect(CFGetTypeID(object) == CFArrayGetTypeID() && CFGetTypeID(null) == CFNullGetTypeID())
    let truth: CFBoolean = kCFBooleanTrue
    let mutable: CFMutableDictionary = NSMutableDictionary()
    #expect(truth as? Bool == true && mutable.count == 0)
  }

  @Test func typesAreTranslated() throws {
    #expect(UTType.jpeg.identifier == kUTTypeJPEG as String)
    #expect(UTType(filenameExtension: "JPG") == .jpeg)
    #expect(UTType(mimeType: "image/heic") == .heic)
    #expect(UTType.webP.preferredMIMEType == "image/webp")
    #expect(UTType.tiff.preferredFilenameExtension == "tiff")
    #expect(UTType.heic.conforms(to: .image) && !UTType.pdf.conforms(to: .image))
    #expect(UTType.dng.conforms(to: .rawImage) && UTType.rawImage.isSupertype(of: .dng))
    #expect(UTType("no.such.type") == nil)
    #expect(UTType(filenameExtension: "no-such")?.isDynamic == true)
    #expect(UTType(filenameExtension: "txt", conformingTo: .image) == nil)
    let type = UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "png" as CFString, nil)?
      .takeRetainedValue()
    #expect(type == kUTTypePNG)
    let mime = UTTypeCopyPreferredTagWithClass(kUTTypeGIF, kUTTagClassMIMEType)?.takeRetainedValue()
    #expect(mime == "image/gif" as CFString)
    #expect(UTTypeConformsTo(kUTTypePNG, kUTTypeImage) && !UTTypeConformsTo(kUTTypePDF, kUTTypeImage))
    // Types of this table and of the coders are the same ones.
    for name in CGImageSourceCopyTypeIdentifiers() as? [String] ?? []
    where UTType(name)?.preferredFilenameExtension != nil {
      #expect(UTType(name)?.conforms(to: .image) == true)
    }
  }
}
