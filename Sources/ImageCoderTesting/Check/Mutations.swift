// SPDX-License-Identifier: Apache-2.0

/// Changes of a sample that a seed and a number determine.
enum Mutations {
  /// The mutation with a number, or nil if there are no samples that the caller gave.
  static func input(of subject: CheckSubject, iteration: UInt64) -> [UInt8]? {
    guard let samples = try? subject.givenSamples, !samples.isEmpty else { return nil }
    return mutation(of: samples, seed: subject.seed, iteration: iteration)
  }

  static func mutation(of samples: [CheckSubject.Sample], seed: UInt64, iteration: UInt64) -> [UInt8] {
    var random = CheckRandom(seed &* 0x1_0000_0001 &+ iteration)
    var bytes = samples[random.below(samples.count)].bytes
    for _ in 0...random.below(4) where !bytes.isEmpty {
      let place = random.below(bytes.count)
      switch random.below(8) {
      case 0: bytes[place] ^= 1 << UInt8(random.below(8))
      case 1: bytes[place] = UInt8(random.below(256))
      case 2: bytes[place] = [0, 0x7F, 0x80, 0xFF][random.below(4)]
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(16)))
      case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + random.below(16))], at: place)
      case 5: bytes.removeLast(bytes.count - place)
      case 6:
        // A field of four bytes, as sizes and counts are.
        let value = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF, 0x1_0000][random.below(7)]
        for offset in 0..<min(4, bytes.count - place) {
          bytes[place + offset] = UInt8(value >> (24 - 8 * offset) & 255)
        }
      default:
        let other = samples[random.below(samples.count)].bytes
        guard !other.isEmpty else { continue }
        let start = random.below(other.count)
        let piece = other[start..<min(other.count, start + 1 + random.below(64))]
        bytes.replaceSubrange(place..<min(bytes.count, place + piece.count), with: piece)
      }
    }
    return bytes
  }
}
