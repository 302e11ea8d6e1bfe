// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// A piece of the library that is fed with bytes which may be anything.
///
/// A run that ends, whatever it says of the bytes, has passed. What fails is a trap, a report of a sanitizer, a hang,
/// memory beyond ``mostMemory``, and a broken promise, which ends the process by ``broken(_:)``.
struct FuzzTarget: Sendable {
  /// `png-decode`: lower case, the subject first.
  let name: String
  /// A line for the list.
  let about: String
  let seeds: Seeds
  /// How bytes of this kind are put together, or nil for bytes without structure.
  let structure: (any FileStructure.Type)?
  let run: @Sendable ([UInt8]) -> Void

  /// The memory that readers may take, as ``ImageCoderModel/Limits/maxMemory``.
  static let mostMemory = 64 << 20

  /// Ends the process because a promise of the library does not hold.
  static func broken(_ promise: String) -> Never { fatalError("a promise is broken: \(promise)") }
}

/// What the first inputs of a target are.
enum Seeds {
  /// The files of folders, by their paths from the top of the repository.
  case files([String])
  /// The blocks of a kind in the fixtures of all formats.
  case metadata(MetadataKind)
  case bytes([[UInt8]])
}

/// Choices that follow from the bytes: the same for the same bytes.
struct Choices {
  private var state: UInt64

  init(_ bytes: [UInt8]) {
    // FNV-1a of the length and the last bytes, which mutations reach as any others.
    state = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
    for byte in bytes.suffix(64) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// A number in `0 ..< bound`.
  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(max(bound, 1)))
  }
}
