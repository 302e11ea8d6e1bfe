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
}
