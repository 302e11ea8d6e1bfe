// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Work of async calls that waits for a processor: as many jobs run as there are processors, those of the highest rank
/// first, and among equals the one that came first.
///
/// A job that is cancelled while it waits leaves at once. One that waits can be raised.
package final class WorkQueue: Sendable {
  package static let shared = WorkQueue(width: ThreadPool.processors)

  /// Which job goes first.
  package enum Rank: Int, CaseIterable, Sendable {
    case low, normal, high

    /// The rank of what a task with a priority asks for.
    package init(_ priority: TaskPriority) {
      self = priority > .medium ? .high : priority < .medium ? .low : .normal
    }
  }

  /// Jobs that use the same thing, of which one at a time may run.
  package final class Lane: @unchecked Sendable {
    // Unchecked: guarded by the queue's lock.
    /// The job that runs, or is the next of the lane to run.
    fileprivate var first: Job?
    fileprivate var others: [Job] = []

    package init() {}
  }

  /// One piece of work and where it stands.
  package final class Job: @unchecked Sendable {
    // Unchecked: what changes is guarded by the queue's lock.
    fileprivate enum Phase {
      case made, waiting, running, over
    }

    /// Does the work, or only tells that it was cancelled.
    fileprivate typealias Work = @Sendable (_ isCancelled: Bool) -> Void

    fileprivate var phase = Phase.made
    fileprivate var rank: Rank
    fileprivate var work: Work?
    fileprivate let lane: Lane?
    /// Stops the work while it runs.
    fileprivate let cancellation: Cancellation

    package init(_ rank: Rank, in lane: Lane? = nil, cancellation: Cancellation) {
      self.rank = rank
      self.lane = lane
      self.cancellation = cancellation
    }
  }

  private struct State {
    var waiting = [JobLine](repeating: JobLine(), count: Rank.allCases.count)
    var running = 0
    var submitted = 0

    /// Lines a job up. It may be in several lines then, of which the first that comes to it counts.
    mutating func lineUp(_ job: Job) {
      job.phase = .waiting
      waiting[job.rank.rawValue].append(job)
    }

    /// Takes the job that goes next.
    mutating func next() -> Job? {
      for rank in waiting.indices.reversed() {
        while let job = waiting[rank].popFirst() {
          guard job.phase == .waiting else { continue }
          job.phase = .running
          // What an earlier job of the lane was told does not count for this one.
          if job.lane != nil { job.cancellation.set(false) }
          return job
        }
      }
      return nil
    }

    /// Ends a job, and lets the next of its lane line up.
    mutating func end(_ job: Job) {
      job.phase = .over
      guard let lane = job.lane else { return }
      guard lane.first === job else { return lane.others.removeAll { $0 === job } }
      lane.first = nil
      let best = lane.others.map(\.rank.rawValue).max()
      guard let place = lane.others.firstIndex(where: { $0.rank.rawValue == best }) else { return }
      let next = lane.others.remove(at: place)
      lane.first = next
      lineUp(next)
    }
  }

  private let state = ProcessLock { State() }
  private let width: Int

  /// - Parameter width: Jobs that run at a time.
  package init(width: Int) { self.width = width }

  /// Jobs that came so far.
  package var submittedCount: Int { state.withLock { $0.submitted } }

  /// Runs work in turn.
  ///
  /// - Throws: ``CoderError/Code/cancelled`` when the job was cancelled before its turn; what the work throws.
  package func value<Value: Sendable>(
    of job: Job, _ body: @escaping @Sendable () throws(CoderError) -> Value
  ) async throws(CoderError) -> Value {
    let result: Result<Value, CoderError> = await withCheckedContinuation { continuation in
      submit(job) { isCancelled in
        continuation.resume(
          returning: isCancelled ? .failure(.cancelled) : Result { () throws(CoderError) in try body() })
      }
    }
    return try result.get()
  }

  private func submit(_ job: Job, _ work: @escaping Job.Work) {
    enum Next {
      case wait, start, leave
    }
    let next = state.withLock { state -> Next in
      state.submitted += 1
      guard job.phase == .made else { return .leave }
      job.work = work
      if let lane = job.lane {
        guard lane.first == nil else {
          job.phase = .waiting
          lane.others.append(job)
          return .wait
        }
        lane.first = job
      }
      state.lineUp(job)
      guard state.running < width else { return .wait }
      state.running += 1
      return .start
    }
    switch next {
    case .wait: break
    case .leave: work(true)
    case .start:
      do throws(CoderError) {
        try ThreadPool.shared.start(for: "a thread that decodes") { self.work() }
      } catch {
        // Without another thread the caller's has to do.
        self.work()
      }
    }
  }

  /// A thread's share: one job after the other, until none waits.
  private func work() {
    while let job = state.withLock({ state -> Job? in
      guard let job = state.next() else {
        state.running -= 1
        return nil
      }
      return job
    }) {
      let work = job.work
      job.work = nil
      work?(job.cancellation.isCancelled)
      state.withLock { $0.end(job) }
    }
    ThreadPool.shared.noteFreedMemory()
  }

  /// Cancels a job: it leaves the queue at once, or its work is told to stop.
  package func cancel(_ job: Job) {
    let work = state.withLock { state -> Job.Work? in
      switch job.phase {
      case .made:
        job.phase = .over
        return nil
      case .waiting:
        let work = job.work
        job.work = nil
        state.end(job)
        return work
      case .running:
        job.cancellation.set(true)
        return nil
      case .over: return nil
      }
    }
    work?(true)
  }

  /// Lets a job that waits go before those of lower ranks, and whatever has to go before it.
  package func raise(_ job: Job, to rank: Rank) {
    state.withLock { state in
      guard job.rank.rawValue < rank.rawValue else { return }
      job.rank = rank
      guard job.phase == .waiting else { return }
      guard let lane = job.lane, let first = lane.first, first !== job else { return state.lineUp(job) }
      guard first.phase == .waiting, first.rank.rawValue < rank.rawValue else { return }
      first.rank = rank
      state.lineUp(first)
    }
  }
}

/// Jobs in the order in which they came.
private struct JobLine {
  private var jobs: [WorkQueue.Job?] = []
  private var first = 0

  mutating func append(_ job: WorkQueue.Job) { jobs.append(job) }

  mutating func popFirst() -> WorkQueue.Job? {
    guard first < jobs.count else { return nil }
    defer {
      jobs[first] = nil
      first += 1
      // What was taken is given back when it is the larger part.
      if first > jobs.count / 2 {
        jobs.removeFirst(first)
        first = 0
      }
    }
    return jobs[first]
  }
}
