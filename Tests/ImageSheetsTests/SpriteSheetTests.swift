// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageSheets
import Testing

/// Frames that are parts of one picture.
@Suite struct SpriteSheetTests {
  /// 4×3 gray pixels: 0 to 3, 10 to 13, 20 to 23.
  static func sheet() throws -> PixelBuffer {
    try PixelBuffer(
      copying: [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23], size: Size(width: 4, height: 3), format: .gray8)
  }

  static func bytes(_ sprite: SpriteSheet.Sprite) throws -> [UInt8] {
    let sheet = try SpriteSheet(try sheet(), sprites: [sprite], delays: [.zero])
    return try sheet.frame(at: 0).pixels.copyBytes()
  }

  @Test func framesAreViewsOfThePicture() throws {
    let picture = try Self.sheet()
    let sheet = try SpriteSheet(
      picture, rectangles: [Rect(x: 0, y: 0, width: 2, height: 2), Rect(x: 2, y: 1, width: 2, height: 2)],
      delays: [.milliseconds(1), .milliseconds(2)], loopCount: .plays(4))
    let frame = try sheet.frame(at: 1)
    #expect(frame.pixels.copyBytes() == [12, 13, 22, 23])
    #expect(frame.pixels.base == picture.base + 6)
    #expect(frame.pixels.stride == 4)
    #expect(frame.delay == .milliseconds(2))
    #expect(sheet.rectangle(at: 1) == Rect(x: 2, y: 1, width: 2, height: 2))
    #expect(sheet.size == Size(width: 2, height: 2))
    #expect(sheet.frameByteCount == 0)
    #expect(sheet.loopCount == .plays(4))
  }

  @Test(arguments: [
    // Cut to the picture.
    (Rect(x: 3, y: 2, width: 5, height: 5), Rect(x: 3, y: 2, width: 1, height: 1)),
    (Rect(x: -2, y: -1, width: 3, height: 2), Rect(x: 0, y: 0, width: 1, height: 1)),
    (Rect(x: 1, y: 0, width: .max, height: .max), Rect(x: 1, y: 0, width: 3, height: 3)),
    // Empty, or elsewhere: the whole picture.
    (Rect(x: 1, y: 1, width: 0, height: 2), Rect(x: 0, y: 0, width: 4, height: 3)),
    (Rect(x: 1, y: 1, width: 2, height: -1), Rect(x: 0, y: 0, width: 4, height: 3)),
    (Rect(x: 4, y: 0, width: 1, height: 1), Rect(x: 0, y: 0, width: 4, height: 3)),
    (Rect(x: -5, y: 0, width: 5, height: 3), Rect(x: 0, y: 0, width: 4, height: 3)),
    (Rect(x: .min, y: .min, width: .max, height: .max), Rect(x: 0, y: 0, width: 4, height: 3)),
    (Rect(x: .max, y: 0, width: .max, height: 1), Rect(x: 0, y: 0, width: 4, height: 3)),
  ]) func rectanglesAreCutToThePicture(_ given: Rect, _ expected: Rect) throws {
    let sheet = try SpriteSheet(try Self.sheet(), rectangles: [given], delays: [.zero])
    #expect(sheet.rectangle(at: 0) == expected)
  }

  @Test(arguments: [
    (SpriteSheet.UnitRect(x: 0.5, y: 0, width: 0.5, height: 1), Rect(x: 2, y: 0, width: 2, height: 3)),
    (SpriteSheet.UnitRect(x: 0, y: 1.0 / 3, width: 1, height: 1.0 / 3), Rect(x: 0, y: 1, width: 4, height: 1)),
    (SpriteSheet.UnitRect(x: -1, y: 0, width: 1.25, height: 9), Rect(x: 0, y: 0, width: 1, height: 3)),
    (SpriteSheet.UnitRect(x: 1, y: 0, width: 1, height: 1), Rect(x: 0, y: 0, width: 4, height: 3)),
    (SpriteSheet.UnitRect(x: 0.1, y: 0, width: 0.01, height: 1), Rect(x: 0, y: 0, width: 4, height: 3)),
    (SpriteSheet.UnitRect(x: .nan, y: 0, width: 1, height: 1), Rect(x: 0, y: 0, width: 4, height: 3)),
    (SpriteSheet.UnitRect(x: 0, y: 0, width: .infinity, height: 1), Rect(x: 0, y: 0, width: 4, height: 3)),
  ]) func unitRectanglesAreRoundedToPixels(_ given: SpriteSheet.UnitRect, _ expected: Rect) throws {
    let sheet = try SpriteSheet(try Self.sheet(), unitRectangles: [given], delays: [.zero])
    #expect(sheet.rectangle(at: 0) == expected)
  }

