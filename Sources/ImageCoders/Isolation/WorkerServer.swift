// SPDX-License-Identifier: Apache-2.0

import CIsolation
import Glibc
import ImageCoderModel

/// A process that has a plugin loaded, is locked, and forks the workers that see files. It sees none itself.
final class WorkerServer: Sendable {
  /// What the plugin says of itself, said before any file was seen.
  let description: CoderDescription
  let layers: IsolationLayers

  /// Nil for one that is no process of its own.
  private let process: pid_t?
  private let control: Int32
  /// The process that started it.
  private let owner = ProcessGeneration.current
  private let state = Lock(State())

  private struct State {
    var next: UInt32 = 0
    /// How workers have ended that somebody may ask about.
    var ends: [UInt32: WorkerEnd] = [:]
  }

  private static let mostEnds = 1024
  /// How long a plugin may take to load and describe itself, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000
  /// How long a server may take for an answer, to read a request, and to end, in milliseconds.
  private static let shortPatience: UInt32 = 2_000
  /// After how long without a message a worker gives pages back, in milliseconds.
  private static let idleTime: UInt32 = 1_000

  /// Starts a server.
  ///
  /// - Throws: ``SkipReason`` with the name of what to change.
  convenience init(
    _ code: WorkerCode, id: String, without: IsolationLayers, needs: PluginNeeds
  ) throws(SkipReason) {
    var ends: [Int32] = [-1, -1]
    guard isolation_pair(&ends) == 1 else {
      throw SkipReason(.isolationMissing, Self.failure("socket", errno).message)
    }
    let process = isolation_launch(
      code.program, code.name, code.library, id, code.libraryPath, without.rawValue, needs.rawValue, ends[1])
    let problem = errno
    close(ends[1])
    guard process > 0 else {
      close(ends[0])
      throw SkipReason(.isolationMissing, "\(code.program) does not start: \(Self.words(for: problem))")
    }
    try self.init(control: ends[0], process: process, library: code.place)
  }

