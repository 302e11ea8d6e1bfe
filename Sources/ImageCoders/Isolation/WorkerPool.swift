// SPDX-License-Identifier: Apache-2.0

import CIsolation
import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// The workers of one coder, for all registries of the program. Those of a parent are not used in a child of `fork()`.
package final class WorkerPool: Sendable {
  /// What a server runs, or nil if none can be started.
  private let code: WorkerCode?
  private let id: String
  private let without: IsolationLayers
  private let needs: PluginNeeds
  private let state: ProcessLock<State>

  private struct State {
    var server: WorkerServer?
    /// The one that was used last comes last.
    var idle: [Worker] = []
    /// Nanoseconds of the clock when a worker was last asked for or given back.
    var lastUse: Int64 = 0
  }

  /// Files after which a worker is replaced.
  private static let mostFiles = 1000
  /// Bytes of files after which a worker is replaced.
  private static let mostBytes = 4 << 30
  /// Seconds of processor time after which a worker is replaced.
  private static let mostProcessorSeconds = 600
  private static let filesPerLook = 16
  /// What the system allows one in its life.
  private static let lifeSeconds = 3600
  /// How long one waits for the next file, in nanoseconds.
  private static let idleTime: Int64 = 30_000_000_000
  /// How long a server without idle workers waits for the next file, in nanoseconds.
  private static let serverIdleTime: Int64 = 300_000_000_000
  private static let mostIdle = 2 * max(1, ThreadPool.processors)

  private struct Key: Hashable {
    let code: WorkerCode
    let without: IsolationLayers
    let needs: PluginNeeds
  }

  private static let pools = ProcessLock<[Key: WorkerPool]> { [:] }

  /// The pool of a coder; its server runs, and has described the coder.
  ///
  /// - Throws: ``SkipReason``, also if the server lacks a layer that a mode needs.
  static func pool(
    of code: WorkerCode, id: String, needs: PluginNeeds, mode: Isolation.Mode
  ) throws(SkipReason) -> (pool: WorkerPool, description: CoderDescription) {
    let without = IsolationLayers.leftOut()
    let pool = pools.withLock { pools in
      let key = Key(code: code, without: without, needs: needs)
      if let pool = pools[key] { return pool }
      let pool = WorkerPool(code, id: id, without: without, needs: needs)
      pools[key] = pool
      return pool
    }
    let server = try pool.server()
    // What a worker adds is known when there is one.
    let ofWorkers: IsolationLayers = [.memory, .limits]
    try check(server.layers.union(ofWorkers.subtracting(without)), mode, without)
    return (pool, server.description)
  }

  private init(_ code: WorkerCode, id: String, without: IsolationLayers, needs: PluginNeeds) {
    (self.code, self.id, self.without, self.needs) = (code, id, without, needs)
    state = ProcessLock { State() }
  }

  /// A pool whose server and only worker are there, for a test with ones that lie. No further one is started.
  init(_ server: WorkerServer, worker: Worker) {
    (code, id, without, needs) = (nil, "", [], [])
    state = ProcessLock { State() }
    state.withLock { $0 = State(server: server, idle: [worker]) }
  }

  /// What this machine offers, as a worker of a plugin finds it.
  func layers() throws(CoderError) -> IsolationLayers {
    let worker = try checkOut(for: .standard, Isolation(.preferred))
    giveBack(worker, Isolation(.preferred))
    return worker.layers
  }

  /// Finds that a worker has what a mode needs, also what is known only when there is one.
  func check(_ mode: Isolation.Mode) throws(SkipReason) {
    let found: IsolationLayers
    do throws(CoderError) { found = try layers() } catch { throw SkipReason(.isolationMissing, error.message) }
    try Self.check(found, mode, without)
  }

  private static func check(
    _ layers: IsolationLayers, _ mode: Isolation.Mode, _ without: IsolationLayers
  ) throws(SkipReason) {
    let missing = layers.missing(for: mode)
    guard missing.isEmpty else {
      let cause = without.isEmpty ? "this machine does not offer" : "CODERS_ISOLATION_WITHOUT leaves out"
      throw SkipReason(
        .isolationMissing, "isolation is \(mode.word), and \(cause) \(missing.joined(separator: ", "))")
    }
  }

  /// The server, started if there is none. The lock is held meanwhile, so that there is one.
  private func server() throws(SkipReason) -> WorkerServer {
    let result: Result<WorkerServer, SkipReason> = state.withLock { state in
      if let server = state.server { return .success(server) }
      guard let code else { return .failure(SkipReason(.isolationMissing, "no server can be started")) }
      do throws(SkipReason) {
        let server = try WorkerServer(
          code, id: id, without: without, needs: needs)
        state.server = server
        return .success(server)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Memory of a worker: what the session may use, its file, its picture, and room for what the allocator wastes.
  static func memory(_ limits: Limits) -> Int {
    let (three, overflows) = limits.maxMemory.multipliedReportingOverflow(by: 3)
    return overflows ? 1 << 46 : min(three + 256 << 20, 1 << 46)
  }

  /// A worker for a file.
  ///
  /// - Throws: ``CoderError/Code/pluginRejected`` if it lacks a layer; ``CoderError/Code/io`` if there can be none.
  func checkOut(for limits: Limits, _ isolation: Isolation) throws(CoderError) -> Worker {
    let memory = Self.memory(limits)
    while !isolation.usesFreshWorkers, let worker = takeIdle(memory) {
      if worker.isClosed() { return worker }
    }
    let server: WorkerServer
    do throws(SkipReason) { server = try self.server() } catch { throw CoderError(error, coder: id) }
    let seconds = isolation.usesFreshWorkers ? 3 * isolation.processorSeconds + 5 : Self.lifeSeconds
    guard let share = Self.share() else {
      throw .io("\(WorkerBudget.standard.mostWorkers) workers are in use, as many as there may be")
    }
    let worker: Worker
    do throws(CoderError) {
      worker = try server.makeWorker(memory: memory, seconds: seconds, share: share)
    } catch {
      // The server may be gone; the next file gets a new one.
      retire(server)
      throw error
    }
    do throws(SkipReason) { try Self.check(worker.layers, isolation.mode, without) } catch {
      throw CoderError(error, coder: id)
    }
    return worker
  }

  /// A place among all workers of the program; those that wait for a file give way.
  private static func share() -> WorkerBudget.Share? {
    if let share = WorkerBudget.Share(.standard) { return share }
    endIdle(secondsFromNow: idleTime / 1_000_000_000 + 1)
    return WorkerBudget.Share(.standard)
  }

  private func takeIdle(_ memory: Int) -> Worker? {
    state.withLock { state in
      state.lastUse = isolation_now()
      guard let index = state.idle.lastIndex(where: { $0.memory == memory }) else { return nil }
      return state.idle.remove(at: index)
    }
  }

  /// Takes a worker back, for the next file or to end it.
  func giveBack(_ worker: Worker, _ isolation: Isolation) {
    if let failure = worker.failure {
      if failure.code == .coderCrashed { retire(nil) }
      return
    }
    guard !isolation.usesFreshWorkers, worker.files < Self.mostFiles, worker.bytes < Self.mostBytes else { return }
    // To ask is a system call.
    if worker.files % Self.filesPerLook == 0, worker.processorSeconds >= Self.mostProcessorSeconds { return }
    guard worker.close() else { return retire(nil) }
    worker.lastUse = isolation_now()
    state.withLock { state in
      state.lastUse = worker.lastUse
      guard state.server != nil, state.idle.count < Self.mostIdle else { return }
      state.idle.append(worker)
    }
    IdleWatch.begin()
  }

  /// Ends workers and servers that have waited too long.
  ///
  /// - Parameters:
  ///   - seconds: Of the clock, from now on to the time for which it is done.
  ///   - folder: Where their plugins are, or empty for all.
  /// - Returns: Whether others still wait.
  @discardableResult
  package static func endIdle(secondsFromNow seconds: Int64 = 0, in folder: String = "") -> Bool {
    let now = isolation_now() + seconds * 1_000_000_000
    var isWaiting = false
    for pool in pools(in: folder) {
      let ended = pool.state.withLock { state -> ([Worker], WorkerServer?) in
        let old = state.idle.filter { now - $0.lastUse > idleTime }
        state.idle.removeAll { now - $0.lastUse > idleTime }
        guard state.idle.isEmpty, now - state.lastUse > serverIdleTime else {
          isWaiting = isWaiting || state.server != nil
          return (old, nil)
        }
        defer { state.server = nil }
        return (old, state.server)
      }
      // They end here, outside of the lock.
      withExtendedLifetime(ended) {}
    }
    return isWaiting
  }

  /// Calls of workers whose answers this process has waited for, so far.
  package static var roundTrips: Int { Worker.roundTrips.load(ordering: .relaxed) }

  /// Workers of plugins in a folder that wait for a file, by the numbers of their processes.
  package static func idleProcesses(in folder: String) -> [Int32] {
    pools(in: folder).flatMap { $0.state.withLock { $0.idle.map(\.processNumber) } }
  }

  private static func pools(in folder: String) -> [WorkerPool] {
    pools.withLock { $0.filter { $0.key.code.library.hasPrefix(folder) }.map(\.value) }
  }

  /// Begins with a new server, whose memory lies elsewhere: workers of one server share their addresses, and one of them
  /// may have told.
  ///
  /// - Parameter server: Only if it is this one, or nil for any.
  private func retire(_ server: WorkerServer?) {
    let old = state.withLock { state -> (WorkerServer?, [Worker]) in
      guard server == nil || state.server === server else { return (nil, []) }
      defer {
        state.server = nil
        state.idle = []
      }
      return (state.server, state.idle)
    }
    // They end here, outside of the lock.
    withExtendedLifetime(old) {}
  }
}
