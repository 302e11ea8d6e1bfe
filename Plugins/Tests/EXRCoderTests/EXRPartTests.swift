// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import EXRCoder

/// Parts of pictures: of chunks that a part does not touch, the table says that they are beyond the file, so that reading one
/// is an error.
@Suite struct EXRPartTests {
  /// The sample at a place of a level.
  private static func sample(_ x: Int, _ y: Int, level: Int = 0) -> Float16 {
    Float16(100 * (level + 1) + 10 * y + x)
  }

  /// A picture of 7×6 in tiles of 3, with the smaller ones of 3×3 and 1×1.
  private static let tiles: SmallFile = {
    var chunks: [(place: [Int32], samples: [UInt16])] = []
    for (level, size) in [Size(width: 7, height: 6), Size(width: 3, height: 3), Size(width: 1, height: 1)].enumerated()
    {
      for row in 0..<((size.height + 2) / 3) {
        for column in 0..<((size.width + 2) / 3) {
          var samples: [UInt16] = []
          for y in (3 * row)..<min(3 * row + 3, size.height) {
            for x in (3 * column)..<min(3 * column + 3, size.width) {
              samples.append(sample(x, y, level: level).bitPattern)
            }
          }
          chunks.append(([Int32(column), Int32(row), Int32(level), Int32(level)], samples))
        }
      }
    }
    return SmallFile(data: [0, 0, 6, 5], tile: (3, 1), chunks: chunks)
  }()

  private static func expected(_ part: Rect, level: Int = 0) -> [Float16] {
    (part.y..<(part.y + part.height)).flatMap { y in
      (part.x..<(part.x + part.width)).map { sample($0, y, level: level) }
    }
  }

  /// Tiles of the whole picture are 0 to 5, by rows.
  static let parts: [(part: Rect, touched: Set<Int>)] = [
    (Rect(x: 0, y: 0, width: 1, height: 1), [0]), (Rect(x: 6, y: 5, width: 1, height: 1), [5]),
    (Rect(x: 3, y: 0, width: 3, height: 3), [1]), (Rect(x: 2, y: 1, width: 2, height: 1), [0, 1]),
    (Rect(x: 4, y: 2, width: 3, height: 2), [1, 2, 4, 5]), (Rect(x: 0, y: 3, width: 7, height: 3), [3, 4, 5]),
  ]

  @Test(arguments: parts.indices) func onlyTilesThatAPartTouchesAreRead(_ index: Int) throws {
    let (part, touched) = Self.parts[index]
    var file = Self.tiles
    file.missing = Set(file.chunks.indices).subtracting(touched)
    let (samples, rows, problem) = try file.decoded(part: part)
    #expect(samples == Self.expected(part) && rows == part.height && problem == nil)
  }

  /// At 3×3 the second level is there, whose only tile is chunk 6.
  @Test func aPartOfASmallerSizeIsOfTheSmallerPicture() throws {
    var file = Self.tiles
    file.missing = Set(file.chunks.indices).subtracting([6])
    let part = Rect(x: 1, y: 1, width: 2, height: 1)
    let (samples, _, problem) = try file.decoded(size: Size(width: 3, height: 3), part: part)
    #expect(samples == Self.expected(part, level: 1) && problem == nil)
  }

  @Test func onlyRowsOfAPartAreRead() throws {
    var file = SmallFile(data: [0, 0, 1, 5], chunks: SmallFile.rows([0, 1, 2, 3, 4, 5]))
    file.missing = [0, 1, 4, 5]
    let (samples, rows, problem) = try file.decoded(part: Rect(x: 1, y: 2, width: 1, height: 2))
    #expect(samples == [2, 3] && rows == 2 && problem == nil)
  }

  /// Where the canvas is not covered, a part is empty as the whole is.
  @Test func aPartOfACanvasAroundTheDataIsEmptyOutside() throws {
    var file = SmallFile(chunks: SmallFile.rows([1, 2, 3]))
    file.display = [-2, -1, 3, 4]
    let whole = try file.decoded().samples
    #expect(whole.count == 36 && Array(whole[12..<18]) == [0, 0, 2, 2, 0, 0])
    for part in [
      Rect(x: 0, y: 0, width: 6, height: 6), Rect(x: 1, y: 0, width: 2, height: 3),
      Rect(x: 3, y: 2, width: 3, height: 4),
      Rect(x: 0, y: 0, width: 2, height: 6), Rect(x: 2, y: 4, width: 2, height: 2),
      Rect(x: 2, y: 2, width: 1, height: 1),
    ] {
      let found = try file.decoded(part: part)
      var expected: [Float16] = []
      for y in part.y..<(part.y + part.height) { expected += whole[(6 * y + part.x)..<(6 * y + part.x + part.width)] }
      #expect(found.samples == expected && found.rows == part.height && found.problem == nil, "\(part)")
    }
  }
}
