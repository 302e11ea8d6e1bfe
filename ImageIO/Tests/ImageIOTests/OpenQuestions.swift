// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

/// Where no document says what a Mac does: what is done here. One who knows better changes the line and its test.
@Suite struct OpenQuestions {
  @Test func aGIFThatDoesNotSayHowOftenItPlaysHasNoLoopCount() throws {
    let found = CGImageSourceCopyProperties(try Fixture.source("gif/valid/loop-unstated.gif"), nil) as? [CFString: Any]
    let gif = try #require(found?[kCGImagePropertyGIFDictionary] as? [CFString: Any])
    #expect(gif[kCGImagePropertyGIFLoopCount] == nil)
  }

  @Test func aJPEGDoesNotSayThatItHasNoAlpha() throws {
    #expect(properties(try Fixture.source("jpeg/valid/gray.jpg"))?[kCGImagePropertyHasAlpha] == nil)
  }

  @Test func theOtherSideOfAThumbnailIsRounded() throws {
    // 29 · 20 / 37 is 15.7.
    let options =
      [kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: 20] as CFDictionary
    let image = CGImageSourceCreateThumbnailAtIndex(try Fixture.source("jpeg/valid/baseline-420.jpg"), 0, options)
    #expect(image?.height == 16)
  }

  @Test func anIndexThatIsNotThereIsOfUnknownType() throws {
    #expect(CGImageSourceGetStatusAtIndex(try Fixture.source("png/valid/rgb8.png"), 7) == .statusUnknownType)
  }

  @Test func aFileWithoutPlaysPlaysOnce() throws {
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, "com.compuserve.gif" as CFString, 2, nil))
    for level in [0, 255] as [UInt8] {
      CGImageDestinationAddImage(destination, picture(4, 4) { _, _ in [level, level, level, 255] }, nil)
    }
    #expect(CGImageDestinationFinalize(destination))
    #expect(!String(decoding: data as Data, as: UTF8.self).contains("NETSCAPE"))
  }
}
