// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A container whose one file is described by the test: frames of one value each, in RGBA.
struct FakeContainer: ReadOnlyContainer {
  var header: ImageHeader
  var frames: [FrameHeader]
  /// Of a file with several pages, each with one frame that covers it.
  var pages: [ImageHeader]?
  /// What belongs to a gain map that is one of the pages.
  var gainMap: [UInt8]?
  /// A page whose header is damaged.
  var unreadable: Int?
  var properties: [Properties] = []
  var pageProperties = Properties()
  var names: ContainerPropertyNames?
  /// The frame and row at which a decode fails, and how.
  var failure: (frame: Int, row: Int, error: CoderError)?
  /// What the reader delivers, whatever is asked for.
  var delivered = (format: PixelFormat.rgba8, order: RowOrder.topDown)

  let id = "org.example.fake"
  let signatures = [FormatSignature(Array("fake".utf8))]
  let readsIncrementally = false

  init(_ size: Size, frames: [FrameHeader], isAnimated: Bool = true) {
    header = ImageHeader(
      format: ImageFormat(rawValue: "org.example.fake"), canvas: size, pixelFormat: .rgba8, bitsPerChannel: 8,
      alpha: .straight)
    header.frameCount = frames.count
    header.isAnimated = isAnimated
    self.frames = frames
  }

  /// A still picture.
  init(_ size: Size) { self.init(size, frames: [FrameHeader(rect: Rect(covering: size))], isAnimated: false) }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    Reader(container: self)
  }

  /// A row of pages, of these sizes.
  init(pages sizes: [Size], primary: Int = 0, areSizes: Bool = false) {
    self.init(sizes[0])
    pages = sizes.map { size in
      var page = FakeContainer(size).header
      page.pageCount = sizes.count
      page.primaryPage = primary
      page.pagesAreSizes = areSizes
      return page
    }
  }

  /// A decoder of the file.
  func decoder(
    _ options: DecodeOptions = DecodeOptions(), opening openEmbedded: EmbeddedFileOpener? = nil
  ) throws -> ImageDecoder {
    try AnimatedCoder(self).makeDecoder(
      DecodeContext(
        try OpenSource(.bytes(Array("fake".utf8)), limits: .standard), options: options, openEmbedded: openEmbedded))
  }

  private final class Reader: ReaderSession {
    private let container: FakeContainer

    init(container: FakeContainer) { self.container = container }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      if page == container.unreadable { throw .malformed("a page that is damaged") }
      guard let pages = container.pages else { return container.header }
      guard pages.indices.contains(page) else { throw .invalidArgument("page \(page) of \(pages.count)") }
      return pages[page]
    }

    func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
      block == .metadata ? container.gainMap : nil
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
      guard let pages = container.pages else { return container.frames[index] }
      return FrameHeader(rect: Rect(covering: pages[page].canvas))
    }

    func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
      guard let frame else { return container.pageProperties }
      return container.properties.indices.contains(frame) ? container.properties[frame] : Properties()
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      try DecodeOffer(
        request, size: frame(request.frame, page: request.page).rect.size, pixelFormat: container.delivered.format,
        alpha: .straight, rowOrder: container.delivered.order)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      for y in 0..<offer.size.height {
        if let failure = container.failure, failure.frame == offer.frame, failure.row == y { throw failure.error }
        let rows = try sink.rows(at: y)
        let pixels = rows.base.assumingMemoryBound(to: UInt8.self)
        for x in 0..<offer.size.width {
          for channel in 0..<3 { pixels[4 * x + channel] = UInt8(10 * (offer.frame + 1)) }
          pixels[4 * x + 3] = 255
        }
        try sink.done(at: y)
      }
    }
  }
}

extension PixelBuffer {
  /// The red sample of a pixel of eight bits a channel.
  func red(_ x: Int, _ y: Int) -> UInt8 { withRow(y) { $0[x * format.bytesPerPixel] } }
}
