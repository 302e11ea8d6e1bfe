// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin
import Testing

/// Pictures that are put together from others.
@Suite struct DerivationTests {
  @Test func aPictureIsNotInsideItself() throws {
    let chain = try DerivationChain().adding(1).adding(2)
    #expect(chain.contains(1) && !chain.contains(3))
    #expect(throws: CoderError.malformed("item 1 is made of itself")) { try chain.adding(1) }
  }

  @Test func eightStepsAreAllowed() throws {
    var chain = DerivationChain()
    for item in 1...8 {
      #expect(chain.isInside == (item > 2))
      chain = try chain.adding(UInt32(item))
    }
    let error = CoderError.unsupported("item 9 is made of pictures in 8 steps, 8 are allowed")
    #expect(throws: error) { try chain.adding(9) }
  }

  @Test func tilesLieInRows() throws {
    let grid = GridItem(rows: 2, columns: 3, canvas: Size(width: 28, height: 15))
    let tile = Size(width: 10, height: 8)
    let layout = try Derivation.grid(grid).layout(of: Array(repeating: tile, count: 6))
    #expect(layout.canvas == grid.canvas)
    #expect(layout.places.map(\.x) == [0, 10, 20, 0, 10, 20])
    #expect(layout.places.map(\.y) == [0, 0, 0, 8, 8, 8])
    let error = CoderError.malformed("a grid of 3×2 tiles with 5 pictures")
    #expect(throws: error) { try Derivation.grid(grid).layout(of: Array(repeating: tile, count: 5)) }
  }

  /// Of a picture of 10×8 pixels: where it lies, and what a region of 20×20 pixels at (5, 5) shows of it.
  @Test(arguments: [
    (x: 5, y: 5, rect: Rect(x: 0, y: 0, width: 10, height: 8), at: (0, 0)),
    (x: 0, y: 0, rect: Rect(x: 5, y: 5, width: 5, height: 3), at: (0, 0)),
    (x: -3, y: 20, rect: Rect(x: 8, y: 0, width: 2, height: 5), at: (0, 15)),
    (x: 24, y: 12, rect: Rect(x: 0, y: 0, width: 1, height: 8), at: (19, 7)),
  ])
  func aRegionShowsAPart(x: Int, y: Int, rect: Rect, at: (Int, Int)) throws {
    let region = Rect(x: 5, y: 5, width: 20, height: 20)
    let part = try #require(ShownPart(of: Size(width: 10, height: 8), at: (x, y), in: region))
    #expect(part.rect == rect)
    #expect(part.x == at.0 && part.y == at.1)
  }

  @Test(arguments: [(-5, 5), (25, 5), (5, -3), (5, 25)]) func nothingIsShownOutside(x: Int, y: Int) {
    let region = Rect(x: 5, y: 5, width: 20, height: 20)
    #expect(ShownPart(of: Size(width: 10, height: 8), at: (x, y), in: region) == nil)
  }

  @Test func workIsBounded() throws {
    let size = Size(width: 10, height: 10)
    try Derivation.check(work: 6400 + 1 << 24, for: size)
    #expect(throws: CoderError.self) { try Derivation.check(work: 6401 + 1 << 24, for: size) }
  }
}
