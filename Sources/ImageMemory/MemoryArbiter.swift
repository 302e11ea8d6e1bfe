// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// What holds memory that a ``MemoryArbiter`` divides.
///
/// - Threads: Called from any thread, without a lock of the arbiter's.
public protocol MemoryClient: AnyObject, Sendable {
  /// The bytes that it holds now.
  var heldBytes: Int { get }

  /// Tells how many bytes it may hold from now on. It releases what is over that before it returns, as far as it can.
  func setAllowance(_ bytes: Int)
}

/// How much memory somebody asks for.
public struct MemoryRequest: Sendable, Equatable {
  /// What it needs in any case, in bytes.
  public var floor: Int
  /// What it can use, in bytes.
  public var want: Int
  /// How its share beyond the floor compares with that of others; 0 gets no more than the floor.
  public var weight: Int

  /// Makes a request.
  public init(floor: Int, want: Int, weight: Int) {
    self.floor = floor
    self.want = want
    self.weight = weight
  }
}

/// Divides the memory of a process among frames of animations and caches of pictures, and takes it back when memory is
/// short.
///
/// Each gets its floor; the rest is divided by weight, and nobody gets more than it can use. What nobody plays leaves its
/// memory to the caches, and a cache releases what is worth least when something is played.
///
/// When memory gets short, all together shrink at once to half of what they hold, or to the floors. They grow again by a
/// quarter of the budget after a random time without such an event.
///
/// - Threads: May be used from any thread.
public final class MemoryArbiter: Sendable {
  /// The arbiter of the process. Its budget is a part of the memory that machine and control groups allow.
  public static let shared = MemoryArbiter(budget: MemoryBudget.standard, pressure: SystemMemoryPressure.available)

  /// The bytes that all may hold when memory is not short.
  public let budget: Int

  private struct Member {
    weak var client: (any MemoryClient)?
    var request: MemoryRequest
    /// What it was told last.
    var allowance: Int?
  }

  private struct State {
    var allowance: Int
    var members: [Int: Member] = [:]
    var next = 0
    var pressure: PressureTimes
    /// Whether a thread tells members what they may hold, and whether that has changed meanwhile.
    var isTelling = false
    var isChanged = false
  }

  private let state: Lock<State>
  private let isShort = Atomic<Bool>(false)
  private let now: @Sendable () -> Duration
  private let endPressure = Lock<(@Sendable () -> Void)?>(nil)

  /// Makes an arbiter of its own.
  ///
  /// - Parameters:
  ///   - budget: The bytes that all may hold.
  ///   - pressure: Tells when memory gets short, or nil.
  public convenience init(budget: Int, pressure: (any MemoryPressureSource)? = nil) {
    let start = SuspendingClock.now
    self.init(budget: budget, pressure: pressure, seed: .random(in: 0...UInt64.max)) { SuspendingClock.now - start }
  }

  /// - Parameters:
  ///   - seed: Of the random times after which it grows.
  ///   - now: The time, from any moment on.
  package init(
    budget: Int, pressure: (any MemoryPressureSource)?, seed: UInt64, now: @escaping @Sendable () -> Duration
  ) {
    self.budget = max(budget, 0)
    self.now = now
    state = Lock(State(allowance: self.budget, pressure: PressureTimes(seed: seed)))
    let end = pressure?.watch { [weak self] in self?.shrink() }
    endPressure.withLock { $0 = end }
  }

  deinit { endPressure.withLock { $0?() } }

  /// The bytes that all may hold now: the budget, or less after memory was short.
  public var allowance: Int { state.withLock { $0.allowance } }

  /// Adds somebody who holds memory. It is told at once what it may hold, and whenever that changes.
  ///
  /// - Parameter client: Is not kept alive.
  /// - Returns: The registration, which ends when it is released.
  public func register(_ client: any MemoryClient, request: MemoryRequest) -> MemoryRegistration {
    let number = state.withLock { state in
      state.next += 1
      state.members[state.next] = Member(client: client, request: request)
      return state.next
    }
    divide()
    return MemoryRegistration(arbiter: self, number: number)
  }

