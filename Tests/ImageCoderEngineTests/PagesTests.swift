// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Pages beside frames: which one is shown, and pages that are files of another format.
@Suite struct PagesTests {
  private static func square(_ side: Int) -> Size { Size(width: side, height: side) }

  @Test func thePrimaryPageIsShownUnlessAnotherIsNamed() throws {
    let container = FakeContainer(pages: [Self.square(3), Self.square(5), Self.square(4)], primary: 1)
    let decoder = try container.decoder()
    #expect(decoder.page == 1)
    #expect(try decoder.image().size == Self.square(5))
    var options = DecodeOptions()
    options.page = 2
    #expect(try container.decoder(options).image().size == Self.square(4))
  }

  @Test func aDecoderGivesTheOtherPagesOfItsFile() throws {
    let decoder = try FakeContainer(pages: [Self.square(3), Self.square(5)]).decoder()
    #expect(try decoder.page(1).frame(at: 0).pixels.size == Self.square(5))
    #expect(try decoder.frame(at: 0).pixels.size == Self.square(3))
    #expect(
      throws: CoderError(
        code: .invalidArgument, message: "page index 2; the file has 2 pages, of index 0 to 1",
        coder: "org.example.fake")
    ) {
      try decoder.page(2)
    }
    #expect(throws: CoderError.self) { try decoder.page(-1) }
  }

  @Test func aRowOfPagesKeepsItsPrimaryPageForThumbnails() throws {
    let container = FakeContainer(pages: [Self.square(64), Self.square(16)])
    let decoder = try container.decoder(.thumbnail(width: 16, height: 16))
    #expect(decoder.page == 0)
    #expect(decoder.outputSize == Self.square(16))
  }

  @Test(arguments: [
    (8, 1), (16, 1), (17, 0), (32, 0), (33, 3), (48, 3), (64, 3), (1000, 3),
  ])
  func aThumbnailComesFromTheSmallestSizeThatIsLargeEnough(_ box: Int, _ page: Int) throws {
    let container = FakeContainer(
      pages: [32, 16, 12, 64].map(Self.square),
      primary: 3, areSizes: true)
    let decoder = try container.decoder(.thumbnail(width: box, height: box))
    // A box of 8 is served by the page of 12, the smallest that is large enough.
    #expect(decoder.page == (box <= 12 ? 2 : page))
    #expect(decoder.outputSize == Self.square(min(box, 64)))
  }

  @Test func ofEqualSizesTheOneWithMoreColorsIsTaken() throws {
    var container = FakeContainer(pages: [16, 16, 16].map(Self.square), areSizes: true)
    container.pages?[0].hasPalette = true
    container.pages?[1].bitsPerChannel = 4
    #expect(try container.decoder(.thumbnail(width: 8, height: 8)).page == 2)
  }

  @Test func pagesAreLimited() throws {
    let container = FakeContainer(pages: Array(repeating: Self.square(2), count: 9))
    var options = DecodeOptions()
    options.limits = Limits(maxPages: 8)
    let error = #expect(throws: CoderError.self) { try container.decoder(options) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("maxPages") == true)
  }

  /// A container whose page 1 is the bytes 1 ..< 3 of it.
  private static var outer: FakeContainer {
    var container = FakeContainer(pages: [square(3), square(5)], areSizes: true)
    container.pages?[1].embedded = 1..<3
    return container
  }

  private static func opening(_ inner: FakeContainer) -> EmbeddedFileOpener {
    { (file) throws(CoderError) in
      #expect(file.source.size == 2)
      #expect(try file.contents() == Array("ak".utf8))
      return try AnimatedCoder(inner).makeDecoder(file)
    }
  }

  /// The page is listed in an allowed format, and is a file of another one.
  @Test func aFileInsideIsHeldToTheAllowedFormats() throws {
    var inner = FakeContainer(Self.square(4))
    inner.header.format = .png
    var options = DecodeOptions()
    options.allowedFormats = [Self.outer.header.format]
    let decoder = try Self.outer.decoder(options, opening: Self.opening(inner))
    #expect(
      throws: CoderError.unsupported("the file is public.png, the caller allows org.example.fake").annotated(
        coder: decoder.coderID)
    ) { try decoder.page(1) }
    options.allowedFormats = [Self.outer.header.format, .png]
    #expect(
      try Self.outer.decoder(options, opening: Self.opening(inner)).page(1).header.canvas == Self.square(4))
  }

  @Test func aPageCanBeAFileOfAnotherFormat() throws {
    let inner = FakeContainer(
      Size(width: 7, height: 6),
      frames: [
        FrameHeader(rect: Rect(x: 0, y: 0, width: 7, height: 6)),
        FrameHeader(rect: Rect(x: 0, y: 0, width: 1, height: 1)),
      ]
    )
    let page = try Self.outer.decoder(opening: Self.opening(inner)).page(1)
    #expect(page.header.canvas == Size(width: 7, height: 6))
    #expect(page.header.format.rawValue == "org.example.fake")
    #expect(page.header.pageCount == 2)
    #expect(page.header.embedded == 1..<3)
    // An animation inside shows its first frame.
    #expect(page.frameCount == 1)
    #expect(try page.image().pixels.red(6, 5) == 10)
  }

  /// What a directory states of a page holds for the file that the page is.
  @Test func whatTheDirectoryStatesOfAFileInsideHolds() throws {
    var container = FakeContainer(pages: [Self.square(5)])
    container.pages?[0].embedded = 1..<3
    container.pages?[0].standsIn = true
    container.pages?[0].orientation = .right
    container.pages?[0].pixelAspect = 2
    container.pages?[0].resolution = 300
    var inner = FakeContainer(Size(width: 7, height: 6))
    inner.header.isLossless = true
    inner.header.resolution = 72
    func header() throws -> ImageHeader { try container.decoder(opening: Self.opening(inner)).header }
    var found = try header()
    #expect(found.standsIn && !found.isLossless)
    #expect(found.orientation == .right && found.displayedSize == Size(width: 6, height: 7))
    #expect(found.pixelAspect == 2 && found.resolution == 300)
    // A visible page lies as its file says, if that says so; the size of a drawing is in pixels of its own.
    inner.header.orientation = .down
    inner.header.anySize = AnySize(width: 7, height: 6, largestSide: nil)
    found = try header()
    #expect(found.orientation == .down && found.resolution == 72)
    // Without a word of the directory, the file's own count.
    container.pages?[0] = FakeContainer(pages: [Self.square(5)]).header
    container.pages?[0].embedded = 1..<3
    inner.header.anySize = nil
    inner.header.pixelAspect = 0.5
    found = try header()
    #expect(!found.standsIn && found.isLossless)
    #expect(found.orientation == .down && found.pixelAspect == 0.5 && found.resolution == 72)
  }

  @Test func pixelsOfAFileInsideAreTurnedAsTheDirectoryStates() throws {
    var container = FakeContainer(pages: [Self.square(5)])
    container.pages?[0].embedded = 1..<3
    container.pages?[0].orientation = .right
    let inner = FakeContainer(Size(width: 7, height: 6))
    let image = try container.decoder(opening: Self.opening(inner)).image()
    #expect(image.pixels.size == Size(width: 6, height: 7))
  }

  /// 100 × 100 pixels of four bytes are over the limit; a thumbnail of them is not.
  @Test func aThumbnailOfAFileInsideNeedsItsOwnMemoryAlone() throws {
    var options = DecodeOptions()
    options.limits.maxMemory = 30_000
    let opener = Self.opening(FakeContainer(Self.square(100)))
    let whole = #expect(throws: CoderError.self) { try Self.outer.decoder(options, opening: opener).page(1) }
    #expect(whole?.limit == .maxMemory)
    #expect(whole?.found == 40_000)
    options.size = .fitting(Self.square(10))
    let small = try Self.outer.decoder(options, opening: opener).page(1).image()
    #expect(small.size == Self.square(10))
    #expect(small.pixels.red(9, 9) == 10)
  }

  @Test func withoutACoderThePageSaysWhatTheDirectorySays() throws {
    let page = try Self.outer.decoder().page(1)
    #expect(page.header.canvas == Self.square(5))
    let error = #expect(throws: CoderError.self) { try page.image() }
    #expect(error?.code == .noCoder)
  }

  @Test func aFileInAFileInAFileIsRefused() throws {
    let error = #expect(throws: CoderError.self) {
      var inner = FakeContainer(Self.square(4))
      inner.header.embedded = 0..<1
      return try Self.outer.decoder(opening: Self.opening(inner)).page(1)
    }
    #expect(error?.code == .unsupported)
  }

  @Test func anEmbeddedFileLiesInsideItsFile() throws {
    var container = Self.outer
    container.pages?[1].embedded = 3..<5
    let decoder = try container.decoder(opening: Self.opening(FakeContainer(Self.square(1))))
    let error = #expect(throws: CoderError.self) { try decoder.page(1) }
    #expect(error?.code == .malformed)
  }
}
