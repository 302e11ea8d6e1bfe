// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

@Suite struct FitTests {
  private static func plan(_ size: (Int, Int), _ box: (Int, Int), _ mode: ThumbnailMode) -> Fit {
    Fit.plan(
      displayed: Size(width: size.0, height: size.1), box: Size(width: box.0, height: box.1), mode: mode)
  }

  private static func fit(_ width: Int, _ height: Int, _ boxWidth: Int, _ boxHeight: Int) -> Size {
    plan((width, height), (boxWidth, boxHeight), .fit).size
  }

  /// Sides from 1 to 10,000, small ones as often as large ones.
  private static func side(_ generator: inout SeededGenerator) -> Int {
    Int.random(in: 1...(1 << Int.random(in: 0...13, using: &generator)), using: &generator)
  }

  private static func size(_ generator: inout SeededGenerator) -> Size {
    Size(width: side(&generator), height: side(&generator))
  }

  @Test func fitMeetsTheConstrainedSideAndRoundsTheOther() {
    #expect(Self.fit(1_600, 1_200, 300, 250) == Size(width: 300, height: 225))
    #expect(Self.fit(1_000, 1_500, 300, 600) == Size(width: 300, height: 450))
    #expect(Self.fit(3_000, 4_000, 200, 100) == Size(width: 75, height: 100))
    #expect(Self.fit(4_000, 100, 1_000, 1_000) == Size(width: 1_000, height: 25))
  }

  @Test func aSizeFitsInABoxAsAThumbnailDoes() {
    let size = Size(width: 720, height: 420)
    #expect(size.fitted(in: Size(width: 240, height: 80)) == Size(width: 137, height: 80))
    #expect(size.fitted(in: Size(width: 240, height: 0)) == Size(width: 240, height: 140))
    #expect(size.fitted(in: Size(width: 0, height: 140)) == Size(width: 240, height: 140))
    #expect(size.fitted(in: Size(width: 1_000, height: 1_000)) == size)
    #expect(size.fitted(in: Size(width: 0, height: 0)) == size)
  }

  @Test func fitRoundsHalfUp() {
    #expect(Self.fit(4, 3, 2, 2) == Size(width: 2, height: 2))
    #expect(Self.fit(1_000, 5, 500, 500) == Size(width: 500, height: 3))
    #expect(Self.fit(1_000, 4_999, 1_000, 2_500) == Size(width: 500, height: 2_500))
  }

  @Test func fitKeepsAtLeastOnePixel() {
    #expect(Self.fit(1, 10_000, 100, 100) == Size(width: 1, height: 100))
    #expect(Self.fit(65_535, 2, 1, 1) == Size(width: 1, height: 1))
  }

  @Test func aSmallPictureIsNotEnlarged() {
    for mode in [ThumbnailMode.fit, .fill, .stretch] {
      let fit = Self.plan((100, 50), (200, 200), mode)
      #expect(fit == Fit(size: Size(width: 100, height: 50), crop: .whole(Size(width: 100, height: 50))))
    }
  }

