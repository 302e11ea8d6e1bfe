// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Which of a file's statements about colors counts: the table in docs/color.md.
@Suite struct PictureColorTests {
  private static func header(
    _ format: ImageFormat, _ pixels: PixelFormat = .rgb8, cicp: (UInt8, UInt8)? = nil, gamma: Double? = nil
  ) -> ImageHeader {
    var header = ImageHeader(
      format: format, canvas: Size(width: 1, height: 1), pixelFormat: pixels, bitsPerChannel: 8, alpha: .opaque)
    header.cicp = cicp.map {
      CodingIndependentCodePoints(primaries: $0.0, transfer: $0.1, matrix: 0, isFullRange: true)
    }
    header.gamma = gamma
    return header
  }

  private static let profile: PictureColor.Statements = {
    var statements = PictureColor.Statements()
    statements.profile = MatrixProfile.adobeRGB.bytes
    return statements
  }()

  private static func words(
    _ header: ImageHeader, _ statements: PictureColor.Statements = PictureColor.Statements()
  ) -> String { PictureColor(header, statements).words }

  @Test func profilesGoBeforeCodePointsUnlessTheyAreHDR() {
    for format in [ImageFormat.heic, .avif, .jpegXL] {
      #expect(Self.words(Self.header(format, cicp: (12, 13)), Self.profile) == "Adobe RGB (1998), ICC")
      #expect(Self.words(Self.header(format, cicp: (9, 16)), Self.profile) == "BT.2100 PQ, CICP")
      #expect(Self.words(Self.header(format, cicp: (9, 18)), Self.profile) == "BT.2100 HLG, CICP")
      #expect(Self.words(Self.header(format, cicp: (12, 13))) == "Display P3, CICP")
      #expect(Self.words(Self.header(format, cicp: (2, 2))) == "sRGB, untagged")
      #expect(Self.words(Self.header(format)) == "sRGB, untagged")
    }
  }

  @Test func chunksOfPNGHaveAnOrder() {
    var statements = Self.profile
    statements.properties["{PNG}", "sRGBIntent"] = .integer(0)
    #expect(Self.words(Self.header(.png, cicp: (12, 13), gamma: 0.5), statements) == "Display P3, CICP")
    // Codes that nobody knows say nothing.
    #expect(Self.words(Self.header(.png, cicp: (12, 99), gamma: 0.5), statements) == "Adobe RGB (1998), ICC")
    statements.profile = nil
    #expect(Self.words(Self.header(.png, gamma: 0.5), statements) == "sRGB, sRGB chunk")
    #expect(Self.words(Self.header(.png, gamma: 0.5)) == "primaries of sRGB, gamma 2.0")
    // 45455 stands for the curve of sRGB.
    #expect(Self.words(Self.header(.png, gamma: 0.45455)) == "sRGB, chromaticities")
    let usual = PictureColor(Self.header(.png, gamma: 0.45455), PictureColor.Statements())
    #expect(usual.space.model == ColorSpace.sRGB.model)
    #expect(Self.words(Self.header(.png, gamma: 100)) == "sRGB, untagged")
  }

  @Test func chromaticitiesOfPNGAreRead() throws {
    var statements = PictureColor.Statements()
    var points = StoredColor.Primaries(
      red: SIMD2(0.680, 0.320), green: SIMD2(0.265, 0.690), blue: SIMD2(0.150, 0.060), white: SIMD2(0.3127, 0.3290))
    statements.stored.primaries = points
    let alone = PictureColor(Self.header(.png), statements)
    #expect(alone.words == "own primaries")
    #expect(alone.space.model == ColorSpace.displayP3.model)
    #expect(Self.words(Self.header(.png, gamma: 0.55556), statements) == "own primaries, gamma 1.8")
    points.red = points.green
    statements.stored.primaries = points
    #expect(Self.words(Self.header(.png), statements) == "sRGB, untagged")
  }

