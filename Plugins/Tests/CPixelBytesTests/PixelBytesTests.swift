// SPDX-License-Identifier: Apache-2.0

import CPixelBytes
import Testing

/// Each loop against its definition, for counts around what a register holds, at all addresses; bytes beside stay.
@Suite struct PixelBytesTests {
  /// Calls a loop with `count` pixels that begin at an address that is no multiple of 16, between bytes that have to stay.
  private static func run(
    _ count: Int, at offset: Int, from: Int, to: Int,
    _ loop: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
  ) -> (source: [UInt8], result: [UInt8], isBesideUntouched: Bool) {
    let source = (0..<count * from).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
    // The exact number of bytes, so that AddressSanitizer sees a read behind them.
    let input = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, offset + source.count))
    let room = 16 + offset + count * to + 16
    let output = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
    defer {
      input.deallocate()
      output.deallocate()
    }
    for (i, byte) in source.enumerated() { input[offset + i] = byte }
    output.initialize(repeating: 0xEE, count: room)
    loop(input + offset, output + 16 + offset, count)
    let all = Array(UnsafeBufferPointer(start: output, count: room))
    let result = Array(all[(16 + offset)..<(16 + offset + count * to)])
    return (source, result, all[..<(16 + offset)].allSatisfy { $0 == 0xEE } && all.suffix(16).allSatisfy { $0 == 0xEE })
  }

  /// Pixels of `from` bytes as pixels of `to` bytes, by the definition.
  private static func expected(_ source: [UInt8], from: Int, to: Int, swaps: Bool) -> [UInt8] {
    var result: [UInt8] = []
    for first in stride(from: 0, to: source.count, by: from) {
      result += swaps ? [source[first + 2], source[first + 1], source[first]] : Array(source[first..<(first + 3)])
      if to == 4 { result.append(255) }
    }
    return result
  }

  static let counts: [Int] = Array(0...40) + [63, 64, 65, 1000]

  @Test(arguments: counts) func areWhatTheySay(_ count: Int) {
    for offset in 0..<16 {
      for swaps in [false, true] {
        let flag: Int32 = swaps ? 1 : 0
        let wide = Self.run(count, at: offset, from: 3, to: 4) { pixel_bytes_widen($0, $1, $2, flag) }
        #expect(wide.result == Self.expected(wide.source, from: 3, to: 4, swaps: swaps))
        #expect(wide.isBesideUntouched)
        let narrow = Self.run(count, at: offset, from: 4, to: 3) { pixel_bytes_narrow($0, $1, $2, flag) }
        #expect(narrow.result == Self.expected(narrow.source, from: 4, to: 3, swaps: swaps))
        #expect(narrow.isBesideUntouched)
      }
      let swapped = Self.run(count, at: offset, from: 3, to: 3) { pixel_bytes_swap3($0, $1, $2) }
      #expect(swapped.result == Self.expected(swapped.source, from: 3, to: 3, swaps: true))
      #expect(swapped.isBesideUntouched)
    }
  }
}