  /// Takes over a server that says what its plugin is.
  ///
  /// - Parameters:
  ///   - control: Its socket, which is closed with it.
  ///   - process: Ended with it; nil for one that is no process of its own.
  init(control: Int32, process: pid_t?, library: String) throws(SkipReason) {
    isolation_set_patience(control, Self.shortPatience)
    isolation_set_send_patience(control, Self.shortPatience)
    var message = isolation_message()
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: Int(ISOLATION_MAX_PAYLOAD), alignment: 16)
    defer { bytes.deallocate() }
    let end = isolation_now() + Self.patience
    var result = isolation_receive(control, &message, bytes, nil)
    while result == -2, isolation_now() < end { result = isolation_receive(control, &message, bytes, nil) }
    let payload = UnsafeRawBufferPointer(start: bytes, count: result == 1 ? Int(message.length) : 0)
    guard result == 1, message.kind == UInt32(ISOLATION_HELLO), let description = CoderDescription(payload) else {
      throw Self.reason(result, message, payload, Self.end(control, process), library)
    }
    self.process = process
    self.control = control
    self.description = description
    layers = IsolationLayers(rawValue: UInt32(truncatingIfNeeded: message.longs.0))
  }

  deinit {
    // A child of the process that started it closes its copy of the socket alone.
    _ = Self.end(control, owner == ProcessGeneration.current ? process : nil)
  }

  /// Without the socket the server leaves, and its workers with it.
  private static func end(_ control: Int32, _ process: pid_t?) -> Int32 {
    close(control)
    guard let process else { return 0 }
    kill(process, SIGKILL)
    return isolation_wait(process, shortPatience)
  }

  private static func reason(
    _ result: Int32, _ message: isolation_message, _ payload: UnsafeRawBufferPointer, _ status: Int32, _ library: String
  ) -> SkipReason {
    guard result == 1, message.kind == UInt32(ISOLATION_FAILED) else {
      if result == -2 {
        let seconds = patience / 1_000_000_000
        return SkipReason(.scanTimeout, "\(library) does not answer within \(seconds) s when a worker loads it")
      }
      let code = status >> 8 & 0xFF
      let how = code > 128 ? SignalName.of(code - 128) : "the worker ends with status \(code)"
      return SkipReason(.scanCrashed, "\(how), when a worker loads \(library)")
    }
    let text = String(decoding: payload, as: UTF8.self)
    let codes: [UInt32: SkipReason.Code] = [
      UInt32(ISOLATION_FAILED_LOAD): .loadFailed, UInt32(ISOLATION_FAILED_ENTRY_MISSING): .entryMissing,
      UInt32(ISOLATION_FAILED_ENTRY): .entryInvalid, UInt32(ISOLATION_FAILED_ABI): .abiUnsupported,
      UInt32(ISOLATION_FAILED_REFUSED): .refused, UInt32(ISOLATION_FAILED_PROGRAM): .isolationMissing,
    ]
    return SkipReason(codes[message.words.0] ?? .coderInvalid, text)
  }

  /// Forks a worker, which is locked when this returns.
  ///
  /// - Parameters:
  ///   - memory: Bytes that it may have beyond what the plugin and its libraries take.
  ///   - seconds: Of processor time that it may use in its life.
  func makeWorker(memory: Int, seconds: Int, share: consuming WorkerBudget.Share) throws(CoderError) -> Worker {
    var ends: [Int32] = [-1, -1]
    guard isolation_pair(&ends) == 1 else { throw Self.failure("socket", errno) }
    // The worker's end: its filter lets it change no socket.
    isolation_set_patience(ends[1], Self.idleTime)
    let shared = isolation_memory(ISOLATION_SHARED_BYTES, 0)
    guard shared >= 0 else {
      let problem = errno
      close(ends[0])
      close(ends[1])
      throw Self.failure("shared memory", problem)
    }
    defer { close(shared) }
    var errors: [Int32] = [-1, -1]
    guard isolation_errors_pair(&errors) == 1 else {
      let problem = errno
      close(ends[0])
      close(ends[1])
      throw Self.failure("socket", problem)
    }
    let (number, forked, error) = fork(files: [ends[1], shared, errors[1]], memory: memory, seconds: seconds)
    close(ends[1])
    close(errors[1])
    guard forked >= 0 else {
      close(ends[0])
      close(errors[0])
      throw Self.failure("process", error)
    }
    return try Worker(
      of: self, number: number, socket: ends[0], errors: errors[0], process: forked, shared: shared, memory: memory,
      share: share)
  }

  private static func failure(_ what: String, _ problem: Int32) -> CoderError {
    .io("no \(what) for a worker: \(words(for: problem))")
  }

  /// What the system says of a problem, and the limit that it comes from.
  private static func words(for problem: Int32) -> String {
    let words = String(cString: strerror(problem))
    // Where a filter refuses it, the program could not end a worker that hangs either.
    if problem == EPERM || problem == ENOSYS {
      return "\(words): it needs pidfd_open and pidfd_send_signal"
    }
    guard problem == EMFILE else { return words }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return "\(words): the program may have \(limit.rlim_cur) (RLIMIT_NOFILE)"
  }

  /// Why a process did not come: for lack of a descriptor for it, or because the server is gone.
  private var problemOfLostProcess: Int32 {
    let spare = dup(control)
    guard spare >= 0 else { return errno }
    close(spare)
    return ECHILD
  }

  private func fork(
    files: [Int32], memory: Int, seconds: Int
  ) -> (number: UInt32, process: Int32, error: Int32) {
    state.withLock { state in
      state.next += 1
      let number = state.next
      var request = isolation_message()
      request.kind = UInt32(ISOLATION_SPAWN)
      request.words.0 = number
      request.longs.0 = UInt64(memory)
      request.longs.1 = UInt64(seconds)
      let end = isolation_now() + Int64(Self.shortPatience) * 1_000_000
      var sent = isolation_send_files(control, request, files, UInt32(files.count))
      while sent == -2, isolation_now() < end {
        sent = isolation_send_files(control, request, files, UInt32(files.count))
      }
      guard sent == 1 else { return (number, -1, errno) }
      let answer = messages(&state) { (_, message, process) -> (number: UInt32, process: Int32, error: Int32)? in
        guard message.kind == UInt32(ISOLATION_SPAWNED), message.words.0 == number else { return nil }
        return (number, process, Int32(bitPattern: message.words.1))
      }
      return answer ?? (number, -1, problemOfLostProcess)
    }
  }

  /// Takes messages of the server until one is what is waited for, or until its time is over. Ends of workers are kept.
  ///
  /// - Parameter isAnswer: What is made of a message and the process that comes with it, or nil to wait on. A process that
  ///   it does not want is closed.
  private func messages<Answer>(
    _ state: inout State, until isAnswer: (inout State, isolation_message, Int32) -> Answer?
  ) -> Answer? {
    let end = isolation_now() + Int64(Self.shortPatience) * 1_000_000
    return withUnsafeTemporaryAllocation(byteCount: Int(ISOLATION_MAX_PAYLOAD), alignment: 16) { bytes in
      // One that says other things all the time has no more time than one that says nothing.
      while isolation_now() < end {
        var message = isolation_message()
        var process: Int32 = -1
        let result = isolation_receive(control, &message, bytes.baseAddress, &process)
        if result == -2 { continue }
        guard result == 1 else { return nil }
        if message.kind == UInt32(ISOLATION_EXITED) {
          // Of workers that were no longer needed, nobody asks.
          if state.ends.count > Self.mostEnds { state.ends = [:] }
          state.ends[message.words.0] = WorkerEnd(
            signal: Int32(bitPattern: message.words.1), status: Int32(bitPattern: message.words.2))
        }
        if let answer = isAnswer(&state, message, process) { return answer }
        if process >= 0 { close(process) }
      }
      return nil
    }
  }

  /// How a worker ended whose socket is closed; nil if the server does not say.
  func end(of number: UInt32) -> WorkerEnd? {
    state.withLock { state in
      if let end = state.ends.removeValue(forKey: number) { return end }
      return messages(&state) { (state, _, _) -> WorkerEnd? in state.ends.removeValue(forKey: number) }
    }
  }
}

/// How a worker ended.
struct WorkerEnd: Sendable, Equatable {
  /// The signal that ended it, or 0.
  let signal: Int32
  /// Its status, if no signal ended it.
  let status: Int32
}
