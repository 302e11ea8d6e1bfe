// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import SVGCoder

@Suite struct DrawingTextsTests {
  private static let names = """
    width='2' height='1' xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:cc='http://creativecommons.org/ns#' \
    xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:x='adobe:ns:meta/'
    """

  private static func texts(_ content: String) throws -> [String] {
    let payload = try SmallDrawing(names, content).reader().metadata(.text, page: 0)
    return ContainerText.texts(in: payload ?? []).map { "\($0.keyword): \($0.text)" }
  }

  /// As Inkscape writes it.
  private static let described = """
    <title>Harbour</title><desc>Boats
       &amp; the sea</desc><metadata><rdf:RDF><cc:Work rdf:about=''>
    <dc:format>image/svg+xml</dc:format><dc:type rdf:resource='http://purl.org/dc/dcmitype/StillImage'/>
    <dc:title>Harbour</dc:title><dc:creator><cc:Agent><dc:title>A. Author</dc:title></cc:Agent></dc:creator>
    <dc:rights><cc:Agent><dc:title>&#169; A. &#x3c;Author></dc:title></cc:Agent></dc:rights>
    <dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>boat</rdf:li></rdf:Bag></dc:subject>
    <cc:license rdf:resource="http://creativecommons.org/licenses/by/4.0/"/></cc:Work></rdf:RDF></metadata>
    """

  @Test func whatInkscapeWritesIsRead() throws {
    #expect(
      try Self.texts(Self.described) == [
        "Title: Harbour", "Description: Boats & the sea", "Author: A. Author", "Copyright: © A. <Author>",
        "Subject: sea, boat", "License: http://creativecommons.org/licenses/by/4.0/",
      ])
    #expect(try SmallDrawing(Self.names, Self.described).reader().header(page: 0).metadata == [.text])
  }

  @Test(
    arguments: [
      // Titles of parts say nothing of the picture.
      ("<g><title>A part</title></g>", []), ("<!-- <title>None</title> -->", []), ("<title/>", []),
      ("<title> </title>", []), ("<title>One</title><title>Two</title>", ["Title: One, Two"]),
      ("<desc>1 &lt; 2 &quot;&apos;&quot;</desc>", ["Description: 1 < 2 \"'\""]),
      ("<dc:title>Outside</dc:title>", []),
      ("<metadata><dc:rights>All</dc:rights></metadata>", ["Copyright: All"]),
    ] as [(String, [String])])
  func onlyWhatIsSaidOfTheDrawingIsRead(_ content: String, _ texts: [String]) throws {
    #expect(try Self.texts(content) == texts)
  }

  @Test func aPacketIsReadAsItStands() throws {
    let title = "<rdf:Description><dc:title>Harbour</dc:title></rdf:Description>"
    let packet = "<x:xmpmeta><rdf:RDF>\(title)</rdf:RDF></x:xmpmeta>"
    let reader = try SmallDrawing(Self.names, "<metadata><?xpacket?>\(packet)</metadata>").reader()
    #expect(try reader.metadata(.xmp, page: 0) == Array(packet.utf8))
    #expect(try reader.header(page: 0).metadata == [.xmp])
  }

  @Test func textsKeepToTheLimit() throws {
    var drawing = SmallDrawing(Self.names, "<title>Four</title><desc>12345</desc>")
    drawing.limits.maxMetadata = 8
    let payload = try drawing.reader().metadata(.text, page: 0)
    #expect(ContainerText.texts(in: payload ?? []).map(\.text) == ["Four"])
  }
}
