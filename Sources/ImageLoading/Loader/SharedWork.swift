// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel
  import Synchronization

  /// Numbers of work and of members, of which none is given twice.
  enum WorkNumber {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.add(1, ordering: .relaxed).newValue }
  }

  /// Pieces of work by their keys, each done once for all who want it at the same time.
  ///
  /// The work belongs to its entry, not to who came first. An entry counts its members; when the last one leaves, it is
  /// taken out at once and its task is cancelled, so that the next request starts anew. A result stays as long as one of
  /// the members that got it: what comes meanwhile shares it. A failure is not kept.
  ///
  /// Members are told of updates under the lock, in order, so what takes them has to be short and may not call back. They
  /// are told of the outcome when the lock has been given back; no update follows.
  final class SharedWork<Key: Hashable & Sendable, Update: Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, LoadingError>
    typealias Signal = Inbox<Update, Value>.Signal
    typealias Receiver = @Sendable (Signal) -> Void
    typealias Body = @Sendable (Running) async throws(LoadingError) -> Value

    private struct Member {
      var demand: Demand
      /// The version of the demand: an older one that comes late is passed over.
      var version: Int
      let receive: Receiver
    }

    private struct Entry {
      let number: Int
      var members: [Int: Member] = [:]
      var demand: Demand
      /// Grows with each change of the demand.
      var version = 0
      var last: Update?
      var outcome: Outcome?
      var task: Task<Void, Never>?
      /// Earlier work that is done for this one.
      var followers: [@Sendable (Demand, Int) -> Void] = []

      /// The demand of all members; nil if it has not changed.
      mutating func updateDemand() -> Demand? {
        guard let first = members.values.first else { return nil }
        var all = first.demand
        for member in members.values { all.add(member.demand) }
        guard all != demand else { return nil }
        demand = all
        version += 1
        return all
      }
    }

    private struct State {
      var entries: [Key: Entry] = [:]
      var started = 0
    }

    private let state = Lock(State())
    private let merge: @Sendable (Update?, Update) -> Update

    /// - Parameter merge: Makes of the updates so far and the next one what those get who come later.
    init(merging merge: @escaping @Sendable (Update?, Update) -> Update = { $1 }) { self.merge = merge }

    /// Entries that have members.
    var count: Int { state.withLock { $0.entries.count } }

    /// Members of the work with a key.
    func memberCount(_ key: Key) -> Int { state.withLock { $0.entries[key]?.members.count ?? 0 } }

    /// Pieces of work that were begun so far.
    var startedCount: Int { state.withLock { $0.started } }

    // MARK: Members

    /// Becomes a member of the work with a key, which is begun if it is not running.
    ///
    /// - Parameters:
    ///   - receive: Gets the last update at once, then every one, then the outcome.
    ///   - body: Does the work.
    func join(
      _ key: Key, _ demand: Demand, receive: @escaping Receiver, body: @escaping Body
    ) -> Membership {
      let (membership, change, outcome) = state.withLock { state -> (Membership, Change?, Outcome?) in
        let number = WorkNumber.next()
        let member = Member(demand: demand, version: -1, receive: receive)
        guard var entry = state.entries[key] else {
          state.started += 1
          var entry = Entry(number: number, members: [number: member], demand: demand)
          let running = Running(work: self, key: key, entry: number)
          entry.task = Task(priority: demand.priority.ofTasks) {
            let outcome: Outcome
            do throws(LoadingError) { outcome = .success(try await body(running)) } catch { outcome = .failure(error) }
            running.finish(outcome)
          }
          state.entries[key] = entry
          return (Membership(work: self, key: key, entry: number, member: number), nil, nil)
        }
        entry.members[number] = member
        if let last = entry.last { receive(.update(last)) }
        let change = Change(&entry)
        state.entries[key] = entry
        let membership = Membership(work: self, key: key, entry: entry.number, member: number)
        return (membership, change, entry.outcome)
      }
      change?.tell()
      if let outcome { receive(.outcome(outcome)) }
      return membership
    }

    fileprivate func leave(_ membership: Membership) {
      let (task, change) = state.withLock { state -> (Task<Void, Never>?, Change?) in
        guard var entry = state.entries[membership.key], entry.number == membership.entry,
          entry.members.removeValue(forKey: membership.member) != nil
        else { return (nil, nil) }
        guard entry.members.isEmpty else {
          let change = Change(&entry)
          state.entries[membership.key] = entry
          return (nil, change)
        }
        state.entries[membership.key] = nil
        return (entry.task, nil)
      }
      task?.cancel()
      change?.tell()
    }

    /// Gives up all work that has not ended: its members get the error `cancelled`.
    func cancelAll() {
      let entries = state.withLock { state -> [Entry] in
        let running = state.entries.filter { $0.value.outcome == nil }
        for key in running.keys { state.entries[key] = nil }
        return Array(running.values)
      }
      for entry in entries {
        entry.task?.cancel()
        for member in entry.members.values { member.receive(.outcome(.failure(.cancelled))) }
      }
    }

    fileprivate func update(_ membership: Membership, _ demand: Demand, version: Int) {
      let change = state.withLock { state -> Change? in
        guard var entry = state.entries[membership.key], entry.number == membership.entry,
          let member = entry.members[membership.member], member.version < version
        else { return nil }
        entry.members[membership.member]?.demand = demand
        entry.members[membership.member]?.version = version
        let change = Change(&entry)
        state.entries[membership.key] = entry
        return change
      }
      change?.tell()
    }

    /// One who waits for a piece of work, until it leaves or is released.
    final class Membership: Sendable {
      fileprivate let work: SharedWork
      fileprivate let key: Key
      fileprivate let entry: Int
      fileprivate let member: Int

      fileprivate init(work: SharedWork, key: Key, entry: Int, member: Int) {
        self.work = work
        self.key = key
        self.entry = entry
        self.member = member
      }

      deinit { leave() }

      /// Waits no longer. What was the last member's work stops.
      func leave() { work.leave(self) }

      /// Changes what the member wants.
      ///
      /// - Parameter version: Grows with each change; an older change that comes late does nothing.
      func update(_ demand: Demand, version: Int) { work.update(self, demand, version: version) }

      /// The number of the entry, which says whether two members share work.
      var entryNumber: Int { entry }
    }

    // MARK: Work

    /// What is told of a changed demand, after the lock is given back.
    private struct Change {
      let demand: Demand
      let version: Int
      let task: Task<Void, Never>?
      let followers: [@Sendable (Demand, Int) -> Void]

      init?(_ entry: inout Entry) {
        guard let demand = entry.updateDemand() else { return nil }
        self.demand = demand
        version = entry.version
        task = entry.task
        followers = entry.followers
      }

      func tell() {
        task?.escalatePriority(to: demand.priority.ofTasks)
        for follower in followers { follower(demand, version) }
      }
    }

    /// The work of an entry, as it sees itself.
    struct Running: Sendable {
      fileprivate let work: SharedWork
      fileprivate let key: Key
      /// The number of the entry.
      let entry: Int

      /// What is wanted of it now.
      var demand: Demand {
        work.state.withLock { state in
          guard let entry = state.entries[key], entry.number == self.entry else { return Demand(priority: .lowest) }
          return entry.demand
        }
      }

      /// Tells all members something, and all that join later. After the outcome, and after the last member has left, it
      /// reaches nobody.
      func report(_ update: Update) {
        work.state.withLock { state in
          guard var entry = state.entries[key], entry.number == self.entry, entry.outcome == nil else { return }
          entry.last = work.merge(entry.last, update)
          state.entries[key] = entry
          for member in entry.members.values { member.receive(.update(update)) }
        }
      }

      /// Calls `tell` with what is wanted, now and after each change, with a number that grows.
      func follow(_ tell: @escaping @Sendable (Demand, Int) -> Void) {
        let current = work.state.withLock { state -> (Demand, Int)? in
          guard state.entries[key]?.number == self.entry else { return nil }
          state.entries[key]?.followers.append(tell)
          return state.entries[key].map { ($0.demand, $0.version) }
        }
        if let current { tell(current.0, current.1) }
      }

      fileprivate func finish(_ outcome: Outcome) {
        let ended = work.state.withLock { state -> Entry? in
          guard var entry = state.entries[key], entry.number == self.entry else { return nil }
          let ended = entry
          entry.outcome = outcome
          entry.last = nil
          entry.followers = []
          entry.task = nil
          state.entries[key] = entry
          if case .failure = outcome { state.entries[key] = nil }
          return ended
        }
        for member in ended?.members.values ?? [:].values { member.receive(.outcome(outcome)) }
      }
    }
  }
#endif