  func change(_ number: Int, to request: MemoryRequest) {
    let isNew = state.withLock { state in
      guard let old = state.members[number]?.request, old != request else { return false }
      state.members[number]?.request = request
      return true
    }
    if isNew { divide() }
  }

  func leave(_ number: Int) {
    state.withLock { _ = $0.members.removeValue(forKey: number) }
    divide()
  }

  // MARK: Dividing

  /// Tells each member what it may hold. If another thread does that just now, it goes on with what is new.
  private func divide() {
    let isFree = state.withLock { state in
      state.isChanged = true
      defer { state.isTelling = true }
      return !state.isTelling
    }
    guard isFree else { return }
    while let news = state.withLock({ news(&$0) }) {
      // Those who get less release it before others take it.
      for item in news { item.client.setAllowance(item.bytes) }
    }
  }

  /// The members whose memory has changed, those that get less first; nil if it has not.
  private func news(_ state: inout State) -> [(client: any MemoryClient, bytes: Int)]? {
    guard state.isChanged else {
      state.isTelling = false
      return nil
    }
    state.isChanged = false
    let numbers = state.members.keys.sorted()
    // If there is not enough for all floors, those who came first have theirs.
    var room = state.allowance
    let claims = numbers.map { number -> FairShares.Claim in
      guard let request = state.members[number]?.request else { return FairShares.Claim(floor: 0, want: 0, weight: 0) }
      let floor = min(max(request.floor, 0), room)
      room -= floor
      return FairShares.Claim(
        floor: floor, want: min(max(request.want, floor), budget), weight: max(request.weight, 0))
    }
    var news: [(client: any MemoryClient, bytes: Int, isLess: Bool)] = []
    for (number, share) in zip(numbers, FairShares.divide(state.allowance, among: claims)) {
      guard let member = state.members[number], member.allowance != share, let client = member.client else { continue }
      news.append((client, share, share < member.allowance ?? .max))
      state.members[number]?.allowance = share
    }
    return news.filter(\.isLess).map { ($0.client, $0.bytes) }
      + news.filter { !$0.isLess }.map { ($0.client, $0.bytes) }
  }

  // MARK: Pressure

  /// Memory is short: all together shrink to half of what they hold, or to the floors.
  package func shrink() {
    let time = now()
    let clients = state.withLock { state in
      state.pressure.note(at: time) ? state.members.values.map(\.client) : []
    }
    guard !clients.isEmpty else { return }
    let held = clients.reduce(0) { $0 + ($1?.heldBytes ?? 0) }
    state.withLock { state in
      let floors = state.members.values.reduce(0) { $0 + max($1.request.floor, 0) }
      state.allowance = min(state.allowance, max(min(floors, budget), held / 2))
      isShort.store(state.allowance < budget, ordering: .relaxed)
    }
    divide()
  }

  /// Grows a step if memory was short and is not any more.
  package func growIfDue() {
    guard isShort.load(ordering: .relaxed) else { return }
    let time = now()
    let grows = state.withLock { state in
      guard state.allowance < budget, state.pressure.mayGrow(at: time) else { return false }
      state.allowance = min(budget, state.allowance + max(budget / 4, 1))
      isShort.store(state.allowance < budget, ordering: .relaxed)
      return true
    }
    if grows { divide() }
  }
}

/// The place of somebody who holds memory in a ``MemoryArbiter``. It ends when this is released.
///
/// - Threads: May be used from any thread.
public final class MemoryRegistration: Sendable {
  private let arbiter: MemoryArbiter
  private let number: Int

  init(arbiter: MemoryArbiter, number: Int) {
    self.arbiter = arbiter
    self.number = number
  }

  deinit { arbiter.leave(number) }

  /// Changes how much is asked for. The memory is divided anew before this returns, unless another thread does that.
  public func change(to request: MemoryRequest) { arbiter.change(number, to: request) }

  /// Has the arbiter give out more, if memory was short and is not any more. Cheap; to be called when more could be used.
  public func growIfDue() { arbiter.growIfDue() }
}
