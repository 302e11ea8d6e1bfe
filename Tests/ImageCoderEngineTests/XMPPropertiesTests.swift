// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// XMP as properties: every form that RDF allows for a value, and packets that break the rules.
@Suite struct XMPPropertiesTests {
  /// A packet with a description of some attributes and elements.
  private static func packet(_ attributes: String = "", _ elements: String = "") -> String {
    """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- <rdf:RDF> -->
     <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
       xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
       xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:stRef="http://ns.adobe.com/xap/1.0/sType/ResourceRef#"
       xmlns:own="https://example.org/own/" \(attributes)>\(elements)</rdf:Description>
     </rdf:RDF>
    </x:xmpmeta>
    <?xpacket end="w"?>
    """
  }

  private static func read(_ packet: String) -> Properties { XMPProperties.read(Array(packet.utf8)) }

  private static func xmp(_ packet: String) -> [String: PropertyValue] {
    guard case .dictionary(let found)? = read(packet)["{XMP}"] else { return [:] }
    return Dictionary(uniqueKeysWithValues: found.sorted.map { ($0.name, $0.value) })
  }

  @Test func valuesAreAttributesOrElements() {
    let found = Self.xmp(
      Self.packet(
        #"xmp:Rating='3' own:Word="a &amp; b""#,
        "<xmp:Label>R&#xe9;d &#62; &quot;blue&quot;</xmp:Label><photoshop:City><![CDATA[<K&ln>]]></photoshop:City>"))
    #expect(
      found == [
        "xmp:Rating": .text("3"), "Word": .text("a & b"), "xmp:Label": .text("R\u{E9}d > \"blue\""),
        "photoshop:City": .text("<K&ln>"),
      ])
  }

  @Test func listsKeepTheirOrder() {
    let found = Self.xmp(
      Self.packet(
        "",
        """
        <dc:subject><rdf:Bag><rdf:li>one</rdf:li><rdf:li>two</rdf:li></rdf:Bag></dc:subject>
        <dc:creator><rdf:Seq><rdf:li>B</rdf:li> <rdf:li>A</rdf:li></rdf:Seq></dc:creator>
        <dc:language><rdf:Bag/></dc:language>
        """))
    #expect(
      found == [
        "dc:subject": .list([.text("one"), .text("two")]), "dc:creator": .list([.text("B"), .text("A")]),
        "dc:language": .list([]),
      ])
  }

  @Test func ofSeveralLanguagesTheOneForAllCounts() {
    func title(_ items: String) -> PropertyValue? {
      Self.xmp(Self.packet("", "<dc:title><rdf:Alt>\(items)</rdf:Alt></dc:title>"))["dc:title"]
    }
    let (german, all) = ("<rdf:li xml:lang='de'>Hallo</rdf:li>", "<rdf:li xml:lang='x-default'>Hello</rdf:li>")
    #expect(title(german + all) == .text("Hello"))
    #expect(title(all + german) == .text("Hello"))
    #expect(title(german) == .text("Hallo"))
    #expect(title("<rdf:li>1</rdf:li><rdf:li>2</rdf:li>") == .list([.text("1"), .text("2")]))
  }

  @Test func structuresAreDictionaries() {
    var origin = Properties()
    origin["stRef:documentID"] = .text("d")
    origin["stRef:instanceID"] = .text("i")
    for form in [
      "<xmpMM:DerivedFrom rdf:parseType='Resource'><stRef:documentID>d</stRef:documentID>"
        + "<stRef:instanceID>i</stRef:instanceID></xmpMM:DerivedFrom>",
      "<xmpMM:DerivedFrom stRef:documentID='d' stRef:instanceID='i'/>",
      "<xmpMM:DerivedFrom><rdf:Description stRef:documentID='d'><stRef:instanceID>i</stRef:instanceID>"
        + "</rdf:Description></xmpMM:DerivedFrom>",
    ] {
      #expect(Self.xmp(Self.packet("", form)) == ["xmpMM:DerivedFrom": .dictionary(origin)], "\(form)")
    }
  }

  @Test func linksAndQualifiedValuesAreText() {
    let found = Self.xmp(
      Self.packet(
        "",
        """
        <xmp:BaseURL rdf:resource='https://example.org/'/>
        <dc:source rdf:parseType='Resource'><rdf:value>x</rdf:value></dc:source>
        <dc:format><rdf:Description><rdf:value>image/png</rdf:value><own:note>n</own:note></rdf:Description></dc:format>
        """))
    #expect(found["xmp:BaseURL"] == .text("https://example.org/"))
    #expect(found["dc:format"] == .text("image/png"))
  }

  @Test func prefixesAreThoseThatPeopleKnow() {
    let packet = """
      <q:RDF xmlns:q="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><q:Description
       xmlns="http://purl.org/dc/elements/1.1/" xmlns:z="http://ns.adobe.com/hdr-gain-map/1.0/" z:Version="1.0">
       <title><q:Alt><q:li>T</q:li></q:Alt></title></q:Description></q:RDF>
      """
    #expect(Self.xmp(packet) == ["hdrgm:Version": .text("1.0"), "dc:title": .list([.text("T")])])
  }

  @Test func whatIPTCHasTooIsThereByImageIOsNames() {
    let found = Self.read(
      Self.packet(
        "photoshop:City='Ulm' photoshop:Country='Germany'",
        """
        <dc:subject><rdf:Bag><rdf:li>one</rdf:li></rdf:Bag></dc:subject>
        <dc:description><rdf:Alt><rdf:li xml:lang='x-default'>A view</rdf:li></rdf:Alt></dc:description>
        """))
    #expect(found["{IPTC}", "City"] == .text("Ulm"))
    #expect(found["{IPTC}", "Country/PrimaryLocationName"] == .text("Germany"))
    #expect(found["{IPTC}", "Keywords"] == .list([.text("one")]))
    #expect(found["{IPTC}", "Caption/Abstract"] == .text("A view"))
    #expect(Self.read(Self.packet("xmp:Label='3'"))["{IPTC}"] == nil)
  }

  /// Shown as ImageIO shows them: stars and terms among `{IPTC}`, lenses as `{ExifAux}`, and two texts as lists.
  @Test func whatImageIOShowsBesideTheOlderStandardIsThere() {
    var contact = Properties()
    contact["Iptc4xmpCore:CiAdrCity"] = .text("Wien")
    let found = Self.read(
      Self.packet(
        """
        xmlns:aux="http://ns.adobe.com/exif/1.0/aux/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"
        xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/" xmp:Rating="4" aux:Lens="50 mm" aux:SerialNumber="7"
        photoshop:AuthorsPosition="Editor" photoshop:CaptionWriter="W"
        """,
        """
        <xmpRights:UsageTerms><rdf:Alt><rdf:li xml:lang="x-default">Ask</rdf:li></rdf:Alt></xmpRights:UsageTerms>
        <Iptc4xmpCore:CreatorContactInfo Iptc4xmpCore:CiAdrCity="Wien"/>
        """))
    #expect(found["{IPTC}", "StarRating"] == .text("4"))
    #expect(found["{IPTC}", "RightsUsageTerms"] == .text("Ask"))
    #expect(found["{IPTC}", "CreatorContactInfo"] == .dictionary(contact))
    #expect(found["{IPTC}", "BylineTitle"] == .list([.text("Editor")]))
    #expect(found["{IPTC}", "Writer/Editor"] == .list([.text("W")]))
    #expect(found["{ExifAux}", "LensModel"] == .text("50 mm") && found["{ExifAux}", "SerialNumber"] == .text("7"))
  }

  @Test func otherEncodingsAreRead() {
    let units = Array("\u{FEFF}\(Self.packet("xmp:Label='R\u{E9}d'"))".utf16)
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let little = units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for bytes in [big, little, Array(little.dropFirst(2))] {
      #expect(XMPProperties.read(bytes)["{XMP}", "xmp:Label"] == .text("R\u{E9}d"))
    }
  }

  // MARK: What breaks the rules

  @Test func entitiesOfADocumentDoNotGrow() {
    let packet = """
      <!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      \(Self.packet("xmp:Label='&b;'"))
      """
    #expect(Self.read(packet).isEmpty)
    #expect(Self.read(Self.packet("xmp:Label='&b;'")).isEmpty)
    #expect(Self.read(Self.packet("xmp:Label='&#xD800;'")).isEmpty)
  }

  @Test func aPacketMayEndAnywhere() {
    let whole = Array(
      Self.packet("xmp:Rating='3'", "<dc:subject><rdf:Bag><rdf:li>one</rdf:li></rdf:Bag></dc:subject>").utf8)
    let end = Self.read(String(decoding: whole, as: UTF8.self))
    for count in 0..<whole.count {
      let found = XMPProperties.read(Array(whole.prefix(count)))
      let rating = found["{XMP}", "xmp:Rating"]
      #expect(rating == nil || rating == .text("3"), "\(count) bytes")
    }
    #expect(end["{XMP}", "dc:subject"] == .list([.text("one")]))
  }

  @Test func changedBytesNeverTrap() {
    let whole = Array(
      Self.packet("xmp:Rating='3'", "<dc:title><rdf:Alt><rdf:li xml:lang='de'>&amp;</rdf:li></rdf:Alt></dc:title>").utf8
    )
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = XMPProperties.read(bytes)
    }
  }

  @Test func depthAndNumbersAreLimited() {
    let deep = String(repeating: "<own:a rdf:parseType='Resource'>", count: 100_000)
    #expect(Self.read(Self.packet("xmp:Rating='3'", deep))["{XMP}", "xmp:Rating"] == .text("3"))
    let many = String(repeating: "<rdf:li>x</rdf:li>", count: 100_000)
    guard
      case .list(let items)? = Self.xmp(
        Self.packet("", "<dc:subject><rdf:Bag>\(many)</rdf:Bag></dc:subject>"))["dc:subject"]
    else {
      Issue.record("no list")
      return
    }
    // The list itself is one of the values.
    #expect(items.count == 4095)
    let long = String(repeating: "x", count: 70_000)
    #expect(Self.xmp(Self.packet("xmp:Label='\(long)' xmp:Rating='3'", "<dc:source>\(long)</dc:source>")).count == 1)
    // Each element inside another one would keep all names around it.
    let spaces = (0..<100_000).map { "<own:a xmlns:p\($0)='n'>" }.joined()
    #expect(Self.read(Self.packet("xmp:Rating='3'", spaces)).isEmpty == false)
  }
}