  @Test func aFrameThatThereIsNotIsTheWholePictureAndNoFrame() throws {
    let sheet = try SpriteSheet(
      try Self.sheet(), rectangles: [Rect(x: 0, y: 0, width: 1, height: 1)], delays: [.milliseconds(1)])
    for index in [-1, 1, Int.max] {
      #expect(sheet.rectangle(at: index) == Rect(x: 0, y: 0, width: 4, height: 3))
      #expect(sheet.delay(at: index) == .zero)
      #expect(throws: CoderError.self) { try sheet.frame(at: index) }
    }
  }

  @Test func refusesWrongCounts() throws {
    let picture = try Self.sheet()
    let one = Rect(x: 0, y: 0, width: 1, height: 1)
    let wrong: [() throws -> SpriteSheet] = [
      { try SpriteSheet(picture, rectangles: [], delays: []) },
      { try SpriteSheet(picture, rectangles: [one], delays: []) },
      { try SpriteSheet(picture, rectangles: [one], delays: [.zero, .zero]) },
      { try SpriteSheet(picture, columns: 0, rows: 1, delay: .zero) },
      { try SpriteSheet(picture, columns: 5, rows: 1, delay: .zero) },
      { try SpriteSheet(picture, columns: .max, rows: .max, delay: .zero) },
      { try SpriteSheet(picture, columns: 2, rows: 1, count: 3, delay: .zero) },
      { try SpriteSheet(picture, columns: 2, rows: 1, count: 0, delay: .zero) },
    ]
    for make in wrong {
      let error = #expect(throws: CoderError.self) { try make() }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func aGridIsReadRowByRow() throws {
    let sheet = try SpriteSheet(try Self.sheet(), columns: 2, rows: 3, count: 5, delay: .milliseconds(40))
    #expect(
      try (0..<5).map { try sheet.frame(at: $0).pixels.copyBytes() } == [
        [0, 1], [2, 3], [10, 11], [12, 13], [20, 21],
      ])
    #expect(sheet.duration == .milliseconds(200))
  }

  @Test func aTurnedSpriteIsTurnedBack() throws {
    // In the sheet, turned clockwise:   upright:
    //   0  1  2                           2 12
    //  10 11 12                           1 11
    //                                     0 10
    let sprite = SpriteSheet.Sprite(Rect(x: 0, y: 0, width: 3, height: 2), isTurned: true)
    #expect(sprite.size == Size(width: 2, height: 3))
    #expect(try Self.bytes(sprite) == [2, 12, 1, 11, 0, 10])
  }

  @Test func aTrimmedSpriteGetsItsEdgesBack() throws {
    let sprite = SpriteSheet.Sprite(
      Rect(x: 2, y: 1, width: 2, height: 1), untrimmedSize: Size(width: 4, height: 3), offsetX: 1, offsetY: 2)
    #expect(try Self.bytes(sprite) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 13, 0])
    for (x, y) in [(3, 0), (0, 3), (-1, 0), (Int.max, 0)] {
      var outside = sprite
      (outside.offsetX, outside.offsetY) = (x, y)
      #expect(throws: CoderError.self) { try Self.bytes(outside) }
    }
    let sheet = try SpriteSheet(try Self.sheet(), sprites: [sprite], delays: [.zero])
    #expect(sheet.frameByteCount == 12)
  }
}
