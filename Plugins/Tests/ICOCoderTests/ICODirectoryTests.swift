// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import ICOCoder

@Suite struct ICODirectoryTests {
  /// 16×256 pixels, 513 and 32 in the fields that icons and cursors use differently, 1,027 bytes at 66,051.
  private static let bytes: [UInt8] = [16, 0, 0, 0, 1, 2, 32, 0, 3, 4, 0, 0, 3, 2, 1, 0]

  private func entry(_ bytes: [UInt8], isCursor: Bool) throws(CoderError) -> ICODirectory.Entry {
    var reader = ByteReader(bytes.span.bytes, order: .littleEndian, at: 6, of: "the directory")
    return try ICODirectory.Entry(parsing: &reader, isCursor: isCursor)
  }

  @Test func readsTheEntryOfAnIcon() throws {
    let entry = try entry(Self.bytes, isCursor: false)
    #expect(entry.size == Size(width: 16, height: 256))
    #expect(entry.bitCount == 32)
    #expect(entry.hotSpot == nil)
    #expect(entry.byteCount == 1_027)
    #expect(entry.offset == 66_051)
  }

  @Test func readsAndWritesTheEntryOfACursor() throws {
    let entry = try entry(Self.bytes, isCursor: true)
    #expect(entry.bitCount == 0)
    #expect(entry.hotSpot?.x == 513)
    #expect(entry.hotSpot?.y == 32)
    var writer = ByteWriter(order: .littleEndian)
    entry.write(to: &writer)
    #expect(writer.bytes == Self.bytes)
  }

  @Test func saysWhichFieldIsCutOff() {
    #expect(throws: CoderError.truncated("the offset of the directory needs 4 bytes, 3 are left", at: 18)) {
      _ = try entry(Array(Self.bytes.dropLast()), isCursor: false)
    }
    for count in 0..<16 {
      #expect(throws: CoderError.self) { _ = try entry(Array(Self.bytes.prefix(count)), isCursor: true) }
    }
  }
}
