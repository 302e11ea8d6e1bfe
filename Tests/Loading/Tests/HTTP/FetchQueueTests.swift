// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(2))) struct FetchQueueTests {
  /// Lets tasks into a queue one after the other, and notes the order in which they got in.
  final class Line: Sendable {
    let queue: FetchQueue
    private let order = Mutex<[String]>([])
    var names: [String] { order.withLock { $0 } }

    init(total: Int, perHost: Int) { queue = FetchQueue(total: total, perHost: perHost) }

    /// Starts a task that waits, and returns when it does.
    func wait(_ name: String, _ host: String, _ priority: FetchPriority = FetchPriority()) async -> Task<
      Void, any Error
    > {
      let count = queue.waiterCount
      let task = Task {
        let slot = try await queue.enter(host, priority)
        order.withLock { $0.append(name) }
        withExtendedLifetime(slot) {}
      }
      while queue.waiterCount == count { await Task.yield() }
      return task
    }
  }

  @Test func prioritiesComeFirstAndThenTheOldest() async throws {
    let line = Line(total: 1, perHost: 1)
    var slot: FetchQueue.Slot? = try await line.queue.enter("x", FetchPriority())
    var tasks: [Task<Void, any Error>] = []
    for (name, priority) in [("a", 0), ("b", 1), ("c", 0), ("d", 2), ("e", 1)] {
      tasks.append(await line.wait(name, "x", FetchPriority(priority)))
    }
    withExtendedLifetime(slot) {}
    slot = nil
    for task in tasks { try await task.value }
    #expect(line.names == ["d", "b", "e", "a", "c"])
    #expect(line.queue.runningCount == 0)
  }

  @Test func raisedPriorityReordersTheLine() async throws {
    let line = Line(total: 1, perHost: 1)
    var slot: FetchQueue.Slot? = try await line.queue.enter("x", FetchPriority())
    let late = FetchPriority(-1)
    let tasks = [await line.wait("a", "x"), await line.wait("b", "x"), await line.wait("c", "x", late)]
    late.value = 5
    withExtendedLifetime(slot) {}
    slot = nil
    for task in tasks { try await task.value }
    #expect(line.names == ["c", "a", "b"])
  }

  @Test func busyHostHoldsUpNobodyElse() async throws {
    let line = Line(total: 3, perHost: 1)
    var slot: FetchQueue.Slot? = try await line.queue.enter("x", FetchPriority())
    let waiting = await line.wait("x", "x", FetchPriority(100))
    let other = try await line.queue.enter("y", FetchPriority(-100))
    #expect(line.names.isEmpty)
    #expect(line.queue.runningCount == 2)
    withExtendedLifetime(slot) {}
    slot = nil
    try await waiting.value
    #expect(line.names == ["x"])
    withExtendedLifetime(other) {}
  }

  @Test func whoIsPassedByOftenRises() async throws {
    let line = Line(total: 1, perHost: 1)
    var slot: FetchQueue.Slot? = try await line.queue.enter("x", FetchPriority())
    var tasks = [await line.wait("low", "x", FetchPriority(0))]
    let count = FetchQueue.passesPerPriority + 8
    for number in 0..<count { tasks.append(await line.wait("\(number)", "x", FetchPriority(1))) }
    withExtendedLifetime(slot) {}
    slot = nil
    for task in tasks { try await task.value }
    #expect(line.names.firstIndex(of: "low") == FetchQueue.passesPerPriority)
  }

  @Test func whoLeavesTheLineTakesNoPlace() async throws {
    let line = Line(total: 1, perHost: 1)
    var slot: FetchQueue.Slot? = try await line.queue.enter("x", FetchPriority())
    let first = await line.wait("a", "x")
    let second = await line.wait("b", "x")
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(line.queue.waiterCount == 1)
    withExtendedLifetime(slot) {}
    slot = nil
    try await second.value
    #expect(line.names == ["b"])
    #expect(line.queue.runningCount == 0)
  }
}
