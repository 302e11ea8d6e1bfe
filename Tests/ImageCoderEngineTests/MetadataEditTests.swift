// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

@Suite struct MetadataEditTests {
  /// Exif as a camera writes it, big endian: a maker, GPS with an own value, a maker's note, and a thumbnail.
  ///
  /// | place | what |
  /// |---|---|
  /// | 8 | first directory: 0x010F Make, 0x8769 Exif, 0x8825 GPS; the next one at 124 |
  /// | 50 | Make, "Camera" and a zero, and a byte of padding |
  /// | 58 | Exif: 0x927C MakerNote, 8 bytes at 76 |
  /// | 76 | the maker's note |
  /// | 84 | GPS: 2 Latitude at 102 |
  /// | 102 | three rationals |
  /// | 126 | thumbnail: 513, 514 |
  /// | 156 | 4 bytes of a thumbnail |
  private static let photo: [UInt8] =
    Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
    + [0, 3]
    + [0x01, 0x0F, 0, 2, 0, 0, 0, 7, 0, 0, 0, 50]
    + [0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 58]
    + [0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 84]
    + [0, 0, 0, 126]
    + Array("Camera\0\0".utf8)
    + [0, 1] + [0x92, 0x7C, 0, 7, 0, 0, 0, 8, 0, 0, 0, 76] + [0, 0, 0, 0]
    + Array("makers!!".utf8)
    + [0, 1] + [0, 2, 0, 5, 0, 0, 0, 3, 0, 0, 0, 102] + [0, 0, 0, 0]
    + [0, 0, 0, 48, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0, 1]
    + [0, 2] + [0x02, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, 156] + [0x02, 0x02, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4]
    + [0, 0, 0, 0]
    + [0xFF, 0xD8, 0xFF, 0xD9]

  private static func blocks(
    _ edit: MetadataEdit, exif: [UInt8]? = nil, xmp: String? = nil, iptc: [UInt8]? = nil,
    orientation: Orientation = .up
  ) throws(CoderError) -> MetadataBlockEdits {
    try edit.blocks(orientation: orientation) { (kind) throws(CoderError) in
      switch kind {
      case .exif: exif
      case .xmp: xmp.map { Array($0.utf8) }
      case .iptc: iptc
      default: nil
      }
    }
  }

  private static func exif(_ edit: MetadataEdit, of payload: [UInt8]? = photo) throws -> [UInt8] {
    try #require(try blocks(edit, exif: payload).payloads[.exif])
  }

  private static func read(_ payload: [UInt8]) -> Properties { ExifProperties.read(payload.span.bytes) }

  @Test func gpsIsGoneAndNothingElseMoves() throws {
    let changed = try Self.exif(MetadataEdit(removing: [.gps]))
    var expected = Self.photo
    // The first directory loses its third entry, and ends earlier in the same place.
    expected[9] = 2
    expected.replaceSubrange(34..<50, with: [0, 0, 0, 126] + [UInt8](repeating: 0, count: 12))
    expected.replaceSubrange(84..<126, with: [UInt8](repeating: 0, count: 42))
    #expect(changed == expected)
  }

  @Test func gpsIsGoneWhateverIntegerItsPointerIs() throws {
    var payload = Self.photo
    payload.replaceSubrange(36..<46, with: [0, 3, 0, 0, 0, 1, 0, 84, 0, 0])  // a SHORT
    let changed = try Self.exif(MetadataEdit(removing: [.gps]), of: payload)
    #expect(changed == (try Self.exif(MetadataEdit(removing: [.gps]))))
    // A directory that moves has a pointer of 32 bits.
    var edit = MetadataEdit()
    try edit.set("GPS.Altitude", to: "30")
    let moved = Self.read(try Self.exif(edit, of: payload))
    #expect(moved["{GPS}", "Altitude"] == .number(30))
    #expect(moved["{GPS}", "Latitude"] == Self.read(Self.photo)["{GPS}", "Latitude"])
  }

  @Test func thumbnailIsGoneWithItsBytes() throws {
    let changed = try Self.exif(MetadataEdit(removing: [.thumbnail]))
    var expected = Self.photo
    expected.replaceSubrange(46..<50, with: [0, 0, 0, 0])
    expected.replaceSubrange(126..<160, with: [UInt8](repeating: 0, count: 34))
    #expect(changed == expected)
  }

