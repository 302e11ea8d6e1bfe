// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// What every coder has in common, over a container that the tests describe.
@Suite struct AnimatedCoderTests {
  private static let size = Size(width: 4, height: 2)
  private static let whole = Rect(x: 0, y: 0, width: 4, height: 2)
  private static let names = ContainerPropertyNames(
    dictionary: "{Fake}", unclampedDelay: "Unclamped", delay: "Delay", loopCount: "Loops",
    defaultLoopCount: .plays(1))

  private static func animation(_ frames: [FrameHeader]) -> FakeContainer {
    var container = FakeContainer(size, frames: frames)
    container.names = names
    return container
  }

  @Test func aDelayThatTheReaderStatesIsKeptExactly() throws {
    let container = Self.animation([FrameHeader(rect: Self.whole, delay: FrameDelay(numerator: 1, denominator: 30))])
    #expect(try container.decoder().frameHeader(at: 0).delay == FrameDelay(numerator: 1, denominator: 30))
  }

  @Test func aDelayComesFromTheContainersPropertiesUnclampedFirst() throws {
    var container = Self.animation([
      FrameHeader(rect: Self.whole), FrameHeader(rect: Self.whole), FrameHeader(rect: Self.whole),
    ])
    var both = Properties()
    both["{Fake}", "Unclamped"] = .number(0.005)
    both["{Fake}", "Delay"] = .number(0.1)
    var one = Properties()
    one["{Fake}", "Delay"] = .number(0.25)
    container.properties = [both, one]
    let decoder = try container.decoder()
    let delays = try (0..<3).map { try decoder.frameHeader(at: $0).delay?.seconds }
    #expect(delays == [0.005, 0.25, 0.1], "unclamped, clamped, and a tenth of a second where nothing is said")
  }

  @Test func aLoopCountIsStatedOrAPropertyOrTheContainersDefault() throws {
    var container = Self.animation([FrameHeader(rect: Self.whole)])
    #expect(try container.decoder().loopCount == .plays(1))
    container.pageProperties["{Fake}", "Loops"] = .integer(0)
    #expect(try container.decoder().loopCount == .infinite)
    container.header.loopCount = .plays(7)
    #expect(try container.decoder().loopCount == .plays(7))
  }

  @Test func propertiesUseTheContainersNames() throws {
    let container = Self.animation([FrameHeader(rect: Self.whole, delay: .milliseconds(10))])
    let decoder = try container.decoder()
    #expect(try decoder.properties()["{Fake}", "Loops"] == .integer(1))
    #expect(try decoder.properties(frame: 0)["{Fake}", "Unclamped"] == .number(0.01))
    #expect(try decoder.properties(frame: 0)["{Fake}", "Delay"] == .number(0.1), "as browsers show it")
  }

  @Test func firstFrameOnlyIsAStillPicture() throws {
    var options = DecodeOptions()
    options.firstFrameOnly = true
    let container = Self.animation([FrameHeader(rect: Self.whole), FrameHeader(rect: Self.whole)])
    #expect(try container.decoder(options).image().frames.count == 1)
    #expect(try container.decoder().image().frames.count == 2)
  }

  @Test(arguments: [false, true]) func anOpaqueAnimationHasOpaqueFrames(_ firstOnly: Bool) throws {
    let part = Rect(x: 1, y: 0, width: 2, height: 2)
    func alphas(_ frames: [Rect], _ alpha: AlphaMode) throws -> Set<AlphaMode> {
      var container = Self.animation(frames.map { FrameHeader(rect: $0, hasAlpha: false) })
      container.header.alpha = alpha
      var options = DecodeOptions()
      options.firstFrameOnly = firstOnly
      let image = try container.decoder(options).image()
      #expect(image.frames.allSatisfy { $0.pixels.format == .rgba8 })
      return Set(image.frames.map(\.pixels.alpha))
    }
    #expect(try alphas([Self.whole, part, part], .opaque) == [.opaque])
    #expect(try alphas([Self.whole, part, part], .straight) == [.straight])
    // Around the first frame, the canvas is transparent whatever the header says.
    #expect(try alphas([part, Self.whole], .opaque) == [.straight])
  }

  @Test func framesOfNoAnimationAreOnePictureUnlessAskedFor() throws {
    let left = Rect(x: 0, y: 0, width: 2, height: 2)
    let right = Rect(x: 2, y: 0, width: 2, height: 2)
    let container = FakeContainer(
      Self.size, frames: [FrameHeader(rect: left), FrameHeader(rect: right)], isAnimated: false)
    let whole = try container.decoder().image()
    #expect(whole.frames.count == 1)
    #expect(whole.pixels.red(0, 0) == 10)
    #expect(whole.pixels.red(3, 1) == 20)
    var options = DecodeOptions()
    options.zeroDelayFrames = .separate
    #expect(try container.decoder(options).image().frames.map { $0.pixels.red(3, 1) } == [0, 20])
  }

  @Test func aMemoryBudgetMakesFramesSmallerAndNeverFewer() throws {
    let size = Size(width: 40, height: 20)
    var container = FakeContainer(size, frames: (0..<4).map { _ in FrameHeader(rect: Rect(covering: size)) })
    container.names = Self.names
    var options = DecodeOptions()
    // Four frames of 20 × 10 pixels of four bytes.
    options.memoryBudget = 4 * 20 * 10 * 4
    let image = try container.decoder(options).image()
    #expect(image.frames.count == 4)
    #expect(image.size == Size(width: 20, height: 10))
  }

