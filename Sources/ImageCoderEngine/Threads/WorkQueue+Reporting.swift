// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

// What a program can know of the queue, and ask of it.
extension WorkQueue {
  /// For whom work is done: a customer of a server, a part of a program. Tenants whose work waits get equal shares of the
  /// processors, or shares by their weights.
  ///
  ///     let small = try await WorkQueue.$tenant.withValue(WorkQueue.Tenant(customer.name)) {
  ///       try await registry.async.makeThumbnail(of: .bytes(upload))
  ///     }
  public struct Tenant: Sendable, Hashable {
    /// Tells tenants apart. What has no tenant has a share of its own.
    public let name: String
    /// Its share, beside those of others.
    public let weight: Double

    /// Makes a tenant.
    ///
    /// - Parameters:
    ///   - name: Not empty.
    ///   - weight: Above 0.
    public init(_ name: String, weight: Double = 1) {
      precondition(!name.isEmpty, "a tenant without a name")
      precondition(weight > 0, "a weight of \(weight)")
      self.name = name
      self.weight = weight
    }
  }

  /// For whom the task's work is done. Tasks that it makes inherit it, and so does work of a loader that it begins.
  @TaskLocal public static var tenant: Tenant?

  /// Which work is refused, with ``CoderError/Code/overloaded``. Nothing is while a processor is free; nor is work that goes
  /// on with what was begun (``Kind/continues``), for what was done would be lost.
  public struct Policy: Sendable, Hashable {
    /// Jobs that may wait, or nil for any number.
    public var maxWaiting: Int?
    /// Jobs of one tenant that may wait, or nil for any number.
    public var maxWaitingOfTenant: Int?
    /// How long a job may be expected to wait, or nil. What is expected is told by how many wait, and how long the last jobs
    /// took.
    public var maxExpectedWait: Duration?

    /// Makes a policy; without arguments, that all work is taken.
    public init(maxWaiting: Int? = nil, maxWaitingOfTenant: Int? = nil, maxExpectedWait: Duration? = nil) {
      self.maxWaiting = maxWaiting
      self.maxWaitingOfTenant = maxWaitingOfTenant
      self.maxExpectedWait = maxExpectedWait
    }
  }

  /// What the queue does at a moment.
  public struct Status: Sendable, Hashable {
    /// Jobs that run.
    public var running: Int
    /// Jobs that wait.
    public var waiting: Int
    /// How long the first of them has waited.
    public var longestWait: Duration
    /// How long a job that comes now has to wait, as far as that can be told: what `Retry-After` may say.
    public var expectedWait: Duration
    /// Jobs that have run so far.
    public var finished: Int
    /// Jobs that were refused so far.
    public var refused: Int
    /// Jobs of each tenant that wait, by its name.
    public var waitingByTenant: [String: Int]
  }

  /// Something that happened in the queue.
  public enum Event: Sendable, Hashable {
    /// A job has run.
    case finished(Tenant?, waited: Duration, ran: Duration)
    /// A job was refused by the policy.
    case refused(Tenant?)
  }

  struct Settings: Sendable {
    var policy = Policy()
    var onEvent: (@Sendable (Event) -> Void)?
  }

  /// Which work is refused; nothing unless it is set.
  public var policy: Policy {
    get { settings.withLock { $0.policy } }
    set { settings.withLock { $0.policy = newValue } }
  }

  /// Gets what happens, on a thread of the library or of the caller, with no lock held. What takes long should be done
  /// elsewhere.
  public var onEvent: (@Sendable (Event) -> Void)? {
    get { settings.withLock { $0.onEvent } }
    set { settings.withLock { $0.onEvent = newValue } }
  }

  /// What the queue does now.
  public var status: Status {
    let (width, now) = (width, now())
    return jobs.withLock { jobs in
      let oldest = jobs.lines.compactMap(\.oldest).min()
      return Status(
        running: jobs.running, waiting: jobs.waiting, longestWait: oldest.map { now - $0 } ?? .zero,
        expectedWait: .seconds(jobs.expectedWait(width)), finished: jobs.finished, refused: jobs.refused,
        waitingByTenant: jobs.shares.waitingByName)
    }
  }
}
