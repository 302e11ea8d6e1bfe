// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageMemory

/// Requests for pictures: small ones of 64 KiB to 1 MiB, and one in five of 8 to 48 MB, asked for as often as their rank says.
package struct CacheTrace {
  package enum Kind: String, CaseIterable {
    case zipf, scan, drift
  }

  package private(set) var bytes: [Int] = []
  package private(set) var requests: [Int] = []

  /// Nanoseconds: 0.3 ms, and 1 ms for each 4 MiB.
  package func time(_ name: Int) -> Int { 300_000 + Int(Double(bytes[name]) / 4_194_304 * 1_000_000) }

  package init(_ kind: Kind, exponent: Double, objects: Int, requests count: Int, seed: UInt64 = 7) {
    var random = RandomNumbers(seed: seed)
    var sums: [Double] = []
    for rank in 1...objects { sums.append((sums.last ?? 0) + pow(Double(rank), -exponent)) }
    var names = Array(0..<objects)
    names.shuffle(using: &random)
    var burst = 0
    for number in 0..<count {
      if kind == .drift, number > 0, number.isMultiple(of: max(count / 6, 1)) {
        names = Array(names[(objects / 20)...] + names[..<(objects / 20)])
      }
      // Bursts of 200 that nobody asks for again are a quarter of all.
      if kind == .scan, burst == 0, Int.random(in: 0..<(600), using: &random) == 0 { burst = 200 }
      if burst > 0 {
        burst -= 1
        requests.append(objects + number)
        continue
      }
      let wanted = Double(Int.random(in: 0..<(1 << 53), using: &random)) / 0x1p53 * (sums.last ?? 0)
      var (low, high) = (0, objects - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] < wanted { low = middle + 1 } else { high = middle }
      }
      requests.append(names[low])
    }
    for _ in 0..<(objects + count) {
      let isPhoto = Int.random(in: 0..<(5), using: &random) == 0
      bytes.append(
        isPhoto
          ? 8_000_000 + Int.random(in: 0..<(40_000_000), using: &random)
          : (64 << 10) + Int.random(in: 0..<(960 << 10), using: &random))
    }
    self.objects = objects
  }

  private let objects: Int

  /// Of all pictures that are asked for again.
  package var totalBytes: Int { bytes[..<objects].reduce(0, +) }
}
