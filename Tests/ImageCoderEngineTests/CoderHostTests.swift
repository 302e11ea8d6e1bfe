// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization
import Testing

/// What a host gives to a session in Swift.
@Suite struct CoderHostTests {
  @Test func everyIndexRunsOnceOnSomeThread() {
    let session = HostSession(source: nil, limits: .standard)
    let sum = Atomic<Int>(0)
    withExtendedLifetime(session) { session.host.parallelFor(1000) { sum.add($0, ordering: .relaxed) } }
    #expect(sum.load(ordering: .relaxed) == 999 * 1000 / 2)
  }

  @Test func limitsHaveOneNameInMessages() {
    let session = HostSession(source: nil, limits: .standard)
    for (code, message, expected) in [
      (CoderError.Code.limitExceeded, "a side of 9, max_side allows 8", "a side of 9, maxSide allows 8"),
      (.limitExceeded, "9 pixels; max_pixels or maxPixels allows 8", "9 pixels; maxPixels or maxPixels allows 8"),
      (.malformed, "a box max_side", "a box max_side"),
    ] {
      let status = session.host.fail(CoderError(code: code, message: message))
      #expect(session.error(for: status).message == expected)
    }
  }

  @Test func memoryComesOutOfTheBudgetAndGoesBack() throws {
    let session = HostSession(source: nil, limits: Limits(maxMemory: 10_000))
    let host = session.host
    let block = try host.allocate(bytes: 6_000, alignment: 4096, for: "a test")
    #expect(Int(bitPattern: block) % 4096 == 0)
    #expect(throws: CoderError.outOfMemory(bytes: 6_000, for: "a test")) {
      try host.allocate(bytes: 6_000, for: "a test")
    }
    host.free(block)
    host.free(try host.allocate(bytes: 6_000, for: "a test"))
    withExtendedLifetime(session) {}
  }

  @Test func memoryIsCountedWhateverTheLimit() {
    var blocks = HostBlocks()
    for (size, alignment, budget, isGiven) in [
      (Int.max, 16, Int.max, false), (.max - 4096, 4096, .max, false), (-1, 16, .max, false), (8, -16, .max, false),
      (8, 0, .max, false), (8, 3, .max, false), (8, 8192, .max, false), (100, 16, 99, false), (100, 16, 100, true),
    ] {
      let block = blocks.allocate(size, alignment: alignment, budget: budget)
      #expect((block != nil) == isGiven, "\(size) bytes aligned to \(alignment) of \(budget)")
    }
    let left = blocks.freeAll()
    #expect(left == (1, 100))
  }

  @Test func blocksAreFreedInAnyOrder() throws {
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
      var blocks = HostBlocks()
      var made: [UnsafeMutableRawPointer] = []
      for size in [10, 20, 30] {
        let block = blocks.allocate(size, alignment: 64, budget: 1_000)
        made.append(try #require(block))
      }
      for index in order.dropLast() { blocks.free(made[index]) }
      let left = blocks.freeAll()
      #expect(left == (1, (order[2] + 1) * 10))
      let whole = blocks.allocate(900, alignment: 64, budget: 1_000)
      #expect(whole != nil)
      let rest = blocks.freeAll()
      #expect(rest == (1, 900))
    }
  }
}
