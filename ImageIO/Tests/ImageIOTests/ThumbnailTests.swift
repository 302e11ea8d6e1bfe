// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

@Suite struct ThumbnailTests {
  private func thumbnail(_ path: String, _ options: [CFString: Any]) throws -> CGImage? {
    CGImageSourceCreateThumbnailAtIndex(try Fixture.source(path), 0, options as CFDictionary)
  }

  @Test func withoutAWishThereIsOnlyTheEmbeddedOne() throws {
    #expect(try thumbnail("jpeg/valid/baseline-420.jpg", [:]) == nil)
    #expect(try thumbnail("jpeg/valid/baseline-420.jpg", [kCGImageSourceThumbnailMaxPixelSize: 10]) == nil)
    #expect(CGImageSourceCreateThumbnailAtIndex(try Fixture.source("png/valid/rgb8.png"), 0, nil) == nil)
  }

  /// 37×29 pixels, stored on their side.
  @Test(arguments: [
    (20 as any Sendable, false, 20, 16), (20.0, true, 16, 20), (CGFloat(20), true, 16, 20), (UInt8(20), false, 20, 16),
    (100, false, 37, 29), (1, false, 1, 1),
  ])
  func theLongestSideIsTheOneThatIsAskedFor(
    _ side: any Sendable, _ isUpright: Bool, _ width: Int, _ height: Int
  ) throws {
    for key in [kCGImageSourceCreateThumbnailFromImageAlways, kCGImageSourceCreateThumbnailFromImageIfAbsent] {
      let image = try #require(
        try thumbnail(
          "jpeg/valid/orientation-6.jpg",
          [key: true, kCGImageSourceThumbnailMaxPixelSize: side, kCGImageSourceCreateThumbnailWithTransform: isUpright])
      )
      #expect(image.width == width)
      #expect(image.height == height)
    }
  }

  /// A program may turn a picture by its property, or have it turned: both show the same, whatever Exif says beside it.
  @Test(arguments: ["avif", "heif", "jpeg", "jxl", "png", "tiff", "webp"])
  func thePropertySaysHowTheThumbnailIsTurned(_ folder: String) throws {
    var turned = 0
    for path in try Fixture.valid(folder) {
      let source = try Fixture.source(path)
      guard let read = properties(source), let width = read[kCGImagePropertyPixelWidth] as? Int,
        let height = read[kCGImagePropertyPixelHeight] as? Int, max(width, height) <= 1_000,
        let image = try thumbnail(
          path, [kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true])
      else { continue }
      let orientation = read[kCGImagePropertyOrientation] as? Int ?? 1
      let isOnItsSide = (5...8).contains(orientation)
      turned += isOnItsSide ? 1 : 0
      #expect(image.width == (isOnItsSide ? height : width), "\(path)")
      #expect(image.height == (isOnItsSide ? width : height), "\(path)")
    }
    #expect(turned > 0)
  }

  @Test func withoutASideItHasItsOwn() throws {
    let options: [CFString: Any] = [kCGImageSourceCreateThumbnailFromImageAlways: kCFBooleanTrue!]
    #expect(try thumbnail("jpeg/valid/orientation-6.jpg", options)?.width == 37)
  }

  @Test(arguments: 0..<3) func eachFrameHasOne(_ index: Int) throws {
    let source = try Fixture.source("gif/valid/loop-3.gif")
    let options =
      [kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: 8] as CFDictionary
    let image = try #require(CGImageSourceCreateThumbnailAtIndex(source, index, options))
    #expect(image.width == 8)
    #expect(image.height == 6)
  }

  @Test(arguments: ["public.jpeg", "public.heic"]) func theEmbeddedOneIsFoundAndTurned(_ type: String) throws {
    // Red on the left, blue on the right, shown a quarter to the right.
    let large = picture(400, 200) { x, _ in x < 200 ? [255, 0, 0, 255] : [0, 0, 255, 255] }
    let data = try #require(
      file(large, type, [kCGImageDestinationEmbedThumbnail: true, kCGImagePropertyOrientation: 6]))
    let source = try #require(opened(data))
    let stored = try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, nil))
    #expect(size(stored) == "160×80")
    let upright = try #require(
      CGImageSourceCreateThumbnailAtIndex(source, 0, [kCGImageSourceCreateThumbnailWithTransform: true] as CFDictionary)
    )
    #expect(size(upright) == "80×160")
    let pixels = bytes(upright)
    #expect(pixels[0] > 200 && pixels[2] < 60)  // red on top
    #expect(pixels[pixels.count - 2] > 200)  // blue below
    // However small, it is taken before one is made; a limit makes it smaller.
    let ifAbsent: [CFString: Any] = [
      kCGImageSourceCreateThumbnailFromImageIfAbsent: true, kCGImageSourceThumbnailMaxPixelSize: 300,
    ]
    #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, ifAbsent as CFDictionary)?.width == 160)
    let small = [kCGImageSourceThumbnailMaxPixelSize: 40] as CFDictionary
    #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, small)?.width == 40)
    let always: [CFString: Any] = [
      kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: 300,
    ]
    #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, always as CFDictionary)?.width == 300)
  }

  /// `thmb` items, which say themselves how they are turned.
  @Test(arguments: ["heif/valid/thumbnails-turned.heic", "avif/valid/thumbnails-turned.avif"])
  func thumbnailItemsAreEmbeddedOnes(_ path: String) throws {
    let stored = try #require(CGImageSourceCreateThumbnailAtIndex(try Fixture.source(path), 0, nil))
    #expect(size(stored) == "32×16")
    let upright = try #require(try thumbnail(path, [kCGImageSourceCreateThumbnailWithTransform: true]))
    #expect(size(upright) == "16×32")
    // What is stored at the bottom left is at the top left then, and what is at the top left, at the top right.
    let pixel = stored.bitsPerPixel / 8
    let (before, after) = (bytes(stored), bytes(upright))
    #expect(after[..<pixel] == before[(15 * stored.bytesPerRow)...].prefix(pixel))
    #expect(after[(15 * pixel)...].prefix(pixel) == before[..<pixel])
    #expect(before[..<pixel] != before[(15 * stored.bytesPerRow)...].prefix(pixel))
    let ifAbsent: [CFString: Any] = [
      kCGImageSourceCreateThumbnailFromImageIfAbsent: true, kCGImageSourceThumbnailMaxPixelSize: 50,
    ]
    #expect(size(try thumbnail(path, ifAbsent)) == "32×16")
    let always: [CFString: Any] = [
      kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: 50,
    ]
    #expect(size(try thumbnail(path, always)) == "50×25")
  }

  @Test func anEmbeddedOneHasItsColors() throws {
    let source = try Fixture.source("heif/valid/thumbnails-colors.heic")
    let small = try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, nil))
    let profile = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil)?.colorSpace?.copyICCData() as Data?)
    #expect(size(small) == "32×16")
    #expect(small.colorSpace?.copyICCData() as Data? == profile)
    #expect(bytes(small)[0] == 0)
  }

  @Test func isTheFilteredPictureOfTheLibrary() throws {
    let url = Fixture.url("png/valid/rgba8.png")
    let options =
      [kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: 10] as CFDictionary
    let image = try #require(CGImageSourceCreateThumbnailAtIndex(try Fixture.source("png/valid/rgba8.png"), 0, options))
    let wanted = try Fixture.registry.decode(.file(url.path), options: .thumbnail(width: 10, height: 10)).pixels
    #expect(bytes(image) == wanted.copyBytes())
  }
}
