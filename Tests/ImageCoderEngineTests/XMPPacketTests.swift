// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// XMP as a tree: what packets say, paths, and what is written.
@Suite struct XMPPacketTests {
  private static let head = #"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#

  /// A packet of one description, whose namespaces are declared.
  private static func packet(_ elements: String, _ attributes: String = "") throws -> XMPPacket {
    let text = """
      \(head)<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
       xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:own="https://example.org/own/" \(attributes)>\(elements)\
      </rdf:Description></rdf:RDF>
      """
    return try XMPPacket(Array(text.utf8))
  }

  private static func own(_ name: String, _ value: XMPNode.Value) -> XMPNode {
    XMPNode(prefix: "own", name: name, namespace: "https://example.org/own/", value: value)
  }

  private static func code(_ body: () throws(CoderError) -> Void) -> CoderError.Code? {
    do throws(CoderError) {
      try body()
      return nil
    } catch { return error.code }
  }

  /// What a description holds, as a packet of it is written.
  private static func written(_ packet: XMPPacket) throws -> String {
    let text = String(decoding: try packet.bytes(), as: UTF8.self)
    let start = try #require(text.firstRange(of: #"<rdf:Description rdf:about="""#)).upperBound
    let end = try #require(text.firstRange(of: "</rdf:Description></rdf:RDF>")).lowerBound
    return String(text[start..<end])
  }

