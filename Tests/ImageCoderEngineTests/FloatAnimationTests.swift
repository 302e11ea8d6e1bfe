// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Frames in floating point are composed as deep as they are stored.
@Suite struct FloatAnimationTests {
  private static let formats = [PixelFormat.rgbaFloat16, .rgbaFloat32]

  /// Frames of one pixel value each, in floating point.
  private struct Frames: ReadOnlyContainer {
    let id = "org.example.light"
    let signatures = [FormatSignature(Array("light".utf8))]
    let readsIncrementally = false
    let names: ContainerPropertyNames? = nil
    var format: PixelFormat
    var canvas = Size(width: 3, height: 1)
    var isAnimated = true
    var frames: [(header: FrameHeader, pixel: [Double])]

    func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
      Reader(file: self)
    }

    func decoder(_ options: DecodeOptions = DecodeOptions()) throws -> ImageDecoder {
      try AnimatedCoder(self).makeDecoder(
        DecodeContext(try OpenSource(.bytes(Array("light".utf8)), limits: .standard), options: options))
    }
  }

  private final class Reader: ReaderSession {
    private let file: Frames

    init(file: Frames) { self.file = file }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: ImageFormat(rawValue: "org.example.light"), canvas: file.canvas, pixelFormat: file.format,
        bitsPerChannel: 8 * file.format.bytesPerChannel, alpha: .straight)
      header.isAnimated = file.isAnimated
      header.frameCount = file.frames.count
      return header
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader { file.frames[index].header }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      DecodeOffer(
        request, size: file.frames[request.frame].header.rect.size, pixelFormat: file.format, alpha: .straight,
        rowOrder: .topDown)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      let pixel = file.frames[offer.frame].pixel
      for y in 0..<offer.size.height {
        let row = try sink.rows(at: y).base
        for index in 0..<(4 * offer.size.width) {
          if file.format == .rgbaFloat32 {
            row.storeBytes(of: Float(pixel[index % 4]), toByteOffset: 4 * index, as: Float.self)
          } else {
            row.storeBytes(of: Float16(pixel[index % 4]), toByteOffset: 2 * index, as: Float16.self)
          }
        }
        try sink.done(at: y)
      }
    }
  }

  private static let whole = Rect(x: 0, y: 0, width: 3, height: 1)
  private static let middle = Rect(x: 1, y: 0, width: 1, height: 1)

  /// Light of 2; in its middle half as much alpha of light 6, then that is gone.
  private static func animation(_ format: PixelFormat) -> Frames {
    Frames(
      format: format,
      frames: [
        (FrameHeader(rect: whole, delay: .milliseconds(40), hasAlpha: false), [2, 0.5, -0.25, 1]),
        (
          FrameHeader(rect: middle, delay: .milliseconds(40), disposal: .restorePrevious, blend: .over),
          [6, 1.5, 0.75, 0.5]
        ),
        (FrameHeader(rect: Rect(x: 0, y: 0, width: 1, height: 1), delay: .milliseconds(40)), [16, 0, 0, 0.25]),
      ])
  }

  private static let shown: [[Double]] = [
    [2, 0.5, -0.25, 1, 2, 0.5, -0.25, 1, 2, 0.5, -0.25, 1],
    [2, 0.5, -0.25, 1, 4, 1, 0.25, 1, 2, 0.5, -0.25, 1],
    [16, 0, 0, 0.25, 2, 0.5, -0.25, 1, 2, 0.5, -0.25, 1],
  ]

  @Test(arguments: formats) func framesAreAsDeepAsTheFile(_ format: PixelFormat) throws {
    let decoder = try Self.animation(format).decoder()
    for index in [2, 0, 1] {
      let pixels = try decoder.frame(at: index).pixels
      #expect(pixels.layout == PixelLayout(format, .straight))
      #expect(pixels.samples == Self.shown[index], "frame \(index)")
    }
    #expect(try decoder.image().frames.map(\.pixels.samples) == Self.shown)
  }

  @Test(arguments: formats) func theFirstFrameAloneIsToo(_ format: PixelFormat) throws {
    var options = DecodeOptions()
    options.firstFrameOnly = true
    let pixels = try Self.animation(format).decoder(options).image().pixels
    #expect(pixels.layout == PixelLayout(format, .straight))
    #expect(pixels.samples == Self.shown[0])
  }

  @Test(arguments: formats) func aPictureThatIsSmallerThanItsCanvasKeepsItsLight(_ format: PixelFormat) throws {
    var file = Self.animation(format)
    file.isAnimated = false
    file.frames = [(FrameHeader(rect: Self.middle, hasAlpha: false), [2, 0.5, -0.25, 1])]
    let pixels = try file.decoder().image().pixels
    #expect(pixels.layout == PixelLayout(format, .straight))
    #expect(pixels.samples == [0, 0, 0, 0, 2, 0.5, -0.25, 1, 0, 0, 0, 0])
  }

  @Test func otherLayoutsAreMadeOfTheCanvas() throws {
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    let narrow = try Self.animation(.rgbaFloat32).decoder(options).frame(at: 1).pixels
    #expect(narrow.bytes == [255, 128, 0, 255, 255, 255, 64, 255, 255, 128, 0, 255])
    options.pixelFormat = nil
    options.alpha = .premultiplied
    let multiplied = try Self.animation(.rgbaFloat32).decoder(options).frame(at: 2).pixels
    #expect(multiplied.layout == PixelLayout(.rgbaFloat32, .premultiplied))
    #expect(multiplied.samples == [4, 0, 0, 0.25, 2, 0.5, -0.25, 1, 2, 0.5, -0.25, 1])
  }
}
