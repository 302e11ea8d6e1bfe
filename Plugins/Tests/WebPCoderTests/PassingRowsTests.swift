// SPDX-License-Identifier: Apache-2.0

import CWebP
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import WebPCoder

/// Rows that are given on while libwebp writes a picture, held against memory for all of it.
@Suite struct PassingRowsTests {
  /// 9 MB of pixels, more than four huge pages: noise beside slopes, with alpha.
  private static let size = Size(width: 1501, height: 1500)

  private static let pixels: [UInt8] = (0..<(size.pixelCount * 4)).map { index in
    let (x, y, channel) = (index / 4 % size.width, index / 4 / size.width, index % 4)
    let noise = UInt32(truncatingIfNeeded: index &* 2_654_435_761) >> 13
    return x % 100 < 10 ? UInt8(truncatingIfNeeded: noise) : UInt8(truncatingIfNeeded: (x + y * (channel + 1)) / 5)
  }

  private static func encoded(isLossless: Bool) throws -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let (width, height, stride) = (Int32(size.width), Int32(size.height), Int32(size.width * 4))
    let count =
      isLossless
      ? WebPEncodeLosslessRGBA(pixels, width, height, stride, &output)
      : WebPEncodeRGBA(pixels, width, height, stride, 80, &output)
    let bytes = try #require(output)
    defer { WebPFree(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// - Parameter most: Rows that the host takes at a time.
  private static func read(
    _ bytes: [UInt8], most: Int, format: PixelFormat? = nil
  ) throws -> (pixels: [UInt8], rows: Int, problem: CoderError?) {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let reader = try WebPReader(source.view, host: MemoryHost().host, options: [])
    var request = DecodeRequest()
    request.pixelFormat = format
    let offer = try reader.offer(for: request)
    #expect(offer.rowOrder == .topDown)
    let sink = MemorySink(offer, most: most)
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch {
      return (sink.pixels, sink.rowsDone, error)
    }
    return (sink.pixels, sink.rowsDone, nil)
  }

  @Test(arguments: [true, false]) func areThoseOfAWholePicture(_ isLossless: Bool) throws {
    let bytes = try Self.encoded(isLossless: isLossless)
    let whole = try Self.read(bytes, most: .max)
    #expect(whole.problem == nil && whole.rows == Self.size.height)
    for most in [16, 1499] {
      let passed = try Self.read(bytes, most: most)
      let isSame = passed.pixels == whole.pixels
      #expect(isSame && passed.problem == nil && passed.rows == Self.size.height, "\(most)")
    }
    // Libwebp keeps colors of clear pixels only where it is told to.
    let opaque = isLossless ? zip(whole.pixels, Self.pixels).enumerated().filter { $0.offset % 4 == 3 } : []
    let isAlphaKept = opaque.allSatisfy { $0.element.0 == $0.element.1 }
    #expect(isAlphaKept)
  }

  @Test(arguments: [true, false]) func aCutFileGivesTheSameRows(_ isLossless: Bool) throws {
    let bytes = try Self.encoded(isLossless: isLossless)
    for share in [3, 5, 9] {
      let cut = Array(bytes.prefix(bytes.count * share / 10))
      let (whole, passed) = (try Self.read(cut, most: .max), try Self.read(cut, most: 16))
      #expect(passed.problem?.code == .truncated && passed.rows > 0 && passed.rows <= Self.size.height)
      // Steps differ, and so may how far the last of them came.
      let count = min(passed.rows, whole.rows) * Self.size.width * 4
      let isSame = passed.pixels.prefix(count).elementsEqual(whole.pixels.prefix(count))
      #expect(isSame && abs(passed.rows - whole.rows) <= 8, "\(passed.rows) of \(whole.rows)")
    }
  }
}