  @Test func orientationComesBeforeTheBox() throws {
    var container = FakeContainer(Size(width: 4000, height: 3000))
    container.header.orientation = .right
    let decoder = try container.decoder(.thumbnail(width: 200, height: 100))
    #expect(decoder.outputSize == Size(width: 75, height: 100))
    #expect(try decoder.image().size == Size(width: 75, height: 100))
    #expect(try decoder.image().orientation == .up)
  }

  @Test func aCutPictureHasItsRowsAndTheError() throws {
    var container = FakeContainer(Self.size)
    container.failure = (0, 1, .truncated("cut", at: 9))
    let image = try container.decoder().image()
    #expect(image.problem == CoderError(code: .truncated, message: "cut", offset: 9, coder: "org.example.fake"))
    #expect(image.pixels.red(0, 0) == 10)
    #expect(image.pixels.withRow(1) { $0.allSatisfy { $0 == 0 } })
  }

  @Test func aPictureWithoutARowIsAnError() throws {
    var container = FakeContainer(Self.size)
    container.failure = (0, 0, .malformed("nothing"))
    #expect(throws: CoderError(code: .malformed, message: "nothing", coder: "org.example.fake")) {
      try container.decoder().image()
    }
  }

  /// Straight on the canvas, through a few rows, and through a whole picture in between.
  @Test(arguments: [(PixelFormat.rgba8, RowOrder.topDown), (.bgra8, .topDown), (.rgba8, .any), (.bgra8, .any)])
  func aCutFrameLeavesItsMissingRowsTransparentOnEveryRoute(_ format: PixelFormat, _ order: RowOrder) throws {
    let part = Rect(x: 0, y: 0, width: 2, height: 2)
    var container = Self.animation([FrameHeader(rect: Self.whole), FrameHeader(rect: part)])
    container.delivered = (format, order)
    container.failure = (1, 1, .truncated("cut"))
    let frame = try container.decoder().frame(at: 1)
    #expect(frame.problem?.code == .truncated)
    #expect([frame.pixels.red(0, 0), frame.pixels.red(0, 1), frame.pixels.red(2, 0)] == [20, 0, 10])
  }

  /// It covers the canvas and replaces what is there, so nothing of the frame before shows.
  @Test func aFrameWithoutARowShowsTheSameInEveryOrder() throws {
    let part = Rect(x: 0, y: 0, width: 2, height: 2)
    var container = Self.animation([
      FrameHeader(rect: Self.whole), FrameHeader(rect: Self.whole), FrameHeader(rect: part),
    ])
    container.failure = (1, 0, .malformed("nothing"))
    for order in [[0, 1, 2], [1, 2], [2, 1], [2]] {
      let decoder = try container.decoder()
      for index in order {
        let frame = try decoder.frame(at: index)
        #expect([frame.pixels.red(0, 0), frame.pixels.red(3, 0)] == [[10, 10], [0, 0], [30, 0]][index], "\(order)")
      }
    }
  }

  @Test(arguments: [AlphaMode.straight, .premultiplied, .opaque])
  func framesShareNoMemory(_ alpha: AlphaMode) throws {
    let part = Rect(x: 0, y: 0, width: 2, height: 2)
    var options = DecodeOptions()
    options.alpha = alpha
    let image = try Self.animation([FrameHeader(rect: Self.whole), FrameHeader(rect: part)]).decoder(options).image()
    #expect(image.frames.map { $0.pixels.red(0, 0) } == [10, 20])
    #expect(image.frames.map { $0.pixels.red(3, 0) } == [10, 10])
  }

  @Test func onlyAllowedFormatsAreDecoded() throws {
    var options = DecodeOptions()
    options.allowedFormats = [.png]
    let found = #expect(throws: CoderError.self) { try FakeContainer(Self.size).decoder(options) }
    #expect(found?.code == .unsupported)
    #expect(found?.message == "the file is org.example.fake, the caller allows public.png")
    options.allowedFormats = [.png, ImageFormat(rawValue: "org.example.fake")]
    #expect(try FakeContainer(Self.size).decoder(options).image().size == Self.size)
  }

  @Test func limitsAreCheckedBeforeAnyPixel() throws {
    var options = DecodeOptions()
    options.limits.maxPixels = 7
    let found = #expect(throws: CoderError.self) { try FakeContainer(Self.size).decoder(options) }
    #expect(found?.code == .limitExceeded)
    #expect(found?.message == "a pixel count of 8 is over the limit maxPixels of 7")
  }

  @Test func memoryOfTheCallerIsTheResult() throws {
    var options = DecodeOptions()
    let destination = try PixelBuffer(size: Self.size, format: .rgba8, alpha: .straight)
    options.destination = destination
    let image = try FakeContainer(Self.size).decoder(options).image()
    #expect(image.pixels === destination)
    #expect(destination.red(3, 1) == 10)
    options.destination = try PixelBuffer(size: Size(width: 1, height: 1), format: .rgba8, alpha: .straight)
    #expect(throws: CoderError.self) { try FakeContainer(Self.size).decoder(options).image() }
  }

  @Test func progressReachesTheEnd() throws {
    let heard = Heard()
    var options = DecodeOptions()
    options.progress = { heard.add($0) }
    _ = try FakeContainer(Self.size).decoder(options).image()
    #expect(heard.fractions == [0.5, 1])
  }
}

/// Fractions that a progress handler heard; the decode is on the test's own thread.
private final class Heard: @unchecked Sendable {
  private(set) var fractions: [Double] = []
  func add(_ fraction: Double) { fractions.append(fraction) }
}
