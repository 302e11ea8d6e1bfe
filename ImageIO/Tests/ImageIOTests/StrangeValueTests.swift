// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

/// Values that no option has: other types, numbers that are none, or too large. They are as if they were not there, or the
/// call gives nothing; none ends the program.
@Suite struct StrangeValueTests {
  private static let numbers: [any Sendable] = [
    Double.nan, Double.infinity, -Double.infinity, 1e300, -1e300, 1e-300, -1, 0, 0.5, Int.min, Int.max, UInt64.max,
    Float.nan, CGFloat.infinity, Float.greatestFiniteMagnitude,
  ]
  private static var values: [Any] {
    numbers + [
      "text", "", [1, 2], [Double.nan], [String: Any](), ["PixelWidth": Double.nan], Data([1]), Date.distantPast,
      kCFNull as Any, NSObject(), kCFBooleanTrue as Any,
    ]
  }

  @Test(arguments: ["jpeg/valid/orientation-6.jpg", "gif/valid/loop-3.gif", "avif/valid/gain-map.avif"])
  func optionsOfSources(_ path: String) throws {
    let keys = [
      kCGImageSourceSubsampleFactor, kCGImageSourceShouldAllowFloat, kCGImageSourceDecodeRequest,
      kCGImageSourceThumbnailMaxPixelSize, kCGImageSourceCreateThumbnailFromImageAlways,
      kCGImageSourceCreateThumbnailWithTransform, kCGImageSourceTypeIdentifierHint, kCGImageSourceAllowableTypes,
    ]
    let plain = bytes(CGImageSourceCreateImageAtIndex(try Fixture.source(path), 0, nil))
    for key in keys {
      for value in Self.values {
        let options = [key: value] as CFDictionary
        let source = try #require(CGImageSourceCreateWithURL(Fixture.url(path) as CFURL, options))
        let image = CGImageSourceCreateImageAtIndex(source, 0, options)
        _ = CGImageSourceCreateThumbnailAtIndex(source, 0, options)
        _ = CGImageSourceCopyPropertiesAtIndex(source, 0, options)
        // No factor, request or permission among these changes a picture of 8 bits.
        if key != kCGImageSourceAllowableTypes { #expect(bytes(image) == plain, "\(key) \(value)") }
      }
    }
  }

  @Test func optionsOfDestinations() throws {
    let keys = [
      kCGImageDestinationLossyCompressionQuality, kCGImageDestinationImageMaxPixelSize,
      kCGImageDestinationBackgroundColor, kCGImageDestinationEmbedThumbnail, kCGImageDestinationEncodeRequest,
      kCGImageDestinationOptimizeColorForSharing, kCGImageDestinationPreserveGainMap, kCGImagePropertyOrientation,
      kCGImagePropertyDPIWidth, kCGImagePropertyJFIFDictionary, kCGImagePropertyPNGDictionary,
      kCGImagePropertyTIFFDictionary, kCGImagePropertyGPSDictionary, kCGImagePropertyGIFDictionary,
    ]
    let small = picture(8, 6) { x, y in [UInt8(30 * x), UInt8(40 * y), 9, 255] }
    for type in ["public.jpeg", "public.png", "com.compuserve.gif", "public.tiff"] {
      for key in keys {
        for value in Self.values {
          let made = try #require(file(small, type, [key: value]), "\(type) \(key) \(value)")
          // True is 1.
          let isScaled = key == kCGImageDestinationImageMaxPixelSize && (value as? NSNumber) == 1
          if !isScaled { #expect(properties(opened(made))?[kCGImagePropertyPixelWidth] as? Int == 8) }
        }
      }
    }
  }

  /// A property whose value has another type than its own is left out, and those beside it are not.
  @Test func propertiesOfOtherTypes() throws {
    let names: [(CFString, [CFString])] = [
      (
        kCGImagePropertyExifDictionary,
        [
          kCGImagePropertyExifFNumber, kCGImagePropertyExifISOSpeedRatings, kCGImagePropertyExifDateTimeOriginal,
          kCGImagePropertyExifUserComment, kCGImagePropertyExifSubjectArea, kCGImagePropertyExifFlash,
        ]
      ),
      (
        kCGImagePropertyGPSDictionary,
        [kCGImagePropertyGPSLatitude, kCGImagePropertyGPSTimeStamp, kCGImagePropertyGPSAltitude]
      ),
      (kCGImagePropertyTIFFDictionary, [kCGImagePropertyTIFFXResolution, kCGImagePropertyTIFFOrientation]),
      (kCGImagePropertyIPTCDictionary, [kCGImagePropertyIPTCKeywords, kCGImagePropertyIPTCStarRating]),
    ]
    for (dictionary, keys) in names {
      for key in keys {
        for value in Self.values {
          var both: [CFString: [CFString: Any]] = [dictionary: [key: value]]
          both[kCGImagePropertyExifDictionary, default: [:]][kCGImagePropertyExifLensModel] = "Lens"
          let image = picture(8, 8) { _, _ in [1, 2, 3, 255] }
          let made = try #require(file(image, "public.jpeg", both), "\(key) \(value)")
          let exif = properties(opened(made))?[kCGImagePropertyExifDictionary] as? [CFString: Any]
          #expect(exif?[kCGImagePropertyExifLensModel] as? String == "Lens", "\(key) \(value)")
        }
      }
    }
  }

  @Test func frames() throws {
    let still = picture(4, 4) { _, _ in [1, 2, 3, 255] }
    for value in Self.values {
      let data = NSMutableData()
      let destination = try #require(CGImageDestinationCreateWithData(data, kUTTypeGIF, 2, nil))
      let inner = [kCGImagePropertyGIFDelayTime: value, kCGImagePropertyGIFLoopCount: value]
      CGImageDestinationSetProperties(destination, [kCGImagePropertyGIFDictionary: inner] as CFDictionary)
      for _ in 0..<2 {
        CGImageDestinationAddImage(destination, still, [kCGImagePropertyGIFDictionary: inner] as CFDictionary)
      }
      #expect(CGImageDestinationFinalize(destination), "\(value)")
      let options = [
        kCGImageAnimationStartIndex: value, kCGImageAnimationDelayTime: value, kCGImageAnimationLoopCount: value,
      ]
      _ = CGAnimateImageDataWithBlock(data, options as CFDictionary) { _, _, stop in stop.pointee = true }
    }
  }

  @Test func auxiliaryDescriptions() throws {
    let right: [CFString: Any] = [
      kCGImagePropertyWidth: 2, kCGImagePropertyHeight: 2, kCGImagePropertyBytesPerRow: 2,
      kCGImagePropertyPixelFormat: 0x4C30_3038,
    ]
    for key in right.keys {
      for value in Self.values {
        var description = right
        description[key] = value
        let info: [CFString: Any] = [
          kCGImageAuxiliaryDataInfoData: Data(count: 4),
          kCGImageAuxiliaryDataInfoDataDescription: description,
        ]
        let data = NSMutableData()
        let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg" as CFString, 1, nil))
        CGImageDestinationAddImage(destination, picture(4, 4) { _, _ in [1, 2, 3, 255] }, nil)
        CGImageDestinationAddAuxiliaryDataInfo(
          destination, kCGImageAuxiliaryDataTypeDepth, info as CFDictionary)
        if CGImageDestinationFinalize(destination) { #expect("\(value)" == "true" || "\(value)" == "Optional(1)") }
      }
    }
  }

  @Test func valuesOfTags() {
    let metadata = CGImageMetadataCreateMutable()
    for value in Self.values {
      let value = value as AnyObject
      for property in [kCGImagePropertyExifVersion, kCGImagePropertyExifFlash, kCGImagePropertyExifFNumber] {
        _ = CGImageMetadataSetValueMatchingImageProperty(metadata, kCGImagePropertyExifDictionary, property, value)
        _ = CGImageMetadataSetValueMatchingImageProperty(
          metadata, kCGImagePropertyExifDictionary, property, [value, value] as CFArray)
      }
      _ = CGImageMetadataSetValueWithPath(metadata, nil, "dc:title" as CFString, value)
      _ = CGImageMetadataTagCreate(kCGImageMetadataNamespaceExif, nil, "A" as CFString, .default, value)
    }
    // Names that XML does not take would break the packet.
    for name in ["a b", "a<b", "", "1a", "a:b", "é\u{0}"] {
      #expect(
        CGImageMetadataTagCreate(kCGImageMetadataNamespaceExif, nil, name as CFString, .string, "x" as CFString) == nil)
      #expect(!CGImageMetadataSetValueWithPath(metadata, nil, "exif:\(name)" as CFString, "x" as CFString))
      #expect(
        !CGImageMetadataRegisterNamespaceForPrefix(metadata, "http://example.com/" as CFString, name as CFString, nil))
    }
    let deep = Array(repeating: "exif:A", count: 100_000).joined(separator: ".")
    #expect(!CGImageMetadataSetValueWithPath(metadata, nil, deep as CFString, "x" as CFString))
  }

  @Test func rectanglesAndColors() throws {
    let context = try #require(
      CGContext(
        data: nil, width: 8, height: 8, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    let image = picture(4, 4) { _, _ in [255, 0, 0, 255] }
    let numbers: [CGFloat] = [.nan, .infinity, -.infinity, 1e300, -1e300, 1e-300, -1, 0]
    for number in numbers {
      for rect in [
        CGRect(x: number, y: 0, width: 4, height: 4), CGRect(x: 0, y: 0, width: number, height: 4),
        CGRect(x: number, y: number, width: number, height: number),
      ] {
        context.saveGState()
        context.draw(image, in: rect)
        context.draw(image, in: rect, byTiling: true)
        context.fill(rect)
        context.clear(rect)
        _ = image.cropping(to: rect)
        context.clip(to: rect)
        context.fill(CGRect(x: 0, y: 0, width: 8, height: 8))
        context.restoreGState()
      }
      context.saveGState()
      context.setAlpha(number)
      context.setFillColor(red: number, green: number, blue: 0, alpha: number)
      context.translateBy(x: number, y: 1)
      context.scaleBy(x: number, y: number)
      context.rotate(by: number)
      context.fill(CGRect(x: 0, y: 0, width: 4, height: 4))
      context.draw(image, in: CGRect(x: 0, y: 0, width: 4, height: 4))
      context.restoreGState()
      let color = CGColor(red: number, green: 0, blue: number, alpha: 1)
      #expect(file(image, "public.jpeg", [kCGImageDestinationBackgroundColor: color]) != nil)
    }
    #expect(context.makeImage()?.width == 8)
    for side in [Int.max, Int.min, 0, -1, 1 << 40] {
      let made = CGImage(
        width: side, height: side, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: side,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo(rawValue: 1),
        provider: CGDataProvider(data: Data(count: 64) as CFData)!, decode: nil, shouldInterpolate: true,
        intent: .defaultIntent)
      #expect(made == nil)
      #expect(
        CGContext(
          data: nil, width: side, height: side, bitsPerComponent: 8, bytesPerRow: 0,
          space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: 1) == nil)
    }
  }
}
