// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import SVGCoder

@Suite struct SVGReaderTests {
  /// Two boxes beside each other, the right one half transparent.
  private static let boxes = SmallDrawing(
    "width='2' height='1'",
    "<rect width='1' height='1' fill='red'/><rect x='1' width='1' height='1' fill='lime' fill-opacity='0.5'/>")

  /// So many pixels of one color.
  private static func pixels(_ color: [UInt8], _ count: Int) -> [UInt8] { (0..<count).flatMap { _ in color } }

  @Test func pixelsArePremultiplied() throws {
    #expect(try Self.boxes.pixels() == [255, 0, 0, 255, 0, 128, 0, 128])
    let header = try Self.boxes.reader().header(page: 0)
    #expect(header.pixelFormat == .rgba8 && header.alpha == .premultiplied && header.frameCount == 1)
  }

  private static let signed = "xmlns:c2pa='http://c2pa.org/manifest' width='2' height='1'"

  @Test(
    arguments: [
      ("<c2pa:manifest>AQID\nBA==</c2pa:manifest>", [1, 2, 3, 4]),
      ("<c2pa:manifest>A</c2pa:manifest>", []), ("<c2pa:manifest/>", nil),
      ("<c2pa:manifests>AQID</c2pa:manifests>", nil), ("<!-- <c2pa:manifest>AQID</c2pa:manifest> -->", nil),
    ] as [(String, [UInt8]?)])
  func credentialsAreInTheMetadata(_ content: String, _ store: [UInt8]?) throws {
    let reader = try SmallDrawing(Self.signed, "<metadata>\(content)</metadata>").reader()
    #expect(try reader.metadata(.c2pa, page: 0) == store)
    #expect(try reader.metadata(.xmp, page: 0) == nil)
    #expect(try reader.header(page: 0).metadata == (store == nil ? [] : [.c2pa]))
  }

  @Test func credentialsKeepToTheLimit() throws {
    var drawing = SmallDrawing(Self.signed, "<c2pa:manifest>AQIDBA==</c2pa:manifest>")
    drawing.limits.maxMetadata = 7
    let error = #expect(throws: CoderError.self) { try drawing.reader() }
    #expect(error?.code == .limitExceeded && error?.limit == .maxMetadata)
  }

  @Test func anySizeIsFilledExactly() throws {
    let size = Size(width: 6, height: 5)
    let row = Self.pixels([255, 0, 0, 255], 3) + Self.pixels([0, 128, 0, 128], 3)
    let wanted = (0..<5).flatMap { _ in row }
    #expect(try Self.boxes.pixels(size: size) == wanted)
    let offer = try Self.boxes.reader().offer(for: DecodeRequest(size: size))
    #expect(offer.whole == size && offer.size == size && offer.alpha == .premultiplied)
  }

