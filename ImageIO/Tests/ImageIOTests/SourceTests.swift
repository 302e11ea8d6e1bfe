// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing

@Suite struct SourceTests {
  @Test(arguments: [
    ("png/valid/rgba8.png", "public.png", 1), ("jpeg/valid/baseline-420.jpg", "public.jpeg", 1),
    ("gif/valid/loop-3.gif", "com.compuserve.gif", 3), ("tiff/valid/pages.tif", "public.tiff", 3),
    ("ico/valid/sizes.ico", "com.microsoft.ico", 3), ("webp/valid/animated-loop-3.webp", "org.webmproject.webp", 3),
    ("bmp/valid/rgb24.bmp", "com.microsoft.bmp", 1), ("heif/valid/pages.heic", "public.heic", 2),
  ])
  func namesTypeAndCount(_ path: String, _ type: String, _ count: Int) throws {
    let source = try Fixture.source(path)
    #expect(CGImageSourceGetType(source) as String? == type)
    #expect(CGImageSourceGetCount(source) == count)
    #expect(CGImageSourceGetStatus(source) == .statusComplete)
    #expect(CGImageSourceGetStatusAtIndex(source, count - 1) == .statusComplete)
    #expect(CGImageSourceCreateImageAtIndex(source, count - 1, nil) != nil)
    #expect(CGImageSourceCreateImageAtIndex(source, count, nil) == nil)
    #expect(CGImageSourceCreateImageAtIndex(source, -1, nil) == nil)
    #expect(CGImageSourceCopyPropertiesAtIndex(source, count, nil) == nil)
    let always = [kCGImageSourceCreateThumbnailFromImageAlways: true] as CFDictionary
    #expect(CGImageSourceCreateThumbnailAtIndex(source, count, always) == nil)
  }

  @Test func unknownBytesMakeASourceWithoutPictures() throws {
    let source = try #require(CGImageSourceCreateWithData(Data("no picture at all, only text".utf8) as CFData, nil))
    #expect(CGImageSourceGetType(source) == nil)
    #expect(CGImageSourceGetCount(source) == 0)
    #expect(CGImageSourceGetStatus(source) == .statusUnknownType)
    #expect(CGImageSourceCopyPropertiesAtIndex(source, 0, nil) == nil)
    #expect(CGImageSourceCopyProperties(source, nil) == nil)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil) == nil)
  }

  @Test func nothingMakesNoSource() throws {
    #expect(CGImageSourceCreateWithData(Data() as CFData, nil) == nil)
    #expect(CGImageSourceCreateWithURL(URL(fileURLWithPath: "/no/such/file.png") as CFURL, nil) == nil)
    #expect(CGImageSourceCreateWithURL(Fixture.folder as CFURL, nil) == nil)
    #expect(CGImageSourceCreateWithURL(URL(string: "https://example.com/a.png")! as CFURL, nil) == nil)
  }

