// SPDX-License-Identifier: Apache-2.0

import CIsolation
import ImageCoderModel
import Synchronization

/// What all workers of this program take together.
///
/// Each has limits of its own; this keeps many of them from taking the whole machine. A worker's memory is looked at while the
/// program waits for it, some fifty times a second.
package final class WorkerBudget: Sendable {
  package static let standard = WorkerBudget(
    mostWorkers: 512, mostMemory: mostMemory(ofMachine: isolation_machine_memory(), group: isolation_group_memory()))

  /// Workers at a time, those that wait for a file among them.
  package let mostWorkers: Int
  /// Bytes in memory that they have for themselves.
  package let mostMemory: Int
  private let state = Mutex(State())

  private struct State {
    var workers = 0
    /// Bytes of those that were looked at.
    var memory = 0
  }

  package init(mostWorkers: Int, mostMemory: Int) {
    (self.mostWorkers, self.mostMemory) = (mostWorkers, mostMemory)
  }

  /// Three quarters of what the program may have.
  ///
  /// - Parameter group: What its control groups allow, or 0.
  package static func mostMemory(ofMachine machine: UInt64, group: UInt64) -> Int {
    Int(clamping: (group == 0 ? machine : min(machine, group)) / 4 * 3)
  }

  /// What one worker takes of a budget, until it is released.
  package struct Share: ~Copyable {
    private let budget: WorkerBudget
    private var memory = 0

    /// - Returns: Nil if there may be no further worker.
    package init?(_ budget: WorkerBudget) {
      let isThere = budget.state.withLock { state in
        guard state.workers < budget.mostWorkers else { return false }
        state.workers += 1
        return true
      }
      guard isThere else { return nil }
      self.budget = budget
    }

    deinit {
      budget.state.withLock { state in
        state.workers -= 1
        state.memory -= memory
      }
    }

    /// Takes note of the bytes that the worker has now.
    ///
    /// - Returns: Bytes of all workers, if they are too many and this one is no smaller than most; else nil. So the one that
    ///   takes the most is found at its next look, and a small one decodes on.
    package mutating func excess(_ bytes: Int) -> Int? {
      let before = memory
      memory = bytes
      return budget.state.withLock { state in
        state.memory += bytes - before
        guard state.memory > budget.mostMemory, bytes >= state.memory / state.workers else { return nil }
        return state.memory
      }
    }
  }
}