  @Test func curvesOfThreeColorsAreRead() {
    var statements = PictureColor.Statements()
    statements.stored.curves = [[0, 65_535], [0, 65_535], [0, 20_000, 65_535]]
    let found = PictureColor(Self.header(.tiff), statements)
    #expect(found.words == "primaries of sRGB, own curves")
    guard case .rgb(_, let curves) = found.space.model else { return #expect(Bool(false)) }
    #expect(curves[2].light(0.5) == 20_000.0 / 65_535)
    statements.stored.curves = []
    statements.stored.gamma = SIMD3(1.8, 2.2, 2.4)
    guard case .rgb(_, let gammas) = PictureColor(Self.header(.bmp), statements).space.model else {
      return #expect(Bool(false))
    }
    #expect(gammas == [.gamma(1.8), .gamma(2.2), .gamma(2.4)])
  }

  @Test func statedLightCountsForPQAlone() {
    var statements = PictureColor.Statements()
    statements.stored.light.masteringPeak = 4000
    #expect(PictureColor(Self.header(.png, cicp: (9, 16)), statements).statedPeak == 4000)
    statements.stored.light.contentPeak = 900
    #expect(PictureColor(Self.header(.png, cicp: (9, 16)), statements).statedPeak == 900)
    #expect(PictureColor(Self.header(.png, cicp: (9, 18)), statements).statedPeak == nil)
    #expect(PictureColor(Self.header(.png), statements).statedPeak == nil)
  }

  @Test func inksHaveColorsOfTheirOwn() {
    var statements = Self.profile
    var header = Self.header(.jpeg)
    header.hasInks = true
    let refused = PictureColor(header, statements)
    #expect(refused.words == "CMYK on coated paper, untagged")
    #expect(refused.refusal == "a profile of RGB , the pixels are CMYK")
    statements.profile = nil
    statements.exif = Self.exif(1, nil)
    #expect(Self.words(header, statements) == "CMYK on coated paper, untagged")
  }

  /// A directory with ColorSpace and, if it is given, InteroperabilityIndex.
  private static func exif(_ space: UInt16?, _ index: String?) -> [UInt8] {
    func entry(_ tag: UInt16, _ type: UInt16, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      [UInt8(tag >> 8), UInt8(tag & 255), 0, UInt8(type), 0, 0, 0, UInt8(count)]
        + value + [UInt8](repeating: 0, count: 4 - value.count)
    }
    // The first directory is at 8, Exif's at 26, that of interoperability at 56.
    var bytes: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1] + entry(0x8769, 4, 1, [0, 0, 0, 26]) + [0, 0, 0, 0]
    bytes += [0, 2] + entry(0xA001, 3, 1, space.map { [UInt8($0 >> 8), UInt8($0 & 255)] } ?? [0, 9])
    bytes += entry(0xA005, 4, 1, [0, 0, 0, index == nil ? 0 : 56]) + [0, 0, 0, 0]
    if let index { bytes += [0, 1] + entry(1, 2, 4, Array(index.utf8) + [0]) + [0, 0, 0, 0] }
    return bytes
  }

  @Test(
    arguments: [
      (1, nil, "sRGB, Exif"), (2, nil, "Adobe RGB (1998), Exif"), (65_535, "R03", "Adobe RGB (1998), Exif"),
      (65_535, "R98", "sRGB, Exif"), (65_535, nil, "sRGB, untagged"), (65_535, "R99", "sRGB, untagged"),
      (1, "R03", "sRGB, Exif"), (7, "R03", "sRGB, untagged"),
    ] as [(UInt16, String?, String)])
  func camerasStateColorsInExif(_ space: UInt16, _ index: String?, _ words: String) {
    var statements = PictureColor.Statements()
    statements.exif = Self.exif(space, index)
    #expect(Self.words(Self.header(.jpeg), statements) == words)
    // A profile says more.
    statements.profile = MatrixProfile.displayP3.bytes
    #expect(Self.words(Self.header(.jpeg), statements) == "Display P3, ICC")
  }

  @Test func profilesThatDoNotFitAreLeftOut() {
    let gray = PictureColor(Self.header(.jpeg, .gray8), Self.profile)
    #expect(gray.words == "sRGB, untagged")
    #expect(gray.refusal == "a profile of RGB , the pixels are gray")
  }

  @Test func untaggedLightIsLinear() {
    #expect(Self.words(Self.header(.tiff, .rgbaFloat32)) == "linear sRGB, untagged")
  }
}
