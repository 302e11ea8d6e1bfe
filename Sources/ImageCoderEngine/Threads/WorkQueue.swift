// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Work of async calls that waits for a processor: as many jobs run as there are processors.
///
/// Which of those that wait goes next:
///
/// 1. Those of the highest rank first, which follows from the priority of their task.
/// 2. Of these, those that go on with what was begun (``Kind/continues``): an encode has a picture in memory, which it
///    releases, and a decode makes one. So a batch of many tasks holds few pictures. After sixteen of them, one of the
///    other kind has its turn.
/// 3. Of these, those of the ``Tenant`` who has used least of the processors for its weight.
/// 4. Of these, the one that came first.
///
/// A job that is cancelled while it waits leaves at once. One that waits can be raised.
public final class WorkQueue: Sendable {
  /// The queue of `registry.async` and of all other async calls of the library.
  public static let shared = WorkQueue(width: ThreadPool.processors)

  /// Which job goes first.
  package enum Rank: Int, CaseIterable, Sendable {
    case low, normal, high

    /// The rank of what a task with a priority asks for.
    package init(_ priority: TaskPriority) {
      self = priority > .medium ? .high : priority < .medium ? .low : .normal
    }
  }

  /// Whether work begins something, or goes on with it.
  public enum Kind: Sendable, Hashable {
    /// It needs more memory after it than before: a decode. ``Policy`` may refuse it.
    case begins
    /// It has pictures in memory that were made for it: an encode, an operation, the next frame of an open file.
    case continues
  }

  /// Jobs that use the same thing, of which one at a time may run.
  package final class Lane: @unchecked Sendable {
    // Unchecked: guarded by the queue's lock.
    /// The job that runs, or is the next of the lane to run.
    var first: Job?
    var others: [Job] = []

    package init() {}
  }

  /// One piece of work and where it stands.
  package final class Job: @unchecked Sendable {
    // Unchecked: what changes is guarded by the queue's lock.
    enum Phase {
      case made, waiting, running, over
    }

    /// Does the work, or only tells why it is not done.
    typealias Work = @Sendable (_ failure: CoderError?) -> Void

    var phase = Phase.made
    var rank: Rank
    var work: Work?
    let kind: Kind
    let tenant: Tenant?
    let lane: Lane?
    /// Stops the work while it runs.
    let cancellation: Cancellation
    /// When it came, and then when it began.
    var (submitted, started) = (ContinuousClock.now, ContinuousClock.now)
    /// Seconds that it was expected to take when it began.
    var expected = 0.0

    package init(
      _ rank: Rank, _ kind: Kind = .begins, in lane: Lane? = nil, tenant: Tenant? = WorkQueue.tenant,
      cancellation: Cancellation
    ) {
      self.rank = rank
      self.kind = kind
      self.lane = lane
      self.tenant = tenant
      self.cancellation = cancellation
    }
  }

  /// What changes while jobs come and go.
  struct Jobs {
    var lines = [RankLines](repeating: RankLines(), count: Rank.allCases.count)
    var shares = TenantShares()
    var (running, waiting, submitted, finished, refused) = (0, 0, 0, 0, 0)
    /// Seconds that a job takes, the last ones counting most.
    var usualRun = 0.0

    /// Lines a job up. It may be in several lines then, of which the first that comes to it counts.
    mutating func lineUp(_ job: Job) {
      job.phase = .waiting
      lines[job.rank.rawValue].append(job)
    }

    /// Takes the job that goes next.
    mutating func next(at now: ContinuousClock.Instant) -> Job? {
      for rank in lines.indices.reversed() {
        guard let job = lines[rank].next(shares) else { continue }
        job.phase = .running
        job.started = now
        waiting -= 1
        job.expected = usualRun
        shares.begin(job.tenant, job.expected)
        // What an earlier job of the lane was told does not count for this one.
        if job.lane != nil { job.cancellation.set(false) }
        return job
      }
      return nil
    }

