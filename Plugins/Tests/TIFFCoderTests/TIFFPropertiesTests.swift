// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import TIFFCoder

@Suite struct TIFFPropertiesTests {
  private func properties(_ file: SmallFile) throws -> Properties {
    let source = MemorySource(file.bytes())
    let tiff = try TIFFSource(source.view)
    return try TIFFPicture(TIFFDirectory(tiff, at: tiff.firstDirectory), limits: .standard).properties()
  }

  private static let white: [Float] = [0.3125, 0.328125]
  private static let primaries: [Float] = [0.625, 0.328125, 0.28125, 0.59375, 0.15625, 0.0625]

  /// As numbers of floating point, which are exact here.
  private static func file(_ white: [Float], _ primaries: [Float]) -> SmallFile {
    var file = SmallFile(width: 4, height: 4)
    file.set(318, white.map(\.bitPattern), type: 11)
    file.set(319, primaries.map(\.bitPattern), type: 11)
    return file
  }

  @Test func chromaticitiesAreLists() throws {
    let properties = try properties(Self.file(Self.white, Self.primaries))
    #expect(properties["{TIFF}", "WhitePoint"] == .list(Self.white.map { .number(Double($0)) }))
    #expect(properties["{TIFF}", "PrimaryChromaticities"] == .list(Self.primaries.map { .number(Double($0)) }))
  }

  @Test func othersThanTwoAndSixFiniteNumbersAreNone() throws {
    for file in [
      Self.file(Self.white + [0], Self.primaries.dropLast()),
      Self.file([0.3125, .infinity], Self.primaries.map { _ in .nan }),
    ] {
      let properties = try properties(file)
      #expect(properties["{TIFF}", "WhitePoint"] == nil)
      #expect(properties["{TIFF}", "PrimaryChromaticities"] == nil)
    }
  }
}