  @Test func aValueThatStaysIsNotErasedWithOneThatGoes() throws {
    // GPS says that its latitude is where the maker's note is.
    var shared = Self.photo
    shared[97] = 76
    let changed = try Self.exif(MetadataEdit(removing: [.gps]), of: shared)
    #expect(Array(changed[76..<84]) == Array("makers!!".utf8))
  }

  @Test func propertiesAreReadBackAsTheyWereSet() throws {
    var edit = MetadataEdit()
    for (name, text) in [
      ("Artist", "Ann Öhm"), ("TIFF.Orientation", "6"), ("Exif.ExposureTime", "1/250"), ("fnumber", "2.8"),
      ("DateTimeOriginal", "2026-05-01T10:07:05"), ("ExposureBiasValue", "-1/3"), ("UserComment", "größer"),
      ("ISOSpeedRatings", "400"), ("LensSpecification", "24, 70, 2.8, 2.8"), ("GPS.Latitude", "-33.8568"),
      ("GPS.Longitude", "151.2153"), ("GPS.TimeStamp", "10:07:05.5"), ("AltitudeRef", "1"), ("Altitude", "12.25"),
    ] {
      try edit.set(name, to: text)
    }
    for start in [Self.photo, nil] {
      let read = Self.read(try Self.exif(edit, of: start))
      #expect(read["{TIFF}", "Artist"] == .text("Ann Öhm"))
      #expect(read["{TIFF}", "Orientation"] == .integer(6))
      #expect(read["{Exif}", "ExposureTime"] == .number(0.004))
      #expect(read["{Exif}", "FNumber"] == .number(2.8))
      #expect(read["{Exif}", "DateTimeOriginal"] == .text("2026:05:01 10:07:05"))
      #expect(abs((read["{Exif}", "ExposureBiasValue"]?.number ?? 0) + 1 / 3) < 1e-9)
      #expect(read["{Exif}", "UserComment"] == .text("größer"))
      #expect(read["{Exif}", "ISOSpeedRatings"] == .list([.integer(400)]))
      #expect(read["{Exif}", "LensSpecification"] == .list([24, 70, 2.8, 2.8].map { .number($0) }))
      #expect(read["{GPS}", "LatitudeRef"] == .text("S"))
      #expect(abs((read["{GPS}", "Latitude"]?.number ?? 0) - 33.8568) < 1e-9)
      #expect(read["{GPS}", "LongitudeRef"] == .text("E"))
      #expect(abs((read["{GPS}", "Longitude"]?.number ?? 0) - 151.2153) < 1e-9)
      #expect(read["{GPS}", "TimeStamp"] == .text("10:07:05.50"))
      #expect(read["{GPS}", "AltitudeRef"] == .integer(1))
      #expect(read["{GPS}", "Altitude"] == .number(12.25))
      // What a directory of its own always has.
      #expect(start != nil || read["{Exif}", "ExifVersion"] == .list([.integer(2), .integer(3), .integer(2)]))
      #expect(read["{TIFF}", "Make"] == (start == nil ? nil : .text("Camera")))
    }
    // The note of the maker has not moved.
    #expect(Array(try Self.exif(edit)[76..<84]) == Array("makers!!".utf8))
  }

  @Test func emptyTextTakesAPropertyOut() throws {
    let edit = MetadataEdit(setting: try Self.values { try $0.set("Make", to: "") })
    let changed = try Self.exif(edit)
    #expect(Self.read(changed)["{TIFF}", "Make"] == nil)
    #expect(!changed.contains(Array("Camera".utf8)))
  }

  private static func values(_ set: (inout MetadataEdit) throws -> Void) throws -> Properties {
    var edit = MetadataEdit()
    try set(&edit)
    return edit.values
  }

  @Test func orientationStaysWhenExifGoes() throws {
    let edit = MetadataEdit(removing: [.exif])
    #expect(try Self.blocks(edit, exif: Self.photo).payloads[.exif] == nil)
    #expect(try Self.blocks(edit, exif: Self.photo).removed == [.exif])
    let turned = try Self.blocks(edit, exif: Self.photo, orientation: .right)
    #expect(turned.payloads[.exif] == ExifOrientation.payload(.right))
  }

