// SPDX-License-Identifier: Apache-2.0

extension WorkQueue {
  /// After so many jobs in a row that go on with something, one that begins something has its turn, if it waits.
  static let mostPassed = 16

  /// Jobs of one rank that wait.
  struct RankLines {
    /// By tenant. No line is empty, though all its jobs may have left.
    private var continuing: [String: JobLine] = [:]
    private var beginning: [String: JobLine] = [:]
    /// Jobs that went before one that begins something.
    private var passed = 0

    mutating func append(_ job: Job) {
      switch job.kind {
      case .continues: continuing[job.tenant.key, default: JobLine()].append(job)
      case .begins: beginning[job.tenant.key, default: JobLine()].append(job)
      }
    }

    /// Takes the job that goes next.
    mutating func next(_ shares: TenantShares) -> Job? {
      if passed < WorkQueue.mostPassed, let job = Self.take(&continuing, shares) {
        passed = beginning.isEmpty ? 0 : passed + 1
        return job
      }
      passed = 0
      return Self.take(&beginning, shares) ?? Self.take(&continuing, shares)
    }

    private static func take(_ lines: inout [String: JobLine], _ shares: TenantShares) -> Job? {
      while let name = lines.count > 1 ? shares.first(of: lines.keys) : lines.keys.first {
        let job = lines[name]?.popFirst()
        if lines[name]?.isEmpty ?? true { lines[name] = nil }
        if let job, job.phase == .waiting { return job }
      }
      return nil
    }

    /// When the job came that has waited longest.
    var oldest: ContinuousClock.Instant? {
      (Array(continuing.values) + beginning.values).compactMap(\.oldest).min()
    }
  }

  /// What tenants have used of the processors, as long as they have jobs.
  struct TenantShares {
    private struct Share {
      /// Seconds for its weight. One who comes gets no credit for the time before.
      var used: Double
      var waiting = 0
      var running = 0
    }

    private var shares: [String: Share] = [:]

    mutating func enter(_ tenant: Tenant?) {
      let least = shares[tenant.key] == nil ? shares.values.map(\.used).min() ?? 0 : 0
      shares[tenant.key, default: Share(used: least)].waiting += 1
    }

    /// - Parameter seconds: What the job is expected to take.
    mutating func begin(_ tenant: Tenant?, _ seconds: Double) {
      shares[tenant.key]?.waiting -= 1
      shares[tenant.key]?.running += 1
      shares[tenant.key]?.used += seconds / tenant.weight
    }

    /// - Parameter seconds: What the job has taken more than was expected.
    mutating func end(_ tenant: Tenant?, _ seconds: Double) {
      shares[tenant.key]?.running -= 1
      shares[tenant.key]?.used += seconds / tenant.weight
      forget(tenant)
    }

    /// A job has left before its turn.
    mutating func leave(_ tenant: Tenant?) {
      shares[tenant.key]?.waiting -= 1
      forget(tenant)
    }

    private mutating func forget(_ tenant: Tenant?) {
      if let share = shares[tenant.key], share.waiting == 0, share.running == 0 { shares[tenant.key] = nil }
    }

    func waiting(_ tenant: Tenant) -> Int { shares[tenant.name]?.waiting ?? 0 }

    /// Jobs of each tenant that wait. Work without a tenant is not listed.
    var waitingByName: [String: Int] { shares.filter { $0.value.waiting > 0 && !$0.key.isEmpty }.mapValues(\.waiting) }

    /// Whose turn it is.
    func first(of names: some Sequence<String>) -> String? {
      names.min { (shares[$0]?.used ?? 0, $0) < (shares[$1]?.used ?? 0, $1) }
    }
  }
}

extension WorkQueue.Tenant? {
  fileprivate var key: String { self?.name ?? "" }
  fileprivate var weight: Double { self?.weight ?? 1 }
}

/// Jobs in the order in which they came.
struct JobLine {
  private var jobs: [WorkQueue.Job?] = []
  private var first = 0

  mutating func append(_ job: WorkQueue.Job) { jobs.append(job) }

  var isEmpty: Bool { first >= jobs.count }

  /// When the first job came that still waits.
  var oldest: ContinuousClock.Instant? {
    jobs[first...].lazy.compactMap { $0 }.first { $0.phase == .waiting }?.submitted
  }

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
