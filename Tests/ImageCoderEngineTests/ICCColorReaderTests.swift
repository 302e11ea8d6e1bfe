// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// What is read of ICC profiles, and which are refused.
@Suite struct ICCColorReaderTests {
  private static func message(_ bytes: [UInt8], isGray: Bool = false) -> String? {
    do throws(CoderError) {
      _ = try ICCColorReader.space(bytes, isGray: isGray)
      return nil
    } catch { return error.message }
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }

  @Test func matrixAndCurvesAreRead() throws {
    let space = try ICCColorReader.space(MatrixProfile.displayP3.bytes, isGray: false)
    #expect(space.name == "Display P3")
    guard case .rgb(let matrix, let curves) = space.model else {
      Issue.record("\(space.model)")
      return
    }
    #expect(abs(matrix.first.x - 0.51512) < 1e-5 && abs(matrix.third.z - 0.78407) < 1e-5)
    #expect(abs(curves[0].light(0.5) - 0.2140411) < 1e-5)
    let adobe = try ICCColorReader.space(MatrixProfile.adobeRGB.bytes, isGray: false)
    guard case .rgb(_, let gammas) = adobe.model else { return }
    #expect(gammas == [ToneCurve](repeating: .adobeRGB, count: 3))
  }

  @Test(arguments: [ColorSpace.sRGB, .displayP3, .rec2020, .linearSRGB, .adobeRGB])
  func writtenProfilesSayTheSame(_ space: ColorSpace) throws {
    let bytes = try #require(ICCProfile.bytes(of: space))
    let read = try ICCColorReader.space(bytes, isGray: false)
    #expect(read.name == space.name)
    #expect(try ColorTransform(from: read, to: space, toneMapping: .clip) == nil)
    #expect(ICCProfile.bytes(of: space) == bytes)
    let gray = try #require(ICCProfile.bytes(of: space, isGray: true))
    guard case .gray(let curve) = try ICCColorReader.space(gray, isGray: true).model,
      case .rgb(_, let curves) = space.model
    else {
      Issue.record("no gray")
      return
    }
    #expect(abs(curve.light(0.5) - curves[1].light(0.5)) < 2e-5)
  }

  /// The curve holds for each channel, and the profile itself for none.
  @Test func aGrayProfileHoldsForGraysThatAreStoredAsColors() throws {
    let gray = try #require(ICCProfile.bytes(of: .adobeRGB, isGray: true))
    guard case .gray(let curve) = try ICCColorReader.space(gray, isGray: true).model,
      case .rgb(let matrix, let curves) = try ICCColorReader.space(gray, isGray: false).model,
      case .rgb(let expected, _) = ColorSpace.sRGB.model
    else {
      Issue.record("no space")
      return
    }
    #expect(curves == [curve, curve, curve] && matrix == expected)
  }

  @Test func codePointsOfHDRGoFirst() throws {
    var profile = MatrixProfile.sRGB
    profile.others = [("cicp", Array("cicp".utf8) + [0, 0, 0, 0, 9, 16, 0, 1])]
    #expect(try ICCColorReader.space(profile.bytes, isGray: false).model == ColorSpace.named(9, 16).model)
    profile.others = [("cicp", Array("cicp".utf8) + [0, 0, 0, 0, 12, 13, 0, 1])]
    #expect(try ICCColorReader.space(profile.bytes, isGray: false).name == "sRGB IEC61966-2.1")
  }

  @Test func profilesForOtherPixelsAreRefused() {
    #expect(Self.message(MatrixProfile.sRGB.bytes, isGray: true) == "a profile of RGB , the pixels are gray")
    var bytes = MatrixProfile.sRGB.bytes
    bytes.replaceSubrange(16..<20, with: "CMYK".utf8)
    #expect(Self.message(bytes) == "a profile of CMYK, the pixels are RGB")
    bytes = MatrixProfile.sRGB.bytes
    bytes.replaceSubrange(12..<16, with: "link".utf8)
    #expect(Self.message(bytes) == "a profile of class link, which describes no picture")
  }

  @Test func exponentsAndMatricesHaveBounds() {
    var profile = MatrixProfile.displayP3
    profile.curve = .gamma(0.09)
    #expect(Self.message(profile.bytes)?.contains("0.1 to 10 is allowed") == true)
    profile.curve = .gamma(10.1)
    #expect(Self.message(profile.bytes)?.contains("0.1 to 10 is allowed") == true)
    profile.curve = .gamma(10)
    #expect(Self.message(profile.bytes) == nil)
    profile = .displayP3
    profile.colorants[1] = profile.colorants[0]
    #expect(Self.message(profile.bytes)?.contains("determinant 0.0") == true)
    profile.colorants[1] = [20, 1, 1]
    #expect(Self.message(profile.bytes)?.contains("2 is allowed") == true)
  }

