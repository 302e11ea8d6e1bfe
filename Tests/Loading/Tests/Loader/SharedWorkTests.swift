// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import ImageLoading

@Suite struct SharedWorkTests {
  typealias Work = SharedWork<String, Int, String>
  typealias Received = Mutex<[String]>

  /// A member that writes down what it is told.
  final class Member: Sendable {
    private let told = Mutex<[String]>([])
    var all: [String] { told.withLock { $0 } }
    func receive(_ signal: Work.Signal) {
      told.withLock { told in
        switch signal {
        case .update(let update): told.append("\(update)")
        case .outcome(.success(let value)): told.append(value)
        case .outcome(.failure(let error)): told.append(error.code.description)
        }
      }
    }
  }

  @Test func isDoneOnceForAll() async {
    let (work, door) = (Work(), Door())
    let members = (0..<10).map { _ in Member() }
    let memberships = members.map { member in
      work.join("a", Demand(priority: .normal), receive: member.receive) { _ in
        await door.pass()
        return "done"
      }
    }
    door.open()
    #expect(await eventually { members.allSatisfy { $0.all == ["done"] } })
    #expect(work.startedCount == 1)
    #expect(Set(memberships.map(\.entryNumber)).count == 1)
    #expect(work.count == 1)
    for membership in memberships { membership.leave() }
    #expect(work.count == 0)
  }

  @Test func aResultIsSharedAsLongAsItIsHeld() async {
    let work = Work()
    let (first, second, third) = (Member(), Member(), Member())
    let membership = work.join("a", Demand(priority: .normal), receive: first.receive) { _ in "one" }
    #expect(await eventually { first.all == ["one"] })
    let late = work.join("a", Demand(priority: .normal), receive: second.receive) { _ in "two" }
    #expect(second.all == ["one"])
    membership.leave()
    late.leave()
    let anew = work.join("a", Demand(priority: .normal), receive: third.receive) { _ in "three" }
    #expect(await eventually { third.all == ["three"] })
    anew.leave()
  }

  @Test func aFailureIsNotKept() async {
    let work = Work()
    let (first, second) = (Member(), Member())
    let failed = work.join("a", Demand(priority: .normal), receive: first.receive) { (_) throws(LoadingError) in
      throw LoadingError(.connection, "broken")
    }
    #expect(await eventually { first.all == ["connection"] })
    #expect(work.count == 0)
    let again = work.join("a", Demand(priority: .normal), receive: second.receive) { _ in "two" }
    #expect(await eventually { second.all == ["two"] })
    failed.leave()
    #expect(work.memberCount("a") == 1)
    again.leave()
  }

  @Test func stopsWhenTheLastOneLeaves() async {
    let (work, door) = (Work(), Door())
    let isCancelled = Mutex(false)
    let member = Member()
    let memberships = (0..<3).map { _ in
      work.join("a", Demand(priority: .normal), receive: member.receive) { _ in
        await door.pass()
        isCancelled.withLock { $0 = Task.isCancelled }
        return "late"
      }
    }
    #expect(await eventually { door.arrivals == 1 })
    memberships[0].leave()
    memberships[1].leave()
    #expect(work.memberCount("a") == 1)
    memberships[2].leave()
    #expect(await eventually { isCancelled.withLock { $0 } })
    #expect(member.all == [])
  }

  @Test func joiningWorkThatIsBeingCancelledStartsAnew() async {
    let (work, stuck) = (Work(), Door())
    let (first, second) = (Member(), Member())
    let isOver = Mutex(false)
    let old = work.join("a", Demand(priority: .normal), receive: first.receive) { running in
      // Does not look at its cancellation.
      await Task { await stuck.pass() }.value
      running.report(99)
      isOver.withLock { $0 = true }
      return "old"
    }
    #expect(await eventually { stuck.arrivals == 1 })
    old.leave()
    let new = work.join("a", Demand(priority: .normal), receive: second.receive) { running in
      running.report(1)
      return "new"
    }
    #expect(new.entryNumber != old.entryNumber)
    stuck.open()
    #expect(await eventually { second.all == ["1", "new"] && isOver.withLock { $0 } })
    #expect(first.all == [])
    new.leave()
  }

  @Test func theHighestPriorityOfThoseWhoWaitCounts() async {
    let (work, door) = (Work(), Door())
    let member = Member()
    let seen = Mutex<[LoadPriority]>([])
    func join(_ priority: LoadPriority) -> Work.Membership {
      work.join("a", Demand(priority: priority), receive: member.receive) { running in
        running.follow { demand, _ in seen.withLock { $0.append(demand.priority) } }
        await door.pass()
        return "done"
      }
    }
    let low = join(.low)
    #expect(await eventually { seen.withLock { $0 } == [.low] })
    let high = join(.high)
    let normal = join(.normal)
    high.update(Demand(priority: .lowest), version: 0)
    #expect(seen.withLock { $0 } == [.low, .high, .normal])
    normal.leave()
    #expect(seen.withLock { $0 } == [.low, .high, .normal, .low])
    low.update(Demand(priority: .highest), version: 5)
    // An older change that comes late.
    low.update(Demand(priority: .normal), version: 4)
    #expect(seen.withLock { $0 } == [.low, .high, .normal, .low, .highest])
    low.leave()
    high.leave()
  }

  @Test func whoComesLateGetsTheLastUpdate() async {
    let (work, door) = (Work(), Door())
    let reported = Mutex(false)
    let (first, late) = (Member(), Member())
    let one = work.join("a", Demand(priority: .normal), receive: first.receive) { running in
      for number in 1...3 { running.report(number) }
      reported.withLock { $0 = true }
      await door.pass()
      running.report(4)
      return "done"
    }
    #expect(await eventually { reported.withLock { $0 } })
    let two = work.join("a", Demand(priority: .normal), receive: late.receive) { _ in "never" }
    #expect(late.all == ["3"])
    door.open()
    #expect(await eventually { late.all == ["3", "4", "done"] })
    #expect(first.all == ["1", "2", "3", "4", "done"])
    one.leave()
    two.leave()
  }

  @Test func letsGoOfEverything() async {
    final class Token: Sendable {}
    let work = Work()
    weak var left: Token?
    do {
      let token = Token()
      left = token
      let membership = work.join("a", Demand(priority: .normal)) { _ in
        _ = token
      } body: { _ in
        withExtendedLifetime(token) { "done" }
      }
      #expect(await eventually { work.memberCount("a") == 1 })
      membership.leave()
    }
    #expect(await eventually { left == nil })
    #expect(work.count == 0)
  }
}
