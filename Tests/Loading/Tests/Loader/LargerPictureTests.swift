// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import ImageProcessing
import Testing

@testable import ImageLoading

@Suite struct LargerPictureTests {
  static let url = "https://example.org/cat.png"

  private func loader(_ body: [UInt8]) -> TestLoader {
    TestLoader(ScriptedFetcher(body, headers: [.cacheControl: "max-age=100"]))
  }

  private func box(_ width: Int, _ height: Int = 0) -> Size { Size(width: width, height: height) }

  @Test(arguments: [(400, 200), (400, 100), (200, 100), (104, 50), (301, 150), (240, 37)])
  func aSmallerPictureIsCloseToADecodedOne(_ larger: Int, _ smaller: Int) async throws {
    let body = try TestPicture.png(400, 300)
    let test = loader(body)
    _ = try await test.loader.image(for: ImageRequest(Self.url, thumbnail: box(larger)))
    let derived = try await test.loader.image(for: ImageRequest(Self.url, thumbnail: box(smaller)))
    #expect(test.events.derived == 1 && test.events.decodes == 1)
    #expect(derived.origin == .memory)
    let direct = try await TestLoader.registry.async.decode(
      .bytes(body), options: DecodeOptions(size: .fitting(box(smaller))))
    #expect(derived.image.size == direct.size)
    let difference = try ImageComparison(derived.pixels, direct.pixels)
    // From the whole picture it is the same work. From a smaller one the filter is applied twice.
    #expect(difference.maximum <= (larger == 400 ? 0 : Self.bound), "\(difference.maximum)")
    #expect(difference.psnr >= 45, "\(difference.psnr)")
  }

  /// 12 levels of 255, by which a sample may differ.
  static let bound = 12.0 / 255

  @Test func aBoxThatLeadsToTheSameSizeIsTheSamePicture() async throws {
    let test = loader(try TestPicture.png(400, 300))
    let one = try await test.loader.image(for: ImageRequest(Self.url, thumbnail: box(100, 0)))
    let two = try await test.loader.image(for: ImageRequest(Self.url, thumbnail: box(100, 500)))
    #expect(one.pixels === two.pixels)
    // A picture is never enlarged.
    let large = try await test.loader.image(for: ImageRequest(Self.url, thumbnail: box(4000, 4000)))
    let whole = try await test.loader.image(for: ImageRequest(Self.url))
    #expect(large.pixels === whole.pixels)
    #expect(test.events.decodes == 2)
  }

  @Test func otherPicturesAreDecoded() async throws {
    let body = try TestPicture.png(400, 300)
    // What is in memory, what is wanted.
    var fill = ImageRequest(Self.url, thumbnail: box(50, 50), mode: .fill)
    fill.wantsPreviews = false
    var gray = ImageRequest(Self.url, thumbnail: box(50))
    gray.output.pixelFormat = .gray8
    var light = ImageRequest(Self.url, thumbnail: box(50))
    light.output.linearLight = true
    var page = ImageRequest(Self.url, thumbnail: box(50))
    page.output.page = 0
    for (first, second) in [
      (ImageRequest(Self.url, thumbnail: box(99)), ImageRequest(Self.url, thumbnail: box(50))),
      (ImageRequest(Self.url, thumbnail: box(50)), ImageRequest(Self.url, thumbnail: box(100))),
      (ImageRequest(Self.url), fill), (ImageRequest(Self.url), gray), (ImageRequest(Self.url), light),
      (ImageRequest(Self.url), page),
      (ImageRequest(Self.url, pipeline: ImagePipeline([.grayscale(1)])), ImageRequest(Self.url, thumbnail: box(50))),
    ] {
      let test = loader(body)
      _ = try await test.loader.image(for: first)
      let decodes = test.events.decodes
      _ = try await test.loader.image(for: second)
      #expect(test.events.decodes == decodes + 1 && test.events.derived == 0, "\(second.output)")
    }
  }

  @Test func itCanBeTurnedOff() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(400, 300), headers: [.cacheControl: "max-age=100"])) {
      $0.derivesFromLarger = false
    }
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    _ = try await test.loader.image(for: ImageRequest(Self.url, thumbnail: box(100)))
    #expect(test.events.derived == 0 && test.events.decodes == 2)
  }

  @Test func theTextOfADecodeHasEveryOption() {
    // A new option has to get into the text; this says so.
    let names = Mirror(reflecting: DecodeOptions.Output()).children.compactMap(\.label)
    #expect(names.count == 20, "\(names)")
    let options = ImageLoader.Options()
    var texts: Set<String> = [ImageRequest(Self.url).decodingText(options, .standard)]
    let changes: [(inout ImageRequest) -> Void] = [
      { $0.output.size = .fitting(Size(width: 3, height: 4)) }, { $0.output.size = .fitting(box(9), .fill) },
      { $0.output.size = .scaled(2) }, { $0.output.size = .resolution(96) },
      { $0.output.part = Rect(x: 1, y: 2, width: 3, height: 4) }, { $0.output.thumbnailQuality = .fast },
      { $0.output.firstFrameOnly = true }, { $0.output.zeroDelayFrames = .separate }, { $0.output.scale = 2 },
      { $0.output.memoryBudget = 5 }, { $0.output.pixelFormat = .rgba8 }, { $0.output.alpha = .premultiplied },
      { $0.output.appliesOrientation = false }, { $0.output.page = 0 },
      { $0.output.color = .convert(to: .sRGB) }, { $0.output.gainMap = .applied(headroom: 4) },
      { $0.output.linearLight = true }, { $0.output.metadata = [.exif] }, { $0.output.isStrict = true },
      { $0.output.siblings = .folder }, { $0.output.squaresPixels = true },
      { $0.output.values = ["exposure": 1] }, { $0.output.formatValues = [.png: ["exposure": 1]] },
      {
        $0.limits = .standard
        $0.limits?.maxSide = 5
      }, { $0.allowedFormats = [.png] },
    ]
    for change in changes {
      var request = ImageRequest(Self.url)
      change(&request)
      #expect(texts.insert(request.decodingText(options, .standard)).inserted)
    }
  }
}
