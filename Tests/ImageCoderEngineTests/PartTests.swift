// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Parts of pictures of pixels.
@Suite struct PartTests {
  /// A picture of 64 × 48 whose samples differ from their neighbours, from a reader that keeps count of what it delivers.
  private struct Pixels: ReadOnlyContainer {
    let id = "org.example.pixels"
    let signatures = [FormatSignature(Array("p".utf8))]
    let readsIncrementally = false
    let names: ContainerPropertyNames? = nil
    let offering: Offering
    var orientation = Orientation.up
    let delivered = Delivered()

    func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
      Reader(self)
    }
  }

  /// What a reader offers where a part is asked for.
  private enum Offering: CaseIterable {
    case whole, tiles, part
    /// Less than was asked for, which is a fault of the reader.
    case less
  }

  private final class Delivered: @unchecked Sendable {
    var part = Rect(x: 0, y: 0, width: 0, height: 0)
    var rows = 0
  }

  private static let canvas = Size(width: 64, height: 48)

  private static func sample(_ x: Int, _ y: Int) -> UInt8 { UInt8(truncatingIfNeeded: x &* 37 &+ y &* 101 ^ (x &* y)) }

  private final class Reader: ReaderSession {
    private let pixels: Pixels
    init(_ pixels: Pixels) { self.pixels = pixels }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: ImageFormat(rawValue: "org.example.pixels"), canvas: canvas, pixelFormat: .gray8, bitsPerChannel: 8,
        alpha: .opaque)
      header.orientation = pixels.orientation
      return header
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
      FrameHeader(rect: Rect(covering: canvas))
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      var part = request.part
      if let wanted = part {
        switch pixels.offering {
        case .whole: part = nil
        case .part: break
        case .less: part = Rect(x: wanted.x, y: wanted.y, width: wanted.width - 1, height: wanted.height)
        case .tiles:
          let (left, top) = (wanted.x / 16 * 16, wanted.y / 16 * 16)
          part = Rect(
            x: left, y: top, width: (wanted.x + wanted.width + 15) / 16 * 16 - left,
            height: (wanted.y + wanted.height + 15) / 16 * 16 - top)
        }
      }
      return DecodeOffer(request, size: canvas, part: part, pixelFormat: .gray8, alpha: .opaque)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      pixels.delivered.part = offer.part
      pixels.delivered.rows = 0
      for y in 0..<offer.size.height {
        let row = try sink.rows(at: y).base.assumingMemoryBound(to: UInt8.self)
        for x in 0..<offer.size.width { row[x] = PartTests.sample(offer.part.x + x, offer.part.y + y) }
        pixels.delivered.rows += 1
        try sink.done(at: y)
      }
    }
  }

  private func decode(_ pixels: Pixels, _ options: DecodeOptions) throws(CoderError) -> PixelBuffer {
    try AnimatedCoder(pixels).decode(.bytes(Array("p".utf8)), options: options).pixels
  }

  @Test(arguments: [Offering.whole, .tiles, .part], Orientation.allCases)
  private func aPartHasThePixelsOfTheWhole(_ offering: Offering, _ orientation: Orientation) throws {
    let pixels = Pixels(offering: offering, orientation: orientation)
    let whole = try decode(pixels, DecodeOptions())
    let part = Rect(x: 21, y: 5, width: 13, height: 30)
    let cut = try decode(pixels, DecodeOptions(part: part))
    #expect(cut.size == part.size)
    for y in 0..<part.height {
      let expected = whole.withRow(part.y + y) { Array($0[part.x..<(part.x + part.width)]) }
      #expect(cut.withRow(y) { Array($0) } == expected, "row \(y)")
    }
    if offering == .part { #expect(pixels.delivered.part == orientation.stored(part, in: Self.canvas)) }
  }

  /// Near the part's edges the filter sees the pixels outside it, as where the whole is made smaller.
  @Test(arguments: [Offering.whole, .tiles, .part]) private func aSmallerPartIsThatOfTheSmallerWhole(
    _ offering: Offering
  ) throws {
    let pixels = Pixels(offering: offering)
    let whole = try decode(pixels, DecodeOptions(size: .fitting(Size(width: 32, height: 24))))
    let cut = try decode(
      pixels, DecodeOptions(size: .scaled(0.5), part: Rect(x: 16, y: 20, width: 20, height: 12)))
    #expect(cut.size == Size(width: 10, height: 6))
    for y in 0..<6 {
      let expected = whole.withRow(10 + y) { Array($0[8..<18]) }
      #expect(cut.withRow(y) { Array($0) } == expected, "row \(y)")
    }
    if offering != .whole { #expect(pixels.delivered.part.size != Self.canvas) }
  }

  @Test func aReaderIsStoppedAfterTheLastRow() throws {
    let pixels = Pixels(offering: .whole)
    _ = try decode(pixels, DecodeOptions(part: Rect(x: 0, y: 4, width: 64, height: 8)))
    #expect(pixels.delivered.rows < 24, "\(pixels.delivered.rows) rows")
  }

  @Test func aReaderThatOffersLessIsRefused() throws {
    let error = #expect(throws: CoderError.self) {
      try decode(Pixels(offering: .less), DecodeOptions(part: Rect(x: 1, y: 1, width: 4, height: 4)))
    }
    #expect(error?.code == .libraryFailure)
  }

  @Test(arguments: [
    Rect(x: 0, y: 0, width: 0, height: 4), Rect(x: -1, y: 0, width: 4, height: 4),
    Rect(x: 61, y: 0, width: 4, height: 4),
    Rect(x: 0, y: 45, width: 4, height: 4), Rect(x: .max, y: 0, width: .max, height: 1),
  ]) func aPartOutsideThePictureIsRefused(_ part: Rect) throws {
    let error = #expect(throws: CoderError.self) { try decode(Pixels(offering: .part), DecodeOptions(part: part)) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func picturesOfPixelsAreNotEnlarged() throws {
    for size in [PictureSize.scaled(1.5), .resolution(300)] {
      let error = #expect(throws: CoderError.self) { try decode(Pixels(offering: .whole), DecodeOptions(size: size)) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(try decode(Pixels(offering: .whole), DecodeOptions(size: .scaled(0.3))).size == Size(width: 20, height: 15))
  }
}
