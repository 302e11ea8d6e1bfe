// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JXLCoder

@Suite struct GainMapBoxTests {
  private static let codestream: [UInt8] = [0xFF, 0x0A, 1, 2, 3]
  private let host = MemoryHost()

  private static func parts(_ points: CodingIndependentCodePoints? = nil, profile: [UInt8]? = nil) -> GainMapParts {
    var parts = GainMapParts(file: codestream, iso: [0, 0, 0, 0, 0x40, 9], xmp: nil)
    (parts.alternateColors, parts.alternateProfile) = (points, profile)
    return parts
  }

  private static func points(_ primaries: UInt8, _ transfer: UInt8) -> CodingIndependentCodePoints {
    CodingIndependentCodePoints(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
  }

  /// A profile with the primaries of Display P3 and an exponent of `gamma`/256.
  private static func profile(gamma: UInt16) -> [UInt8] {
    var data = ByteWriter()
    let places: [(StaticString, Int, Int)] = [
      ("wtpt", 0, 20), ("rXYZ", 20, 20), ("gXYZ", 40, 20), ("bXYZ", 60, 20), ("rTRC", 80, 14), ("gTRC", 80, 14),
      ("bTRC", 80, 14),
    ]
    let colors = [
      [0.9642, 1, 0.8249], [0.5151, 0.2412, -0.0011], [0.2919, 0.6922, 0.0419], [0.1571, 0.0666, 0.7841],
    ]
    for color in colors {
      data.put("XYZ ")
      data.put(UInt32(0))
      for value in color { data.put(UInt32(bitPattern: Int32((value * 65_536).rounded()))) }
    }
    data.put("curv")
    data.put(UInt32(0))
    data.put(UInt32(1))
    data.put(gamma)
    data.put(UInt16(0))
    let start = 128 + 4 + 12 * places.count
    var file = ByteWriter()
    file.put(UInt32(start + data.count))
    file.put(UInt32(0))
    file.put(UInt32(0x0430_0000))
    for name in ["mntr", "RGB ", "XYZ "] as [StaticString] { file.put(name) }
    file.putZeros(12)
    file.put("acsp")
    file.putZeros(28)
    // D50.
    for value in [0xF6D6, 0x1_0000, 0xD32D] as [UInt32] { file.put(value) }
    file.putZeros(48)
    file.put(UInt32(places.count))
    for (name, place, count) in places {
      file.put(name)
      file.put(UInt32(start + place))
      file.put(UInt32(count))
    }
    file.put(data.bytes)
    return file.bytes
  }

  @Test func boxWithoutColorsHasEmptyFields() throws {
    let content = try GainMapBox.content(Self.codestream, Self.parts(), host: host.host)
    #expect(content == [0] + [0, 6, 0, 0, 0, 0, 0x40, 9] + [0] + [0, 0, 0, 0] + Self.codestream)
    #expect(GainMapBox(content)?.start == 14)
  }

  /// Bits by hand, ISO/IEC 18181-1 §E.2: no default, no profile, RGB (0), D65 (1), BT.2100 (9 = 2 + 7), no exponent, PQ
  /// (16 = 2 + 14), relative (1).
  @Test func colorEncodingOfPQHasTheBitsOfTheStandard() throws {
    let content = try GainMapBox.content(Self.codestream, Self.parts(Self.points(9, 16)), host: host.host)
    #expect(Array(content[9..<13]) == [3, 0x90, 0x47, 0x0F])
  }

  @Test(arguments: [(1, 13), (12, 13), (9, 16), (9, 18), (1, 8), (11, 17)] as [(UInt8, UInt8)])
  func colorsWithANameAreRead(_ primaries: UInt8, _ transfer: UInt8) throws {
    let points = Self.points(primaries, transfer)
    let content = try GainMapBox.content(Self.codestream, Self.parts(points), host: host.host)
    #expect(GainMapBox(content)?.points == points)
  }

  @Test func profileIsReadByteForByte() throws {
    let profile = Self.profile(gamma: 0x0180)
    let content = try GainMapBox.content(Self.codestream, Self.parts(profile: profile), host: host.host)
    let box = try #require(GainMapBox(content))
    #expect(Array(content[box.start...]) == Self.codestream)
    #expect(box.profile.count > 0 && box.profile.count < profile.count)
    #expect(try CompressedProfile.decompress(content[box.profile], host: host.host) == profile)
  }

  @Test func damagedProfileIsNone() throws {
    #expect(try CompressedProfile.decompress([UInt8](repeating: 0xAA, count: 40), host: host.host) == nil)
    #expect(try CompressedProfile.decompress([] as [UInt8], host: host.host) == nil)
  }

  @Test func profileBeyondTheLimitIsRefused() throws {
    let compressed = try CompressedProfile.compress(Self.profile(gamma: 0x0180), host: host.host)
    let strict = MemoryHost(Limits(maxMetadata: 100))
    #expect { _ = try CompressedProfile.decompress(compressed, host: strict.host) } throws: {
      ($0 as? CoderError)?.code == .limitExceeded
    }
  }
}
