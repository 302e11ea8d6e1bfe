// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
public import ImageMemory

/// Decodes frames ahead for any number of players, on few threads and within one budget of memory.
///
/// Every ``Playback`` uses ``shared`` unless it is given another one. Players of the same ``AnimatedImage`` share its frames.
///
/// Memory is taken from the budget before it is taken from the system. Each player has a floor: the canvas, the frame that
/// is shown, and the next one. What is left is divided fairly among visible players, and nobody gets more than it can use.
/// If there is too little for all floors, posters are released, and players share the room for a next frame: each has
/// the frame that it shows, and they are decoded in turn. A player for which there is not even that shows its poster, and says
/// that it is ``AnimationPlayer/Event/starved``.
///
/// When memory gets short, the buffer shrinks at once, to half of what it holds or to the floors. It grows again after a
/// random time without such an event, so that several processes do not refill together.
///
/// - Threads: May be used from any thread.
public final class FrameBuffer: Sendable {
  /// The buffer of the process, which shares the memory that machine and control groups allow with caches of pictures.
  public static let shared = FrameBuffer(arbiter: .shared)

  /// The bytes of pixel memory that it may hold when memory is not short.
  public let budget: Int
  /// How many frames are decoded at the same time, at most.
  public let threads: Int

  let state: Lock<BufferState>
  private let now: @Sendable () -> Duration
  private let endPressure = Lock<(@Sendable () -> Void)?>(nil)
  private let registration = Lock<MemoryRegistration?>(nil)

  /// How the frames' memory beyond the floors compares with that of a cache of pictures, which has 4 as well unless it is
  /// given another weight.
  private static let weight = 4

  /// Makes a buffer whose memory is that of an arbiter, which hears of pressure.
  ///
  /// - Parameter threads: How many frames are decoded at the same time; nil for as many as there are processors, at most 8.
  public convenience init(arbiter: MemoryArbiter, threads: Int? = nil) {
    self.init(budget: arbiter.budget, threads: threads)
    let joined = arbiter.register(self, request: request)
    registration.withLock { $0 = joined }
  }

  /// Makes a buffer of its own.
  ///
  /// - Parameters:
  ///   - budget: The bytes of pixel memory that it may hold.
  ///   - threads: How many frames are decoded at the same time; nil for as many as there are processors, at most 8.
  ///   - pressure: Tells when memory gets short, or nil.
  public convenience init(budget: Int, threads: Int? = nil, pressure: (any MemoryPressureSource)? = nil) {
    let start = SuspendingClock.now
    self.init(budget: budget, threads: threads, pressure: pressure, seed: .random(in: 0...UInt64.max)) {
      SuspendingClock.now - start
    }
  }

  /// - Parameters:
  ///   - seed: Of the random times after which it grows.
  ///   - now: The time, from any moment on.
  package init(
    budget: Int, threads: Int?, pressure: (any MemoryPressureSource)?, seed: UInt64,
    now: @escaping @Sendable () -> Duration
  ) {
    self.budget = max(budget, 0)
    self.threads = min(max(threads ?? ThreadPool.processors, 1), 8)
    self.now = now
    state = Lock(BufferState(budget: self.budget, threads: self.threads, seed: seed))
    let end = pressure?.watch { [weak self] in self?.shrink() }
    endPressure.withLock { $0 = end }
  }

  deinit { endPressure.withLock { $0?() } }

  /// The bytes that are held or taken for running decodes now.
  public var byteCount: Int { state.withLock { $0.used } }

  /// The bytes that may be held now: the budget, or less after memory was short or while others need some.
  public var allowance: Int { state.withLock { $0.allowance } }

  /// Adds a player of a source. It leaves when the reader is released.
  ///
  /// - Parameters:
  ///   - visibility: How much of the memory beyond the floors it gets, compared with others.
  ///   - byteLimit: The most that its source's frames may hold, or nil.
  public func reader(
    of source: any FrameSource, visibility: Reader.Visibility = .visible, byteLimit: Int? = nil
  ) -> Reader {
    if let source = source as? any BufferableSource, state.withLock({ !$0.knows(source) }) {
      source.leaveFramesToBuffer()
    }
    let player = state.withLock { $0.add(source, visibility, byteLimit) }
    tellRequest()
    finish(state.withLock { $0.admit() })
    work()
    return Reader(buffer: self, player: player)
  }

  // MARK: For supplies

  func change(_ player: Int, to visibility: Reader.Visibility) {
    state.withLock { $0.players[player]?.visibility = visibility }
    tellRequest()
    finish(state.withLock { $0.admit() })
    work()
  }

  func release(_ player: Int) {
    state.withLock { $0.releaseAhead(of: player) }
    work()
  }

  func leave(_ player: Int) {
    let changes = state.withLock { state in
      state.remove(player)
      return state.admit()
    }
    finish(changes)
    // What others get is released before.
    tellRequest()
    work()
  }

