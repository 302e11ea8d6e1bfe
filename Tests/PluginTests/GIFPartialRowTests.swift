// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What is drawn of a GIF's frame whose data is wrong in the middle of a row.
@Suite struct GIFPartialRowTests {
  /// Codes of three bits, the least first, as one sub-block (GIF89a, Appendix F).
  private static func block(_ codes: [Int]) -> [UInt8] {
    var bits = 0
    for (index, code) in codes.enumerated() { bits |= code << (3 * index) }
    let count = (3 * codes.count + 7) / 8
    return [UInt8(count)] + (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } + [0]
  }

  /// A still picture of two parts: three red rows, and two rows over them.
  private static func file(_ second: [Int]) -> [UInt8] {
    var bytes = Array("GIF89a".utf8) + [4, 0, 3, 0, 0x80, 0, 0] + [0, 0, 0, 255, 0, 0]
    // 4 clears the table, 5 ends the data; two codes after each, so that they stay at three bits.
    let first = Array(repeating: [4, 1, 1], count: 6).flatMap { $0 } + [5]
    for (height, codes) in [(3, first), (2, second)] {
      bytes += [0x21, 0xF9, 4, 0, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0, 4, 0, UInt8(height), 0, 0] + [2] + block(codes)
    }
    return bytes + [0x3B]
  }

  /// A row of which one pixel is known is not drawn, in the program as in a worker, which sees whole rows alone.
  @Test func aRowIsDrawnWholeOrNotAtAll() throws {
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    // The free code after 0 is 6; 7 is none.
    // Rows of a plugin from elsewhere are cleared first.
    let path = PluginSearchPath.only([StagedTree.plugins]).trusting([StagedTree.plugins])
    let registry = CoderRegistry(searchPath: path, preferences: CoderPreferences())
    let image = try registry.decode(.bytes(Self.file([4, 0, 7])), options: options)
    #expect(image.problem?.message.hasPrefix("code 7 after 0 rows") == true)
    #expect(image.pixels.copyBytes() == Array(repeating: [255, 0, 0, 255], count: 12).flatMap { $0 })
  }
}