  @Test func ownSizeIsNotStretched() throws {
    // Half of the last column is covered: 255 × 0.5 rounded.
    let drawing = SmallDrawing("width='1.5' height='1'", "<rect width='100%' height='100%' fill='red'/>")
    #expect(try drawing.pixels() == [255, 0, 0, 255, 128, 0, 0, 128])
    let offer = try drawing.reader().offer(for: DecodeRequest())
    #expect(offer.coveredWidth == 1.5 && offer.coveredHeight == 1)
    #expect(
      try drawing.pixels(size: Size(width: 3, height: 2))
        == Self.pixels([255, 0, 0, 255], 6))
  }

  /// Curves, a gradient, a group with opacity and a pattern.
  private static let rich = SmallDrawing(
    "width='40' height='30'",
    """
    <defs><linearGradient id='g'><stop offset='0' stop-color='red'/><stop offset='1' stop-color='blue'/></linearGradient>
    <pattern id='p' width='7' height='5' patternUnits='userSpaceOnUse'><circle cx='3' cy='2' r='2'/></pattern></defs>
    <rect width='40' height='30' fill='url(#g)'/><g opacity='0.4'><circle cx='20' cy='15' r='13' fill='lime'/>
    <rect width='20' height='9' fill='url(#p)'/></g><path d='M1,29 Q20,-30 39,29' stroke='black' fill='none'/>
    """)

  @Test(arguments: [
    Rect(x: 0, y: 0, width: 160, height: 120), Rect(x: 33, y: 17, width: 50, height: 60),
    Rect(x: 159, y: 119, width: 1, height: 1),
  ])
  func partIsThatOfTheWhole(_ part: Rect) throws {
    let plain = SmallDrawing(
      "width='40' height='30'",
      "<rect width='40' height='30' fill='blue'/><g opacity='0.4'><circle cx='20' cy='15' r='13' fill='lime'/></g>")
    #expect(try Self.difference(plain, part) == 0)
    // cairo adds up the steps of a gradient from where it begins to draw, and cuts curves there.
    #expect(try Self.difference(Self.rich, part) <= 3)
  }

  /// How far a part is from that of the whole, at most.
  private static func difference(_ drawing: SmallDrawing, _ part: Rect) throws -> Int {
    let size = Size(width: 160, height: 120)
    let whole = try drawing.pixels(size: size)
    var wanted: [UInt8] = []
    for y in part.y..<part.y + part.height {
      let start = (y * 160 + part.x) * 4
      wanted += whole[start..<start + part.width * 4]
    }
    let found = try drawing.pixels(size: size, part: part)
    #expect(found.count == wanted.count)
    return zip(found, wanted).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  @Test(arguments: [1, 3, 64]) func rowsGoAsTheHostTakesThem(_ most: Int) throws {
    #expect(try Self.rich.pixels(most: most) == Self.rich.pixels())
  }

  /// Larger than one band.
  @Test func bandsGiveTheWholePicture() throws {
    let drawing = SmallDrawing("width='100' height='100'", "<circle cx='50' cy='50' r='49.7' fill='red'/>")
    let size = Size(width: 3000, height: 2000)
    let reader = try drawing.reader()
    let offer = try reader.offer(for: DecodeRequest(size: size))
    #expect(offer.memory == 8 << 20 / 12000 * 12000)
    let pixels = try drawing.pixels(size: size)
    for y in [0, 698, 699, 700, 1398, 1999] {
      let row = try drawing.pixels(size: size, part: Rect(x: 0, y: y, width: 3000, height: 1))
      #expect(pixels[y * 12000..<(y + 1) * 12000].elementsEqual(row), "row \(y)")
    }
  }

  @Test func layersCountInMemory() throws {
    let offer = try Self.rich.reader().offer(
      for: DecodeRequest(size: Size(width: 400, height: 300), part: Rect(x: 0, y: 0, width: 10, height: 10)))
    #expect(offer.memory == 10 * 10 * 4 + 2 * 400 * 300 * 4)
  }

  @Test func limitsHoldWhatIsOffered() throws {
    var drawing = SmallDrawing("width='1000000' height='500000'", "<rect width='100%' height='100%'/>")
    drawing.limits.maxPixels = 5000
    let small = Size(width: 100, height: 50)
    #expect(try drawing.pixels(size: small) == Self.pixels([0, 0, 0, 255], 5000))
    let part = Rect(x: 0, y: 0, width: 50, height: 100)
    #expect(
      try drawing.reader().offer(for: DecodeRequest(size: Size(width: 30_000, height: 15_000), part: part)).size
        == part.size)
    #expect(throws: CoderError.limitExceeded(.maxPixels, found: 5151, allowed: 5000, what: "a pixel count of")) {
      try drawing.reader().offer(for: DecodeRequest(size: Size(width: 101, height: 51)))
    }
    #expect(throws: CoderError.unsupported("a drawing of 32768×1, librsvg draws sides of at most 32767 pixels")) {
      try drawing.reader().offer(for: DecodeRequest(size: Size(width: 32_768, height: 1)))
    }
    #expect(throws: CoderError.unsupported("a drawing of 1000000×500000, librsvg draws sides of at most 32767 pixels"))
    {
      try drawing.reader().offer(for: DecodeRequest())
    }
  }

  @Test func longestSideIsDrawn() throws {
    let drawing = SmallDrawing("width='1' height='1'", "<rect width='100%' height='100%'/>")
    let row = try drawing.pixels(size: Size(width: 32_767, height: 1))
    #expect(row == Self.pixels([0, 0, 0, 255], 32_767))
  }

  @Test func partsOutsideAreRefused() throws {
    let reader = try Self.boxes.reader()
    #expect(throws: CoderError.invalidArgument("a part of 2×1 at 1,0 of a drawing of 2×1")) {
      try reader.offer(for: DecodeRequest(part: Rect(x: 1, y: 0, width: 2, height: 1)))
    }
  }

  @Test func documentsHaveALimitOfMemory() {
    var drawing = SmallDrawing("", String(repeating: "<g/>", count: 100))
    let memory = 25 * drawing.bytes.count + 1300 * 101
    drawing.limits.maxMemory = memory - 1
    #expect(
      throws: CoderError.limitExceeded(
        .maxMemory, found: memory, allowed: memory - 1, what: "memory for pixels, in bytes, of")
    ) { try drawing.reader() }
    drawing.limits.maxMemory = memory
    #expect(throws: Never.self) { try drawing.reader() }
  }

  /// What Cairo takes for a gradient grows with the square of its stops.
  @Test func gradientsOfManyStopsAreUnsupported() {
    func drawing(_ count: Int) -> SmallDrawing {
      SmallDrawing("", "<linearGradient id='a'>\(String(repeating: "<stop/>", count: count))</linearGradient>")
    }
    #expect(throws: Never.self) { try drawing(1024).reader() }
    #expect(throws: CoderError.unsupported("a gradient of 1025 stops; at most 1024 are drawn")) {
      try drawing(1025).reader()
    }
  }

  @Test func cancelledDrawingsEnd() throws {
    let host = MemoryHost()
    let reader = try SVGReader(MemorySource(Self.boxes.bytes).view, host: host.host, options: [])
    let offer = try reader.offer(for: DecodeRequest())
    host.isCancelled = true
    #expect(throws: CoderError.cancelled) { try reader.decode(offer, into: MemorySink(offer).sink) }
  }

  @Test func viewBoxIsAProperty() throws {
    let properties = try SmallDrawing("viewBox='1 2 3.5 4'").reader().properties(page: 0, frame: nil)
    #expect(properties["{SVG}", "ViewBoxSize"] == .list([.number(3.5), .number(4)]))
  }
}
