// SPDX-License-Identifier: Apache-2.0

import CImageCoder
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

  @Test func aLimitCrossesTheInterfaceAsData() {
    let session = HostSession(source: nil, limits: .standard)
    for limit in Limits.table where limit.number != 0 {
      let error = CoderError.limitExceeded(limit.name, found: 9, allowed: 8, what: "a max_side of")
      #expect(session.error(for: session.host.fail(error)) == error)
    }
    // A number of a later version, and a limit with another status, name none.
    let text = "no words that count"
    #expect(HostSession.Failure(0x30, text, offset: -1, limit: 99, found: 9, allowed: 8).error.limit == nil)
    let malformed = HostSession.Failure(0x12, "max_side", offset: 3, limit: 1, found: 9, allowed: 8).error
    #expect(malformed == .malformed("max_side", at: 3))
  }

  @Test func aSentenceNamesALimitWithoutData() {
    let session = HostSession(source: nil, limits: .standard)
    for (code, message, expected) in [
      (CoderError.Code.limitExceeded, "a side of 9, max_side allows 8", Limits.Name.maxSide),
      (.limitExceeded, "9 pixels; maxPixels is 8", .maxPixels), (.limitExceeded, "too much", nil),
      (.malformed, "a box max_side", nil),
    ] {
      let status = session.host.fail(CoderError(code: code, message: message))
      let error = session.error(for: status)
      #expect(error.message == message)
      #expect(error.limit == expected && error.found == nil && error.allowed == nil)
    }
  }

  @Test func aSmallerHostStructGetsTheSentence() throws {
    let session = HostSession(source: nil, limits: .standard)
    var older = session.host.raw.pointee
    older.struct_size = UInt32(MemoryLayout<imgcoder_host>.offset(of: \.fail_with)!)
    let error = CoderError.limitExceeded(.maxSide, found: 9, allowed: 8, what: "a side of")
    let status = withUnsafePointer(to: older) { CoderHost($0).fail(error) }
    let found = session.error(for: status)
    #expect(found.message == error.message)
    #expect(found.limit == .maxSide && found.found == nil)
  }

  @Test func annotationFillsWhatIsMissing() {
    let error = CoderError.malformed("a word", at: 7).annotated(coder: "a", file: nil)
    let more = error.annotated(coder: "b", file: "f", setBy: "p").annotated(file: "g", setBy: "q")
    #expect((more.coder, more.file, more.setBy) == ("a", "f", "p"))
    #expect(more.message == "a word")
    #expect("\(more)" == "f: malformed at byte 7: a word (set by p)")
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
