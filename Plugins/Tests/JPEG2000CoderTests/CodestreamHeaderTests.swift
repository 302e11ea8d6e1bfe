// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEG2000Coder

@Suite struct ReferenceGridTests {
  /// An image from 1,2 to 13,10 in tiles of 8 × 4 from 1,1; a signed component of 12 bits and one of 8 bits every 2 × 2.
  private static let bytes: [UInt8] =
    [0x40, 0] + [13, 10, 1, 2, 8, 4, 1, 1].flatMap { [0, 0, 0, $0] } + [0, 2] + [0x8B, 1, 1] + [7, 2, 2]

  private func grid(_ bytes: [UInt8]) throws(CoderError) -> ReferenceGrid {
    var reader = ByteReader(bytes.span.bytes, at: 100, of: "the SIZ segment", isCutOff: false)
    return try ReferenceGrid(parsing: &reader)
  }

  @Test func readsEachField() throws {
    let grid = try grid(Self.bytes)
    #expect(grid.capabilities == 0x4000)
    #expect(grid.image == ReferenceGrid.Area(x0: 1, y0: 2, x1: 13, y1: 10))
    #expect(grid.tileSize == Size(width: 8, height: 4))
    #expect(grid.tilesAcross == 2)
    #expect(grid.tilesDown == 3)
    #expect(grid.components[0] == ReferenceGrid.Component(bits: 12, isSigned: true, dx: 1, dy: 1))
    #expect(grid.components[1] == ReferenceGrid.Component(bits: 8, isSigned: false, dx: 2, dy: 2))
    #expect(grid.tile(5) == ReferenceGrid.Area(x0: 9, y0: 9, x1: 13, y1: 10))
  }

  @Test func aTileAloneIsAPictureOfTheSameComponents() throws {
    let grid = try grid(Self.bytes)
    var writer = ByteWriter()
    grid.write(tileAlone: grid.tile(5), to: &writer)
    #expect(writer.bytes.prefix(2) == [0, 44])
    let alone = try self.grid(Array(writer.bytes.dropFirst(2)))
    #expect(alone.image == grid.tile(5))
    #expect(alone.tileCount == 1)
    #expect(alone.components == grid.components)
  }

  @Test func everyCutIsMalformed() {
    for count in 0..<Self.bytes.count {
      #expect("after \(count) bytes") { _ = try grid(Array(Self.bytes.prefix(count))) } throws: { error in
        (error as? CoderError)?.code == .malformed
      }
    }
  }

  @Test(arguments: [
    (5, 1, CoderError.malformed("an image area from 1,2 to 1,10", at: 102)),
    (2, 0x80, .unsupported("a grid of 2147483661×10, and OpenJPEG holds 2147483647", at: 102)),
    (21, 0, .malformed("tiles of 0×4 at 1,1 for an image at 1,2", at: 118)),
    (29, 2, .malformed("tiles of 8×4 at 2,1 for an image at 1,2", at: 118)),
    (35, 3, .malformed("3 components in a SIZ segment of 44 bytes", at: 134)),
    (36, 0x27, .malformed("component 0 of 40 bits every 1×1", at: 136)),
    (36, 0x1F, .unsupported("component 0 has 32 bits, and OpenJPEG holds 31", at: 136)),
    (41, 0, .malformed("component 1 of 8 bits every 2×0", at: 139)),
  ])
  func rejectsAFieldOutOfRange(_ place: Int, _ value: UInt8, _ error: CoderError) {
    var bytes = Self.bytes
    bytes[place] = value
    #expect(throws: error) { _ = try grid(bytes) }
  }
}

@Suite struct CodingStyleTests {
  /// Precincts, RPCL, 3 layers, a component transform, 2 levels, code-blocks of 64 × 32, reversible.
  private static let bytes: [UInt8] = [1, 2, 0, 3, 1, 2, 4, 3, 0, 1, 0x77, 0x88, 0x99]

  private func common(_ bytes: [UInt8]) throws(CoderError) -> CodingStyle.Common {
    var reader = ByteReader(bytes.span.bytes, at: 100, of: "the coding style", isCutOff: false)
    return try CodingStyle.Common(parsing: &reader)
  }

  @Test func readsEachField() throws {
    let common = try common(Self.bytes)
    #expect(common.progression == .rpcl)
    #expect(common.layers == 3)
    #expect(common.usesComponentTransform)
    #expect(common.style.levels == 2)
    #expect(common.style.blockWidth == 6)
    #expect(common.style.blockHeight == 5)
    #expect(common.style.isReversible)
    #expect(common.style.precincts == [0x77, 0x88, 0x99])
    #expect(common.style.precinct(at: 1).width == 8)
    #expect(common.style.precinct(at: 3).height == 15)
  }

