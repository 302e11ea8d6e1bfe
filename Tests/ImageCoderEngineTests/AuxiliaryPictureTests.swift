// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Pictures that belong to a page: hidden from whoever counts pages, and held to the same limits.
@Suite struct AuxiliaryPictureTests {
  private static func square(_ side: Int) -> Size { Size(width: side, height: side) }

  /// A page of 8 × 8, and a map of 4 × 4 with the number 1.
  private static func container(_ role: PageRole = PageRole(.gainMap, name: "a map")) -> FakeContainer {
    var container = FakeContainer(pages: [square(8), square(4)])
    for page in 0..<2 {
      container.pages?[page].pageCount = 1
      container.pages?[page].hiddenPageCount = 1
    }
    container.pages?[1].role = role
    return container
  }

  @Test func hiddenPagesAreNoPages() throws {
    let decoder = try Self.container().decoder()
    #expect(decoder.header.pageCount == 1)
    #expect(throws: CoderError.self) { _ = try decoder.page(1) }
    var options = DecodeOptions()
    options.page = 1
    #expect(throws: CoderError.self) { _ = try Self.container().decoder(options) }
  }

  @Test func areListedWithTheirSizeAndDecoded() throws {
    let decoder = try Self.container().decoder(.thumbnail(width: 2, height: 2))
    let found = try decoder.auxiliaryPictures()
    #expect(found.map(\.kind) == [.gainMap] && found[0].typeName == "a map" && found[0].size == Self.square(4))
    #expect(try decoder.decodeAuxiliary(found[0]).size == Self.square(4))
    #expect(try decoder.image().size == Self.square(2))
    #expect { _ = try decoder.decodeAuxiliary(AuxiliaryPicture(.gainMap, page: 0)) } throws: {
      ($0 as? CoderError)?.code == .invalidArgument
    }
  }

  @Test(arguments: [PageRole(.picture), PageRole(.depth, owner: 1), PageRole(.depth, owner: -1)])
  func hiddenPagesOfNoVisiblePageAreRefused(_ role: PageRole) throws {
    let decoder = try Self.container(role).decoder()
    #expect { _ = try decoder.auxiliaryPictures() } throws: { ($0 as? CoderError)?.code == .libraryFailure }
  }

  @Test func aHiddenLayerIsAnotherPicture() throws {
    let found = try Self.container(PageRole(.layer, name: "a layer")).decoder().auxiliaryPictures()
    #expect(found.map(\.kind) == [.other] && found[0].typeName == "a layer")
  }

  @Test func moreHiddenPagesThanAllowedAreRefused() throws {
    var container = Self.container()
    container.pages?[0].hiddenPageCount = 3
    var options = DecodeOptions()
    options.limits.maxPages = 2
    let decoder = try container.decoder(options)
    #expect { _ = try decoder.auxiliaryPictures() } throws: { ($0 as? CoderError)?.limit == .maxPages }
    // Of three, the third cannot be described, and is left out.
    options.limits.maxPages = 3
    container.pages?[0].hiddenPageCount = 2
    container.unreadable = 2
    #expect(try container.decoder(options).auxiliaryPictures().map(\.page) == [1])
  }

  /// A preview of 4 × 4 stands for its picture of 8 × 8 where that is enough.
  @Test func aPreviewThatShowsItsOwnerMakesThumbnails() throws {
    let container = Self.container(PageRole(.preview, showsOwner: true))
    #expect(try container.decoder(.thumbnail(width: 4, height: 4)).page == 1)
    #expect(try container.decoder(.thumbnail(width: 2, height: 2)).image().size == Self.square(2))
    #expect(try container.decoder(.thumbnail(width: 5, height: 5)).page == 0)
    // A caller that asks for all frames, or for a page, gets the picture.
    #expect(try container.decoder(DecodeOptions(size: .fitting(Self.square(2)))).page == 0)
    var first = DecodeOptions.thumbnail(width: 2, height: 2)
    first.page = 0
    #expect(try container.decoder(first).page == 0)
    // Another picture of the file is no stand-in.
    #expect(try Self.container(PageRole(.preview)).decoder(.thumbnail(width: 2, height: 2)).page == 0)
  }

  /// A map that is a file of its own.
  private static func decoder(
    _ change: (inout DecodeOptions, inout ImageHeader) -> Void = { _, _ in }
  ) throws -> ImageDecoder {
    var outer = container()
    outer.pages?[1].embedded = 1..<3
    var inner = FakeContainer(square(4))
    var options = DecodeOptions()
    change(&options, &inner.header)
    return try outer.decoder(options) { [inner] (file) throws(CoderError) in
      try AnimatedCoder(inner).makeDecoder(file)
    }
  }

  @Test func aFileInsideIsOpened() throws {
    let decoder = try Self.decoder()
    let found = try decoder.auxiliaryPictures()
    #expect(found.first?.size == Self.square(4))
    #expect(try decoder.decodeAuxiliary(found[0]).pixels.red(0, 0) == 10)
  }

  @Test func formatsThatAreNotAllowedStayClosed() throws {
    let decoder = try Self.decoder { options, header in
      options.allowedFormats = [ImageFormat(rawValue: "org.example.fake")]
      header.format = .jpeg
    }
    let found = try decoder.auxiliaryPictures()
    #expect(found.first?.size == nil)
    #expect { _ = try decoder.decodeAuxiliary(found[0]) } throws: { ($0 as? CoderError)?.code == .unsupported }
  }

  @Test func limitsHoldForTheFileInside() throws {
    let decoder = try Self.decoder { options, header in
      options.limits.maxPixels = 100
      header.canvas = Self.square(11)
    }
    let found = try decoder.auxiliaryPictures()
    #expect { _ = try decoder.decodeAuxiliary(found[0]) } throws: { ($0 as? CoderError)?.code == .limitExceeded }
  }

  @Test func aFileInsideAFileInsideStaysClosed() throws {
    let decoder = try Self.decoder { _, header in header.embedded = 0..<2 }
    let found = try decoder.auxiliaryPictures()
    #expect { _ = try decoder.decodeAuxiliary(found[0]) } throws: { ($0 as? CoderError)?.code == .unsupported }
  }

  @Test func aMapWithoutMeaningIsNone() throws {
    let decoder = try Self.container().decoder()
    #expect(try decoder.gainMap() == nil)
    var options = DecodeOptions()
    options.gainMap = .applied(headroom: 8)
    #expect(try Self.container().decoder(options).image().pixels.format == .rgba8)
    options.gainMap = .applied(headroom: .nan)
    #expect { _ = try Self.container().decoder(options) } throws: { ($0 as? CoderError)?.code == .invalidArgument }
  }

  @Test func aMapIsApplied() throws {
    // 10 of 255 at gamma 1, 0 to 51 stops: 2 stops everywhere; no offsets; headrooms 0 and 2.
    let numbers: [UInt8] = [0, 1, 2, 1, 0, 1, 51, 1, 1, 1, 0, 1, 0, 1]
    var container = Self.container()
    container.gainMap = [0, 0, 0, 0, 0x40] + numbers.flatMap { [0, 0, 0, $0] }
    var options = DecodeOptions()
    options.gainMap = .applied(headroom: 4)
    options.pixelFormat = .rgbaFloat32
    let image = try container.decoder(options).image()
    #expect(image.cicp == CodingIndependentCodePoints(primaries: 1, transfer: 8, matrix: 0, isFullRange: true))
    // The light of 10 is 10 / 255 / 12.92.
    let light = 10.0 / 255.0 / 12.92
    let row = image.pixels.samples(inRow: 3, as: Float.self)
    let whole = Double(row[0]) / light
    #expect(abs(whole - 4) < 0.001)
    #expect(row[3] == 1)
    options.gainMap = .applied(headroom: 2)
    let pixels = try container.decoder(options).image().pixels
    let half = pixels.samples(inRow: 0, as: Float.self)[0]
    let part = Double(half) / light
    #expect(abs(part - 2) < 0.001)
  }
}
