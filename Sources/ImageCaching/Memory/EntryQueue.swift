// SPDX-License-Identifier: Apache-2.0

/// Entries in the order in which they came.
struct EntryQueue {
  let name: MemoryEntry.Queue
  private(set) var bytes = 0
  private(set) var count = 0
  unowned(unsafe) private var newest: MemoryEntry?
  unowned(unsafe) private(set) var oldest: MemoryEntry?

  init(_ name: MemoryEntry.Queue) { self.name = name }

  mutating func add(_ entry: MemoryEntry) {
    entry.queue = name
    entry.older = newest
    entry.newer = nil
    newest?.newer = entry
    newest = entry
    if oldest == nil { oldest = entry }
    bytes += entry.bytes
    count += 1
  }

  mutating func remove(_ entry: MemoryEntry) {
    if let newer = entry.newer { newer.older = entry.older } else { newest = entry.older }
    if let older = entry.older { older.newer = entry.newer } else { oldest = entry.newer }
    (entry.newer, entry.older, entry.queue) = (nil, nil, .outside)
    bytes -= entry.bytes
    count -= 1
  }
}