  /// A frame for a player, and the ones that it is going to ask for. The wait ends when the task is cancelled.
  func frame(
    _ index: Int, for player: Int, upcoming: [Int], shortestDelay: Duration
  ) async -> SuppliedFrame {
    let ticket = state.withLock { $0.takeTicket() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { task in
        let time = now()
        finish(state.withLock { $0.grow(at: time) })
        registration.withLock { $0 }?.growIfDue()
        finish(state.withLock { $0.followSource(of: player) })
        let waiter = FrameStore.Waiter(ticket: ticket, task: task)
        let answer = state.withLock { state in
          // A handler that has come already found nobody; one that comes later finds this waiter.
          Task.isCancelled ? .cancelled : state.request(index, player, upcoming, shortestDelay, waiter)
        }
        // Before the next ones are begun: the one that is shown now is released meanwhile.
        if let answer { task.resume(returning: answer) }
        work()
      }
    } onCancel: {
      state.withLock { $0.leave(ticket) }?.task.resume(returning: .cancelled)
    }
  }

  // MARK: Decoding

  /// Begins as many decodes as there are threads and memory for.
  private func work() {
    while let job = nextJob() {
      do throws(CoderError) {
        try ThreadPool.shared.start(for: "a thread that decodes frames") { [self] in run(job) }
      } catch {
        run(job)
      }
    }
  }

  private func nextJob() -> BufferState.Job? {
    while true {
      let (job, changes) = state.withLock { state -> (BufferState.Job?, BufferState.Changes) in
        if let job = state.nextJob() { return (job, BufferState.Changes()) }
        return (nil, state.giveUp())
      }
      finish(changes)
      if job != nil || changes.resting.isEmpty { return job }
    }
  }

  private func run(_ first: BufferState.Job) {
    var job: BufferState.Job? = first
    while let running = job {
      decode(running)
      finish(state.withLock { $0.delivered(running) })
      job = nextJob()
    }
  }

  /// Decodes a frame, and gives it to those who wait. On return, this thread has released it.
  private func decode(_ job: BufferState.Job) {
    let bufferable = job.source as? any BufferableSource
    if let memory = job.kept { bufferable?.keep(memory) }
    let begin = now()
    let result = Result { () throws(CoderError) in try job.source.frame(at: job.index) }
    let time = now() - begin
    let canvas = bufferable?.lentCanvas.map { UInt(bitPattern: $0) }
    for waiter in state.withLock({ $0.finish(job, result, time, lentCanvas: canvas) }) {
      waiter.task.resume(returning: SuppliedFrame(result: result, isStarved: false))
    }
  }

  /// Lets sources go of the memory that they may not hold any more, and then counts it as free.
  private func finish(_ changes: BufferState.Changes) {
    for answer in changes.answers { answer.waiter.task.resume(returning: answer.frame) }
    for source in changes.resting {
      if let memory = source.kept { source.source.keep(memory) } else { source.source.rest() }
      state.withLock { $0.rested(source) }
    }
    guard !changes.resting.isEmpty else { return }
    // Others may have waited for it.
    finish(state.withLock { $0.admit() })
  }

  // MARK: Pressure

  /// Memory is short: shrinks to half of what is held, or to the floors.
  func shrink() {
    let time = now()
    finish(state.withLock { $0.shrink(at: time) })
    // A frame that was asked for meanwhile has found its source busy.
    work()
  }
}

/// The buffer as one of those among whom an arbiter divides memory.
extension FrameBuffer: MemoryClient {
  /// What the players ask for.
  private var request: MemoryRequest { state.withLock { $0.request(weight: Self.weight) } }

  private func tellRequest() {
    guard let registration = registration.withLock({ $0 }) else { return }
    registration.change(to: request)
  }

  /// The bytes that are held or taken for running decodes now.
  public var heldBytes: Int { byteCount }

  /// Changes how much the buffer may hold, up to its budget. What players show stays.
  public func setAllowance(_ bytes: Int) {
    finish(state.withLock { $0.setAllowance(bytes) })
    work()
  }
}

extension FrameBuffer {
  /// A player's access to a ``FrameBuffer``. The player leaves the buffer when this is released.
  ///
  /// - Threads: May be used from any thread.
  public final class Reader: Sendable {
    /// How much memory a player gets beyond its floor, compared with others.
    public enum Visibility: Int, Sendable, Hashable {
      /// It cannot be seen: the floor.
      case hidden = 0
      /// It may be seen soon: a quarter of what a visible one gets.
      case near = 1
      /// It is seen.
      case visible = 4
    }

    private let buffer: FrameBuffer
    private let player: Int

    init(buffer: FrameBuffer, player: Int) {
      self.buffer = buffer
      self.player = player
    }

    deinit { buffer.leave(player) }

    /// Changes how much memory the player gets.
    public func setVisibility(_ visibility: Visibility) { buffer.change(player, to: visibility) }

    /// Releases what is decoded ahead for the player.
    func release() { buffer.release(player) }

    /// A frame, decoded now unless it is there. It stays in memory until the next one is asked for.
    ///
    /// - Parameters:
    ///   - upcoming: The frames that are going to be asked for next, in order; they are decoded as far as there is memory.
    ///   - shortestDelay: The least time until the next frame is asked for.
    /// - Returns: The frame, or what it cannot be decoded for; with `isStarved`, the poster. When the task is cancelled, the
    ///   reason is ``CoderError/Code/cancelled``.
    package func frame(at index: Int, upcoming: [Int], shortestDelay: Duration) async -> SuppliedFrame {
      await buffer.frame(index, for: player, upcoming: upcoming, shortestDelay: shortestDelay)
    }
  }
}
