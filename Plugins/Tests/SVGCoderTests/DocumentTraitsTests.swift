// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SVGCoder

@Suite struct DocumentTraitsTests {
  private static func traits(_ text: String) -> DocumentTraits {
    Array(text.utf8).withUnsafeBytes { DocumentTraits(MarkupText($0)) }
  }

  @Test(arguments: [
    "<image href='a.png'/>", "<image xlink:href = \" http://a/b\"/>", "<use x='>' href='b.svg#c'/>",
    "<?xml-stylesheet href='a'?>", "<style>@import 'a'</style>", "<rect style='fill:url(a.svg#b)'/>",
    "<rect fill='url( &quot;a.svg#b)'/>", "<!ENTITY a SYSTEM 'b'>", "<!ENTITY % a PUBLIC 'b' 'c'>",
    "<xi:include href='a'/>",
  ])
  func refersToOtherFiles(_ text: String) { #expect(Self.traits("<svg>\(text)</svg>").refersOutside) }

  @Test(arguments: [
    "<image href='#a'/>", "<image href='data:image/png;base64,A'/>", "<a href='http://b'/>", "<script href='a'/>",
    "<rect fill='url(#a)' style='fill:url(\"#a\")'/>", "<!-- <image href='a'/> -->", "<!ENTITY a 'SYSTEM'>",
    "<rect nohref='a'/>",
    "<image href=''/>", "<!ENTITY SYSTEM 'b'>", "a url(", "href='a'",
  ])
  func staysInItsFile(_ text: String) { #expect(!Self.traits("<svg>\(text)").refersOutside) }

  @Test func findsPicturesOfOtherFiles() {
    let text = "\u{FEFF}<svg><image href='a.png'/><use href='b.svg'/><image x='1' href = \" c.jpg\"/><image href='#d'/>"
    let bytes = Array(text.utf8)
    let found = Self.traits(text).pictures
    #expect(found.map { String(decoding: bytes[$0], as: UTF8.self) } == ["a.png", " c.jpg"])
  }

  @Test func countsElements() {
    #expect(Self.traits("<?xml?><!DOCTYPE svg><!-- <a> --><svg><g><s:rect/></g></svg>").elements == 3)
  }

  @Test func countsTheStopsOfEachGradient() {
    let stop = "<stop offset='0'><animate/></stop>"
    let one = "<linearGradient>\(stop)<!-- <stop> --><s:stop/>\(stop)</linearGradient>"
    #expect(Self.traits("<svg>\(one)<radialGradient>\(stop)</radialGradient><stopped/></svg>").stops == 3)
    #expect(Self.traits("<svg><rect fill='stop'/></svg>").stops == 0)
  }

  @Test func findsText() {
    #expect(Self.traits("<svg><text>a</text></svg>").hasText)
    #expect(Self.traits("<svg:text/>").hasText)
    #expect(!Self.traits("<svg><textPath/><!-- <text> --></svg>").hasText)
  }

  @Test(arguments: [
    "<g opacity='1'>", "<g style='mix-blend-mode:screen'>", "<filter id='a'>", "<mask>",
    "<g style='isolation:isolate'>",
  ])
  func findsLayers(_ text: String) { #expect(Self.traits(text).hasLayers) }

  @Test func plainDrawingsHaveNoLayers() {
    #expect(!Self.traits("<svg><rect fill='red'/><text>a</text></svg>").hasLayers)
  }
}
