// SPDX-License-Identifier: Apache-2.0

import CLocks
import Glibc
import ImageCoderModel
import ImageMemory

/// What a cache is, whatever its values are.
///
/// A hit needs the lock of one shard alone: it finds the entry and counts the use. The queues are under one other lock,
/// which is taken before that of a shard; so the order in which values go is that of a cache without shards.
final class CacheCore: MemoryClient, @unchecked Sendable {
  let registration = Lock<WeakRegistration?>(nil)
  private let shards = CacheShards()
  private let maxAge: Int?
  private let now: @Sendable () -> Duration
  private let maxBytes: Int

  // Under the lock of the policy.
  private let lock: UnsafeMutablePointer<clocks_lock>
  private var policy: EvictionPolicy
  private var evictions = 0
  private var expirations = 0
  private var nextSweep = 0

  init(_ options: MemoryCacheOptions, now: @escaping @Sendable () -> Duration) {
    maxBytes = options.maxBytes.map { max($0, 0) } ?? MemoryArbiter.shared.budget
    maxAge = options.maxAge.map { max(Self.nanoseconds($0), 0) }
    self.now = now
    policy = EvictionPolicy(
      splitBytes: options.splitBytes, maxCount: options.maxCount.map { max($0, 0) } ?? .max, limit: maxBytes)
    lock = .allocate(capacity: 1)
    lock.initialize(to: clocks_lock())
    clocks_make(lock)
  }

  deinit {
    shards.deallocate()
    clocks_remove(lock)
    lock.deallocate()
  }

  private static func nanoseconds(_ time: Duration) -> Int {
    let (seconds, attoseconds) = min(max(time, .zero), .seconds(1 << 32)).components
    return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
  }

  private var time: Int { maxAge == nil ? 0 : Self.nanoseconds(now()) }

  private func withPolicy<Answer>(_ body: (inout EvictionPolicy) -> Answer) -> Answer {
    clocks_take(lock)
    defer { clocks_give(lock) }
    return body(&policy)
  }

  private func isExpired(_ entry: MemoryEntry, _ time: Int) -> Bool {
    guard let maxAge else { return false }
    return time - entry.putTime > maxAge
  }

  // MARK: Finding

  func hit(_ key: CacheKey) -> MemoryEntry? {
    let time = self.time
    let (entry, isOld) = shards.with(key) { shard -> (MemoryEntry?, Bool) in
      guard let found = shard.find(key) else {
        shard.misses += 1
        return (nil, false)
      }
      let entry = found.takeUnretainedValue()
      guard !isExpired(entry, time) else {
        shard.misses += 1
        return (entry, true)
      }
      if entry.uses < 3 { entry.uses += 1 }
      shard.hits += 1
      shard.savedTime &+= entry.remakeTime
      return (entry, false)
    }
    guard isOld, let entry else { return entry }
    expire([entry])
    return nil
  }

  func contains(_ key: CacheKey) -> Bool {
    let time = self.time
    return shards.with(key) { shard in
      shard.find(key).map { !isExpired($0.takeUnretainedValue(), time) } ?? false
    }
  }

  var entries: [MemoryEntry] { shards.map { $0.entries }.flatMap { $0 } }

  // MARK: Changing

  func put(_ entry: MemoryEntry) -> Bool {
    registration.withLock { $0 }?.value?.growIfDue()
    let time = self.time
    entry.putTime = time
    sweep(time)
    // What goes is released at the end, without a lock.
    let (isKept, gone) = withPolicy { policy -> (Bool, [MemoryEntry]) in
      let old = shards.with(entry.key) { $0.find(entry.key)?.takeUnretainedValue() }
      let queue = old?.queue ?? .outside
      if let old { policy.remove(old) }
      guard entry.bytes <= policy.limit, policy.maxCount > 0 else {
        return (false, old.flatMap { take($0) }.map { [$0] } ?? [])
      }
      var gone = policy.makeRoom(
        for: entry.bytes, limit: policy.limit, count: policy.maxCount - 1, takeUnlessUsed)
      evictions += gone.count
      let replaced = shards.with(entry.key) { shard -> MemoryEntry? in
        entry.uses = old?.uses ?? 0
        return shard.insert(entry)
      }
      if let replaced { gone.append(replaced) }
      policy.add(entry, replaced: queue)
      return (true, gone)
    }
    withExtendedLifetime(gone) {}
    return isKept
  }

