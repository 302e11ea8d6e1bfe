// SPDX-License-Identifier: Apache-2.0

import CFuzzing
import FuzzStructures

/// The lossless decoder of the WebP coder, which has to agree with libwebp's about every bitstream.
enum LosslessTargets {
  static let all =
    fuzzing_has_libwebp() == 0
    ? []
    : [
      FuzzTarget(
        name: "webp-lossless", about: "VP8L bitstreams in groups of rows, compared with libwebp", seeds: .bytes(seeds),
        structure: nil, run: run)
    ]

  private static func run(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    guard fuzzing_decodes_as_libwebp(bytes, bytes.count, UInt32(1 + choices.below(40))) == 1 else {
      FuzzTarget.broken("a bitstream is decoded as libwebp does it")
    }
  }

  /// The bitstreams of small files.
  private static var seeds: [[UInt8]] {
    Files.below("Tests/Fixtures/webp/valid").compactMap(Files.bytes).filter { $0.count < 20_000 }.compactMap(bitstream)
  }

  /// What the first VP8L chunk holds.
  private static func bitstream(_ file: [UInt8]) -> [UInt8]? {
    let name = Array("VP8L".utf8)
    guard let at = file.indices.dropLast(8).first(where: { file[$0..<$0 + 4].elementsEqual(name) }) else { return nil }
    let size = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
    return Array(file[(at + 8)...].prefix(size))
  }
}
