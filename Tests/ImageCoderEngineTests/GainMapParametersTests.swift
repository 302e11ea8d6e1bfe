// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Metadata of gain maps: the standard's bytes, Ultra HDR's XMP and Apple's numbers, and what light follows from them.
@Suite struct GainMapParametersTests {
  /// Big-endian numbers of 32 bits.
  private static func words(_ numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> Int64($0)) } }
  }

  /// One channel: headrooms 0 and 2; gains −1 to 3; gamma 1/2; offsets 1/64.
  private static let one: [Int64] = [0, 1, 2, 1, -1, 1, 3, 1, 1, 2, 1, 64, 1, 64]

  private static func iso(_ numbers: [Int64] = one, version: UInt8 = 0, writer: UInt8 = 0, flags: UInt8 = 0x40)
    -> [UInt8]
  { [0, version, 0, writer, flags] + words(numbers) }

  @Test func readsOneChannelForAll() throws {
    let bytes = Self.iso()
    #expect(bytes.count == 61)
    let found = try GainMapParameters(iso: bytes)
    let channel = GainMapParameters.Channel(
      minimum: -1, maximum: 3, gamma: 0.5, baseOffset: 1.0 / 64, alternateOffset: 1.0 / 64)
    #expect(found == GainMapParameters(channel, alternateHeadroom: 2))
    #expect(found.isoMetadata == bytes)
  }

  @Test func readsThreeChannels() throws {
    let bytes = Self.iso(
      [1, 4, 5, 2] + [0, 1, 1, 1, 1, 1, 0, 1, 0, 1] + [0, 1, 2, 1, 1, 1, 0, 1, 0, 1] + [0, 1, 7, 2, 1, 1, 0, 1, -1, 8],
      flags: 0x80)
    #expect(bytes.count == 141)
    let found = try GainMapParameters(iso: bytes)
    #expect(found.baseHeadroom == 0.25 && found.alternateHeadroom == 2.5 && !found.usesBaseColors)
    #expect([found.red.maximum, found.green.maximum, found.blue.maximum] == [1, 2, 3.5])
    #expect(found.blue.alternateOffset == -0.125)
    #expect(found.isoMetadata == bytes)
  }

  @Test func refusesEveryCut() {
    let whole = Self.iso()
    for count in 0..<whole.count {
      #expect("\(count) bytes") { _ = try GainMapParameters(iso: Array(whole.prefix(count))) } throws: {
        ($0 as? CoderError)?.code == .truncated
      }
    }
  }

  @Test(arguments: [1, 3, 5, 7, 9, 11, 13])
  func refusesADenominatorOfZero(_ place: Int) {
    var numbers = Self.one
    numbers[place] = 0
    #expect { _ = try GainMapParameters(iso: Self.iso(numbers)) } throws: { ($0 as? CoderError)?.code == .malformed }
  }

  @Test(arguments: [(6, 0x8000_0000), (8, 0), (4, 4), (2, 65), (6, 65), (10, 0x7FFF_FFFF)] as [(Int, Int64)])
  func refusesNumbersWithoutLight(_ place: Int, _ number: Int64) {
    var numbers = Self.one
    numbers[place] = number
    #expect { _ = try GainMapParameters(iso: Self.iso(numbers)) } throws: { ($0 as? CoderError)?.code == .malformed }
  }

  @Test func refusesOtherVersions() throws {
    #expect(throws: CoderError.unsupported("a gain map of version 1; version 0 is supported")) {
      _ = try GainMapParameters(iso: Self.iso(version: 1))
    }
    // A later writer may add something; one of version 0 may not.
    #expect(throws: CoderError.malformed("1 bytes after the gain map metadata of version 0", at: 61)) {
      _ = try GainMapParameters(iso: Self.iso() + [0])
    }
    _ = try GainMapParameters(iso: Self.iso(writer: 1) + [0])
  }

  /// The values of (0.5 + 1/64) · 2 − 1/64, and so on, worked out by hand.
  @Test func lightFollowsTheFormula() {
    var parameters = GainMapParameters(.init(minimum: 0, maximum: 2), alternateHeadroom: 2)
    #expect(parameters.light(0.5, sample: 0.5, weight: 1, channel: 0) == 1.015625)
    #expect(abs(parameters.light(0.18, sample: 0.25, weight: 1, channel: 1) - 0.2610305) < 1e-6)
    parameters = GainMapParameters(.init(minimum: -1, maximum: 3, gamma: 0.5), alternateHeadroom: 2)
    #expect(abs(parameters.light(0.18, sample: 0.75, weight: 0.5, channel: 2) - 0.2860700) < 1e-6)
  }

  @Test func theWeightFollowsTheDisplay() {
    let up = GainMapParameters(.init(minimum: 0, maximum: 2), baseHeadroom: 0, alternateHeadroom: 2)
    #expect([0.5, 1, 2, 4, 100].map { up.weight(headroom: $0) } == [0, 0, 0.5, 1, 1])
    let down = GainMapParameters(.init(minimum: 0, maximum: 2), baseHeadroom: 2, alternateHeadroom: 0)
    #expect([1, 2, 4].map { down.weight(headroom: $0) } == [-1, -0.5, 0])
    let none = GainMapParameters(.init(minimum: 0, maximum: 2), baseHeadroom: 1, alternateHeadroom: 1)
    #expect(none.weight(headroom: 8) == 0)
  }

  private static func xmp(_ attributes: String, _ elements: String = "") -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description xmlns:g="http://ns.adobe.com/hdr-gain-map/1.0/" \(attributes)>\(elements)</rdf:Description>
      </rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  @Test func xmpHasAttributesAndDefaults() throws {
    let found = try GainMapParameters(
      xmp: Self.xmp(#"g:Version="1.0" g:GainMapMax="2.5" g:HDRCapacityMax="2&#x2E;25""#))
    #expect(found == GainMapParameters(.init(minimum: 0, maximum: 2.5), alternateHeadroom: 2.25))
    #expect(try GainMapParameters(xmp: Self.xmp(#"g:Version="1.0""#)) == nil)
  }

  @Test func xmpHasListsForChannels() throws {
    let found = try GainMapParameters(
      xmp: Self.xmp(
        #"g:Version="1.0" g:HDRCapacityMax="3" g:BaseRenditionIsHDR="True" g:OffsetHDR="0.5" g:OffsetSDR="0.25""#,
        "<g:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li>2</rdf:li><rdf:li>3</rdf:li></rdf:Seq></g:GainMapMax>"))
    #expect(found?.blue == .init(minimum: 0, maximum: 3, gamma: 1, baseOffset: 0.5, alternateOffset: 0.25))
    #expect(found?.baseHeadroom == 3 && found?.alternateHeadroom == 0)
    #expect(found?.red.maximum == 1)
  }

  @Test(arguments: ["nan", "inf", "1e308", "0x1p3", "", "-1", "1e999", "1 2 three", "&#65;"])
  func xmpRefusesNumbersThatAreNone(_ number: String) {
    #expect {
      _ = try GainMapParameters(xmp: Self.xmp(#"g:Version="1.0" g:HDRCapacityMax="1" g:GainMapMax="\#(number)""#))
    } throws: {
      ($0 as? CoderError)?.code == .malformed
    }
  }

  @Test func xmpIsReadAsItIsWritten() throws {
    var parameters = GainMapParameters(.init(minimum: -0.125, maximum: 2.3, gamma: 1.5), alternateHeadroom: 2.7)
    #expect(try GainMapParameters(xmp: parameters.xmpPacket) == parameters)
    parameters.green.maximum = 1.1
    (parameters.baseHeadroom, parameters.alternateHeadroom) = (2.7, 0)
    #expect(try GainMapParameters(xmp: parameters.xmpPacket) == parameters)
  }

  @Test func appleSaysItInTwoNumbers() {
    let cases: [(Double, Double, Double?)] = [
      (0.5, 0.0, 1.8), (0.5, 0.01, 1.6), (0.5, 1, 1.5), (1, 0, 3), (1, 0.01, 2.3), (1, 1, 2), (1, 100, nil),
    ]
    for (a, b, stops) in cases {
      let found = AppleMakerNote(tag33: a, tag48: b).stops
      #expect(found.map { ($0 * 1000).rounded() } == stops.map { ($0 * 1000).rounded() }, "\(a) \(b)")
    }
  }

  /// Light of 128 in the curve of BT.709 is 0.2616; with a headroom of 2^1.55, log2(1 + 1.9282 · 0.2616) / 1.55 = 0.3801.
  @Test func appleValuesMoveToTheStandardsCurve() throws {
    let packet = Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" HDRGainMap:HDRGainMapHeadroom="2.928171"/>
      </rdf:RDF></x:xmpmeta>
      """.utf8)
    let map = try #require(try AppleGainMap(xmp: packet, exif: nil))
    #expect(map.table[0] == 0 && map.table[255] == 255)
    #expect(map.table[128] == 97)
    #expect(abs(map.parameters.alternateHeadroom - 1.55) < 1e-5)
    let light = map.parameters.light(0.5, sample: Double(map.table[128]) / 255, weight: 1, channel: 0)
    #expect(abs(light - 0.5 * 1.5044) < 0.001)
  }

  @Test func appliesBetweenSamples() throws {
    let map = GainMap(
      GainMapParameters(
        .init(minimum: 0, maximum: 2, gamma: 1, baseOffset: 0, alternateOffset: 0), alternateHeadroom: 2),
      pixels: try PixelBuffer(copying: [0, 255], size: Size(width: 2, height: 1), format: .gray8))
    let light = try PixelBuffer(size: Size(width: 4, height: 1), format: .rgbaFloat32, alpha: .opaque)
    light.withMutableSamples(inRow: 0, as: Float.self) { row in for index in row.indices { row[index] = 0.5 } }
    try map.apply(to: light, region: (0, 0, 1, 1), headroom: 4)
    let row = light.samples(inRow: 0, as: Float.self)
    // Centers are at −0.25, 0.25, 0.75 and 1.25 of the map: gains of 1, 2^0.5, 2^1.5 and 4.
    for (x, expected) in [0.5, 0.707107, 1.414214, 2].enumerated() {
      #expect(abs(Double(row[4 * x]) - expected) < 1e-5)
      #expect(row[4 * x + 3] == 0.5)
    }
  }

  @Test func aPartKeepsValuesAndPlaces() throws {
    let values: [UInt8] = [0, 100, 200, 250]
    let map = GainMap(
      GainMapParameters(.init(minimum: 0, maximum: 2), alternateHeadroom: 2),
      pixels: try PixelBuffer(copying: values, size: Size(width: 4, height: 1), format: .gray8))
    let picture = Size(width: 8, height: 2)
    let right = try map.part(
      Rect(x: 4, y: 0, width: 4, height: 2), of: picture, size: Size(width: 2, height: 1))
    #expect(right.pixels.copyBytes() == [200, 250])
    let half = try map.part(Rect(covering: picture), of: picture, size: Size(width: 2, height: 1))
    #expect(half.pixels.copyBytes() == [50, 225])
  }
}
