// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Readers that scale while they decode, and how far their last column reaches.
@Suite struct CoverageTests {
  /// A picture of 33 × 9 whose gray grows by 7 a column, at five eighths: 21 × 6.
  private struct RampContainer: ReadOnlyContainer {
    let id = "org.example.ramp"
    let signatures = [FormatSignature(Array("r".utf8))]
    let readsIncrementally = false
    let names: ContainerPropertyNames? = nil
    /// Columns and rows that the frame covers; nil for all.
    let covered: (width: Double, height: Double)?

    func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
      Reader(covered)
    }
  }

  private static let canvas = Size(width: 33, height: 9)
  private static let offered = Size(width: 21, height: 6)

  private final class Reader: ReaderSession {
    private let covered: (width: Double, height: Double)?

    init(_ covered: (width: Double, height: Double)?) { self.covered = covered }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      ImageHeader(
        format: ImageFormat(rawValue: "org.example.ramp"), canvas: canvas, pixelFormat: .gray8, bitsPerChannel: 8,
        alpha: .opaque)
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
      FrameHeader(rect: Rect(covering: canvas))
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      DecodeOffer(request, size: offered, pixelFormat: .gray8, alpha: .opaque, covered: covered)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      // Columns of the frame for one of the offered picture.
      let step = Double(canvas.width) / (covered?.width ?? Double(offered.width))
      for y in 0..<offered.height {
        let row = try sink.rows(at: y).base.assumingMemoryBound(to: UInt8.self)
        for x in 0..<offered.width { row[x] = UInt8(min(255, (7 * (Double(x) + 0.5) * step).rounded())) }
        try sink.done(at: y)
      }
    }
  }

  /// Seventeen columns of 33/17 each: the gray in the middle of each, but for the ends, where the filter meets the edge.
  @Test(arguments: [true, false]) func aRampIsTheSameHoweverItIsOffered(_ reachesBeyond: Bool) throws {
    let container = RampContainer(covered: reachesBeyond ? (20.625, 5.625) : nil)
    var options = DecodeOptions()
    options.size = .fitting(Size(width: 17, height: 0))
    options.thumbnailQuality = .fast
    let image = try AnimatedCoder(container).decode(.bytes(Array("r".utf8)), options: options)
    #expect(image.size == Size(width: 17, height: 5))
    let row = image.pixels.withRow(2) { Array($0) }
    for x in 2..<15 {
      let gray = 7 * (Double(x) + 0.5) * 33 / 17
      #expect(abs(Double(row[x]) - gray) <= 1.3, "column \(x): \(row[x]) for \(gray)")
    }
  }

  @Test func atMostAllIsCovered() {
    let offer = DecodeOffer(
      DecodeRequest(), size: Self.offered, pixelFormat: .gray8, alpha: .opaque, covered: (21.5, 5.625))
    #expect(offer.coveredWidth == 21)
    #expect(offer.coveredHeight == 5.625)
    let whole = DecodeOffer(DecodeRequest(), size: Self.offered, pixelFormat: .gray8, alpha: .opaque)
    #expect(whole.coveredWidth == 21 && whole.coveredHeight == 6)
  }
}