  @Test func aSideOfZeroIsFree() {
    let size = Size(width: 640, height: 480)
    let whole = ResamplingRegion.whole(size)
    for mode in [ThumbnailMode.fit, .fill, .stretch] {
      #expect(
        Fit.plan(displayed: size, box: Size(width: 300, height: 0), mode: mode)
          == Fit(size: Size(width: 300, height: 225), crop: whole))
      #expect(
        Fit.plan(displayed: size, box: Size(width: 0, height: 100), mode: mode)
          == Fit(size: Size(width: 133, height: 100), crop: whole))
      #expect(
        Fit.plan(displayed: size, box: Size(width: 0, height: 900), mode: mode) == Fit(size: size, crop: whole))
    }
  }

  @Test func noBoxAndEmptyBoxesReduceNothing() {
    let size = Size(width: 640, height: 480)
    for box in [nil, Size(width: 0, height: 0), Size(width: -1, height: -1)] {
      for mode in [ThumbnailMode.fit, .fill, .stretch] {
        #expect(Fit.plan(displayed: size, box: box, mode: mode) == Fit(size: size, crop: .whole(size)))
      }
    }
  }

  @Test func sidesNearTheLargestIntegerDoNotOverflow() {
    let side = Int.max
    #expect(Self.fit(side, side, 100, 50) == Size(width: 50, height: 50))
    #expect(Self.fit(side, side - 1, side - 1, side) == Size(width: side - 1, height: side - 2))
    #expect(Fit.box(for: Size(width: side, height: side), bytes: side, frames: side, bytesPerPixel: side) != nil)
  }

  @Test func fillCutsTheLongSideInTheMiddle() {
    #expect(
      Self.plan((1_000, 500), (200, 200), .fill)
        == Fit(
          size: Size(width: 200, height: 200), crop: ResamplingRegion(x: 250, y: 0, width: 500, height: 500)))
    #expect(
      Self.plan((300, 1_000), (100, 50), .fill)
        == Fit(
          size: Size(width: 100, height: 50), crop: ResamplingRegion(x: 0, y: 425, width: 300, height: 150)))
  }

  @Test func fillKeepsPixelsWhereThePictureIsSmallerThanTheBox() {
    // 100 rows cannot fill 200, so they stay, and columns keep their size too; the crop starts on a pixel.
    #expect(
      Self.plan((1_001, 100), (200, 200), .fill)
        == Fit(
          size: Size(width: 200, height: 100), crop: ResamplingRegion(x: 400, y: 0, width: 200, height: 100)))
  }

  @Test func stretchTakesEachSideByItself() {
    #expect(Self.plan((1_000, 500), (200, 700), .stretch).size == Size(width: 200, height: 500))
    #expect(Self.plan((1_000, 500), (200, 100), .stretch).crop == .whole(Size(width: 1_000, height: 500)))
  }

  @Test func fitStaysInTheBoxAndTouchesItForAnySizes() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let size = Self.size(&generator)
      let box = Self.size(&generator)
      let result = Fit.plan(displayed: size, box: box, mode: .fit).size
      if size.width <= box.width, size.height <= box.height {
        #expect(result == size)
        continue
      }
      #expect(result.width >= 1 && result.height >= 1 && result.width <= box.width && result.height <= box.height)
      #expect(result.width == box.width || result.height == box.height)
      // The other side is the nearest one, or 1.
      let off = abs(result.width * size.height - result.height * size.width)
      let isNearest =
        (result.width == box.width && (2 * off <= size.width || result.height == 1))
        || (result.height == box.height && (2 * off <= size.height || result.width == 1))
      #expect(isNearest, "\(size) in \(box) gave \(result)")
    }
  }

  @Test func fillCropsInsideThePictureWithTheAspectOfTheResult() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let size = Self.size(&generator)
      let box = Self.size(&generator)
      let fit = Fit.plan(displayed: size, box: box, mode: .fill)
      #expect(fit.size == Size(width: min(size.width, box.width), height: min(size.height, box.height)))
      #expect(fit.crop.x >= 0 && fit.crop.y >= 0)
      #expect(fit.crop.x + fit.crop.width <= Double(size.width) + 1e-9)
      #expect(fit.crop.y + fit.crop.height <= Double(size.height) + 1e-9)
      let across = fit.crop.width / Double(fit.size.width)
      let down = fit.crop.height / Double(fit.size.height)
      #expect(across >= 1 - 1e-12 && abs(across - down) <= 1e-9 * across)
      #expect(fit.crop.width == Double(size.width) || fit.crop.height == Double(size.height))
    }
  }

  @Test func aBudgetGivesTheLargestBoxThatKeepsIt() throws {
    let size = Size(width: 1_000, height: 500)
    #expect(Fit.box(for: size, bytes: 2_000_000, frames: 1, bytesPerPixel: 4) == nil)
    #expect(Fit.box(for: size, bytes: 500_000, frames: 1, bytesPerPixel: 4) == Size(width: 500, height: 250))
    #expect(Fit.box(for: size, bytes: 2_000_000, frames: 100, bytesPerPixel: 4) == Size(width: 100, height: 50))
    #expect(Fit.box(for: size, bytes: 0, frames: 1, bytesPerPixel: 4) == Size(width: 1, height: 1))
  }

  @Test func aBudgetHoldsForAnySizes() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let size = Self.size(&generator)
      let frames = Int.random(in: 1...600, using: &generator)
      let bytes = Int.random(in: 4...100_000_000, using: &generator)
      guard let box = Fit.box(for: size, bytes: bytes, frames: frames, bytesPerPixel: 4) else {
        #expect(size.pixelCount * frames * 4 <= bytes)
        continue
      }
      #expect(size.pixelCount * frames * 4 > bytes)
      #expect(box.pixelCount * frames * 4 <= bytes || box == Size(width: 1, height: 1))
      #expect(Fit.plan(displayed: size, box: box, mode: .fit).size == box)
    }
  }
}
