// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Memory that a session has got from the host: counted against its budget, and freed with the session at the latest.
///
/// Each block is preceded by a prefix that links it with the others, so that neither allocating nor freeing searches.
package struct HostBlocks: ~Copyable {
  package init() {}

  private struct Prefix {
    /// From the start of the memory to the block.
    var span: Int
    var total: Int
    var previous: UnsafeMutableRawPointer?
    var next: UnsafeMutableRawPointer?
  }

  private var first: UnsafeMutableRawPointer?
  private var used = 0

  /// - Parameters:
  ///   - alignment: A power of two, at most 4096.
  ///   - budget: Bytes that all blocks together may have, with the prefixes of all but this one.
  /// - Returns: Nil beyond the budget, for another alignment, or if the system has no memory.
  package mutating func allocate(_ size: Int, alignment: Int, budget: Int) -> UnsafeMutableRawPointer? {
    guard size >= 0, alignment > 0, alignment <= 4096, alignment & (alignment - 1) == 0 else { return nil }
    let span = max(alignment, MemoryLayout<Prefix>.size)
    let (total, overflows) = size.addingReportingOverflow(span)
    guard !overflows, size <= budget - used else { return nil }
    guard let memory = PixelMemory.allocate(total, alignment: span) else { return nil }
    used += total
    let block = memory + span
    Self.prefix(block).initialize(to: Prefix(span: span, total: total, previous: nil, next: first))
    if let first { Self.prefix(first).pointee.previous = block }
    first = block
    return block
  }

  /// - Parameter block: What ``allocate(_:alignment:budget:)`` returned.
  package mutating func free(_ block: UnsafeMutableRawPointer) {
    let prefix = Self.prefix(block).pointee
    if let previous = prefix.previous { Self.prefix(previous).pointee.next = prefix.next } else { first = prefix.next }
    if let next = prefix.next { Self.prefix(next).pointee.previous = prefix.previous }
    used -= prefix.total
    Glibc.free(block - prefix.span)
  }

  /// Frees every block that is left.
  ///
  /// - Returns: How many there were, and their size without prefixes.
  package mutating func freeAll() -> (count: Int, bytes: Int) {
    var (count, bytes) = (0, 0)
    while let block = first {
      let prefix = Self.prefix(block).pointee
      count += 1
      bytes += prefix.total - prefix.span
      free(block)
    }
    return (count, bytes)
  }

  private static func prefix(_ block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Prefix> {
    (block - MemoryLayout<Prefix>.size).assumingMemoryBound(to: Prefix.self)
  }
}
