// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Drawings without pixels of their own, which are drawn at the size that is asked for.
@Suite struct DrawingTests {
  /// A gradient: gray is 200 times the column plus 50 times the row, as shares of the sides.
  private struct Gradient: ReadOnlyContainer {
    let id = "org.example.gradient"
    let signatures = [FormatSignature(Array("g".utf8))]
    let readsIncrementally = false
    let names: ContainerPropertyNames? = nil
    var natural: (width: Double, height: Double) = (24.5, 10.25)
    var isStated = true
    var resolution: Double? = 96
    var largestSide: Int?
    var orientation = Orientation.up
    /// Whether the reader draws parts alone.
    var drawsParts = true

    func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
      Reader(self)
    }
  }

  private final class Reader: ReaderSession {
    private let gradient: Gradient
    init(_ gradient: Gradient) { self.gradient = gradient }

    private var canvas: Size {
      Size(width: Int(gradient.natural.width.rounded(.up)), height: Int(gradient.natural.height.rounded(.up)))
    }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: ImageFormat(rawValue: "org.example.gradient"), canvas: canvas, pixelFormat: .gray8, bitsPerChannel: 8,
        alpha: .opaque)
      header.anySize = AnySize(
        width: gradient.isStated ? gradient.natural.width : nil,
        height: gradient.isStated ? gradient.natural.height : nil, largestSide: gradient.largestSide)
      header.resolution = gradient.resolution
      header.orientation = gradient.orientation
      return header
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
      FrameHeader(rect: Rect(covering: canvas))
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      DecodeOffer(
        request, size: request.size ?? canvas, part: gradient.drawsParts ? request.part : nil, pixelFormat: .gray8,
        alpha: .opaque)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      for y in 0..<offer.size.height {
        let row = try sink.rows(at: y).base.assumingMemoryBound(to: UInt8.self)
        for x in 0..<offer.size.width {
          row[x] = DrawingTests.gray(offer.part.x + x, offer.part.y + y, of: offer.whole)
        }
        try sink.done(at: y)
      }
    }
  }

  private static func gray(_ x: Int, _ y: Int, of size: Size) -> UInt8 {
    UInt8(200 * (Double(x) + 0.5) / Double(size.width) + 50 * (Double(y) + 0.5) / Double(size.height))
  }

  private func decode(_ gradient: Gradient = Gradient(), _ options: DecodeOptions) throws(CoderError) -> Image {
    try AnimatedCoder(gradient).decode(.bytes(Array("g".utf8)), options: options)
  }

  private static func size(_ width: Int, _ height: Int) -> Size { Size(width: width, height: height) }

  /// Sizes of a drawing of 24.5 × 10.25 at 96 pixels per inch.
  @Test(arguments: [
    (PictureSize.own, size(25, 11)), (.scaled(2), size(49, 21)), (.scaled(4), size(98, 41)),
    (.scaled(0.01), size(1, 1)),
    (.resolution(192), size(49, 21)), (.fitting(size(512, 512)), size(512, 214)), (.fitting(size(7, 0)), size(7, 3)),
    (.fitting(size(0, 41)), size(98, 41)), (.fitting(size(0, 0)), size(25, 11)),
    (.fitting(size(64, 64), .fill), size(64, 64)),
    (.fitting(size(640, 3), .stretch), size(640, 3)), (.fitting(size(640, 0), .stretch), size(640, 268)),
  ]) func aDrawingIsAsLargeAsItIsAskedFor(_ size: PictureSize, _ expected: Size) throws {
    let image = try decode(Gradient(), DecodeOptions(size: size))
    #expect(image.size == expected)
    guard size.mode != .fill else { return }
    for y in [0, expected.height - 1] {
      for x in [0, expected.width - 1] {
        #expect(image.pixels.withRow(y) { $0[x] } == Self.gray(x, y, of: expected), "column \(x) of row \(y)")
      }
    }
  }

  /// A4 is 210 × 297 mm.
  @Test func paperHasTheSizeThatOthersGiveIt() throws {
    let paper = Gradient(natural: (210 / 25.4 * 72, 297 / 25.4 * 72), resolution: 72)
    #expect(try decode(paper, DecodeOptions(size: .resolution(300))).size == Self.size(2481, 3508))
  }

  @Test func theLongSideIsExactAndTheOtherWithinHalfAPixel() throws {
    var choices = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let natural = (
        width: Double.random(in: 0.5...3000, using: &choices), height: Double.random(in: 0.5...3000, using: &choices)
      )
      let box = Self.size(Int.random(in: 1...200, using: &choices), Int.random(in: 1...200, using: &choices))
      let size = try decode(Gradient(natural: natural), DecodeOptions(size: .fitting(box))).size
      let scale = min(Double(box.width) / natural.width, Double(box.height) / natural.height)
      let words = "\(natural) in \(box)"
      #expect(size.width == box.width || size.height == box.height, "\(words)")
      #expect(abs(Double(size.width) - max(1, natural.width * scale)) <= 0.501, "\(words)")
      #expect(abs(Double(size.height) - max(1, natural.height * scale)) <= 0.501, "\(words)")
    }
  }

  /// A part is the same part of the whole, whether the reader draws it alone or not.
  @Test(arguments: [true, false], [Orientation.up, .right, .downMirrored])
  func aPartIsThatOfTheWhole(_ drawsParts: Bool, _ orientation: Orientation) throws {
    var gradient = Gradient(natural: (40, 20), orientation: orientation)
    gradient.drawsParts = drawsParts
    let shown = orientation.displayed(Self.size(40, 20))
    let part = Rect(x: 5, y: 3, width: 10, height: 8)
    let whole = try decode(gradient, DecodeOptions(size: .fitting(Self.size(shown.width * 3, 0))))
    let cut = try decode(gradient, DecodeOptions(size: .scaled(3), part: part))
    #expect(whole.size == Self.size(shown.width * 3, shown.height * 3))
    #expect(cut.size == Self.size(30, 24))
    for y in 0..<24 {
      let expected = whole.pixels.withRow(y + 9) { Array($0[15..<45]) }
      #expect(cut.pixels.withRow(y) { Array($0) } == expected, "row \(y)")
    }
  }

  @Test func aFilledBoxShowsTheMiddle() throws {
    let image = try decode(Gradient(natural: (40, 20)), DecodeOptions(size: .fitting(Self.size(30, 30), .fill)))
    #expect(image.size == Self.size(30, 30))
    #expect(image.pixels.withRow(7) { $0[4] } == Self.gray(4 + 15, 7, of: Self.size(60, 30)))
  }

  @Test func aPosterHasAThumbnail() throws {
    let poster = Gradient(natural: (100_000, 50_000))
    #expect(try decode(poster, DecodeOptions(size: .fitting(Self.size(256, 256)))).size == Self.size(256, 128))
    let error = #expect(throws: CoderError.self) { try decode(poster, DecodeOptions()) }
    #expect(error?.code == .limitExceeded && error?.limit == .maxSide)
  }

  @Test func sizesThatMakeNoSenseAreRefused() throws {
    let wrong: [PictureSize] = [
      .scaled(0), .scaled(-1), .scaled(.nan), .scaled(.infinity), .resolution(0), .fitting(Self.size(-1, 4)),
    ]
    for size in wrong {
      let error = #expect(throws: CoderError.self, "\(size)") { try decode(Gradient(), DecodeOptions(size: size)) }
      #expect(error?.code == .invalidArgument, "\(size)")
    }
    let unstated = Gradient(isStated: false, resolution: nil)
    #expect(try decode(unstated, DecodeOptions(size: .scaled(2))).size == Self.size(50, 22))
    let error = #expect(throws: CoderError.self) { try decode(unstated, DecodeOptions(size: .resolution(96))) }
    #expect(error?.code == .invalidArgument)
    let small = Gradient(largestSide: 100)
    #expect(try decode(small, DecodeOptions(size: .fitting(Self.size(100, 0)))).size.width == 100)
    let large = #expect(throws: CoderError.self) { try decode(small, DecodeOptions(size: .fitting(Self.size(101, 0)))) }
    #expect(large?.code == .unsupported && large?.message.contains("100") == true)
  }

  @Test func aBudgetMakesADrawingSmaller() throws {
    var options = DecodeOptions(size: .fitting(Self.size(1000, 0)), memoryBudget: 100)
    options.pixelFormat = .gray8
    let size = try decode(Gradient(natural: (40, 20)), options).size
    #expect(size.pixelCount <= 100 && size == Self.size(14, 7))
  }
}