  private func take(_ entry: MemoryEntry) -> MemoryEntry? { shards.with(entry.key) { $0.remove(entry) } }

  private func takeUnlessUsed(_ entry: MemoryEntry, _ uses: (UInt8) -> UInt8?) -> Bool {
    let taken = shards.with(entry.key) { shard -> MemoryEntry? in
      guard let left = uses(entry.uses) else { return shard.remove(entry) }
      entry.uses = left
      return nil
    }
    return taken != nil
  }

  @discardableResult
  func remove(_ entry: MemoryEntry) -> MemoryEntry? {
    withPolicy { policy in
      guard let taken = take(entry) else { return nil }
      policy.remove(taken)
      return taken
    }
  }

  func remove(_ key: CacheKey) -> MemoryEntry? {
    withPolicy { policy in
      guard let entry = shards.with(key, { $0.find(key)?.takeUnretainedValue() }), let taken = take(entry) else {
        return nil
      }
      policy.remove(taken)
      return taken
    }
  }

  func removeAll() {
    let gone = withPolicy { policy in
      let gone = entries.compactMap { take($0) }
      for entry in gone { policy.remove(entry) }
      policy.forgetGhosts()
      return gone
    }
    withExtendedLifetime(gone) {}
  }

  func trim(toBytes bytes: Int, count: Int) {
    let gone = withPolicy { policy in
      let gone = policy.makeRoom(for: 0, limit: min(bytes, policy.limit), count: count, takeUnlessUsed)
      evictions += gone.count
      return gone
    }
    withExtendedLifetime(gone) {}
  }

  // MARK: Age

  func removeExpired() {
    let time = self.time
    guard maxAge != nil else { return }
    expire(entries.filter { isExpired($0, time) })
  }

  private func expire(_ entries: [MemoryEntry]) {
    for entry in entries where remove(entry) != nil { withPolicy { _ in expirations += 1 } }
  }

  /// Looks for old values four times in the longest age.
  private func sweep(_ time: Int) {
    guard let maxAge else { return }
    let isDue = withPolicy { _ in
      guard time >= nextSweep else { return false }
      nextSweep = time + maxAge / 4
      return true
    }
    if isDue { removeExpired() }
  }

  // MARK: Memory

  var heldBytes: Int { withPolicy { $0.bytes } }
  var byteLimit: Int { withPolicy { $0.limit } }
  var count: Int { withPolicy { $0.count } }

  func setAllowance(_ bytes: Int) {
    let gone = withPolicy { policy in
      policy.setLimit(min(max(bytes, 0), maxBytes))
      let gone = policy.makeRoom(for: 0, limit: policy.limit, count: .max, takeUnlessUsed)
      evictions += gone.count
      return gone
    }
    withExtendedLifetime(gone) {}
  }

  var statistics: MemoryCacheStatistics {
    var statistics = MemoryCacheStatistics()
    for shard in shards.map({ ($0.hits, $0.misses, $0.savedTime) }) {
      statistics.hits += shard.0
      statistics.misses += shard.1
      statistics.savedTime += .nanoseconds(shard.2)
    }
    withPolicy { policy in
      statistics.evictions = evictions
      statistics.expirations = expirations
      statistics.count = policy.count
      statistics.bytes = policy.bytes
      statistics.largeBytes = policy.classes[1].bytes
    }
    return statistics
  }
}

/// The arbiter is asked to grow through this; the cache owns its registration.
struct WeakRegistration: Sendable {
  weak let value: MemoryRegistration?

  init(_ value: MemoryRegistration) { self.value = value }
}