    /// Counts a job that has run, and ends it.
    mutating func end(_ job: Job, after seconds: Double) {
      shares.end(job.tenant, seconds - job.expected)
      usualRun = finished == 0 ? seconds : usualRun + (seconds - usualRun) / 16
      finished += 1
      end(job)
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

    /// Seconds that a job which comes now has to wait, as far as that can be told.
    func expectedWait(_ width: Int) -> Double {
      running < width ? 0 : usualRun * Double(waiting + 1) / Double(width)
    }

    /// Why a job is refused, or nil.
    func refusal(of job: Job, _ policy: Policy, _ width: Int) -> CoderError? {
      guard job.kind == .begins, running >= width else { return nil }
      if let most = policy.maxWaiting, waiting >= most {
        return .overloaded("\(waiting) jobs wait, \(most) are allowed")
      }
      if let most = policy.maxWaitingOfTenant, let tenant = job.tenant, shares.waiting(tenant) >= most {
        return .overloaded("\(shares.waiting(tenant)) jobs of \(tenant.name) wait, \(most) are allowed")
      }
      if let most = policy.maxExpectedWait, expectedWait(width) > most / .seconds(1) {
        let milliseconds = Int(expectedWait(width) * 1000)
        return .overloaded("a wait of \(milliseconds) ms is expected, \(Int(most / .milliseconds(1))) are allowed")
      }
      return nil
    }
  }

  let jobs = ProcessLock { Jobs() }
  let settings = Lock(Settings())
  /// Jobs that run at a time.
  public let width: Int

  let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameters:
  ///   - width: Jobs that run at a time.
  ///   - now: The clock by which jobs wait and run.
  package init(width: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.width = width
    self.now = now
  }

  /// Jobs that came so far.
  package var submittedCount: Int { jobs.withLock { $0.submitted } }

  /// Runs work in turn.
  ///
  /// - Throws: ``CoderError/Code/cancelled`` when the job was cancelled before its turn;
  ///   ``CoderError/Code/overloaded`` when ``policy`` refuses it; what the work throws.
  package func value<Value: Sendable>(
    of job: Job, _ body: @escaping @Sendable () throws(CoderError) -> Value
  ) async throws(CoderError) -> Value {
    let result: Result<Value, CoderError> = await withCheckedContinuation { continuation in
      submit(job) { failure in
        continuation.resume(
          returning: failure.map { .failure($0) } ?? Result { () throws(CoderError) in try body() })
      }
    }
    return try result.get()
  }

  private func submit(_ job: Job, _ work: @escaping Job.Work) {
    enum Next {
      case wait, start
      case leave(CoderError)
    }
    let settings = settings.withLock { $0 }
    let next = jobs.withLock { jobs -> Next in
      jobs.submitted += 1
      guard job.phase == .made else { return .leave(.cancelled) }
      if let refusal = jobs.refusal(of: job, settings.policy, width) {
        job.phase = .over
        jobs.refused += 1
        return .leave(refusal)
      }
      job.work = work
      job.submitted = now()
      jobs.waiting += 1
      jobs.shares.enter(job.tenant)
      if let lane = job.lane {
        guard lane.first == nil else {
          job.phase = .waiting
          lane.others.append(job)
          return .wait
        }
        lane.first = job
      }
      jobs.lineUp(job)
      guard jobs.running < width else { return .wait }
      jobs.running += 1
      return .start
    }
    switch next {
    case .wait: break
    case .leave(let failure):
      if failure.code == .overloaded { settings.onEvent?(.refused(job.tenant)) }
      work(failure)
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
    while let job = jobs.withLock({ jobs -> Job? in
      guard let job = jobs.next(at: now()) else {
        jobs.running -= 1
        return nil
      }
      return job
    }) {
      let work = job.work
      job.work = nil
      work?(job.cancellation.isCancelled ? .cancelled : nil)
      let ran = now() - job.started
      jobs.withLock { $0.end(job, after: ran / .seconds(1)) }
      if let tell = settings.withLock({ $0.onEvent }) {
        tell(.finished(job.tenant, waited: job.started - job.submitted, ran: ran))
      }
    }
    ThreadPool.shared.noteFreedMemory()
  }

  /// Cancels a job: it leaves the queue at once, or its work is told to stop.
  package func cancel(_ job: Job) {
    let work = jobs.withLock { jobs -> Job.Work? in
      switch job.phase {
      case .made:
        job.phase = .over
        return nil
      case .waiting:
        let work = job.work
        job.work = nil
        jobs.waiting -= 1
        jobs.shares.leave(job.tenant)
        jobs.end(job)
        return work
      case .running:
        job.cancellation.set(true)
        return nil
      case .over: return nil
      }
    }
    work?(.cancelled)
  }

  /// Lets a job that waits go before those of lower ranks, and whatever has to go before it.
  package func raise(_ job: Job, to rank: Rank) {
    jobs.withLock { jobs in
      guard job.rank.rawValue < rank.rawValue else { return }
      job.rank = rank
      guard job.phase == .waiting else { return }
      guard let lane = job.lane, let first = lane.first, first !== job else { return jobs.lineUp(job) }
      guard first.phase == .waiting, first.rank.rawValue < rank.rawValue else { return }
      first.rank = rank
      jobs.lineUp(first)
    }
  }
}