  @Test func aDataURLIsAFile() throws {
    let text = try Fixture.data("png/valid/rgb8.png").base64EncodedString()
    let url = try #require(URL(string: "data:image/png;base64,\(text)"))
    let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil)?.width == 21)
  }

  @Test func aProviderIsAFile() throws {
    let provider = try #require(CGDataProvider(url: Fixture.url("png/valid/rgb8.png") as CFURL))
    let source = try #require(CGImageSourceCreateWithDataProvider(provider, nil))
    #expect(CGImageSourceGetType(source) == "public.png" as CFString)
  }

  /// Pixels are as the file stores them: alpha is straight, and nothing is turned.
  @Test(arguments: [
    ("png/valid/rgba8.png", CGImageAlphaInfo.last, 8, 32), ("png/valid/rgb8.png", .noneSkipLast, 8, 32),
    ("png/valid/gray8.png", .none, 8, 8), ("png/valid/gray-alpha8.png", .last, 8, 16),
    ("png/valid/gray16.png", .none, 16, 16), ("png/valid/rgba16.png", .last, 16, 64),
    ("png/valid/rgb16.png", .noneSkipLast, 16, 64), ("jpeg/valid/gray.jpg", .none, 8, 8),
    ("jpeg/valid/orientation-6.jpg", .noneSkipLast, 8, 32),
  ])
  func hasTheLayoutOfTheFile(_ path: String, _ alpha: CGImageAlphaInfo, _ bits: Int, _ pixel: Int) throws {
    let image = try #require(CGImageSourceCreateImageAtIndex(try Fixture.source(path), 0, nil))
    #expect(image.alphaInfo == alpha)
    #expect(image.bitsPerComponent == bits)
    #expect(image.bitsPerPixel == pixel)
    var options = DecodeOptions()
    options.appliesOrientation = false
    let decoded = try Fixture.registry.decode(.file(Fixture.url(path).path), options: options).pixels
    #expect(image.width == decoded.size.width)
    #expect(image.height == decoded.size.height)
    if decoded.format.bytesPerPixel * 8 == pixel { #expect(bytes(image) == decoded.copyBytes()) }
  }

  @Test func framesAreWholeCanvases() throws {
    let source = try Fixture.source("gif/valid/disposal-restore-previous.gif")
    let decoder = try Fixture.registry.open(.file(Fixture.url("gif/valid/disposal-restore-previous.gif").path))
    #expect(CGImageSourceGetCount(source) == decoder.frameCount)
    // Backwards, as a caller may ask.
    for index in (0..<decoder.frameCount).reversed() {
      let image = try #require(CGImageSourceCreateImageAtIndex(source, index, nil))
      let wanted = try decoder.frame(at: index).pixels.converted(to: PixelLayout(.rgba8, .straight))
      #expect(bytes(image) == wanted.copyBytes())
    }
    CGImageSourceRemoveCacheAtIndex(source, 0)
    #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) != nil)
  }

  @Test(arguments: [(2, 19, 15), (4, 10, 8), (8, 5, 4), (3, 37, 29)])
  func aFactorMakesThePictureSmaller(_ factor: Int, _ width: Int, _ height: Int) throws {
    let source = try Fixture.source("jpeg/valid/baseline-420.jpg")
    let options = [kCGImageSourceSubsampleFactor: factor, kCGImageSourceShouldCacheImmediately: true] as CFDictionary
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, options))
    #expect(image.width == width)
    #expect(image.height == height)
  }

  @Test func floatIsGivenWhereItIsAllowed() throws {
    let source = try Fixture.source("exr/valid/half-zip.exr")
    let plain = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(!plain.bitmapInfo.contains(.floatComponents))
    #expect(plain.bitsPerComponent == 16)
    let options = [kCGImageSourceShouldAllowFloat: true] as CFDictionary
    let bright = try #require(CGImageSourceCreateImageAtIndex(source, 0, options))
    #expect(bright.bitmapInfo.contains(.floatComponents))
  }

  @Test func aGainMapIsAppliedForHDR() throws {
    let source = try Fixture.source("avif/valid/gain-map.avif")
    let options = [kCGImageSourceDecodeRequest: kCGImageSourceDecodeToHDR] as CFDictionary
    let bright = try #require(CGImageSourceCreateImageAtIndex(source, 0, options))
    #expect(bright.bitmapInfo.contains(.floatComponents))
    #expect(bright.colorSpace?.name == CGColorSpace.extendedLinearDisplayP3)
    #expect(bright.contentHeadroom > 1)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil)?.bitsPerComponent == 8)
  }

  @Test func aPictureOfADamagedFileIsWhatIsThere() throws {
    let whole = longFile()
    let source = try #require(CGImageSourceCreateWithData(whole.prefix(whole.count * 3 / 4) as CFData, nil))
    let part = bytes(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(part.prefix(4000) == bytes(CGImageSourceCreateImageAtIndex(opened(whole)!, 0, nil)).prefix(4000))
  }

  @Test func sourcesAreEqualToThemselvesAlone() throws {
    let (one, other) = (try Fixture.source("png/valid/rgb8.png"), try Fixture.source("png/valid/rgb8.png"))
    #expect(one == one)
    #expect(one != other)
    #expect(Set([one, other, one]).count == 2)
    #expect(CFGetTypeID(one) == CGImageSourceGetTypeID())
    #expect(CGImageSourceGetTypeID() != CGImageDestinationGetTypeID())
  }

  @Test func manyThreadsAskOneSource() async throws {
    let source = try Fixture.source("gif/valid/loop-3.gif")
    let serial = (0..<3).map { bytes(CGImageSourceCreateImageAtIndex(source, $0, nil)) }
    await withTaskGroup(of: Bool.self) { group in
      for turn in 0..<60 {
        group.addTask {
          CGImageSourceCopyPropertiesAtIndex(source, turn % 3, nil) != nil
            && bytes(CGImageSourceCreateImageAtIndex(source, turn % 3, nil)) == serial[turn % 3]
        }
      }
      for await isEqual in group { #expect(isEqual) }
    }
  }

  @Test func listsTypes() {
    let types = CGImageSourceCopyTypeIdentifiers() as? [String] ?? []
    for type in [
      "public.png", "public.jpeg", "com.compuserve.gif", "public.heic", "org.webmproject.webp", "public.tiff",
    ] {
      #expect(types.contains(type))
    }
    #expect(Set(types).count == types.count)
  }
}
