// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import HDRCoder

@Suite struct ScanlineTests {
  private struct Outcome: Equatable {
    var planes: [UInt8]
    var missing: Int
    /// Bytes that were decoded.
    var read: Int
  }

  /// Decodes one scanline, from bytes that come in pieces.
  private func read(_ bytes: [UInt8], width: Int, pieces: Int = .max) throws(CoderError) -> Outcome {
    let host = MemoryHost()
    var scanline = try Scanline(width: width, host: host.host)
    scanline.planes.update(repeating: 0, count: 4 * width)
    var (read, known, missing) = (0, min(pieces, bytes.count), 1)
    while true {
      let part = Array(bytes[read..<known])
      var reader = ByteReader(part.span.bytes, at: read, of: "a scanline")
      missing = try scanline.read(&reader)
      read = reader.offset
      if missing == 0 || known == bytes.count { break }
      known = min(known + pieces, bytes.count)
    }
    return Outcome(
      planes: Array(UnsafeBufferPointer(start: scanline.planes, count: 4 * width)), missing: missing, read: read)
  }

  /// Red: a run of 8. Green: 3 bytes, a run of 5. Blue: 8 bytes. Exponents: a count of 0, a run of 7, a byte.
  private static let adaptive: [UInt8] =
    [2, 2, 0, 8] + [136, 10] + [3, 1, 2, 3, 133, 4] + [8, 8, 7, 6, 5, 4, 3, 2, 1] + [0, 135, 128, 1, 129]
  private static let planes: [UInt8] =
    [10, 10, 10, 10, 10, 10, 10, 10] + [1, 2, 3, 4, 4, 4, 4, 4] + [8, 7, 6, 5, 4, 3, 2, 1]
    + [128, 128, 128, 128, 128, 128, 128, 129]

  @Test(arguments: [1, 2, 3, 7, 100])
  func readsChannelsInPieces(_ pieces: Int) throws {
    let outcome = try read(Self.adaptive + [9, 9], width: 8, pieces: pieces)
    #expect(outcome == Outcome(planes: Self.planes, missing: 0, read: Self.adaptive.count))
  }

  @Test func saysHowManyBytesAreMissing() throws {
    let cuts = [(0, 4), (3, 1), (4, 2), (5, 1), (6, 2), (7, 1), (8, 2), (9, 1), (10, 2), (12, 2), (13, 1), (14, 7)]
    for (count, missing) in cuts {
      let outcome = try read(Array(Self.adaptive.prefix(count)), width: 8)
      #expect(outcome.missing == missing, "\(count) bytes")
    }
  }

  @Test func narrowScanlinesArePixels() throws {
    let outcome = try read([2, 2, 0, 2, 5, 6, 7, 8], width: 2)
    #expect(outcome == Outcome(planes: [2, 5, 2, 6, 0, 7, 2, 8], missing: 0, read: 8))
  }

  /// A third byte of 128 or more is that of a pixel.
  @Test func aPixelWithTwoTwosIsAPixel() throws {
    let outcome = try read([2, 2, 200, 8] + [1, 1, 1, 7], width: 8)
    #expect(outcome.missing == 0 && outcome.planes.prefix(9) == [2, 2, 2, 2, 2, 2, 2, 2, 2])
    #expect(outcome.planes.suffix(16) == [UInt8](repeating: 200, count: 8) + [UInt8](repeating: 8, count: 8))
  }

  @Test(arguments: [4, 5, 100])
  func countsThatFollowEachOtherAreOneNumber(_ pieces: Int) throws {
    // 4 + 1 × 256 copies, then another pixel with one copy, the count of which begins anew.
    let bytes: [UInt8] = [200, 1, 2, 3] + [1, 1, 1, 4] + [1, 1, 1, 1] + [90, 128, 5, 6] + [1, 1, 1, 1]
    let outcome = try read(bytes, width: 263, pieces: pieces)
    #expect(outcome.missing == 0 && outcome.read == 20)
    #expect(outcome.planes.prefix(263) == ([UInt8](repeating: 200, count: 261) + [90, 90])[...])
  }

