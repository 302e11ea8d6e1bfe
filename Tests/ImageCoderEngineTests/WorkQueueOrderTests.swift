// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

/// What goes first of work that waits, what is refused, and what is told of it.
@Suite(.serialized) struct WorkQueueOrderTests {
  private struct OwnError: Error, Equatable {}

  /// Remembers all events.
  private final class Events: Sendable {
    private let events = Mutex<[WorkQueue.Event]>([])
    var all: [WorkQueue.Event] { events.withLock { $0 } }
    var tenants: [String?] {
      all.map { event in if case .finished(let tenant, _, _) = event { tenant?.name } else { "refused" } }
    }

    @Sendable func note(_ event: WorkQueue.Event) { events.withLock { $0.append(event) } }
  }

  @Test func workThatGoesOnGoesBeforeWorkThatBegins() async {
    let held = HeldQueue()
    await held.hold()
    for (name, kind) in [("a", WorkQueue.Kind.begins), ("b", .continues), ("c", .begins), ("d", .continues)] {
      await held.add(name, .normal, kind)
    }
    await held.add("e", .high)
    #expect(await held.run() == ["held", "e", "b", "d", "a", "c"])
  }

  @Test func workThatBeginsHasItsTurnAfterSixteen() async {
    let held = HeldQueue()
    await held.hold()
    for name in ["first", "second"] { await held.add(name, .normal) }
    for index in 0..<40 { await held.add("\(index)", .normal, .continues) }
    let order = await held.run()
    #expect(order.firstIndex(of: "first") == 1 + 16 && order.firstIndex(of: "second") == 1 + 16 + 1 + 16)
  }

  @Test func tenantsShareTheProcessors() async {
    let held = HeldQueue()
    await held.hold()
    let (large, small) = (WorkQueue.Tenant("large"), WorkQueue.Tenant("small"))
    for index in 0..<20 { await held.add("large \(index)", .normal, tenant: large) { held.pass(.milliseconds(4)) } }
    for index in 0..<3 { await held.add("small \(index)", .normal, tenant: small) { held.pass(.milliseconds(4)) } }
    let order = await held.run()
    // Each has nearly every other turn; first come, first served would make the small one wait for all of the large one.
    #expect(order.lastIndex { $0.hasPrefix("small") } ?? .max <= 9)
  }

  @Test func tenantsShareByTheirWeights() async {
    let held = HeldQueue()
    await held.hold()
    let (paying, free) = (WorkQueue.Tenant("paying", weight: 3), WorkQueue.Tenant("free"))
    for index in 0..<20 {
      for tenant in [free, paying] {
        await held.add("\(tenant.name) \(index)", .normal, tenant: tenant) { held.pass(.milliseconds(4)) }
      }
    }
    let paid = await held.run().prefix(17).count { $0.hasPrefix("paying") }
    #expect((12...13).contains(paid))
  }

  @Test func tenantsAreInherited() async throws {
    let queue = WorkQueue(width: 1)
    let events = Events()
    queue.onEvent = events.note
    try await WorkQueue.$tenant.withValue(WorkQueue.Tenant("one")) {
      try await Task { try await queue.run {} }.value
    }
    try await queue.run {}
    #expect(await eventually { events.all.count == 2 })
    #expect(events.tenants == ["one", nil])
  }

  @Test func aFullQueueRefusesWhatBegins() async {
    let held = HeldQueue()
    held.queue.policy = WorkQueue.Policy(maxWaiting: 2)
    await held.hold()
    for name in ["a", "b", "c"] { await held.add(name, .normal) }
    await held.add("d", .normal, .continues)
    #expect(await held.code(3) == .overloaded)
    #expect(held.queue.status.refused == 1 && held.queue.status.waiting == 3)
    #expect(await held.run() == ["held", "d", "a", "b"])
    // A processor is free.
    held.queue.policy.maxWaiting = 0
    #expect((try? await held.queue.run(.begins) { 7 }) == 7)
  }

  @Test func aTenantMayHaveALimitOfItsOwn() async {
    let held = HeldQueue()
    held.queue.policy = WorkQueue.Policy(maxWaitingOfTenant: 1)
    await held.hold()
    let (one, other) = (WorkQueue.Tenant("one"), WorkQueue.Tenant("other"))
    for tenant in [one, one, other, nil, nil] { await held.add(tenant?.name ?? "none", .normal, tenant: tenant) }
    #expect(await held.code(2) == .overloaded)
    #expect(held.queue.status.waitingByTenant == ["one": 1, "other": 1])
    #expect(await held.run().sorted() == ["held", "none", "none", "one", "other"])
    #expect(held.queue.status.waitingByTenant.isEmpty)
  }

  @Test func aWaitThatIsTooLongIsRefused() async throws {
    let held = HeldQueue()
    held.queue.policy = WorkQueue.Policy(maxExpectedWait: .milliseconds(70))
    // The queue learns what a job takes.
    try await held.queue.run { held.pass(.milliseconds(30)) }
    #expect(await eventually { held.queue.status.running == 0 })
    await held.hold()
    // The first has to wait for 30 ms, the second for 60 ms, the third for 90 ms.
    #expect(isAbout(held.queue.status.expectedWait, .milliseconds(30)))
    for name in ["a", "b", "c"] { await held.add(name, .normal) }
    #expect(await held.code(3) == .overloaded)
    #expect(isAbout(held.queue.status.expectedWait, .milliseconds(90)))
    #expect(await held.run() == ["held", "a", "b"])
  }

  @Test func theQueueTellsWhatItDoes() async {
    let held = HeldQueue()
    let events = Events()
    held.queue.onEvent = events.note
    #expect(held.queue.status.running == 0 && held.queue.status.longestWait == .zero)
    await held.hold()
    await held.add("a", .normal) { held.pass(.milliseconds(20)) }
    held.pass(.milliseconds(30))
    let status = held.queue.status
    #expect(status.running == 1 && status.waiting == 1 && status.finished == 0)
    #expect(status.longestWait == .milliseconds(30) && status.expectedWait == .zero)
    _ = await held.run()
    #expect(await eventually { held.queue.status.finished == 2 && events.all.count == 2 })
    let expected = [
      WorkQueue.Event.finished(nil, waited: .zero, ran: .milliseconds(30)),
      .finished(nil, waited: .milliseconds(30), ran: .milliseconds(20)),
    ]
    #expect(events.all == expected)
    #expect(held.queue.status.running == 0 && held.queue.status.waiting == 0)
  }

  @Test func workOfTheApplicationRunsInTurn() async throws {
    let queue = WorkQueue(width: 1)
    #expect(try await queue.run { 1 + 1 } == 2)
    await #expect(throws: OwnError()) { try await queue.run { throw OwnError() } }
    let flag = Cancellation()
    let running = Task {
      try await queue.run(cancellation: flag) {
        while !flag.isCancelled {}
        return 3
      }
    }
    #expect(await eventually { queue.status.running == 1 && queue.status.waiting == 0 })
    let waiting = Task { try await queue.run { 4 } }
    #expect(await eventually { queue.status.waiting == 1 })
    // What waits leaves at once; what runs is told.
    waiting.cancel()
    await #expect(throws: CoderError.cancelled) { try await waiting.value }
    running.cancel()
    #expect(try await running.value == 3)
  }
}

/// Waits until something holds.
private func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<2000 {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return condition()
}

private func isAbout(_ one: Duration, _ other: Duration) -> Bool { abs(one / other - 1) < 0.001 }
