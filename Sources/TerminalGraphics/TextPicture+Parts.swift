// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Characters that show several parts of a picture in two colors.
struct CharacterParts {
  /// Parts of a character, one beside and above the other.
  let (across, down): (Int, Int)
  /// The pixels of a part: a character is twice as high as wide.
  let part: Size
  /// The characters, by the parts that are in their color: the first bit is the one at the upper left, then to the right and down.
  /// The last part is never among them.
  fileprivate let characters: [[UInt8]]

  /// The pixels of a character.
  var cell: Size { Size(width: across * part.width, height: down * part.height) }

  static let quadrants = CharacterParts(
    across: 2, down: 2, part: Size(width: 1, height: 2),
    characters: [" ", "▘", "▝", "▀", "▖", "▌", "▞", "▛"].map { Array($0.utf8) })

  /// Unicode's block Symbols for Legacy Computing, in which those of Block Elements are left out.
  static let sextants = CharacterParts(
    across: 2, down: 3, part: Size(width: 3, height: 4),
    characters: (0..<32).map { number in
      switch number {
      case 0: [0x20]
      case 0b010101: Array("▌".utf8)
      default: Array(String(UnicodeScalar(UInt32(0x1FB00 + number - (number < 0b010101 ? 1 : 2))) ?? " ").utf8)
      }
    })
}

extension TextPicture {
  /// The lines of a picture of which a character shows parts, in the two colors with which the parts differ least from what they
  /// are.
  static func draw(_ pixels: PixelBuffer, in parts: CharacterParts) -> [UInt8] {
    let cell = parts.cell
    var text: [UInt8] = []
    text.reserveCapacity(pixels.size.pixelCount * 6)
    for top in stride(from: 0, to: pixels.size.height, by: cell.height) {
      let rows = (top..<top + cell.height).map { SpreadColors.row($0, of: pixels) }
      var last: Division?
      for left in stride(from: 0, to: pixels.size.width, by: cell.width) {
        let means = (0..<parts.across * parts.down).map { number in
          mean(
            of: rows, left: left + number % parts.across * parts.part.width,
            top: number / parts.across * parts.part.height, parts.part)
        }
        let best = Division(of: means)
        if last.map({ $0.front != best.front || $0.back != best.back }) ?? true {
          text += TextProtocol.quadrants.rendition(color(best.front), color(best.back)).utf8
        }
        last = best
        text += parts.characters[best.number]
      }
      text += Array("\u{1B}[0m\n".utf8)
    }
    return text
  }

  /// The mean color of a part. What lies beside the picture is black.
  private static func mean(of rows: [[UInt32]], left: Int, top: Int, _ size: Size) -> SIMD3<Int32> {
    var sum = SIMD3<Int32>.zero
    for row in rows[top..<top + size.height] {
      for x in left..<min(left + size.width, max(row.count, left)) {
        sum &+= [Int32(row[x] & 0xFF), Int32(row[x] >> 8 & 0xFF), Int32(row[x] >> 16 & 0xFF)]
      }
    }
    return sum / Int32(size.pixelCount)
  }

  private static func color(_ channels: SIMD3<Int32>) -> UInt32 {
    0xFF00_0000 | UInt32(channels.z) << 16 | UInt32(channels.y) << 8 | UInt32(channels.x)
  }
}

/// A division of a character's parts in two colors.
private struct Division {
  /// The parts in the color of the character.
  private(set) var number = 0
  private(set) var front = SIMD3<Int32>.zero
  private(set) var back = SIMD3<Int32>.zero

  /// The best of all. The last part is always in the color of the background.
  init(of parts: [SIMD3<Int32>]) {
    var least = Int.max
    for number in 0..<1 << (parts.count - 1) {
      var (front, back) = (SIMD3<Int32>.zero, SIMD3<Int32>.zero)
      for (index, part) in parts.enumerated() { if number >> index & 1 == 1 { front &+= part } else { back &+= part } }
      let count = Int32(number.nonzeroBitCount)
      back = back / (Int32(parts.count) - count)
      front = count == 0 ? back : front / count
      var error = 0
      for (index, part) in parts.enumerated() {
        let difference = part &- (number >> index & 1 == 1 ? front : back)
        error += Int((difference &* difference).wrappedSum())
      }
      if error < least { (least, self.number, self.front, self.back) = (error, number, front, back) }
    }
  }
}
