// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct WorkQueueTests {
  @Test func higherRanksGoFirstAndEqualsInTheirOrder() async {
    let held = HeldQueue()
    await held.hold()
    for (name, rank) in [("a", WorkQueue.Rank.low), ("b", .normal), ("c", .high), ("d", .normal), ("e", .high)] {
      await held.add(name, rank)
    }
    #expect(await held.run() == ["held", "c", "e", "b", "d", "a"])
  }

  @Test func aJobThatIsRaisedGoesBeforeOthers() async {
    let held = HeldQueue()
    await held.hold()
    let job = await held.add("a", .low)
    await held.add("b", .normal)
    held.queue.raise(job, to: .high)
    // It only goes up.
    held.queue.raise(job, to: .low)
    #expect(await held.run() == ["held", "a", "b"])
  }

  /// While the only thread is busy, the cancelled job's caller gets its answer.
  @Test func aJobThatIsCancelledLeavesAtOnce() async {
    let held = HeldQueue()
    await held.hold()
    let job = await held.add("a", .normal)
    await held.add("b", .normal)
    held.queue.cancel(job)
    guard case .failure(let error) = await held.result(1) else {
      Issue.record("the cancelled job was done")
      return
    }
    #expect(error.code == .cancelled)
    #expect(await held.run() == ["held", "b"])
  }

  @Test func aJobThatWasCancelledBeforeIsNotDone() async {
    let queue = WorkQueue(width: 1)
    let job = WorkQueue.Job(.normal, cancellation: Cancellation())
    queue.cancel(job)
    await #expect(throws: CoderError.cancelled) { try await queue.value(of: job) { () throws(CoderError) in } }
  }

  @Test func cancellingAJobThatRunsSetsItsFlagOnly() async throws {
    let queue = WorkQueue(width: 1)
    let lane = WorkQueue.Lane()
    let flag = Cancellation()
    let started = Counts()
    let job = WorkQueue.Job(.normal, in: lane, cancellation: flag)
    let first = Task { () -> Bool in
      do throws(CoderError) {
        return try await queue.value(of: job) { () throws(CoderError) in
          started.enter()
          while !flag.isCancelled {}
          return true
        }
      } catch {
        return false
      }
    }
    while !started.wasEntered { await Task.yield() }
    queue.cancel(job)
    #expect(await first.value)
    // The next job of the lane begins with a clear flag.
    let next = WorkQueue.Job(.normal, in: lane, cancellation: flag)
    #expect(try await queue.value(of: next) { () throws(CoderError) in flag.isCancelled } == false)
  }

  private final class Counts: Sendable {
    let running = Atomic<Int>(0)
    let met = Atomic<Int>(0)
    let done = Atomic<Int>(0)
    private let entered = Atomic<Bool>(false)
    var wasEntered: Bool { entered.load(ordering: .acquiring) }

    /// Stays for a while, and counts when somebody else is there.
    func enter() {
      if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 { met.add(1, ordering: .relaxed) }
      for _ in 0..<200 { _ = running.load(ordering: .sequentiallyConsistent) }
      running.subtract(1, ordering: .sequentiallyConsistent)
      entered.store(true, ordering: .releasing)
    }
  }

  /// Jobs of a lane never meet, whatever the number of threads; nor does one that is cancelled stop the others.
  @Test func oneJobOfALaneRunsAtATime() async {
    let queue = WorkQueue(width: 4)
    let lane = WorkQueue.Lane()
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        let job = WorkQueue.Job(index % 3 == 0 ? .high : .low, in: lane, cancellation: Cancellation())
        group.addTask {
          do throws(CoderError) {
            try await queue.value(of: job) { () throws(CoderError) in
              counts.enter()
            }
          } catch {}
          counts.done.add(1, ordering: .relaxed)
        }
        if index % 7 == 0 { group.addTask { queue.cancel(job) } }
      }
    }
    #expect(counts.met.load(ordering: .relaxed) == 0)
    #expect(counts.done.load(ordering: .relaxed) == 200)
  }

  /// The job of a lane that is next holds those behind it: raising one of these raises it too.
  @Test func raisingAJobRaisesTheOneBeforeItInItsLane() async {
    let held = HeldQueue()
    await held.hold()
    let lane = WorkQueue.Lane()
    await held.add("first", .low, in: lane)
    let second = await held.add("second", .low, in: lane)
    await held.add("other", .normal)
    held.queue.raise(second, to: .high)
    #expect(await held.run() == ["held", "first", "second", "other"])
  }

  @Test func aFlagTellsOfItsOuterOnes() {
    let (outer, other) = (Cancellation(), Cancellation())
    let flag = Cancellation(within: outer, and: other)
    let told = Atomic<Int>(0)
    let end = flag.onCancel { told.add(1, ordering: .relaxed) }
    #expect(!flag.isCancelled)
    outer.cancel()
    #expect(flag.isCancelled)
    #expect(told.load(ordering: .relaxed) == 1)
    end()
    other.cancel()
    #expect(told.load(ordering: .relaxed) == 1)
    // One that was cancelled tells at once.
    _ = Cancellation(within: outer).onCancel { told.add(1, ordering: .relaxed) }
    #expect(told.load(ordering: .relaxed) == 2)
  }
}
