// SPDX-License-Identifier: Apache-2.0

/// Changes of seeds without libFuzzer: the same for the same choices.
package enum Mutation {
  private static let words: [[UInt8]] = [
    [0, 0, 0, 0], [0, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0],
    [0xFF, 0xFF, 0xFF, 0x7F],
  ]

  /// Changes bytes in one to four places, and mends what a checksum would find, seven times of eight.
  package static func mutate(_ bytes: inout [UInt8], _ structure: (any FileStructure.Type)?, _ choices: inout Choices) {
    for _ in 0..<1 + choices.below(4) where !bytes.isEmpty {
      let place = choices.below(bytes.count)
      switch choices.below(6) {
      case 0: bytes[place] ^= 1 << UInt8(choices.below(8))
      case 1: bytes[place] = UInt8(choices.below(256))
      case 2:
        let word = words[choices.below(words.count)]
        for (index, byte) in word.enumerated() where place + index < bytes.count { bytes[place + index] = byte }
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + 1 + choices.below(16)))
      case 4 where choices.below(4) == 0: bytes.removeLast(bytes.count - place)
      default: structure?.rearrange(&bytes, most: 2 * bytes.count, &choices)
      }
    }
    if choices.below(8) > 0 { structure?.repair(&bytes) }
  }
}