  /// Whole numbers that lie, each in a profile that is right otherwise.
  @Test func numbersThatLieAreRefused() {
    let good = MatrixProfile.displayP3.bytes
    func changed(_ place: Int, _ value: Int) -> String? {
      var bytes = good
      bytes.replaceSubrange(place..<place + 4, with: Self.number(value))
      return Self.message(bytes)
    }
    #expect(changed(128, 101) == "101 tags, 100 are allowed")
    #expect(changed(128, 0xFFFF_FFFF) == "4294967295 tags, 100 are allowed")
    #expect(changed(0, 200)?.contains("of 200") == true)
    // A size that is too large hurts nobody.
    #expect(changed(0, 0x7FFF_FFFF) == nil)
    #expect(changed(132 + 4, 0xFFFF_FFF0)?.contains("bytes at 4294967280") == true)
    #expect(changed(132 + 8, 0xFFFF_FFFF)?.contains("4294967295 bytes at") == true)
    #expect(changed(132 + 4, 4)?.contains("bytes at 4 of") == true)
    #expect(changed(36, 0) == "no signature acsp")
    #expect(Self.message([]) == "0 bytes, a profile has at least 132")
    for count in 0..<good.count { #expect(Self.message(Array(good.prefix(count))) != nil) }
    #expect(Self.message([UInt8](repeating: 0, count: 16 << 20 | 1))?.contains("16777216 are allowed") == true)
  }

  private static func withCurve(_ bytes: [UInt8]) -> String? {
    var profile = MatrixProfile.displayP3
    // The first tag of a name counts; others come last, so this replaces none: the name is changed below.
    profile.others = [("aTRC", bytes)]
    var file = profile.bytes
    for entry in 0..<Int(file[131]) {
      let name = file[(132 + entry * 12)..<(136 + entry * 12)]
      if Array(name) == Array("rTRC".utf8) { file[132 + entry * 12] = UInt8(ascii: "x") }
      if Array(name) == Array("aTRC".utf8) { file[132 + entry * 12] = UInt8(ascii: "r") }
    }
    return message(file)
  }

  @Test func curvesThatLieAreRefused() {
    func curve(_ count: Int, _ entries: [UInt16]) -> [UInt8] {
      Array("curv".utf8) + [0, 0, 0, 0] + Self.number(count) + entries.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    }
    #expect(Self.withCurve(curve(3, [0, 9, 65_535])) == nil)
    #expect(Self.withCurve(curve(0xFFFF_FFFF, [0, 9]))?.contains("4294967295 entries") == true)
    #expect(Self.withCurve(curve(65_536, [0, 9]))?.contains("65536 entries") == true)
    #expect(Self.withCurve(curve(4, [0, 9, 65_535]))?.contains("4 entries in") == true)
    // Flat, and falling.
    #expect(Self.withCurve(curve(2, [7, 7]))?.contains("goes from") == true)
    #expect(Self.withCurve(curve(2, [65_535, 0]))?.contains("goes from 1.0 to 0.0") == true)
    #expect(Self.withCurve(Array("para".utf8) + [0, 0, 0, 0, 0, 9, 0, 0])?.contains("function 9") == true)
    #expect(Self.withCurve(Array("text".utf8) + [UInt8](repeating: 0, count: 20)) == "tag rTRC is no curve")
  }

  @Test func tablesAreAsLargeAsTheySay() {
    func message(_ tag: [UInt8]) -> String? {
      var profile = MatrixProfile.displayP3
      profile.others = [("A2B0", tag)]
      return Self.message(profile.bytes)
    }
    func chain(_ count: Int) -> [UInt8] { Array("mpet".utf8) + [0, 0, 0, 0, 0, 3, 0, 3] + Self.number(count) }
    #expect(message(chain(64)) == nil)
    #expect(message(chain(65)) == "tag A2B0 has 65 elements, 64 are allowed")
    func grid(_ side: UInt8, channels: UInt8 = 3, bytes: Int) -> [UInt8] {
      Array("mft1".utf8) + [0, 0, 0, 0, channels, 3, side, 0] + [UInt8](repeating: 0, count: bytes - 12)
    }
    #expect(message(grid(2, bytes: 48 + 6 * 256 + 24)) == nil)
    #expect(message(grid(2, bytes: 48 + 6 * 256 + 23))?.contains("needs 1608 bytes and has 1607") == true)
    #expect(message(grid(1, bytes: 2000))?.contains("a grid with the sides [1, 1, 1]") == true)
    #expect(message(grid(255, channels: 4, bytes: 324))?.contains("tag A2B0") == true)
    #expect(message(grid(2, channels: 15, bytes: 2000))?.contains("3 channels of 15") == true)
    // From three to three with a grid of 33: offsets of curves, matrix, grid.
    let header = Array("mAB ".utf8) + [0, 0, 0, 0, 3, 3, 0, 0] + [0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0]
    let table = header + [0, 0, 0, 32, 0, 0, 0, 0] + [33, 33, 33] + [UInt8](repeating: 0, count: 13) + [2, 0, 0, 0]
    #expect(message(table)?.contains("needs a grid of 215622 bytes") == true)
    #expect(message(table + [UInt8](repeating: 0, count: 215_622)) == nil)
  }

  /// Bytes changed at random: no crash, no hang.
  @Test func damageDoesNoHarm() {
    var generator = SeededGenerator(seed: 3)
    let good = [MatrixProfile.displayP3.bytes, MatrixProfile.sRGB.bytes, MatrixProfile.adobeRGB.bytes]
    var refused = 0
    for round in 0..<3000 {
      var bytes = good[round % 3]
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        // The header and the tag table most of all.
        let end = Bool.random(using: &generator) ? 240 : bytes.count
        bytes[Int.random(in: 0..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if Self.message(bytes) != nil { refused += 1 }
    }
    #expect(refused > 500)
  }
}
