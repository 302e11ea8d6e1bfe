// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

@Suite struct IncrementalTests {
  @Test func aPictureArrives() throws {
    let data = longFile(isProgressive: true)
    let source = CGImageSourceCreateIncremental(nil)
    #expect(CGImageSourceGetStatus(source) == .statusReadingHeader)
    #expect(CGImageSourceGetType(source) == nil)
    #expect(CGImageSourceGetCount(source) == 0)
    CGImageSourceUpdateData(source, data.prefix(data.count * 2 / 3) as CFData, false)
    #expect(CGImageSourceGetStatus(source) == .statusIncomplete)
    #expect(CGImageSourceGetType(source) == "public.jpeg" as CFString)
    #expect(CGImageSourceGetCount(source) == 1)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil)?.width == 200)
    #expect(properties(source)?[kCGImagePropertyPixelWidth] as? Int == 200)
    // All bytes again, as the interface wants them.
    CGImageSourceUpdateData(source, data as CFData, true)
    #expect(CGImageSourceGetStatus(source) == .statusComplete)
    #expect(CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete)
    let whole = try #require(opened(data))
    #expect(
      bytes(CGImageSourceCreateImageAtIndex(source, 0, nil)) == bytes(CGImageSourceCreateImageAtIndex(whole, 0, nil)))
  }

  /// Bytes make a header, then a picture that is not whole, and whole only when nothing more can come.
  @Test(arguments: [
    "jpeg/valid/progressive-420.jpg", "png/valid/rgba8.png", "gif/valid/loop-3.gif", "webp/valid/lossy.webp",
    "tiff/valid/rgb16-little-endian.tif", "bmp/valid/rgb24.bmp", "heif/valid/lossy-420.heic",
    "avif/valid/8bit-420.avif",
  ])
  func statusesFollowTheBytes(_ path: String) throws {
    let data = try Fixture.data(path)
    let source = CGImageSourceCreateIncremental(nil)
    var statuses: [CGImageSourceStatus] = []
    for count in stride(from: 0, to: data.count, by: 37) {
      CGImageSourceUpdateData(source, data.prefix(count) as CFData, false)
      let status = CGImageSourceGetStatus(source)
      if statuses.last != status { statuses.append(status) }
      #expect(CGImageSourceGetStatusAtIndex(source, 0) != .statusUnknownType)
    }
    // What a TIFF file has is said at its end.
    #expect(statuses == (path.hasSuffix("tif") ? [.statusReadingHeader] : [.statusReadingHeader, .statusIncomplete]))
    CGImageSourceUpdateData(source, data as CFData, false)
    #expect(CGImageSourceGetStatus(source) == .statusIncomplete)
    CGImageSourceUpdateData(source, data as CFData, true)
    #expect(CGImageSourceGetStatus(source) == .statusComplete)
    #expect(CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete)
    let cut = CGImageSourceCreateIncremental(nil)
    CGImageSourceUpdateData(cut, data.prefix(data.count * 3 / 4) as CFData, true)
    #expect([.statusUnexpectedEOF, .statusInvalidData].contains(CGImageSourceGetStatus(cut)))
  }

  @Test func framesArriveOneByOne() throws {
    let data = try Fixture.data("gif/valid/loop-3.gif")
    let source = CGImageSourceCreateIncremental(nil)
    var counts: [Int] = []
    for count in 1...data.count {
      CGImageSourceUpdateData(source, data.prefix(count) as CFData, count == data.count)
      counts.append(CGImageSourceGetCount(source))
    }
    #expect(counts == counts.sorted())
    #expect(Set(counts).isSuperset(of: [0, 1, 3]))
    #expect(CGImageSourceGetStatus(source) == .statusComplete)
  }

  @Test func anEndThatIsTooEarlyIsSaid() throws {
    let data = try Fixture.data("png/valid/rgba8.png")
    let source = CGImageSourceCreateIncremental(nil)
    CGImageSourceUpdateData(source, data.prefix(data.count - 20) as CFData, true)
    #expect(CGImageSourceGetStatus(source) == .statusUnexpectedEOF)
  }

  @Test func otherBytesAreOfUnknownType() throws {
    let source = CGImageSourceCreateIncremental(nil)
    CGImageSourceUpdateData(source, Data(repeating: 0x55, count: 5000) as CFData, true)
    #expect(CGImageSourceGetStatus(source) == .statusUnknownType)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil) == nil)
  }

  @Test func bytesOfAProviderArrive() throws {
    let data = try Fixture.data("png/valid/rgb8.png")
    let source = CGImageSourceCreateIncremental(nil)
    CGImageSourceUpdateDataProvider(source, try #require(CGDataProvider(data: data as CFData)), true)
    #expect(CGImageSourceGetStatus(source) == .statusComplete)
    // After the end, nothing changes.
    CGImageSourceUpdateData(source, Data() as CFData, false)
    #expect(CGImageSourceGetStatus(source) == .statusComplete)
  }
}
