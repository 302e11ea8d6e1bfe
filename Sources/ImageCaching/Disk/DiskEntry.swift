// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A key with the number that its entry has.
struct NumberedKey: Sendable {
  let bytes: [UInt8]
  /// 63 bits of a checksum. Keys with the same one replace each other, which hardly ever happens: the whole key is compared.
  let id: Int

  init(_ key: String) {
    bytes = Array(key.utf8)
    id = Int(Checksum.of(bytes) >> 1)
  }
}

/// Which queue an entry is in.
///
/// The two classes are values in the database and values in files, so that a few photos do not push out a thousand
/// thumbnails. Each has two queues of S3-FIFO: entries begin in *probation*, and those that are used go to *main*. An entry's
/// rank is its queue, in the highest byte, and its position in the others.
struct CacheQueue: Equatable, Sendable {
  let isInline: Bool
  let isMain: Bool

  var number: Int { (isInline ? 0 : 2) + (isMain ? 1 : 0) }

  static let all = [true, false].flatMap { isInline in
    [false, true].map { CacheQueue(isInline: isInline, isMain: $0) }
  }

  static let positionBits = 56
  static let maxPosition = 1 << positionBits

  /// The ranks of a queue.
  var ranks: Range<Int> { number << Self.positionBits..<(number + 1) << Self.positionBits }

  func rank(_ position: Int) -> Int { number << Self.positionBits + position }

  /// The queue of a rank, or nil for one that is none.
  init?(rank: Int) {
    let number = rank >> Self.positionBits
    guard (0..<4).contains(number) else { return nil }
    self.init(isInline: number < 2, isMain: number & 1 == 1)
  }

  init(isInline: Bool, isMain: Bool) {
    self.isInline = isInline
    self.isMain = isMain
  }

  /// The row of `totals` for the entries of a kind.
  func slot(_ kind: Int) -> Int { number << 8 + kind }

  static let slots = all.flatMap { queue in DiskCache.Kind.allCases.map { queue.slot($0.rawValue) } }
}

/// An entry without its value: a row of `entry`.
struct DiskEntry: Sendable {
  /// The number of its key.
  var id = 0
  /// Its queue and its position there; see ``CacheQueue``.
  var rank = 0
  var key: [UInt8] = []
  var kind = 0
  /// Bytes of the value.
  var size = 0
  /// The checksum of the value.
  var checksum: UInt64 = 0
  /// When it was written or confirmed, in seconds since 1970.
  var stored = 0
  var isInline = true
  /// The row of `value`, or the name of the file.
  var place = 0
  var metadata: [UInt8] = []
  /// The checksum of all fields above but the first two.
  var seal: UInt64 = 0
  /// How often it was used since it was last looked at by eviction, up to ``maxHits``.
  var hits = 0
  /// When it was last used, in seconds since 1970.
  var used = 0

  static let maxHits = 3
  /// Seconds within which another use of an entry with the most hits is not written down.
  static let useResolution = 3600

  /// What an entry counts of the cache's bytes. Of one that is not sound, it may be any number.
  var cost: Int { size &+ key.count &+ metadata.count }

  /// What ``seal`` has to be.
  var correctSeal: UInt64 {
    let numbers: [UInt64] = [
      UInt64(bitPattern: Int64(kind)), UInt64(bitPattern: Int64(size)), checksum, UInt64(bitPattern: Int64(stored)),
      isInline ? 1 : 0, UInt64(bitPattern: Int64(place)), UInt64(bitPattern: Int64(key.count)),
    ]
    return Checksum.of(metadata, seed: Checksum.of(key, seed: numbers.withUnsafeBytes { Checksum.of($0) }))
  }

  /// Whether the entry is as it was written.
  var isSound: Bool { seal == correctSeal && size >= 0 && DiskCache.Kind(rawValue: kind) != nil }
}
