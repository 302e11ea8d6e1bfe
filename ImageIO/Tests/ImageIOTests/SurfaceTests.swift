// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

/// Names, numbers and types as Apple's headers have them.
@Suite struct SurfaceTests {
  /// Texts that programs on a Mac use themselves, or print.
  @Test func constantsHaveTheirValues() {
    let values: [(CFString, String)] = [
      (kCGImagePropertyExifDictionary, "{Exif}"), (kCGImagePropertyTIFFDictionary, "{TIFF}"),
      (kCGImagePropertyGPSDictionary, "{GPS}"), (kCGImagePropertyIPTCDictionary, "{IPTC}"),
      (kCGImagePropertyGIFDictionary, "{GIF}"), (kCGImagePropertyPNGDictionary, "{PNG}"),
      (kCGImagePropertyJFIFDictionary, "{JFIF}"), (kCGImagePropertyHEICSDictionary, "{HEICS}"),
      (kCGImagePropertyWebPDictionary, "{WebP}"), (kCGImagePropertyMakerAppleDictionary, "{MakerApple}"),
      (kCGImagePropertyExifAuxDictionary, "{ExifAux}"), (kCGImagePropertyPixelWidth, "PixelWidth"),
      (kCGImagePropertyPixelHeight, "PixelHeight"), (kCGImagePropertyDPIWidth, "DPIWidth"),
      (kCGImagePropertyOrientation, "Orientation"), (kCGImagePropertyColorModel, "ColorModel"),
      (kCGImagePropertyProfileName, "ProfileName"), (kCGImagePropertyHasAlpha, "HasAlpha"),
      (kCGImagePropertyGIFDelayTime, "DelayTime"), (kCGImagePropertyGIFUnclampedDelayTime, "UnclampedDelayTime"),
      (kCGImagePropertyGIFLoopCount, "LoopCount"), (kCGImagePropertyAPNGDelayTime, "DelayTime"),
      (kCGImagePropertyExifDateTimeOriginal, "DateTimeOriginal"),
      (kCGImagePropertyExifISOSpeedRatings, "ISOSpeedRatings"),
      (kCGImagePropertyExifSubsecTimeOriginal, "SubsecTimeOriginal"), (kCGImagePropertyExifVersion, "ExifVersion"),
      (kCGImagePropertyTIFFMake, "Make"), (kCGImagePropertyGPSLatitudeRef, "LatitudeRef"),
      (kCGImagePropertyIPTCCaptionAbstract, "Caption/Abstract"), (kCGImagePropertyIPTCProvinceState, "Province/State"),
      (kCGImagePropertyIPTCContactInfoCity, "CiAdrCity"), (kCGImageSourceShouldCache, "kCGImageSourceShouldCache"),
      (kCGImageDestinationLossyCompressionQuality, "kCGImageDestinationLossyCompressionQuality"),
      (kCGImageAuxiliaryDataTypeDepth, "kCGImageAuxiliaryDataTypeDepth"),
      (kCGImageMetadataNamespaceDublinCore, "http://purl.org/dc/elements/1.1/"),
      (kCGImageMetadataPrefixXMPBasic, "xmp"),
    ]
    for (constant, value) in values { #expect(constant as String == value) }
  }

  @Test func enumerationsHaveTheirNumbers() {
    let statuses: [(CGImageSourceStatus, Int32)] = [
      (.statusUnexpectedEOF, -5), (.statusInvalidData, -4), (.statusUnknownType, -3), (.statusReadingHeader, -2),
      (.statusIncomplete, -1), (.statusComplete, 0),
    ]
    for (status, number) in statuses { #expect(status.rawValue == number) }
    let directions: [CGImagePropertyOrientation] = [
      .up, .upMirrored, .down, .downMirrored, .leftMirrored, .right, .rightMirrored, .left,
    ]
    #expect(directions.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7, 8])
    let types: [CGImageMetadataType] = [
      .invalid, .default, .string, .arrayUnordered, .arrayOrdered, .alternateArray, .alternateText, .structure,
    ]
    #expect(types.map(\.rawValue) == [-1, 0, 1, 2, 3, 4, 5, 6])
    let errors: [CGImageMetadataErrors] = [
      .unknown, .unsupportedFormat, .badArgument, .conflictingArguments, .prefixConflict,
    ]
    #expect(errors.map(\.rawValue) == [0, 1, 2, 3, 4])
    let animations: [CGImageAnimationStatus] = [
      .parameterError, .corruptInputImage, .unsupportedFormat, .incompleteInputImage, .allocationFailure,
    ]
    #expect(animations.map(\.rawValue) == [-22140, -22141, -22142, -22143, -22144])
    #expect([CGImagePropertyTGACompression.tgaCompressionNone, .tgaCompressionRLE].map(\.rawValue) == [0, 1])
    let filters = [
      IMAGEIO_PNG_NO_FILTERS, IMAGEIO_PNG_FILTER_NONE, IMAGEIO_PNG_FILTER_SUB, IMAGEIO_PNG_FILTER_UP,
      IMAGEIO_PNG_FILTER_AVG,
      IMAGEIO_PNG_FILTER_PAETH,
    ]
    #expect(filters == [0, 8, 16, 32, 64, 128])
    let alphas: [CGImageAlphaInfo] = [
      .none, .premultipliedLast, .premultipliedFirst, .last, .first, .noneSkipLast, .noneSkipFirst, .alphaOnly,
    ]
    #expect(alphas.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7])
    #expect(CGBitmapInfo.byteOrder32Little.rawValue == 8192 && CGBitmapInfo.byteOrder32Big.rawValue == 16384)
    #expect(
      CGBlendMode.clear.rawValue == 16 && CGBlendMode.copy.rawValue == 17 && CGBlendMode.plusLighter.rawValue == 27)
    #expect(CGInterpolationQuality.high.rawValue == 3 && CGColorRenderingIntent.perceptual.rawValue == 3)
    let models: [CGColorSpaceModel] = [.unknown, .monochrome, .rgb, .cmyk, .lab]
    #expect(models.map(\.rawValue) == [-1, 0, 1, 2, 3])
    #expect(CGImageByteOrderInfo.order16Big.rawValue == 0x3000)
  }

  /// Functions are given and take what they do on a Mac.
  @Test func functionsHaveTheirTypes() {
    let _: (CFData, CFDictionary?) -> CGImageSource? = CGImageSourceCreateWithData
    let _: (CFURL, CFDictionary?) -> CGImageSource? = CGImageSourceCreateWithURL
    let _: (CGDataProvider, CFDictionary?) -> CGImageSource? = CGImageSourceCreateWithDataProvider
    let _: (CFDictionary?) -> CGImageSource = CGImageSourceCreateIncremental
    let _: (CGImageSource, Int, CFDictionary?) -> CGImage? = CGImageSourceCreateImageAtIndex
    let _: (CGImageSource, Int, CFDictionary?) -> CGImage? = CGImageSourceCreateThumbnailAtIndex
    let _: (CGImageSource, Int, CFDictionary?) -> CFDictionary? = CGImageSourceCopyPropertiesAtIndex
    let _: (CFArray) -> OSStatus = CGImageSourceSetAllowableTypes
    let _: (CFMutableData, CFString, Int, CFDictionary?) -> CGImageDestination? = CGImageDestinationCreateWithData
    let _: (CGImageDestination) -> Bool = CGImageDestinationFinalize
    let _: (CGImageDestination, CGImageSource, CFDictionary?, UnsafeMutablePointer<Unmanaged<CFError>?>?) -> Bool =
      CGImageDestinationCopyImageSource
    let _: (CFURL, CFDictionary?, @escaping CGImageSourceAnimationBlock) -> OSStatus = CGAnimateImageAtURLWithBlock
    let _: (CGImageMetadata, CFString?, CFDictionary?, @escaping CGImageMetadataTagBlock) -> Void =
      CGImageMetadataEnumerateTagsUsingBlock
    let isSubclass = (CGImageMetadataCreateMutable() as CGImageMetadata) is CGMutableImageMetadata
    #expect(isSubclass)
  }
}
