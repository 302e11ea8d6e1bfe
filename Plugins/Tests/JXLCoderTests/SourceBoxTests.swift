// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

/// Boxes that are looked up in a source at a place, as the plugin SDK does it.
@Suite struct SourceBoxTests {
  /// `free` of 10 bytes, `wide` with a size of 64 bits (20 bytes), `last` up to the end.
  private static let file: [UInt8] =
    [0, 0, 0, 10, 0x66, 0x72, 0x65, 0x65, 1, 2]
    + [0, 0, 0, 1, 0x77, 0x69, 0x64, 0x65, 0, 0, 0, 0, 0, 0, 0, 20, 1, 2, 3, 4]
    + [0, 0, 0, 0, 0x6C, 0x61, 0x73, 0x74, 9]

  private func box(at offset: Int, of bytes: [UInt8] = file, isIncremental: Bool = false) throws -> Box? {
    let source = MemorySource(bytes, isIncremental ? .incremental : .complete)
    return try withExtendedLifetime(source) { try source.view.box(at: offset, before: source.view.size) }
  }

  @Test func findsEachKindOfSize() throws {
    #expect(try box(at: 0) == Box(type: FourCC("free"), start: 0, content: 8, end: 10, isCut: false))
    #expect(try box(at: 10) == Box(type: FourCC("wide"), start: 10, content: 26, end: 30, isCut: false))
    #expect(try box(at: 30) == Box(type: FourCC("last"), start: 30, content: 38, end: 39, isCut: false))
    #expect(try box(at: 39) == nil)
  }

  @Test func anIncompleteFileHasNoEnd() throws {
    #expect(try box(at: 30, isIncremental: true)?.end == .max)
    #expect(try box(at: 30, isIncremental: true)?.isCut == false)
  }

  @Test func aCutHeaderIsNoBox() throws {
    for count in 0..<8 { #expect(try box(at: 0, of: Array(Self.file.prefix(count))) == nil) }
    for count in 10..<26 { #expect(try box(at: 10, of: Array(Self.file.prefix(count))) == nil) }
  }

  @Test func aCutBoxIsSaidToBeCut() throws {
    #expect(
      try box(at: 0, of: Array(Self.file.prefix(9)))
        == Box(
          type: FourCC("free"), start: 0, content: 8, end: 10, isCut: true))
  }

  @Test func aSizeBeyondAllNumbersIsCut() throws {
    var bytes = Self.file
    for index in 18..<26 { bytes[index] = 0xFF }
    let found = try box(at: 10, of: bytes)
    #expect(found?.end == .max)
    #expect(found?.isCut == true)
  }

  @Test func rejectsASizeBelowTheHeader() {
    var bytes = Self.file
    bytes[3] = 7
    #expect(throws: CoderError.malformed("a box free of 7 bytes, its header takes 8", at: 0)) {
      _ = try box(at: 0, of: bytes)
    }
    bytes[25] = 15
    #expect(throws: CoderError.malformed("a box wide of 15 bytes, its header takes 16", at: 10)) {
      _ = try box(at: 10, of: bytes)
    }
  }
}
