// SPDX-License-Identifier: Apache-2.0

import CLocks

/// A value that one thread at a time may use.
///
/// In a child of `fork()` it is free, and the value is whole; Swift's `Mutex` is neither.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Unchecked: the value is used under the lock alone.
  private let memory: UnsafeMutablePointer<clocks_lock>
  private let value: UnsafeMutablePointer<Value>

  package init(_ initial: consuming sending Value) {
    let alignment = max(MemoryLayout<Value>.alignment, MemoryLayout<clocks_lock>.alignment)
    let offset = (MemoryLayout<clocks_lock>.size + alignment - 1) & ~(alignment - 1)
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
    memory = block.bindMemory(to: clocks_lock.self, capacity: 1)
    value = (block + offset).bindMemory(to: Value.self, capacity: 1)
    value.initialize(to: initial)
    clocks_make(memory)
  }

  deinit {
    clocks_remove(memory)
    value.deinitialize(count: 1)
    UnsafeMutableRawPointer(memory).deallocate()
  }

  /// Calls `body` with the value, when no other thread uses it.
  package borrowing func withLock<Result: ~Copyable, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    clocks_take(memory)
    defer { clocks_give(memory) }
    return try body(&value.pointee)
  }
}

/// What belongs to one process, and that a child of `fork()` makes anew: threads, other processes and connections to them
/// are not the child's.
package struct ProcessLock<Value>: ~Copyable, Sendable {
  package struct Owned {
    var value: Value
    var generation: UInt32
  }

  private let owned: Lock<Owned>
  private let make: @Sendable () -> Value

  /// - Parameter make: Makes the value of a process.
  package init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
    owned = Lock(Owned(value: make(), generation: ProcessGeneration.current))
  }

  /// Calls `body` with the value of this process, when no other thread uses it.
  package borrowing func withLock<Result: ~Copyable, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try owned.withLock { (owned) throws(Failure) -> sending Result in
      if owned.generation != ProcessGeneration.current {
        owned = Owned(value: make(), generation: ProcessGeneration.current)
      }
      return try body(&owned.value)
    }
  }
}

/// Tells a process from those that it was forked from.
package enum ProcessGeneration {
  /// Another number in a child than in its parent.
  package static var current: UInt32 { clocks_generation() }
}
