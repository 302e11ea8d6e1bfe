// SPDX-License-Identifier: Apache-2.0

import CLocks
import Glibc

/// A part of a cache's keys, with a lock of its own: an open-addressed table of entries, which it owns.
///
/// Each call but those that say so needs the lock.
struct CacheShard {
  private struct Slot {
    var key: CacheKey
    var entry: Unmanaged<MemoryEntry>?
  }

  var hits = 0
  var misses = 0
  /// Nanoseconds.
  var savedTime = 0
  private(set) var count = 0
  private var slots: UnsafeMutablePointer<Slot>
  /// The number of slots, a power of two, less one.
  private var mask: Int

  init() {
    mask = 15
    slots = Self.makeSlots(mask)
  }

  private static func makeSlots(_ mask: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: mask + 1)
    slots.initialize(repeating: Slot(key: CacheKey(low: 0, high: 0), entry: nil), count: mask + 1)
    return slots
  }

  /// Releases the table and its entries. Nobody else may use it any more.
  mutating func deallocate() {
    for index in 0...mask { slots[index].entry?.release() }
    slots.deallocate()
  }

  /// Where a key is, or where it would be put.
  private func place(_ key: CacheKey) -> Int {
    // The lowest bits have chosen the shard.
    var index = Int(truncatingIfNeeded: key.low >> 8) & mask
    while slots[index].entry != nil, slots[index].key != key { index = (index + 1) & mask }
    return index
  }

  func find(_ key: CacheKey) -> Unmanaged<MemoryEntry>? { slots[place(key)].entry }

  /// Puts an entry in.
  ///
  /// - Returns: The one that the key had.
  mutating func insert(_ entry: MemoryEntry) -> MemoryEntry? {
    let index = place(entry.key)
    if let old = slots[index].entry {
      slots[index].entry = Unmanaged.passRetained(entry)
      return old.takeRetainedValue()
    }
    slots[index] = Slot(key: entry.key, entry: Unmanaged.passRetained(entry))
    count += 1
    if count * 2 > mask { resize(mask * 2 + 1) }
    return nil
  }

  private mutating func resize(_ newMask: Int) {
    let (old, oldMask) = (slots, mask)
    (slots, mask) = (Self.makeSlots(newMask), newMask)
    for index in 0...oldMask where old[index].entry != nil { slots[place(old[index].key)] = old[index] }
    old.deallocate()
  }

  /// Takes an entry out, if it is the one that the key has.
  mutating func remove(_ entry: MemoryEntry) -> MemoryEntry? {
    var hole = place(entry.key)
    guard let found = slots[hole].entry, found.toOpaque() == Unmanaged.passUnretained(entry).toOpaque() else {
      return nil
    }
    // What would not be found after the hole any more moves into it.
    var index = hole
    while true {
      index = (index + 1) & mask
      guard slots[index].entry != nil else { break }
      let home = Int(truncatingIfNeeded: slots[index].key.low >> 8) & mask
      guard (index - home) & mask >= (index - hole) & mask else { continue }
      slots[hole] = slots[index]
      hole = index
    }
    slots[hole].entry = nil
    count -= 1
    if mask > 15, count * 8 < mask { resize(mask / 2) }
    return found.takeRetainedValue()
  }

  /// All entries.
  var entries: [MemoryEntry] { (0...mask).compactMap { slots[$0].entry?.takeUnretainedValue() } }
}

/// All shards of a cache. Each is in lines of the processor's cache of its own.
struct CacheShards: @unchecked Sendable {
  static let count = 64
  private static let (stride, lockOffset) = (128, 64)

  private let memory: UnsafeMutableRawPointer

  init() {
    memory = .allocate(byteCount: Self.count * Self.stride, alignment: Self.stride)
    for index in 0..<Self.count {
      let shard = memory + index * Self.stride
      shard.initializeMemory(as: CacheShard.self, to: CacheShard())
      let lock = (shard + Self.lockOffset).initializeMemory(as: clocks_lock.self, to: clocks_lock())
      clocks_make(lock)
    }
  }

  /// Releases everything. Nobody else may use it any more.
  func deallocate() {
    for index in 0..<Self.count {
      let shard = memory + index * Self.stride
      shard.assumingMemoryBound(to: CacheShard.self).pointee.deallocate()
      clocks_remove((shard + Self.lockOffset).assumingMemoryBound(to: clocks_lock.self))
    }
    memory.deallocate()
  }

  /// Calls `body` with the shard of a key, under its lock.
  @inline(__always)
  func with<Answer>(_ key: CacheKey, _ body: (inout CacheShard) -> Answer) -> Answer {
    with(index: Int(truncatingIfNeeded: key.low) & (Self.count - 1), body)
  }

  @inline(__always)
  private func with<Answer>(index: Int, _ body: (inout CacheShard) -> Answer) -> Answer {
    let shard = memory + index * Self.stride
    let lock = (shard + Self.lockOffset).assumingMemoryBound(to: clocks_lock.self)
    clocks_take(lock)
    defer { clocks_give(lock) }
    return body(&shard.assumingMemoryBound(to: CacheShard.self).pointee)
  }

  /// What `body` returns for each shard, one after the other.
  func map<Answer>(_ body: (inout CacheShard) -> Answer) -> [Answer] {
    (0..<Self.count).map { with(index: $0, body) }
  }
}
