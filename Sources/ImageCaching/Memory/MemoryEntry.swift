// SPDX-License-Identifier: Apache-2.0

/// A place in a cache: what is known of its value.
class MemoryEntry: @unchecked Sendable {
  enum Queue { case outside, small, main }

  /// What an entry takes itself, in bytes.
  static let leastBytes = 256

  let key: CacheKey
  let bytes: Int
  /// Nanoseconds.
  let remakeTime: Int
  /// Nanoseconds; 0 if nobody asks.
  var putTime = 0
  /// Uses since it came into its queue, 3 at most. Under the lock of its shard.
  var uses: UInt8 = 0

  // Under the lock of the policy.
  var queue = Queue.outside
  unowned(unsafe) var newer: MemoryEntry?
  unowned(unsafe) var older: MemoryEntry?

  init(_ key: CacheKey, bytes: Int, remakeTime: Duration?) {
    self.key = key
    self.bytes = max(bytes, Self.leastBytes)
    self.remakeTime = remakeTime?.nanoseconds ?? Self.estimate(self.bytes)
  }

  /// 0.3 ms, and 1 ms for each 4 MiB.
  static func estimate(_ bytes: Int) -> Int {
    300_000 + bytes / (4 << 20) * 1_000_000 + bytes % (4 << 20) * 1_000_000 / (4 << 20)
  }
}

extension Duration {
  /// At least 0, and at most an hour.
  fileprivate var nanoseconds: Int {
    let time = min(max(self, .zero), .seconds(3600))
    return Int(time.components.seconds) * 1_000_000_000 + Int(time.components.attoseconds / 1_000_000_000)
  }
}
