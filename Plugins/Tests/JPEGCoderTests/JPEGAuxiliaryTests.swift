// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// Pictures behind the first, by the index and by the directory in XMP, and files that say what is not so.
@Suite struct JPEGAuxiliaryTests {
  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
  }

  private static let frame = segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
  private static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0x34, 0xFF, 0xD9]
  private static let iso = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
  private static let metadata: [UInt8] = [0, 0, 0, 0, 0x40] + [UInt8](repeating: 1, count: 56)

  private static func map(_ segments: [UInt8] = segment(0xE2, iso + metadata)) -> [UInt8] {
    [0xFF, 0xD8] + segments + [0xFF, 0xC0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0] + scan
  }

  private static func packet(_ text: String) -> [UInt8] {
    segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(text.utf8))
  }

  /// Big endian: a second picture at `place`, counted from the index's header.
  private static func index(place: Int, size: Int, type: UInt8 = 0) -> [UInt8] {
    func word(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    return segment(
      0xE2,
      Array("MPF\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 0xB0, 0x02, 0, 7, 0, 0, 0, 32, 0, 0, 0, 26, 0, 0, 0, 0]
        + word(0x0003_0000) + word(1) + word(0) + word(0) + [0, 2, 0, type] + word(size) + word(place) + word(0))
  }

  /// A file whose index gives the right place plus `shift`.
  private static func file(_ second: [UInt8], shift: Int = 0, size: Int? = nil, type: UInt8 = 0) -> [UInt8] {
    let rest = frame + scan
    // SOI, marker and length, "MPF" and a zero stand before the header.
    let place = 2 + index(place: 0, size: 0).count + rest.count - 10
    return [0xFF, 0xD8] + index(place: place + shift, size: size ?? second.count, type: type) + rest + second
  }

  private func found(_ bytes: [UInt8], xmp: [UInt8]? = nil) throws(CoderError) -> [JPEGAuxiliary.Found] {
    try JPEGAuxiliary(MemorySource(bytes).view, hasIndex: true, xmp: xmp, host: MemoryHost().host).found
  }

  @Test(arguments: [
    ("Semantic", true), ("<a Item:Semantic=\"Primary\"/>", true), ("SSSemantic", true), ("Semanti", false),
    ("sSemanti SSemanti", false), ("", false),
  ]) func onlyAPacketWithADirectoryIsRead(_ packet: String, _ mayHave: Bool) {
    #expect(Array(packet.utf8).withUnsafeBytes(JPEGAuxiliary.mayHaveDirectory) == mayHave)
  }

  @Test func theIndexLeadsToAGainMap() throws {
    let file = Self.file(Self.map())
    let found = try found(file)
    try #require(found.count == 1)
    #expect(found[0].role == PageRole(.gainMap, name: "urn:iso:std:iso:ts:21496:-1"))
    #expect(found[0].gainMap == Self.metadata)
    #expect(found[0].place == file.count - Self.map().count..<file.count)
    #expect(found[0].frame.size == Size(width: 3, height: 2))
  }

  /// However often a part of the file is named, and however long it is said to be, it is looked at once.
  @Test func picturesAreApart() throws {
    func word(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    let map = Self.map()
    func index(_ place: Int) -> [UInt8] {
      var bytes = Array("MPF\0MM".utf8)
      bytes += [0, 42, 0, 0, 0, 8, 0, 1, 0xB0, 0x02, 0, 7, 0, 0, 0, 96, 0, 0, 0, 26, 0, 0, 0, 0]
      for number in [0x0003_0000, 1, 0, 0] { bytes += word(number) }
      for place in [place, place + map.count, place, place, place + map.count] {
        for number in [0x0002_0000, 1 << 20, place, 0] { bytes += word(number) }
      }
      return Self.segment(0xE2, bytes)
    }
    let rest = Self.frame + Self.scan
    let place = 2 + index(0).count + rest.count - 10
    let file = [0xFF, 0xD8] + index(place) + rest + map + map
    let end = file.count
    #expect(try found(file).map(\.place) == [end - 2 * map.count..<end - map.count, end - map.count..<end])
  }

  @Test func aPlaceWithoutAPictureIsPassedOver() throws {
    for shift in [1, -1, 1000, -1000, 0x7FFF_0000] {
      #expect(try found(Self.file(Self.map(), shift: shift)).isEmpty)
    }
  }

  @Test func theFileItselfIsNoPictureOfIt() throws {
    let header = 10
    let length = Self.file(Self.map()).count
    #expect(try found(Self.file(Self.map(), shift: -(length - Self.map().count) + header - 10)).isEmpty)
    let directory = GainMapDirectory(
      Array(
        #"<Container:Item Item:Semantic="Primary"/><Container:Item Item:Semantic="GainMap" Item:Length="10"/>"#.utf8))
    #expect(directory.places(endingAt: 10).isEmpty)
    #expect(directory.places(endingAt: 11).map(\.place) == [1..<11])
  }

  @Test func theDirectoryCountsFromTheEnd() throws {
    let map = Self.map(Self.packet("http://ns.adobe.com/hdr-gain-map/1.0/"))
    let packet = Array(
      """
      <x><rdf:li><Container:Item Item:Semantic="Primary" Item:Length="5"/></rdf:li><rdf:li><Container:Item
      Item:Semantic='GainMap' Item:Length='\(map.count)'/></rdf:li><Container:Item Item:Semantic="MotionPhoto"
      Item:Length="7"/></x>
      """.utf8)
    let file = [0xFF, 0xD8] + Self.frame + Self.scan + map + [0, 0, 0, 8, 1, 2, 3]
    let found = try found(file, xmp: packet)
    try #require(found.count == 1)
    #expect(found[0].place == file.count - 7 - map.count..<file.count - 7)
    #expect(found[0].role.kind == .gainMap && found[0].gainMap == nil)
  }

  @Test(arguments: ["-5", "0", "99999999999999999999", "x", ""])
  func lengthsThatAreNoneLeadNowhere(_ length: String) throws {
    let packet = Array(
      #"<Container:Item Item:Semantic="Primary"/><Container:Item Item:Semantic="GainMap" Item:Length="\#(length)"/>"#
        .utf8)
    #expect(try found([0xFF, 0xD8] + Self.frame + Self.scan + Self.map(), xmp: packet).isEmpty)
  }

  @Test func otherPicturesAreListedByTheirKind() throws {
    let plain = Self.map([])
    #expect(try found(Self.file(plain, type: 2)).map(\.role.kind) == [.disparity])
    #expect(try found(Self.file(plain, type: 3)).map(\.role.kind) == [.other])
    let apple = Self.map(Self.packet(#"<a b="urn:com:apple:photo:2020:aux:hdrgainmap"/>"#))
    let role = try found(Self.file(apple)).first?.role
    #expect(role == PageRole(.gainMap, name: "urn:com:apple:photo:2020:aux:hdrgainmap"))
    let matte = Self.map(Self.packet("<a>urn:com:apple:photo:2018:aux:portraiteffectsmatte</a>"))
    #expect(try found(Self.file(matte)).map(\.role.kind) == [.matte])
  }

  @Test func noCutTraps() throws {
    let file = Self.file(Self.map())
    for count in 0..<file.count { _ = try? found(Array(file.prefix(count))) }
    var flipped = file
    for place in file.indices {
      flipped[place] ^= 0xFF
      _ = try? found(flipped)
      flipped[place] ^= 0xFF
    }
  }

  private func attached(_ parts: GainMapParts, to file: [UInt8]) throws(CoderError) -> [UInt8] {
    let (source, output, host) = (MemorySource(file), MemoryOutput(), MemoryHost())
    defer { withExtendedLifetime((source, host)) {} }
    try JPEGGainMap.attach(
      OperationContext(source.view, from: .jpeg, output: output.output, host: host.host), parts)
    return output.bytes
  }

  @Test func whatIsAttachedIsFound() throws {
    let base =
      [0xFF, 0xD8] + Self.segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0]) + Self.frame + Self.scan
    let parts = GainMapParts(file: Self.map([]), iso: Self.metadata, xmp: Array("<x/>".utf8))
    let made = try attached(parts, to: base)
    let found = try found(made)
    try #require(found.count == 1)
    #expect(found[0].gainMap == Self.metadata && found[0].place.upperBound == made.count)
    // Once more: what was there goes.
    #expect(try self.found(attached(parts, to: made)).count == 1)
  }

  @Test func whatFollowsThePictureStaysLast() throws {
    let base = [0xFF, 0xD8] + Self.frame + Self.scan
    let video = MemoryFile.bytes([0, 0, 0, 12], "ftypmp42")
    let parts = GainMapParts(file: Self.map([]), iso: Self.metadata, xmp: Array("<x/>".utf8))
    let made = try attached(parts, to: base + video)
    #expect(made.suffix(12) == video[...])
    #expect(try found(made).map(\.place.upperBound) == [made.count - 12])
    let reader = try JPEGReader(MemorySource(made).view, host: MemoryHost().host, options: [])
    let packet = try #require(try reader.metadata(.xmp, page: 0))
    #expect(GainMapDirectory(packet).items.map(\.semantic) == ["Primary", "GainMap", "MotionPhoto"])
    #expect(
      GainMapDirectory(packet).places(endingAt: made.count).map(\.place.upperBound) == [made.count - 12, made.count])
    #expect(try attached(parts, to: made).suffix(12) == video[...])
  }

  /// A length of a segment has 16 bits (T.81 B.1.1.4).
  @Test func blocksThatFitInNoSegmentAreRefused() {
    let base = [0xFF, 0xD8] + Self.frame + Self.scan
    let long = [UInt8](repeating: 1, count: 65_600)
    for parts in [
      GainMapParts(file: Self.map([]), iso: long, xmp: nil),
      GainMapParts(file: Self.map([]), iso: Self.metadata, xmp: long),
    ] {
      let error = #expect(throws: CoderError.self) { try attached(parts, to: base) }
      #expect(error?.code == .invalidArgument)
    }
  }
}
