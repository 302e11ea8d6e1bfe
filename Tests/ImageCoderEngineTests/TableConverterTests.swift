// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Profiles with tables: with Little CMS, and without.
@Suite struct TableConverterTests {
  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }

  /// From RGB to Lab with a grid of two: L* is 100 times green, a* and b* are 0.
  private static let table: [UInt8] = {
    var bytes = Array("mft2".utf8) + [0, 0, 0, 0, 3, 3, 2, 0]
    for index in 0..<9 { bytes += number(index % 4 == 0 ? 65_536 : 0) }
    bytes += [0, 2, 0, 2]
    for _ in 0..<3 { bytes += [0, 0, 255, 255] }
    for node in 0..<8 { bytes += (node & 2 == 0 ? [0, 0] : [255, 0]) + [128, 0, 128, 0] }
    for _ in 0..<3 { bytes += [0, 0, 255, 255] }
    return bytes
  }()

  static func profile(keepsMatrix: Bool) -> [UInt8] {
    var profile = MatrixProfile.displayP3
    profile.name = "Tables"
    profile.others = [
      ("A2B0", table), ("wtpt", Array("XYZ ".utf8) + [0, 0, 0, 0] + [63_190, 65_536, 54_061].flatMap(number)),
    ]
    if !keepsMatrix { profile.colorants = [] }
    var bytes = profile.bytes
    // A matrix is from RGB to XYZ; these tables are to Lab.
    if !keepsMatrix { bytes.replaceSubrange(20..<24, with: "Lab ".utf8) }
    bytes.replaceSubrange(68..<80, with: [63_190, 65_536, 54_061].flatMap(number))
    return bytes
  }

  private static func converted(_ bytes: [UInt8], _ color: ColorTransform) throws -> [UInt8] {
    let buffer = try PixelBuffer(size: Size(width: 2, height: 1), format: .rgba8, alpha: .straight)
    buffer.withMutableRow(0) { row in row.copyBytes(from: bytes) }
    return try buffer.converted(to: PixelLayout(.rgba8, .straight), color: color).withRow(0) { Array($0) }
  }

  @Test(.enabled(if: TableConverter.isAvailable, "liblcms2.so.2 is not there"))
  func tablesAreReadByTheLibrary() throws {
    let space = try ICCColorReader.space(Self.profile(keepsMatrix: false), isGray: false)
    #expect(space.name == "Tables" && space.model == .tables)
    let color = try #require(try ColorTransform(from: space, to: .sRGB, toneMapping: .clip))
    // L* is 50.196, so that light is 0.18583 and sRGB 119.4; red, blue and alpha have no say.
    #expect(try Self.converted([9, 128, 200, 77, 255, 255, 0, 255], color) == [119, 119, 119, 77, 255, 255, 255, 255])
    // To the same profile nothing happens.
    #expect(try ColorTransform(from: space, to: space, toneMapping: .clip) == nil)
    // It has no tables for the other way.
    #expect { try ColorTransform(from: .sRGB, to: space, toneMapping: .clip) } throws: {
      ($0 as? CoderError)?.message.hasPrefix("Little CMS says: ") == true
    }
  }

  @Test func withoutTheLibraryTheMatrixCounts() throws {
    let both = try ICCColorReader.space(Self.profile(keepsMatrix: true), isGray: false, readsTables: false)
    guard case .rgb = both.model else {
      Issue.record("\(both.model)")
      return
    }
    let tables = try ICCColorReader.space(Self.profile(keepsMatrix: true), isGray: false, readsTables: true)
    #expect(tables.model == .tables)
    let alone = try ICCColorReader.space(Self.profile(keepsMatrix: false), isGray: false, readsTables: false)
    #expect(alone.model == .tables)
  }
}
