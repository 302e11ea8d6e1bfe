// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// What all workers of a program may take together.
@Suite struct WorkerBudgetTests {
  @Test func threeQuartersOfWhatThereIs() {
    #expect(WorkerBudget.mostMemory(ofMachine: 8000, group: 0) == 6000)
    #expect(WorkerBudget.mostMemory(ofMachine: 8000, group: 4000) == 3000)
    #expect(WorkerBudget.mostMemory(ofMachine: 8000, group: 16_000) == 6000)
    #expect(WorkerBudget.standard.mostMemory > 64 << 20)
  }

  @Test func aWorkerThatEndsMakesRoom() throws {
    let budget = WorkerBudget(mostWorkers: 2, mostMemory: 1000)
    guard let one = WorkerBudget.Share(budget) else { throw Missing() }
    if let other = WorkerBudget.Share(budget) {
      #expect(!Self.hasRoom(budget))
      _ = consume other
    }
    #expect(Self.hasRoom(budget))
    _ = consume one
  }

  private static func hasRoom(_ budget: WorkerBudget) -> Bool {
    if let share = WorkerBudget.Share(budget) {
      _ = consume share
      return true
    }
    return false
  }

  /// Sums of 400, 1100, 1200, 800 and 300 in 1000.
  @Test func theLargestIsTooMuch() throws {
    let budget = WorkerBudget(mostWorkers: 8, mostMemory: 1000)
    guard var one = WorkerBudget.Share(budget) else { throw Missing() }
    do {
      guard var other = WorkerBudget.Share(budget) else { throw Missing() }
      let sums = [one.excess(400), other.excess(700), one.excess(500), other.excess(300)]
      #expect(sums == [nil, 1100, nil, nil])
      _ = consume other
    }
    let sums = [one.excess(1000), one.excess(1001)]
    #expect(sums == [nil, 1001])
    _ = consume one
  }

  private struct Missing: Error {}
}
