// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel
import Synchronization

/// A block of memory for pixels that frees itself, or returns to the pool that it came from.
final class PixelMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let bytes: Int

  private let capacity: Int
  private let pool: PixelPool?
  private let owner: AnyObject?
  private let isWrapped: Bool

  /// Blocks of at least this size are aligned to huge pages.
  static let hugeThreshold = 4 << 20
  static let hugePage = 2 << 20

  init(bytes: Int, pool: PixelPool?) throws(CoderError) {
    let capacity = try Self.capacity(for: bytes)
    guard let base = pool?.take(capacity) ?? Self.allocateCounted(capacity) else {
      throw .outOfMemory(bytes: bytes, for: "pixels")
    }
    self.base = base
    self.bytes = bytes
    self.capacity = capacity
    self.pool = pool
    self.owner = nil
    self.isWrapped = false
  }

  init(wrapping base: UnsafeMutableRawPointer, bytes: Int, owner: AnyObject?) {
    self.base = base
    self.bytes = bytes
    self.capacity = bytes
    self.pool = nil
    self.owner = owner
    self.isWrapped = true
  }

  deinit {
    guard !isWrapped else { return }
    if let pool, pool.give(base, capacity: capacity) { return }
    free(base)
    PixelMemoryUse.remove(capacity)
  }

  /// The bytes to ask the system for: whole huge pages when large, whole cache lines otherwise.
  private static func capacity(for bytes: Int) throws(CoderError) -> Int {
    let granule = bytes >= hugeThreshold ? hugePage : 64
    let (sum, overflow) = bytes.addingReportingOverflow(granule - 1)
    guard !overflow else { throw .outOfMemory(bytes: bytes, for: "pixels") }
    return max(sum & ~(granule - 1), 64)
  }

  private static func allocateCounted(_ capacity: Int) -> UnsafeMutableRawPointer? {
    PixelMemoryUse.add(capacity)
    if let memory = allocate(capacity) { return memory }
    PixelMemoryUse.remove(capacity)
    return nil
  }

  /// Memory that `free` gives back, in huge pages when large.
  ///
  /// - Parameter alignment: A power of two, 8 to 4096.
  static func allocate(_ capacity: Int, alignment: Int = 64) -> UnsafeMutableRawPointer? {
    let isHuge = capacity >= hugeThreshold
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, isHuge ? hugePage : alignment, capacity) == 0, let memory else { return nil }
    // Transparent huge pages are off for ordinary memory on Debian ("madvise" mode); faulting 4 KiB pages costs more
    // than decoding some formats does. Advice that is refused changes nothing but speed.
    if isHuge { _ = madvise(memory, capacity, MADV_HUGEPAGE) }
    return memory
  }
}

/// The pixel memory of the process, which is counted with every block that is taken from the system or given back.
package enum PixelMemoryUse {
  private static let held = Atomic<Int>(0)
  private static let most = Atomic<Int>(0)

  /// Bytes that buffers and pools hold.
  package static var bytes: Int { held.load(ordering: .relaxed) }

  /// The most bytes that were held at once since ``restartPeak()``.
  package static var peak: Int { most.load(ordering: .relaxed) }

  /// Forgets what was held before: the peak is what is held now.
  package static func restartPeak() { most.store(bytes, ordering: .relaxed) }

  fileprivate static func add(_ count: Int) {
    let sum = held.add(count, ordering: .relaxed).newValue
    if sum > most.load(ordering: .relaxed) { most.max(sum, ordering: .relaxed) }
  }

  fileprivate static func remove(_ count: Int) { held.subtract(count, ordering: .relaxed) }
}

/// Keeps the memory of released pixel buffers for new buffers of the same size.
///
/// - Threads: May be used from any thread.
public final class PixelPool: Sendable {
  /// The maximum number of bytes that the pool keeps.
  public var byteLimit: Int { kept.withLock { $0.limit } }

  private struct Block: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int
  }

  private struct Kept {
    var limit: Int
    var blocks: [Block] = []
    var bytes = 0
  }

  private let kept: Lock<Kept>

  /// - Parameter byteLimit: The maximum number of bytes that the pool keeps; memory beyond it returns to the system.
  public init(byteLimit: Int = 256 << 20) { kept = Lock(Kept(limit: byteLimit)) }

  deinit { removeAll() }

  /// Returns all kept memory to the system.
  public func removeAll() { free(downTo: 0) }

  /// Changes the maximum number of bytes that the pool keeps, and returns what is more to the system.
  package func setByteLimit(_ limit: Int) {
    kept.withLock { $0.limit = limit }
    free(downTo: limit)
  }

  private func free(downTo limit: Int) {
    let blocks = kept.withLock { kept in
      var freed: [Block] = []
      while kept.bytes > limit, let block = kept.blocks.popLast() {
        kept.bytes -= block.capacity
        freed.append(block)
      }
      return freed
    }
    for block in blocks {
      Glibc.free(block.base)
      PixelMemoryUse.remove(block.capacity)
    }
  }

  func take(_ capacity: Int) -> UnsafeMutableRawPointer? {
    kept.withLock { kept -> Block? in
      guard let index = kept.blocks.lastIndex(where: { $0.capacity == capacity }) else { return nil }
      kept.bytes -= capacity
      return kept.blocks.remove(at: index)
    }?.base
  }

  /// Keeps a block; false when it does not fit.
  func give(_ base: UnsafeMutableRawPointer, capacity: Int) -> Bool {
    let block = Block(base: base, capacity: capacity)
    return kept.withLock { kept in
      guard kept.bytes + capacity <= kept.limit else { return false }
      kept.bytes += capacity
      kept.blocks.append(block)
      return true
    }
  }
}
