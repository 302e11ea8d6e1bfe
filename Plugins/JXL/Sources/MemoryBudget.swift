// SPDX-License-Identifier: Apache-2.0

import CJXL
import Glibc
import Synchronization

/// Memory for libjxl, counted against a limit.
///
/// libjxl asks from any of the host's threads, and the host's own budget may be asked from the session's thread only, so
/// blocks come from malloc and are counted here.
final class MemoryBudget: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  /// Before each block: its size, in as many bytes as malloc aligns to.
  private static let prefix = 16

  /// - Parameter limit: Bytes that may be in use at a time.
  init(limit: Int) { self.limit = limit }

  /// The functions that libjxl calls; the budget has to outlive the decoder or encoder.
  var manager: JxlMemoryManager {
    JxlMemoryManager(
      opaque: Unmanaged.passUnretained(self).toOpaque(),
      alloc: { opaque, size in MemoryBudget.of(opaque)?.allocate(size) },
      free: { opaque, address in MemoryBudget.of(opaque)?.release(address) })
  }

  private static func of(_ opaque: UnsafeMutableRawPointer?) -> MemoryBudget? {
    opaque.map { Unmanaged<MemoryBudget>.fromOpaque($0).takeUnretainedValue() }
  }

  private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard size >= 0, size <= limit else { return nil }
    let (_, now) = used.add(size, ordering: .relaxed)
    guard now <= limit, let block = malloc(size + Self.prefix) else {
      used.subtract(size, ordering: .relaxed)
      return nil
    }
    block.storeBytes(of: size, as: Int.self)
    return block + Self.prefix
  }

  private func release(_ address: UnsafeMutableRawPointer?) {
    guard let address else { return }
    let block = address - Self.prefix
    used.subtract(block.load(as: Int.self), ordering: .relaxed)
    Glibc.free(block)
  }
}
