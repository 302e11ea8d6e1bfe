// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// Files with further pictures behind the first: where these are follows what metadata takes or gives.
@Suite struct MultiPictureIndexTests {
  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
  }

  /// Little endian: one entry, 0xB002, of two pictures at 26; the first of 100 bytes, the second of 50 at `place`.
  private static func index(_ first: UInt8, place: UInt8) -> [UInt8] {
    segment(
      0xE2,
      Array("MPF\0".utf8) + Array("II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, 0x02, 0xB0, 7, 0, 32, 0, 0, 0, 26, 0, 0, 0]
        + [0, 0, 0, 0] + [0, 0, 3, 0x20, first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        + [0, 0, 0, 0, 50, 0, 0, 0, place, 0, 0, 0, 0, 0, 0, 0])
  }

  private static let frame = segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
  private static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0x34, 0xFF, 0xD9]
  private static let other: [UInt8] = [0xFF, 0xD8, 0xFF, 0xFE, 0, 4, 1, 2, 0xFF, 0xD9]

  private func edited(_ file: [UInt8], _ edits: MetadataBlockEdits) throws(CoderError) -> [UInt8] {
    let output = MemoryOutput()
    let (source, host) = (MemorySource(file), MemoryHost())
    defer { withExtendedLifetime((source, host)) {} }
    try JPEGMetadata.edit(
      OperationContext(source.view, from: .jpeg, output: output.output, host: host.host), edits)
    return output.bytes
  }

  @Test func placesFollowWhatIsBehindTheIndexAlone() throws {
    let comment = Self.segment(0xFE, [1, 2, 3, 4])
    let exif = Self.segment(0xE1, ExifPayload.prefix + Array("II*\0".utf8))
    let file = [0xFF, 0xD8] + exif + Self.index(100, place: 90) + comment + Self.frame + Self.scan + Self.other
    // The comment of 8 bytes is behind the index, and the Exif of 14 before it: the second picture is 8 bytes nearer.
    let made = try edited(file, MetadataBlockEdits(removed: [.text, .exif]))
    #expect(made == [0xFF, 0xD8] + Self.index(78, place: 82) + Self.frame + Self.scan + Self.other)
    // New blocks stand before the index, so its distance stays; the first picture grows by Exif's 18 bytes.
    let plain = [0xFF, 0xD8] + Self.index(100, place: 90) + Self.frame + Self.scan + Self.other
    let grown = try edited(
      plain, MetadataBlockEdits(removed: [.exif], payloads: [.exif: Array("II*\0".utf8) + [0, 0, 0, 0]]))
    let new = Self.segment(0xE1, ExifPayload.prefix + Array("II*\0".utf8) + [0, 0, 0, 0])
    #expect(grown == [0xFF, 0xD8] + new + Self.index(118, place: 90) + Self.frame + Self.scan + Self.other)
  }

  @Test func otherPicturesGoWithTheirIndex() throws {
    let file = [0xFF, 0xD8] + Self.index(100, place: 90) + Self.frame + Self.scan + Self.other
    #expect(try edited(file, MetadataBlockEdits(removed: [.other])) == [0xFF, 0xD8] + Self.frame + Self.scan)
  }

  @Test func anIndexThatCannotBeReadStaysAsItIs() throws {
    let broken = Self.segment(0xE2, Array("MPF\0II*\0".utf8) + [99, 0, 0, 0])
    let file = [0xFF, 0xD8] + Self.segment(0xFE, [1]) + broken + Self.frame + Self.scan
    #expect(
      try edited(file, MetadataBlockEdits(removed: [.text])) == [0xFF, 0xD8] + broken + Self.frame + Self.scan)
  }
}