  @Test func kindsOfListsAreTold() throws {
    let packet = try Self.packet(
      """
      <dc:subject><rdf:Bag><rdf:li>one</rdf:li></rdf:Bag></dc:subject>
      <dc:creator><rdf:Seq><rdf:li>B</rdf:li><rdf:li>A</rdf:li></rdf:Seq></dc:creator>
      <own:choice><rdf:Alt><rdf:li>x</rdf:li></rdf:Alt></own:choice>
      <dc:title><rdf:Alt><rdf:li xml:lang="x-default">T</rdf:li><rdf:li xml:lang="de">S</rdf:li></rdf:Alt></dc:title>
      """)
    #expect(packet["dc:subject"]?.value == .list(.unordered, [.item(.text("one"))]))
    #expect(packet["dc:creator"]?.value == .list(.ordered, [.item(.text("B")), .item(.text("A"))]))
    #expect(packet["own:choice"]?.value == .list(.alternative, [.item(.text("x"))]))
    #expect(
      packet["dc:title"]?.value
        == .list(.languages, [.item(.text("T"), language: "x-default"), .item(.text("S"), language: "de")]))
    #expect(packet["dc:title"]?.texts == ["T"])
    #expect(packet["dc:creator"]?.texts == ["B", "A"])
    #expect(packet.namespaces == ["own": "https://example.org/own/"])
  }

  /// ISO 16684-1 §7.8: a value with qualifiers has four forms.
  @Test(arguments: [
    "<own:a><rdf:Description><rdf:value>v</rdf:value><own:q>1</own:q></rdf:Description></own:a>",
    "<own:a rdf:parseType='Resource'><rdf:value>v</rdf:value><own:q>1</own:q></own:a>",
    "<own:a><rdf:Description rdf:value='v' own:q='1'/></own:a>", "<own:a rdf:value='v' own:q='1'/>",
  ])
  func qualifiersAreRead(_ form: String) throws {
    var wanted = Self.own("a", .text("v"))
    wanted.qualifiers = [Self.own("q", .text("1"))]
    let packet = try Self.packet(form)
    #expect(packet.properties == [wanted])
    #expect(packet["own:a?own:q"]?.text == "1")
    #expect(
      try Self.written(packet)
        == #" xmlns:own="https://example.org/own/"><own:a><rdf:Description><rdf:value>v</rdf:value>"#
        + "<own:q>1</own:q></rdf:Description></own:a>")
  }

  @Test func linksAndStructuresAreWrittenAsTheyAre() throws {
    let packet = try Self.packet(
      "<own:link rdf:resource='https://example.org/?a&amp;b'/><own:place own:city='Wien' own:zip='1010'/>")
    #expect(packet["own:link"]?.value == .link("https://example.org/?a&b"))
    #expect(packet["own:place.own:zip"]?.text == "1010")
    #expect(packet["own:place.zip"]?.text == "1010")
    #expect(
      try Self.written(packet)
        == #" xmlns:own="https://example.org/own/"><own:link rdf:resource="https://example.org/?a&amp;b"/>"#
        + #"<own:place rdf:parseType="Resource"><own:city>Wien</own:city><own:zip>1010</own:zip></own:place>"#)
  }

  /// Whatever a tree holds comes back from its packet.
  @Test func treesComeBack() throws {
    var deep = Self.own("deep", .structure([Self.own("list", .list(.ordered, [.item(.structure([]))]))]))
    deep.qualifiers = [Self.own("sure", .list(.unordered, [.item(.link("urn:x"), language: "en")]))]
    var item = XMPNode.item(.text(" a <b> & \"c\" 'd' \n\t\r "), language: "de")
    item.qualifiers.append(Self.own("note", .text("")))
    var packet = XMPPacket(
      [deep, Self.own("texts", .list(.languages, [item])), Self.own("empty", .list(.alternative, []))],
      namespaces: ["own": "https://example.org/own/"])
    packet.about = "a \"b\" <c>\n"
    #expect(try XMPPacket(packet.bytes()) == packet)
  }

  @Test func pathsMakeWhatIsMissing() throws {
    var packet = XMPPacket()
    try packet.set("dc:title[de]", to: .text("Hafen"))
    try packet.set("dc:title[x-default]", to: .text("Harbour"))
    try packet.set("dc:subject[0]", to: .text("one"))
    try packet.set("dc:creator", to: .text("A. Author"))
    try packet.set("Iptc4xmpCore:CreatorContactInfo.CiAdrCity", to: .text("Wien"))
    try packet.set("xmp:Label", to: .text("Red"))
    try packet.set("xmp:Label?xml:lang", to: .text("en"))
    try packet.set("xmp:Label", to: .text("Rot"))
    #expect(
      packet["dc:title"]?.value
        == .list(.languages, [.item(.text("Hafen"), language: "de"), .item(.text("Harbour"), language: "x-default")]))
    #expect(packet["dc:subject"]?.value == .list(.unordered, [.item(.text("one"))]))
    #expect(packet["dc:creator"]?.value == .list(.ordered, [.item(.text("A. Author"))]))
    #expect(packet["Iptc4xmpCore:CreatorContactInfo.Iptc4xmpCore:CiAdrCity"]?.text == "Wien")
    #expect(packet["xmp:Label"]?.text == "Rot" && packet["xmp:Label"]?.language == "en")
    try packet.set("dc:title[de]", to: nil)
    try packet.set("dc:rights", to: nil)
    #expect(packet["dc:title"]?.value == .list(.languages, [.item(.text("Harbour"), language: "x-default")]))
    #expect(packet.properties.map(\.name) == ["title", "subject", "creator", "CreatorContactInfo", "Label"])
    for path in [
      "", "dc", "dc:", ":title", "dc:title[", "dc:subject[-1]", "[]", "dc:subject[5]", "xmp:Label.xmp:Name",
      "nobody:knows", "dc:a b", "xmp:Label[0]", String(repeating: "dc:a.", count: 65),
    ] {
      #expect(
        Self.code { () throws(CoderError) in try packet.set(path, to: .text("no")) } == .invalidArgument, "\(path)")
    }
    #expect(packet["dc:"] == nil && packet["dc:subject[1]"] == nil)
  }

  /// XML 1.0 §2.2 and §2.11: other control characters cannot be said, and become spaces; line ends are kept. The tree and
  /// single changes of a packet say the same.
  @Test func controlCharactersAreWrittenInOneWay() throws {
    let given = "a\u{0}b\u{1F}c\u{FFFE}d\u{B}e\u{7F}\r\n\tf"
    let wanted = "a b c d e\u{7F}\r\n\tf"
    let escaped = "a b c d e\u{7F}&#13;\n\tf"
    let packet = XMPPacket([Self.own("a", .text(given))])
    #expect(try Self.written(packet) == " xmlns:own=\"https://example.org/own/\"><own:a>\(escaped)</own:a>")
    #expect(try XMPPacket(packet.bytes())["own:a"]?.text == wanted)
    var edit = MetadataEdit()
    edit.values["{XMP}", "dc:source"] = .text(given)
    let blocks = try edit.blocks(orientation: .up) { (_) throws(CoderError) in nil }
    let changed = try #require(blocks.payloads[.xmp])
    #expect(String(decoding: changed, as: UTF8.self).contains("<dc:source>\(escaped)</dc:source>"))
    #expect(try XMPPacket(changed)["dc:source"]?.text == wanted)
  }

  @Test func namesThatXMLDoesNotTakeAreRefused() throws {
    let good = "https://example.org/own/"
    for (prefix, name, space) in [
      ("own", "a b", good), ("own", "1a", good), ("", "a", good), ("own", "a>", good), ("own", "a", ""),
      ("xml", "a", good), ("rdf", "li", good), ("a:b", "c", good),
    ] {
      let packet = XMPPacket([XMPNode(prefix: prefix, name: name, namespace: space, value: .text("x"))])
      #expect(Self.code { () throws(CoderError) in _ = try packet.bytes() } == .invalidArgument, "\(prefix):\(name)")
    }
    // One prefix cannot stand for two namespaces.
    let other = XMPNode(prefix: "own", name: "b", namespace: "urn:other", value: .text("x"))
    #expect(
      Self.code { () throws(CoderError) in _ = try XMPPacket([Self.own("a", .text("")), other]).bytes() }
        == .invalidArgument)
    var deep = Self.own("a", .text(""))
    for _ in 0..<200 { deep = Self.own("a", .structure([deep])) }
    #expect(Self.code { () throws(CoderError) in _ = try XMPPacket([deep]).bytes() } == .invalidArgument)
    #expect(try XMPPacket([XMPNode(prefix: "ä", name: "日本·", namespace: "urn:x", value: .text("x"))]).bytes().count > 0)
  }

  /// Files may call a namespace as they like; paths know it by the usual prefix, and others by one of their own.
  @Test func prefixesAreTheUsualOnes() throws {
    let text = """
      \(Self.head)<rdf:Description xmlns:q="http://purl.org/dc/elements/1.1/" xmlns:dc="urn:other" xmlns="urn:third"
       q:format="image/png" dc:a="1"><b>2</b></rdf:Description></rdf:RDF>
      """
    let packet = try XMPPacket(Array(text.utf8))
    #expect(packet["dc:format"]?.text == "image/png")
    #expect(
      packet.properties.map { "\($0.prefix) \($0.namespace)" } == [
        "dc http://purl.org/dc/elements/1.1/", "dc2 urn:other", "ns urn:third",
      ])
    #expect(packet["dc2:a"]?.text == "1" && packet["ns:b"]?.text == "2")
    #expect(try XMPPacket(packet.bytes()).properties == packet.properties)
    #expect(XMPPacket.usualPrefix(of: "http://ns.adobe.com/exif/1.0/") == "exif")
    #expect(XMPPacket.usualNamespace(of: "nobody") == nil)
  }

  @Test func whatIsSaidTwiceIsThereOnce() throws {
    let packet = try Self.packet("<xmp:Rating>3</xmp:Rating><xmp:Label>x</xmp:Label><xmp:Rating>5</xmp:Rating>")
    #expect(packet.properties.map { "\($0.name) \($0.text ?? "")" } == ["Rating 5", "Label x"])
  }

  @Test func bytesThatAreNoPacketHaveTypedErrors() throws {
    let whole = try XMPPacket([Self.own("a", .list(.ordered, [.item(.text("x"))]))]).bytes()
    let rdf = try #require(String(decoding: whole, as: UTF8.self).firstRange(of: "</rdf:RDF>"))
    let end = String(decoding: whole, as: UTF8.self)[..<rdf.lowerBound].utf8.count
    for count in 0..<end {
      #expect(
        Self.code { () throws(CoderError) in _ = try XMPPacket(Array(whole.prefix(count))) } == .malformed, "\(count)")
    }
    #expect(Self.code { () throws(CoderError) in _ = try XMPPacket(Array("<a/>".utf8)) } == .malformed)
    let many =
      "\(Self.head)<rdf:Description xmlns:x='urn:x'>"
      + (0..<100_001).map { "<x:a\($0)/>" }.joined() + "</rdf:Description></rdf:RDF>"
    #expect(Self.code { () throws(CoderError) in _ = try XMPPacket(Array(many.utf8)) } == .unsupported)
    var random = SeededGenerator(seed: 46)
    for _ in 0..<5_000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // What can be read can be written again. Control characters are gone then.
      guard let packet = try? XMPPacket(bytes) else { continue }
      let again = try XMPPacket(packet.bytes())
      #expect(try XMPPacket(again.bytes()) == again)
    }
  }
}
