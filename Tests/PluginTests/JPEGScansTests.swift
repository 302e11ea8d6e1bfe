// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// The scans of JPEG files with the effort `small`: of the scripts that are tried, the one with the smallest file.
@Suite(.needs("JPEG")) struct JPEGScansTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// Averages of luma alone, then those of chroma.
  private static let averages = ["1 0-0 0/0", "2,3 0-0 0/0"]
  private static let whole = averages + ["1 1-63 0/0", "2 1-63 0/0", "3 1-63 0/0"]
  private static let bands =
    averages + ["1 1-1 0/0", "1 2-2 0/0", "1 3-8 0/0", "1 9-63 0/0", "2 1-63 0/0", "3 1-63 0/0"]
  private static let approximate =
    averages + ["1 1-1 0/0", "1 2-2 0/0", "1 3-8 0/1", "1 9-63 0/1", "1 3-63 1/0"]
    + ["2 1-2 0/0", "2 3-63 0/0", "3 1-2 0/0", "3 3-63 0/0"]

  /// The channels of each scan, its first and last coefficient, and the bits before it and after it: T.81 B.2.3.
  private static func scans(_ file: [UInt8]) -> [String] {
    file.indices.dropLast(9).compactMap { at in
      guard file[at] == 0xFF, file[at + 1] == 0xDA else { return nil }
      let count = Int(file[at + 4])
      let channels = (0..<count).map { String(file[at + 5 + 2 * $0]) }.joined(separator: ",")
      let rest = file[(at + 5 + 2 * count)...]
      let bits = rest[rest.startIndex + 2]
      return "\(channels) \(rest[rest.startIndex])-\(rest[rest.startIndex + 1]) \(bits >> 4)/\(bits & 15)"
    }
  }

  /// Slopes with noise.
  private static func file(_ quality: Double, noise: Int) throws -> [UInt8] {
    var random = SplitMix(seed: 11)
    let buffer = try PixelBuffer(size: Size(width: 320, height: 240), format: .rgb8, alpha: .opaque)
    for y in 0..<240 {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<320 * 3 { row[x] = UInt8((x / 6 + y * (1 + x % 3) / 2) % (256 - noise) + random.below(noise)) }
    }
    var options = EncodeOptions()
    options.values = ["effort": "small", "quality": .number(quality)]
    options.subsampling = .s420
    return try registry.encode(Image(buffer), as: .jpeg, options: options)
  }

  /// At one bit for a pixel, what is plain and what is busy part: files of either kind try another script.
  @Test func smallestScriptIsKept() throws {
    #expect(try Self.scans(Self.file(0.3, noise: 100)) == Self.whole)
    #expect(try Self.scans(Self.file(0.5, noise: 40)) == Self.bands)
    #expect(try Self.scans(Self.file(0.75, noise: 40)) == Self.approximate)
    #expect(try Self.scans(Self.file(0.9, noise: 100)) == Self.bands)
  }
}
