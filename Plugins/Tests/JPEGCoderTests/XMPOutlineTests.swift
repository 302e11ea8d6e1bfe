// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import JPEGCoder

@Suite struct XMPOutlineTests {
  /// Each byte begins something that does not end, or is a declaration of its own. The work is proportional to the bytes:
  /// a scan that went back would look at 2 MiB for each of them.
  @Test(
    arguments: ["<", "<!--", "<a b='", "<![CDATA[", "<a xmlns:b='c'>", "<rdf:RDF><", "</rdf:RDF>", "--><a '\""],
    [false, true])
  func looksAtEachByteAFewTimes(_ piece: String, _ hasNote: Bool) {
    for size in [1 << 12, 1 << 20] {
      let packet = Array(String(repeating: piece, count: size / piece.utf8.count).utf8)
      var scanner = TagScanner(packet)
      _ = XMPOutline(packet, hasNote: hasNote, &scanner)
      // "<!--" and the like are looked for at each "<": 17 bytes.
      #expect(scanner.bytesLookedAt <= 40 * packet.count, "\(scanner.bytesLookedAt) for \(packet.count) bytes")
    }
  }

  @Test func findsPropertiesDeclarationsAndTheNote() throws {
    let text = """
      <?xpacket begin='' ?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:Description \
      xmlpNote:HasExtendedXMP="ABC"/></rdf:RDF></x:xmpmeta>
      """
    let packet = Array(text.utf8)
    let outline = try #require(XMPOutline(packet, hasNote: true))
    #expect(String(decoding: packet[outline.properties], as: UTF8.self).hasPrefix("<rdf:Description"))
    #expect(outline.declarations.count == 2)
    let note = try #require(outline.note)
    #expect(String(decoding: note.digest, as: UTF8.self) == "ABC")
    #expect(String(decoding: packet[note.whole], as: UTF8.self) == " xmlpNote:HasExtendedXMP=\"ABC\"")
  }
}
