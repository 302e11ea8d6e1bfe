// SPDX-License-Identifier: Apache-2.0

import CFuzzing
import FuzzStructures

/// The inflate of the PNG coder, which has to agree with zlib's about every stream.
enum InflateTargets {
  static let all =
    fuzzing_has_zlib() == 0
    ? []
    : [
      FuzzTarget(
        name: "png-inflate", about: "zlib streams in pieces of any size, compared with zlib", seeds: .bytes(seeds),
        structure: nil, run: run)
    ]

  private static func run(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    guard fuzzing_inflates_as_zlib(bytes, bytes.count, UInt64(choices.below(1 << 20))) == 1 else {
      FuzzTarget.broken("a stream is inflated as zlib does it")
    }
  }

  /// Streams with their checksums: none, bytes as they are, fixed codes, and what PNG files have.
  private static let seeds: [[UInt8]] =
    [
      [0x78, 0x01, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01],
      // RFC 1951, 3.2.4: two bytes as they are, "ab".
      [0x78, 0x01, 0x01, 0x02, 0x00, 0xFD, 0xFF, 0x61, 0x62, 0x01, 0x26, 0x00, 0xC4],
      // "aaaaaaaaaa" with fixed codes.
      [0x78, 0x9C, 0x4B, 0x84, 0x01, 0x00, 0x14, 0xE1, 0x03, 0xCB],
    ] + pictures + ofAnyCodes

  /// Streams that are long enough to be inflated in several places at once.
  private static var ofAnyCodes: [[UInt8]] {
    (0..<8).map { number in
      [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = fuzzing_any_stream(number, buffer.baseAddress)
      }
    }
  }

  /// The image data of small PNG files, joined.
  private static var pictures: [[UInt8]] {
    Files.below("Tests/Fixtures/png/valid").compactMap(Files.bytes).filter { $0.count < 4000 }.map { file in
      PNGStructure.parts(of: file).filter { file[$0].dropFirst(4).starts(with: Array("IDAT".utf8)) }
        .flatMap { file[$0].dropFirst(8).dropLast(4) }
    }.filter { !$0.isEmpty }
  }
}
