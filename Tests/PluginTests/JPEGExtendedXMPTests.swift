// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization
import TestSupport
import Testing

/// How the reader of JPEG joins XMP that is spread over segments, XMP part 3 §1.1.3.1.
@Suite(.needs("JPEG")) struct JPEGExtendedXMPTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  private static let wrapper = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
  private static let digest = "0123456789ABCDEF0123456789ABCDEF"

  private static func encode(_ xmp: [UInt8]?, exif: [UInt8]? = nil) throws -> [UInt8] {
    let pixels = try PixelBuffer(size: Size(width: 24, height: 16), format: .rgb8, alpha: .opaque)
    for y in 0..<16 {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<pixels.rowBytes { row[x] = UInt8(x * 3 + y) }
    }
    var image = Image(pixels)
    image.metadata[.xmp] = xmp
    image.metadata[.exif] = exif
    return try registry.encode(image, as: .jpeg)
  }

  /// What a file gives, and what is said.
  private static func read(
    _ file: [UInt8], maxMetadata: Int = Limits.standard.maxMetadata
  ) throws -> (packet: [UInt8]?, said: [String]) {
    let said = Mutex<[String]>([])
    var options = DecodeOptions()
    options.limits.maxMetadata = maxMetadata
    options.log = { _, text in said.withLock { $0.append(text) } }
    let packet = try registry.open(.bytes(file), options: options).metadata(.xmp)
    return (packet, said.withLock { $0 })
  }

  private static func segment(_ prefix: String, _ payload: [UInt8]) -> [UInt8] {
    let count = prefix.utf8.count + payload.count + 2
    return [0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)] + Array(prefix.utf8) + payload
  }

  private static func standard(_ packet: String) -> [UInt8] {
    segment("http://ns.adobe.com/xap/1.0/\0", Array(packet.utf8))
  }

  private static func part(_ bytes: some Sequence<UInt8>, at offset: Int, of length: Int, _ name: String = digest)
    -> [UInt8]
  {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return segment(
      "http://ns.adobe.com/xmp/extension/\0", Array(name.utf8) + number(length) + number(offset) + Array(bytes))
  }

  /// A file with segments right behind SOI.
  private static func file(_ segments: [[UInt8]]) throws -> [UInt8] {
    let plain = try encode(nil)
    return Array(plain[..<2] + segments.joined() + plain[2...])
  }

  /// A packet with a property of `count` characters.
  private static func packet(_ count: Int, head: String = "", tail: String = "") -> [UInt8] {
    let text = (0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 * $0 % 26))) }
    return Array(
      """
      \(head)<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:History="\
      \(String(text))"/></rdf:RDF></x:xmpmeta>\(tail)
      """.utf8)
  }

  // MARK: What our writer splits

  @Test(arguments: [
    ("", ""), (wrapper, "<?xpacket end=\"w\"?>"), ("\(wrapper)\n", "\n\n<?xpacket end='r'?>\n"),
    ("\u{FEFF}", "\n"), (wrapper, String(repeating: " ", count: 4_000) + "\n<?xpacket end=\"w\"?>"),
  ]) func aPacketThatWasSplitComesBack(_ head: String, _ tail: String) throws {
    let given = Self.packet(200 << 10, head: head, tail: tail)
    let file = try Self.encode(given)
    let read = try Self.read(file)
    #expect(read.packet == given && read.said.isEmpty)
    // Once more, from what was read.
    #expect(try Self.encode(read.packet) == file)
    // Just enough memory, and not quite.
    #expect(try Self.read(file, maxMetadata: given.count).packet == given)
    let error = #expect(throws: CoderError.self) { try Self.read(file, maxMetadata: given.count - 1) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func paddingThatFillsTheSegmentGivesWayToAFreshWrapper() throws {
    let padding = String(repeating: " ", count: 70_000)
    let read = try Self.read(
      Self.encode(Self.packet(80_000, head: Self.wrapper, tail: "\(padding)<?xpacket end=\"w\"?>")))
    #expect(
      read.packet == Self.packet(80_000, head: "\(Self.wrapper)\n", tail: "\n<?xpacket end=\"w\"?>")
        && read.said.isEmpty)
  }

  // MARK: What others split

  /// StandardXMP with a property of its own and the note, as an attribute or as an element.
  private static func noted(_ asElement: Bool, name: String = digest, _ outer: String = "") -> String {
    let note = asElement ? "" : "\n  xmpNote:HasExtendedXMP = '\(name)'"
    let element = asElement ? "<xmpNote:HasExtendedXMP>\n\(name) </xmpNote:HasExtendedXMP>" : ""
    return """
      \(wrapper)<!-- <rdf:RDF> --><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\(outer)><rdf:Description rdf:about="" \
      xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="a > b"\(note)>\
      \(element)</rdf:Description></rdf:RDF></x:xmpmeta>  <?xpacket end="w"?>
      """
  }

  private static let other = """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
    xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about=""><dc:source>here</dc:source>\
    <![CDATA[</rdf:RDF>]]></rdf:Description></rdf:RDF></x:xmpmeta>
    """

  private static var joined: [UInt8] {
    Array(
      """
      \(wrapper)<!-- <rdf:RDF> --><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" \
      xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="a > b"></rdf:Description>\
      <rdf:Description rdf:about=""><dc:source>here</dc:source><![CDATA[</rdf:RDF>]]></rdf:Description>\
      </rdf:RDF></x:xmpmeta>  <?xpacket end="w"?>
      """.utf8)
  }

  /// ExtendedXMP in three parts.
  private static var parts: [[UInt8]] {
    let bytes = Array(other.utf8)
    return [0..<100, 100..<101, 101..<bytes.count].map { part(bytes[$0], at: $0.lowerBound, of: bytes.count) }
  }

  @Test(arguments: [true, false]) func propertiesOfBothAreInOnePacket(_ asElement: Bool) throws {
    let standard = Self.standard(Self.noted(asElement))
    let foreign = Self.part("<other/>".utf8, at: 0, of: 8, String(repeating: "F", count: 32))
    let orders = [
      [standard] + Self.parts, [standard] + Self.parts.reversed(), Self.parts + [standard],
      [foreign, Self.parts[1], standard, Self.parts[2], foreign, Self.parts[0]],
    ]
    for order in orders {
      let read = try Self.read(Self.file(order))
      #expect(read.packet == Self.joined && read.said.isEmpty)
    }
  }

  @Test func aNameForTwoNamespacesIsNotJoined() throws {
    let plain = Self.noted(true, " xmlns:dc='http://example.org/'")
    let read = try Self.read(Self.file([Self.standard(plain)] + Self.parts))
    #expect(read.packet == Array(plain.utf8) && read.said.contains { $0.contains("another namespace") })
    let same = Self.noted(true, " xmlns:dc='http://purl.org/dc/elements/1.1/'")
    #expect(try Self.read(Self.file([Self.standard(same)] + Self.parts)).said.isEmpty)
  }

  // MARK: Damage

  @Test func damagedExtensionsLeaveStandardXMPAlone() throws {
    let bytes = Array(Self.other.utf8)
    let count = bytes.count
    let parts = Self.parts
    let huge = Int(UInt32.max)
    let damaged: [(String, [[UInt8]])] = [
      ("none", []), ("a wrong digest", parts.map { Self.renamed($0) }), ("a part is missing", [parts[0], parts[2]]),
      ("the first part is missing", Array(parts[1...])), ("the last part is missing", Array(parts[..<2])),
      ("a part twice", parts + [parts[1]]),
      ("overlapping", [Self.part(bytes[..<60], at: 0, of: count), Self.part(bytes[50...], at: 50, of: count)]),
      ("a gap", [Self.part(bytes[..<50], at: 0, of: count), Self.part(bytes[60...], at: 60, of: count)]),
      ("too short", [Self.part(bytes, at: 0, of: count + 1)]), ("too long", [Self.part(bytes, at: 0, of: count - 1)]),
      ("two lengths", [Self.part(bytes[..<50], at: 0, of: count), Self.part(bytes[50...], at: 50, of: count + 1)]),
      ("a huge length", [Self.part(bytes, at: 0, of: huge)]), ("a huge offset", [Self.part(bytes, at: huge, of: huge)]),
      ("no digest", [Self.segment("http://ns.adobe.com/xmp/extension/\0", [])]),
      ("cut in front of its offset", [Array(Self.part([], at: 0, of: 0).dropLast(1))].map(Self.mended)),
      ("nothing", [Self.part([], at: 0, of: 0)]),
      ("no XML", [Self.part([UInt8](repeating: 0x3C, count: 9_000), at: 0, of: 9_000)]),
      ("an open comment", [Self.part("<!--<rdf:RDF></rdf:RDF>".utf8, at: 0, of: 23)]),
      ("an open quote", [Self.part("<rdf:RDF a='></rdf:RDF>".utf8, at: 0, of: 23)]),
      ("an open element", [Self.part("<rdf:RDF a='' b c=>".utf8, at: 0, of: 19)]),
    ]
    for asElement in [true, false] {
      let packet = Self.noted(asElement)
      for (name, segments) in damaged {
        let read = try Self.read(Self.file([Self.standard(packet)] + segments))
        #expect(read.packet == Array(packet.utf8), "\(name)")
        #expect(read.said.contains { $0.contains("ExtendedXMP is passed over") }, "\(name)")
      }
    }
  }

  @Test func standardXMPWithoutAProperNoteStaysAsItIs() throws {
    for packet in [
      "", "<", "<rdf:RDF/>", "<rdf:RDF><a:HasExtendedXMP>", "<rdf:RDF><a:HasExtendedXMP/></rdf:RDF>",
      "<rdf:RDF><a a:HasExtendedXMP=''></rdf:RDF>", "<rdf:RDF><a a:HasExtendedXMP='\(Self.digest)",
      "<rdf:RDF><a a:HasExtendedXMP=\(Self.digest)></rdf:RDF>", Self.noted(true, name: Self.digest.lowercased()),
      Self.noted(false, name: Self.digest + "0"), "<rdf:RDF><a a:HasExtendedXMP='\(Self.digest)'/>",
      "<rdf:RDF></rdf:RDF><a a:HasExtendedXMP='\(Self.digest)'/>",
    ] {
      let read = try Self.read(Self.file([Self.standard(packet)] + Self.parts))
      #expect(read.packet == Array(packet.utf8) && read.said.count == 1, "\(packet)")
    }
    #expect(try Self.read(Self.file(Self.parts)).packet == nil)
  }

  @Test func changedBytesNeverHarm() throws {
    var random = SplitMix(seed: 5)
    let whole = try Self.file([Self.standard(Self.noted(false))] + Self.parts)
    let end = whole.count - (try Self.encode(nil).count) + 2
    for _ in 0..<5_000 {
      var file = whole
      for _ in 0...random.below(4) { file[2 + random.below(end - 2)] = UInt8(random.below(256)) }
      _ = try? Self.read(file)
    }
  }

  /// Each byte begins something that does not end, or is a declaration of its own. How much work this is, the coder's own
  /// tests count.
  @Test(arguments: ["<", "<!--", "<a b='", "<![CDATA[", "<a xmlns:b='c'>", "<rdf:RDF><", "</rdf:RDF>", "--><a '\""])
  func megabytesOfItAreRead(_ piece: String) throws {
    let body = Array(String(repeating: piece, count: (1 << 20) / piece.utf8.count).utf8)
    let segments = stride(from: 0, to: body.count, by: 65_400).map {
      Self.part(body[$0..<min($0 + 65_400, body.count)], at: $0, of: body.count)
    }
    let read = try Self.read(Self.file([Self.standard(Self.noted(false))] + segments.reversed()))
    #expect(read.packet != nil)
  }

  // MARK: Embedded thumbnails

  /// Of the second directory, the reader takes nothing.
  @Test func aDamagedSecondDirectoryCostsNothing() throws {
    let wanted = try Self.registry.decode(.bytes(Self.encode(nil)))
    var random = SplitMix(seed: 7)
    let head: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x0F, 1, 2, 0, 2, 0, 0, 0, 65, 0, 0, 0]
    let links: [[UInt8]] = [[26, 0, 0, 0], [8, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [60, 0, 0, 0], [22, 0, 0, 0]]
    for round in 0..<200 {
      var second: [UInt8] = [3, 0, 3, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
      second += [1, 2, 4, 0, 1, 0, 0, 0, 68, 0, 0, 0, 2, 2, 4, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]
      second += [0xFF, 0xD8, 0xFF, 0xD9]
      for _ in 0..<(round / 20) { second[random.below(second.count)] = UInt8(random.below(256)) }
      let exif = head + links[round % links.count] + second.prefix(round % 7 == 0 ? round % 40 : second.count)
      let file = try Self.encode(nil, exif: exif)
      let full = try Self.registry.decode(.bytes(file))
      #expect(full.problem == nil && full.metadata[.exif] == exif)
      #expect(full.pixels.allBytes == wanted.pixels.allBytes)
      let small = try Self.registry.decode(.bytes(file), options: .thumbnail(width: 6, height: 4))
      #expect(small.size == Size(width: 6, height: 4) && small.problem == nil)
    }
  }

  private static func renamed(_ segment: [UInt8]) -> [UInt8] {
    var segment = segment
    segment[39] ^= 1
    return segment
  }

  /// A segment whose length is right again.
  private static func mended(_ segment: [UInt8]) -> [UInt8] {
    [0xFF, 0xE1, UInt8((segment.count - 2) >> 8), UInt8((segment.count - 2) & 255)] + segment[4...]
  }
}

extension PixelBuffer {
  fileprivate var allBytes: [UInt8] { (0..<size.height).flatMap { y in withRow(y) { Array($0) } } }
}