  @Test func nothingIsWrittenWhereNothingChanges() throws {
    let plain = ExifOrientation.payload(.right)
    #expect(try Self.blocks(MetadataEdit(removing: [.gps, .thumbnail]), exif: plain) == MetadataBlockEdits())
    #expect(try Self.blocks(MetadataEdit(removing: [.exif, .gps, .xmp])) == MetadataBlockEdits())
  }

  @Test func damagedExifIsNotChangedInPart() throws {
    #expect(throws: CoderError.self) { try Self.blocks(MetadataEdit(removing: [.gps]), exif: [1, 2, 3]) }
    #expect(try Self.blocks(MetadataEdit(removing: [.exif]), exif: [1, 2, 3]).removed == [.exif])
  }

  @Test(arguments: [
    ("Artists", "x", "no property is called Artists"),
    ("TIFF.DateTimeOriginal", "2026:05:01 10:07:05", "no property is called TIFF.DateTimeOriginal"),
    ("FNumber", "bright", "{Exif} FNumber takes numbers, not \"bright\""),
  ])
  func whatCannotBeSetSaysWhy(_ name: String, _ text: String, _ message: String) {
    let error = #expect(throws: CoderError.self) {
      var edit = MetadataEdit()
      try edit.set(name, to: text)
    }
    #expect(error?.code == .invalidArgument && error?.message == message)
  }

  @Test(arguments: [
    ("DateTime", "yesterday", "{TIFF} DateTime is not \"yesterday\": it takes a date, 2024:05:01 10:07:05"),
    ("Orientation", "70000", "{TIFF} Orientation is not 70000: it takes whole numbers from 0 to 65535"),
    ("Orientation", "9", "{TIFF} Orientation is 9: it takes a whole number from 1 to 8"),
    ("GPS.Latitude", "191", "{GPS} Latitude is not 191.0: it takes degrees from -180 to 180"),
    ("FNumber", "-2", "{Exif} FNumber is not -2: it takes numbers of 0 and more"),
  ])
  func valuesThatATagCannotHoldSayWhatItTakes(_ name: String, _ text: String, _ message: String) {
    let error = #expect(throws: CoderError.self) {
      var edit = MetadataEdit()
      try edit.set(name, to: text)
      _ = try Self.blocks(edit)
    }
    #expect(error?.message == message)
  }

  // MARK: XMP

  private static let packet = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="uuid:1" xmlns:e="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
      e:GPSLatitude="48,12.5N" e:Flash="0"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">old</rdf:li></rdf:Alt></dc:title>
    <e:GPSAltitude>3/1</e:GPSAltitude><!-- kept --></rdf:Description>
    </rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """

  private static func xmp(_ edit: MetadataEdit, of packet: String? = packet) throws -> String {
    String(decoding: try #require(try blocks(edit, xmp: packet).payloads[.xmp]), as: UTF8.self)
  }

  @Test func placesInXMPAreGone() throws {
    let expected = Self.packet
      .replacing("\n  e:GPSLatitude=\"48,12.5N\"", with: "").replacing("<e:GPSAltitude>3/1</e:GPSAltitude>", with: "")
    #expect(try Self.xmp(MetadataEdit(removing: [.gps])) == expected)
  }

  @Test func propertiesOfXMPAreReplaced() throws {
    var edit = MetadataEdit()
    try edit.set("dc:title", to: "<new> & \"bright\"")
    try edit.set("dc:subject", to: "sea")
    try edit.set("dc:subject", to: "boat")
    try edit.set("XMP.photoshop:City", to: "Linz")
    for start in [Self.packet, nil] {
      let text = try Self.xmp(edit, of: start)
      let read = XMPProperties.read(Array(text.utf8))
      #expect(read["{XMP}", "dc:title"] == .text("<new> & \"bright\""))
      #expect(read["{XMP}", "dc:subject"] == .list([.text("sea"), .text("boat")]))
      #expect(read["{XMP}", "photoshop:City"] == .text("Linz"))
      #expect(read["{XMP}", "exif:Flash"] == (start == nil ? nil : .text("0")))
      #expect(text.contains("<!-- kept -->") == (start != nil))
      // What is new is said of what the packet is about.
      #expect(text.contains("rdf:about=\"uuid:1\" xmlns:photoshop=") == (start != nil))
      #expect(!text.contains("old"))
    }
  }

  @Test(arguments: ["<rdf:li>&unknown;</rdf:li>", "<e:x ", "<!DOCTYPE x>"])
  func aPacketThatCannotBeReadIsNotChangedInPart(_ fault: String) throws {
    let broken = Self.packet.replacing("<dc:title>", with: "\(fault)<dc:title>")
    let error = #expect(throws: CoderError.self) { try Self.blocks(MetadataEdit(removing: [.gps]), xmp: broken) }
    #expect(error?.code == .unsupported)
    #expect(try Self.blocks(MetadataEdit(removing: [.xmp]), xmp: broken).removed == [.xmp])
  }

  @Test func partsOfRangesAreThoseThatNobodyElseHas() {
    #expect(FilePieces.parts(of: [0..<10], without: []) == [0..<10])
    #expect(FilePieces.parts(of: [5..<10, 0..<7], without: [8..<9]) == [0..<7, 7..<8, 9..<10])
    #expect(FilePieces.parts(of: [0..<10], without: [2..<4, 3..<5, 0..<1, 9..<20]) == [1..<2, 5..<9])
    #expect(FilePieces.parts(of: [0..<10, 20..<30], without: [5..<25]) == [0..<5, 25..<30])
    #expect(FilePieces.parts(of: [3..<4], without: [0..<10]) == [])
    #expect(FilePieces.parts(of: [0..<100], without: [10..<90, 20..<30, 95..<95]) == [0..<10, 90..<95, 95..<100])
  }

  @Test func whatExifSaysAnewIsTakenOutOfXMP() throws {
    var edit = MetadataEdit()
    try edit.set("Flash", to: "1")
    #expect(try Self.xmp(edit) == Self.packet.replacing(" e:Flash=\"0\"", with: ""))
  }

  // MARK: IPTC

  /// A city in Latin-1 and two keywords.
  private static let iptc: [UInt8] =
    [0x1C, 2, 0, 0, 2, 0, 4, 0x1C, 2, 25, 0, 3] + Array("sea".utf8) + [0x1C, 2, 25, 0, 4] + Array("boat".utf8)
    + [0x1C, 2, 90, 0, 5, 0x4B, 0xF6, 0x6C, 0x6E, 0x21]

  @Test func propertiesOfIPTCAreRead() {
    let read = IPTCProperties(Self.iptc).properties
    #expect(read["{IPTC}", "Keywords"] == .list([.text("sea"), .text("boat")]))
    #expect(read["{IPTC}", "City"] == .text("Köln!"))
    // Lengths that leave the block end it.
    #expect(IPTCProperties(Self.iptc.dropLast()).properties["{IPTC}", "City"] == nil)
    #expect(IPTCProperties([0x1C, 2, 25, 0x80, 9, 1, 1]).properties.isEmpty)
  }

  @Test func aBlockThatIsThereIsChangedTooAndBecomesUTF8() throws {
    var edit = MetadataEdit()
    try edit.set("IPTC.Keywords", to: "łódź")
    let edits = try Self.blocks(edit, iptc: Self.iptc)
    let block = try #require(edits.payloads[.iptc])
    #expect(
      block == [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47, 0x1C, 2, 0, 0, 2, 0, 4, 0x1C, 2, 25, 0, 7] + Array("łódź".utf8)
        + [0x1C, 2, 90, 0, 6] + Array("Köln!".utf8))
    let packet = try #require(edits.payloads[.xmp])
    #expect(XMPProperties.read(packet)["{XMP}", "dc:subject"] == .list([.text("łódź")]))
  }

  @Test func aFileWithoutABlockGetsXMPAlone() throws {
    var edit = MetadataEdit()
    try edit.set("Headline", to: "Harbour")
    #expect(try Self.blocks(edit).removed == [.xmp])
    // What XMP has no name for goes into a block.
    try edit.set("ReleaseDate", to: "20260501")
    #expect(try Self.blocks(edit).payloads[.iptc]?.suffix(8) == Array("20260501".utf8)[...])
  }
}
