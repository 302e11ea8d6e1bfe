// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Memory for arrays whose size a file decides.
///
/// Swift ends the process when an array gets no memory. What is asked for here fails with an error instead.
public enum ArrayMemory {
  /// What smaller arrays take is not asked for: it does not depend on a file.
  private static let least = 64 << 10
  /// What an array has besides its elements, rounded up.
  private static let header = 64

  /// Checks that there is memory for an array, which the next allocation of this thread gets.
  ///
  /// Swift ends the process when an array gets no memory. The C library says no instead, and what it gives back at once is
  /// there for the array.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func check(bytes: Int, for purpose: String) throws(CoderError) {
    guard bytes >= least else { return }
    var memory: UnsafeMutableRawPointer?
    let (size, overflow) = bytes.addingReportingOverflow(header)
    // Not malloc: the compiler may leave out a block that nobody uses.
    guard !overflow, posix_memalign(&memory, 16, size) == 0 else { throw .outOfMemory(bytes: bytes, for: purpose) }
    free(memory)
  }

  /// The same for a field of a file, whose name is made text only when that is needed.
  static func check(bytes: Int, field: StaticString) throws(CoderError) {
    if bytes >= least { try check(bytes: bytes, for: "\(field)") }
  }

  /// A copy of bytes.
  ///
  /// - Parameter purpose: What it is for, in the error: `metadata`.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func copy(
    _ bytes: UnsafeRawBufferPointer, for purpose: String
  ) throws(CoderError) -> [UInt8] {
    try copy(bytes.bytes, for: purpose)
  }

  /// A copy of bytes of a file.
  ///
  /// - Parameter purpose: What it is for, in the error: `metadata`.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func copy(_ bytes: RawSpan, for purpose: String) throws(CoderError) -> [UInt8] {
    try check(bytes: bytes.byteCount, for: purpose)
    return [UInt8](copying: bytes)
  }

  /// A copy of a part of an array.
  ///
  /// - Parameter purpose: What it is for, in the error: `metadata`.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func copy(_ bytes: ArraySlice<UInt8>, for purpose: String) throws(CoderError) -> [UInt8] {
    try check(bytes: bytes.count, for: purpose)
    return [UInt8](bytes)
  }

  /// Parts one after the other.
  ///
  /// - Parameter purpose: What it is for, in the error: `metadata`.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func join(_ parts: [ArraySlice<UInt8>], for purpose: String) throws(CoderError) -> [UInt8] {
    var count = 0
    for part in parts {
      let (sum, overflow) = count.addingReportingOverflow(part.count)
      count = overflow ? .max : sum
    }
    var bytes: [UInt8] = []
    try grow(&bytes, by: count, for: purpose)
    for part in parts { bytes.append(contentsOf: part) }
    return bytes
  }

  /// Makes room for more elements, twice as much as there was at least.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func grow<Element>(
    _ array: inout [Element], by count: Int, for purpose: String
  ) throws(CoderError) {
    let (needed, overflow) = array.count.addingReportingOverflow(count)
    guard overflow || needed > array.capacity else { return }
    let capacity = max(needed, min(array.capacity, .max / 4) * 2)
    let (bytes, isTooMany) = capacity.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
    try check(bytes: overflow || isTooMany ? .max : bytes, for: purpose)
    array.reserveCapacity(capacity)
  }
}
