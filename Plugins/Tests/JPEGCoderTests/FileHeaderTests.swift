// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

@Suite struct FileHeaderTests {
  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
  }

  /// 300×200, three channels, the first with 2×2 samples.
  private static let frame: [UInt8] = [8, 0, 200, 1, 44, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
  private static let scan = segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0])

  private static let whole =
    [0xFF, 0xD8] + segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 73, 0, 0])
    + segment(0xE1, ExifPayload.prefix + [1, 2, 3]) + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
    + segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 2, 9, 9]) + segment(0xC0, frame) + scan

  private func header(_ bytes: [UInt8], _ kind: MemorySource.Kind = .complete) throws(CoderError) -> FileHeader {
    try FileHeader(parsing: MemorySource(bytes, kind).view)
  }

  @Test(arguments: [MemorySource.Kind.complete, .incremental]) func readsEachSegment(_ kind: MemorySource.Kind) throws {
    let header = try header(Self.whole, kind)
    #expect(header.frame.size == Size(width: 300, height: 200))
    #expect(header.frame.subsampling == .s420)
    #expect(!header.frame.isProgressive && !header.hasSeveralScans)
    #expect(header.density?.unit == 1 && header.density?.x == 72 && header.density?.y == 73)
    #expect(header.exif.map { Array(Self.whole[$0]) } == [[1, 2, 3]])
    #expect(header.xmp.map { Array(Self.whole[$0]) } == Array("<x/>".utf8))
    #expect(header.profile.count == 1)
    #expect(header.profile.first?.number == 1 && header.profile.first?.count == 2)
    #expect(header.profile.first.map { Array(Self.whole[$0.bytes]) } == [9, 9])
  }

  /// What follows at once and does not begin like a TIFF file goes on with Exif; the rest is other blocks.
  @Test(arguments: [MemorySource.Kind.complete, .incremental])
  func exifGoesOnInSegmentsThatFollow(_ kind: MemorySource.Kind) throws {
    let block = Array("II*\0".utf8) + [8, 0, 0, 0]
    func exif(_ payload: [UInt8]) -> [UInt8] { Self.segment(0xE1, ExifPayload.prefix + payload) }
    let comment = Self.segment(0xFE, [0x61])
    let end = Self.segment(0xC0, Self.frame) + Self.scan
    for (segments, wanted) in [
      (exif(block) + exif([4, 5]) + exif([]) + exif([6]), [block, [4, 5], [], [6]]),
      (exif(block) + exif(block) + exif([4]), [block]), (exif(block) + comment + exif([4]), [block]),
    ] {
      let bytes = [0xFF, 0xD8] + segments + end
      #expect(try header(bytes, kind).exif.map { Array(bytes[$0]) } == wanted)
    }
  }

  /// The first 4 KiB are looked at as one view; what lies at their end is read alike.
  @Test(arguments: [MemorySource.Kind.complete, .incremental])
  func readsWhatLiesAtTheEndOfTheFirstBytes(_ kind: MemorySource.Kind) throws {
    let tail = Self.whole.dropFirst(2)
    for end in 4_096 - tail.count - 8...4_100 {
      let comment = Self.segment(0xFE, [UInt8](repeating: 0xFF, count: end - 6))
      let bytes = [0xFF, 0xD8] + comment + tail
      let header = try header(bytes, kind)
      #expect(header.frame.size == Size(width: 300, height: 200))
      #expect(header.density?.x == 72)
      #expect(header.exif.map { Array(bytes[$0]) } == [[1, 2, 3]])
      #expect(header.xmp.map { Array(bytes[$0]) } == Array("<x/>".utf8))
      #expect(header.profile.first.map { Array(bytes[$0.bytes]) } == [9, 9])
    }
  }

  /// A file that ends before the scan's header does has no picture, and none of its cuts traps.
  @Test(arguments: [MemorySource.Kind.complete, .incremental])
  func isTruncatedWhereverItIsCut(_ kind: MemorySource.Kind) {
    for count in 1..<Self.whole.count {
      #expect("\(count) bytes") { _ = try header(Array(Self.whole.prefix(count)), kind) } throws: {
        ($0 as? CoderError)?.code == .truncated
      }
    }
  }

  @Test func saysWhichSegmentIsCutOff() {
    let bytes = Array(Self.whole.prefix(24))
    #expect(throws: CoderError.truncated("segment of marker 0xE1 needs 11 bytes, 2 are left", at: 24)) {
      _ = try header(bytes)
    }
  }

  private static let misplacedMarkers: [([UInt8], Int, String)] = [
    ([0xFF, 0xD8, 0xFF, 0xD8] as [UInt8], 2, "a second SOI marker before the first scan"),
    ([0xFF, 0xD8, 0xFF, 0xD9], 2, "an EOI marker before the first scan, the file has no picture"),
    ([0xFF, 0xD8, 0xFF, 0xDB, 0, 1], 4, "segment of marker 0xDB has a length of 1, at least 2 is needed"),
    ([0xFF, 0xD8] + scan, 16, "a scan before any frame header"),
  ]

  @Test(arguments: misplacedMarkers)
  func rejectsMarkersOutOfPlace(_ bytes: [UInt8], _ offset: Int, _ message: String) {
    #expect(throws: CoderError.malformed(message, at: offset)) { _ = try header(bytes) }
  }

  @Test(arguments: [0xFE, 0xE0, 0xE1, 0xEF] as [UInt8], [0, 1] as [UInt8])
  func readsOnBehindASegmentWithoutLength(_ marker: UInt8, _ length: UInt8) throws {
    let bytes = [0xFF, 0xD8, 0xFF, marker, 0, length] + Self.segment(0xC0, Self.frame) + Self.scan
    #expect(try header(bytes).frame.size == Size(width: 300, height: 200))
  }

  @Test func passesOverBytesThatAreNoMarker() throws {
    let bytes = [0xFF, 0xD8, 0xFF, 0, 1, 2, 0xFF, 0xFF, 0xFF] + Self.segment(0xC0, Self.frame).dropFirst() + Self.scan
    #expect(try header(Array(bytes)).frame.size == Size(width: 300, height: 200))
  }

  private func frame(_ bytes: [UInt8], marker: UInt8 = 0xC0) throws(CoderError) -> FrameParameters {
    var reader = ByteReader(bytes.span.bytes, at: 100, of: "the frame header")
    return try FrameParameters(parsing: &reader, marker: marker)
  }

  private static let faultyFields: [(Int, UInt8, CoderError)] = [
    (
      0, 12,
      CoderError.unsupported(
        "12 bits per channel of marker 0xC0; 8 are read, 12 with Huffman codes of an extended or progressive file, and "
          + "2 to 16 of a lossless one", at: 100)
    ),
    (5, 2, .malformed("frame header of 15 bytes for 2 channels, which need 12", at: 100)),
    (2, 0, .malformed("height of 0, and no DNL marker after the first scan gives another", at: 101)),
    (7, 0x20, .malformed("sampling factors of 2×0, 1 to 4 are allowed", at: 107)),
    (10, 0x51, .malformed("sampling factors of 5×1, 1 to 4 are allowed", at: 110)),
  ]

  @Test(arguments: faultyFields)
  func rejectsAFrameHeaderField(_ place: Int, _ value: UInt8, _ error: CoderError) {
    var bytes = Self.frame
    bytes[place] = value
    #expect(throws: error) { _ = try frame(bytes) }
  }

  @Test func rejectsAFrameHeaderCutAtEachByte() {
    for count in 0..<Self.frame.count {
      #expect("\(count) bytes") { _ = try frame(Array(Self.frame.prefix(count))) } throws: {
        ($0 as? CoderError)?.code == .malformed
      }
    }
  }

  @Test(
    arguments: [
      (0xCB, "lossless JPEG with arithmetic codes (marker 0xCB)"),
      (0xC5, "hierarchical JPEG (marker 0xC5); DCT-based frames are read"),
    ] as [(UInt8, String)])
  func rejectsOtherProcesses(_ marker: UInt8, _ message: String) {
    #expect(throws: CoderError.unsupported(message, at: 100)) { _ = try frame(Self.frame, marker: marker) }
  }
}
