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
