// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel
import Synchronization

/// What one call of a decoder may still use of time, reads and bytes that are inflated.
///
/// The sessions of a file and of the files in it share one. Waiting for bytes that arrive does not count.
///
/// - Threads: The calls begin and end on the session's thread; any thread may ask whether time is over.
final class CallBudget: Sendable {
  private let milliseconds: Int
  private let maxReads: Int
  private let maxInflated: Int
  /// When time is over, in milliseconds of the system's clock; the largest integer between calls.
  private let end = Atomic<Int>(.max)
  private let reads = Atomic<Int>(0)
  private let inflated = Atomic<Int>(0)

  init(_ limits: Limits) {
    milliseconds = max(0, limits.maxMilliseconds)
    maxReads = max(0, limits.maxReads)
    maxInflated = max(0, limits.maxInflated)
  }

  /// Begins a call, unless it is a part of one.
  ///
  /// - Returns: Whether it began, so that ``endCall()`` is due.
  func beginCall() -> Bool {
    guard end.load(ordering: .relaxed) == .max else { return false }
    let (end, overflow) = Self.now.addingReportingOverflow(milliseconds)
    self.end.store(overflow ? .max - 1 : min(end, .max - 1), ordering: .relaxed)
    reads.store(0, ordering: .relaxed)
    inflated.store(0, ordering: .relaxed)
    return true
  }

  func endCall() { end.store(.max, ordering: .relaxed) }

  /// Whether the call has taken too long.
  var isOver: Bool {
    let end = end.load(ordering: .relaxed)
    return end != .max && Self.now > end
  }

  /// The error of a call that has taken too long, or nil.
  var timeError: CoderError? {
    guard isOver else { return nil }
    let taken = Self.now - end.load(ordering: .relaxed) + milliseconds
    return .limitExceeded(
      .maxMilliseconds, found: taken, allowed: milliseconds, what: "the time of a call in milliseconds,")
  }

  /// Counts a read of the file, and looks at the time: at some of the reads, if they find their bytes in memory.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func countRead(isFetch: Bool) throws(CoderError) {
    guard end.load(ordering: .relaxed) != .max else { return }
    let count = reads.wrappingAdd(1, ordering: .relaxed).newValue
    guard count <= maxReads else {
      throw .limitExceeded(.maxReads, found: count, allowed: maxReads, what: "a number of reads of the file of")
    }
    if isFetch || count & 15 == 0, let timeError { throw timeError }
  }

  /// Bytes that may still be inflated.
  var inflatable: Int {
    guard end.load(ordering: .relaxed) != .max else { return .max }
    return max(0, maxInflated - inflated.load(ordering: .relaxed))
  }

  /// Counts bytes that are inflated.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func countInflated(_ bytes: Int) throws(CoderError) {
    guard end.load(ordering: .relaxed) != .max, bytes > 0 else { return }
    // Counting stops at the limit, so that it does not overflow.
    let before = inflated.wrappingAdd(min(bytes, maxInflated), ordering: .relaxed).oldValue
    let (count, overflow) = before.addingReportingOverflow(bytes)
    guard overflow || count > maxInflated else { return }
    inflated.store(maxInflated, ordering: .relaxed)
    throw .limitExceeded(
      .maxInflated, found: overflow ? .max : count, allowed: maxInflated, what: "a number of inflated bytes of")
  }

  /// Runs `body`, whose time does not count.
  func pausing<Result>(_ body: () throws(CoderError) -> Result) throws(CoderError) -> Result {
    let start = Self.now
    defer {
      let end = end.load(ordering: .relaxed)
      if end != .max { self.end.store(min(end &+ (Self.now - start), .max - 1), ordering: .relaxed) }
    }
    return try body()
  }

  /// Milliseconds of a clock that costs a few nanoseconds to read, because each row asks. It ticks every 1 to 10 ms.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
