// SPDX-License-Identifier: Apache-2.0

import CoderPort
import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing
import UniformTypeIdentifiers

/// Well-known code for a Mac gives what ImageCoders gives by itself.
@Suite struct CoderPortTests {
  @Test(arguments: 1...8) func picturesAreUpright(_ orientation: Int) throws {
    let path = "jpeg/valid/orientation-\(orientation).jpg"
    let image = try #require(StillCoder.decode(try Fixture.data(path)))
    let wanted = try Fixture.registry.decode(.file(Fixture.url(path).path)).pixels
    #expect(size(image) == "\(wanted.size.width)×\(wanted.size.height)")
    #expect(bytes(image) == (try wanted.converted(to: PixelLayout(.rgba8, .opaque)).copyBytes()))
  }

  @Test(arguments: [
    ("png/valid/rgba8.png", true), ("heif/valid/lossy-420.heic", true), ("webp/valid/lossy.webp", true),
    ("README.md", false),
  ])
  func knowsWhatItReads(_ path: String, _ reads: Bool) throws {
    #expect(StillCoder.canDecode(try Fixture.data(path)) == reads)
  }

  @Test func thumbnailsFitTheirBox() throws {
    var options = StillCoder.Options()
    options.thumbnailSize = CGSize(width: 20, height: 20)
    let data = try Fixture.data("jpeg/valid/orientation-6.jpg")
    let image = try #require(StillCoder.decode(data, options: options))
    #expect(size(image) == "16×20")
    options.preservesAspectRatio = false
    let stretched = try #require(StillCoder.decode(data, options: options))
    #expect(size(stretched) == "20×20")
  }

  @Test func bytesArrive() throws {
    let data = longFile(orientation: 6)
    let coder = StillCoder()
    #expect(coder.image == nil)
    coder.update(data.prefix(data.count * 3 / 4), isFinished: false)
    #expect(coder.image?.width == 100)
    coder.update(data, isFinished: true)
    #expect(bytes(coder.image) == bytes(StillCoder.decode(data)))
  }

  @Test(arguments: [UTType.jpeg, .png, .heic, .webP, .tiff]) func writes(_ type: UTType) throws {
    #expect(StillCoder.canEncode(type))
    let image = picture(64, 32, alpha: .noneSkipLast) { x, y in [UInt8(4 * x), UInt8(8 * y), 90, 255] }
    var options = StillCoder.EncodeOptions()
    options.quality = 0.9
    options.maxPixelSize = CGSize(width: 32, height: 32)
    let data = try #require(StillCoder.encode(image, as: type, orientation: .right, options: options))
    let read = try #require(StillCoder.decode(data))
    #expect(size(read) == "16×32")
    #expect(!StillCoder.canEncode(.pdf))
  }

  @Test(arguments: [
    "gif/valid/loop-3.gif", "png/valid/apng-loop-3.png", "webp/valid/animated-loop-3.webp", "heif/valid/plays-3.heics",
  ])
  func animationsAreThoseOfTheLibrary(_ path: String) throws {
    let coder = try #require(AnimatedCoder(try Fixture.data(path)))
    let decoder = try Fixture.registry.open(.file(Fixture.url(path).path))
    #expect(coder.frameCount == decoder.frameCount)
    #expect(coder.loopCount == 3)
    for index in 0..<decoder.frameCount {
      let frame = try decoder.frame(at: index)
      #expect(
        bytes(coder.frame(at: index))
          == (try frame.pixels.converted(to: PixelLayout(.rgba8, frame.pixels.alpha)).copyBytes()))
      // What nobody would see is shown as browsers do.
      let delay = frame.delay.seconds < 0.011 ? 0.1 : frame.delay.seconds
      #expect(abs(coder.duration(at: index) - delay) < 0.0005)
    }
    #expect(coder.frame(at: decoder.frameCount) == nil)
  }

  @Test(arguments: [UTType.gif, .png, .webP, .heics]) func animationsAreWritten(_ type: UTType) throws {
    let frames = (0..<4).map { index in
      AnimatedCoder.Frame(
        picture(16, 16, alpha: .noneSkipLast) { x, _ in x / 4 == index ? [255, 255, 255, 255] : [0, 0, 0, 255] },
        duration: 0.05 + 0.05 * Double(index))
    }
    let data = try #require(AnimatedCoder.encode(frames, as: type, loopCount: 2))
    let coder = try #require(AnimatedCoder(data))
    #expect(coder.frameCount == 4)
    #expect(coder.loopCount == 2)
    for index in 0..<4 {
      #expect(abs(coder.duration(at: index) - frames[index].duration) < 0.0005)
      if type != .heics { #expect(bytes(coder.frame(at: index)) == bytes(frames[index].image)) }
    }
    #expect(AnimatedCoder.encode(frames, as: .jpeg, loopCount: 1) == nil)
  }
}