  @Test func everyCutIsMalformed() {
    for count in 0..<Self.bytes.count {
      #expect("after \(count) bytes") { _ = try common(Array(Self.bytes.prefix(count))) } throws: { error in
        (error as? CoderError)?.code == .malformed
      }
    }
  }

  @Test(arguments: [
    (1, 5, CoderError.malformed("progression order 5, 0 to 4 are known", at: 101)),
    (3, 0, .malformed("0 layers, 1 to 65535 are allowed", at: 102)),
    (5, 33, .malformed("33 levels and code-blocks of 2^6×2^5, 32 and 4096 samples are allowed", at: 105)),
    (6, 9, .malformed("2 levels and code-blocks of 2^11×2^5, 32 and 4096 samples are allowed", at: 105)),
  ])
  func rejectsAFieldOutOfRange(_ place: Int, _ value: UInt8, _ error: CoderError) {
    var bytes = Self.bytes
    bytes[place] = value
    #expect(throws: error) { _ = try common(bytes) }
  }

  @Test func notesTheStyleOfAComponentThatExists() throws {
    var style = CodingStyle()
    for (component, count) in [(1, 2), (7, 2)] {
      let bytes: [UInt8] = [UInt8(component), 0, 1, 2, 2, 0, 0]
      var reader = ByteReader(bytes.span.bytes, of: "the coding style", isCutOff: false)
      try style.addComponent(parsing: &reader, of: count)
    }
    #expect(style.components.keys.sorted() == [1])
    #expect(style.components[1]?.levels == 1)
    #expect(style.components[1]?.isReversible == false)
  }

  @Test func progressionsHaveTheirCodes() {
    #expect(CodingStyle.Progression.allCases.map(\.code) == [0, 1, 2, 3, 4])
    #expect(CodingStyle.Progression(code: 4) == .cprl)
    #expect(CodingStyle.Progression(code: 5) == nil)
  }
}

@Suite struct PaletteTests {
  private func palette(_ bytes: [UInt8]) throws(CoderError) -> Palette {
    var reader = ByteReader(bytes.span.bytes, at: 100, of: "a box of the header", isCutOff: false)
    return try Palette(parsing: &reader)
  }

  @Test func readsColumnsOfAnyWidthAndSign() throws {
    let palette = try palette([0, 2, 2, 0x83, 11] + [0x0F, 0x0F, 0xFF] + [0x07, 0xF0, 0x01])
    #expect(
      palette.columns == [
        Palette.Column(bits: 4, isSigned: true, entries: [-1, 7]),
        Palette.Column(bits: 12, isSigned: false, entries: [0xFFF, 0x001]),
      ])
  }

  @Test func everyCutIsMalformed() {
    let bytes: [UInt8] = [0, 2, 1, 7, 5, 9]
    for count in 0..<bytes.count {
      #expect("after \(count) bytes") { _ = try palette(Array(bytes.prefix(count))) } throws: { error in
        (error as? CoderError)?.code == .malformed
      }
    }
  }

  @Test func rejectsWhatItDoesNotHold() {
    #expect(throws: CoderError.malformed("a palette of 0 entries and 1 columns, 1024 and 255 are allowed", at: 100)) {
      _ = try palette([0, 0, 1, 7])
    }
    #expect(throws: CoderError.unsupported("a palette of 32 bits, 31 are supported", at: 103)) {
      _ = try palette([0, 1, 1, 31, 0, 0, 0, 0])
    }
    #expect(throws: CoderError.malformed("2 entries of a palette need 2 bytes, 1 are left", at: 104)) {
      _ = try palette([0, 2, 1, 7, 5])
    }
  }
}

@Suite struct MarkerSegmentTests {
  private func segment(_ bytes: [UInt8], before end: Int? = nil) throws(CoderError) -> MarkerSegment? {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    return try MarkerSegment(parsing: source.view, at: 0, before: end ?? bytes.count)
  }

  @Test func findsWhatFollowsTheLength() throws {
    let segment = try segment([0xFF, 0x64, 0, 5, 1, 2, 3, 9])
    #expect(segment?.code == Marker.comment)
    #expect(segment?.payload == 4..<7)
  }

  @Test func someMarkersStandAlone() throws {
    for code: UInt8 in [0x4F, 0x93, 0xD9, 0x30, 0x3F] { #expect(try segment([0xFF, code])?.payload == 2..<2) }
  }

  @Test func everyCutIsNoSegment() throws {
    let bytes: [UInt8] = [0xFF, 0x64, 0, 5, 1, 2, 3]
    for count in 0..<bytes.count { #expect(try segment(Array(bytes.prefix(count))) == nil) }
    #expect(try segment(bytes, before: 6) == nil)
  }

  @Test func rejectsWhatIsNoMarker() {
    #expect(throws: CoderError.malformed("0x1234 where a marker belongs", at: 0)) {
      _ = try segment([0x12, 0x34, 0, 2])
    }
    #expect(throws: CoderError.malformed("a marker segment of 1 bytes, 2 are needed", at: 2)) {
      _ = try segment([0xFF, 0x64, 0, 1])
    }
  }
}