  @Test func aRunIsCutOffAtTheEndOfItsScanline() throws {
    let outcome = try read([200, 1, 2, 3, 1, 1, 1, 255, 9, 9, 9, 9], width: 3)
    #expect(outcome.read == 8 && outcome.planes == [200, 200, 200, 1, 1, 1, 2, 2, 2, 3, 3, 3])
  }

  @Test func theFirstPixelIsNoCount() throws {
    let outcome = try read([1, 1, 1, 130, 1, 1, 1, 1], width: 2)
    #expect(outcome.planes == [1, 1, 1, 1, 1, 1, 130, 130])
  }

  private static let faults: [([UInt8], Int, CoderError)] = [
    ([2, 2, 0, 9], 8, CoderError.malformed("a scanline of 9 pixels in a picture with 8", at: 0)),
    ([2, 2, 0, 8, 137, 1], 8, .malformed("9 bytes of a channel of which 8 are left", at: 4)),
    ([2, 2, 0, 8, 132, 1, 5, 1], 8, .malformed("5 bytes of a channel of which 4 are left", at: 6)),
    (
      [200, 0, 0, 0] + [1, 1, 1, 0] + [1, 1, 1, 0] + [1, 1, 1, 0] + [1, 1, 1, 0] + [1, 1, 1, 0], 9,
      .malformed("a run whose length has more than four bytes", at: 20)
    ),
  ]

  @Test(arguments: faults)
  func saysWhatIsWrongAndWhere(_ bytes: [UInt8], _ width: Int, _ error: CoderError) {
    #expect(throws: error) { _ = try read(bytes, width: width) }
  }

  private func encoded(_ planes: [UInt8], width: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xA5, count: ScanlineEncoder.memory(width: width))
    let count = planes.withUnsafeBufferPointer { planes in
      bytes.withUnsafeMutableBufferPointer { target -> Int in
        guard let from = planes.baseAddress, let to = target.baseAddress else { return 0 }
        return ScanlineEncoder(width: width).encode(from, to: to) - to
      }
    }
    return Array(bytes.prefix(count))
  }

  @Test func writesRunsOfFourAndMore() {
    let planes: [UInt8] =
      [5, 5, 5, 5, 5, 5, 5, 5] + [1, 2, 2, 2, 3, 3, 3, 3] + [1, 1, 1, 1, 2, 2, 2, 3] + [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(
      encoded(planes, width: 8) == [2, 2, 0, 8] + [136, 5] + [4, 1, 2, 2, 2, 132, 3] + [132, 1, 4, 2, 2, 2, 3]
        + [8, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func writesPixelsOutsideOfTheWidthsOfRuns() {
    #expect(encoded([1, 2, 3, 4, 5, 6, 7, 8], width: 2) == [1, 3, 5, 7, 2, 4, 6, 8])
  }

  /// 32,767 pixels are the most, and no byte is repeated: each 128 of them have a count.
  @Test(arguments: [8, 127, 128, 129, 300, 32_767, 32_768])
  func keepsToItsMemoryAndIsReadAgain(_ width: Int) throws {
    let patterns: [(Int) -> UInt8] = [
      { UInt8($0 & 0x7F) | 0x80 }, { _ in 7 }, { UInt8($0 / 5 & 0xFF) }, { UInt8($0 * $0 & 0xFF) },
    ]
    let planes = patterns.flatMap { pattern in (0..<width).map(pattern) }
    let bytes = encoded(planes, width: width)
    #expect(bytes.count <= ScanlineEncoder.memory(width: width))
    #expect(try read(bytes, width: width, pieces: 1_000) == Outcome(planes: planes, missing: 0, read: bytes.count))
  }
}
