// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// Progressive files of more scans than the limit: those up to it are a picture.
@Suite struct ScanLimitTests {
  private static func read(
    _ bytes: [UInt8], maxScans: Int, within size: Size? = nil
  ) throws(CoderError) -> (offer: DecodeOffer, pixels: [UInt8], rows: Int, problem: CoderError?) {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    var limits = Limits.standard
    limits.maxScans = maxScans
    let reader = try JPEGReader(source.view, host: MemoryHost(limits).host, options: OpenOptions([]))
    var request = DecodeRequest()
    request.size = size
    return try reader.delivered(for: request)
  }

  /// The same file up to a scan, and an EOI marker: libjpeg has no limit there.
  private static func cut(_ bytes: [UInt8], beforeScan number: Int) -> [UInt8] {
    var scans = 0
    for place in bytes.indices.dropLast() where bytes[place] == 0xFF && bytes[place + 1] == 0xDA {
      scans += 1
      if scans == number { return Array(bytes[..<place]) + [0xFF, 0xD9] }
    }
    return bytes
  }

  @Test(arguments: [1, 4]) func scansUpToTheLimitAreAPicture(_ allowed: Int) throws {
    let size = Size(width: 130, height: 70)
    let bytes = try DeepFileTests.file(.init(horizontal: 2, vertical: 2, isProgressive: true, size: size))
    let whole = try Self.read(bytes, maxScans: allowed)
    #expect(whole.problem?.code == .limitExceeded && whole.rows == 70)
    // At full size, libjpeg smooths what lacks scans, unless more of them follow.
    let half = Size(width: 65, height: 35)
    let found = try Self.read(bytes, maxScans: allowed, within: half)
    #expect(found.problem?.code == .limitExceeded && found.rows == 35)
    let expected = try Self.read(Self.cut(bytes, beforeScan: allowed + 1), maxScans: 500, within: half)
    #expect(found.pixels == expected.pixels)
    #expect(try Self.read(bytes, maxScans: 500).problem == nil)
  }

  @Test func thumbnailsToo() throws {
    let bytes = try DeepFileTests.file(
      .init(horizontal: 4, isProgressive: true, size: Size(width: 130, height: 70)))
    let size = Size(width: 17, height: 9)
    let found = try Self.read(bytes, maxScans: 2, within: size)
    #expect(found.problem?.code == .limitExceeded && found.rows == 9)
    #expect(found.pixels == (try Self.read(Self.cut(bytes, beforeScan: 3), maxScans: 500, within: size).pixels))
  }
}
