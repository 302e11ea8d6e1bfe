// SPDX-License-Identifier: Apache-2.0

import CIsolation
import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// A locked process that decodes one file at a time.
///
/// Whatever it sends is received once into memory of this process and checked there. A worker that breaks the protocol is
/// ended.
///
/// - Threads: One at a time.
final class Worker: @unchecked Sendable {
  // Unchecked: a pool hands it from thread to thread.
  let layers: IsolationLayers
  /// Bytes that it may have beyond what the plugin and its libraries take.
  let memory: Int
  /// Files that it has seen, and their bytes.
  private(set) var files = 0
  var bytes = 0
  /// Nanoseconds of the clock when it was last used.
  var lastUse: Int64 = 0
  /// Why it takes no more calls, or nil.
  private(set) var failure: CoderError?
  /// Memory that both processes can write.
  let shared: UnsafeMutableRawPointer
  private let server: WorkerServer
  /// The process that started it, which alone may talk to it.
  private let owner = ProcessGeneration.current
  private let number: UInt32
  private let socket: Int32
  /// Where it prints errors.
  private let errors: Int32
  private let process: Int32
  let processNumber: pid_t
  /// The clock of the worker's processor time.
  private let clock: clockid_t
  private var share: WorkerBudget.Share
  private var inbox: isolation_inbox
  private var calls: UInt32 = 0
  /// Where the talk with it is: what it may send now.
  private var state = ISOLATION_STATE_IDLE
  /// Calls of all workers whose answers this process has waited for.
  static let roundTrips = Atomic<Int>(0)

  /// Milliseconds between looks at the clock, the processor time and the cancellation.
  static let interval: UInt32 = 20
  /// Nanoseconds that a worker gets to see a cancellation by itself.
  private static let patience: Int64 = 50_000_000
  /// Nanoseconds that a worker may take to lock itself.
  private static let startPatience: Int64 = 5_000_000_000
  /// Bytes that are kept of what it prints, and characters of them that an error shows.
  private static let mostErrors = 8192
  private static let mostPrinted = 300
  /// Nanoseconds that a worker may leave its socket full. An honest one has no more than a few messages to read.
  private static let readingPatience: Int64 = 2_000_000_000
  /// Log lines of one call; an honest worker sends fewer.
  private static let mostLines = 2000

  /// Waits until it is locked.
  ///
  /// - Parameter isClosing: Whether it then says that a file is closed.
  init(
    of server: WorkerServer, number: UInt32, socket: Int32, errors: Int32, process: Int32, shared: Int32, memory: Int,
    share: consuming WorkerBudget.Share, isClosing: Bool = false
  ) throws(CoderError) {
    self.server = server
    self.share = share
    if isClosing { state = ISOLATION_STATE_CLOSING }
    (self.number, self.socket) = (number, socket)
    (self.errors, self.process) = (errors, process)
    self.memory = memory
    processNumber = isolation_number(process)
    clock = isolation_clock(processNumber)
    let room = MemoryLayout<isolation_message>.size + Int(ISOLATION_MAX_PAYLOAD)
    inbox = isolation_inbox(bytes: .allocate(capacity: room), length: 0, next: 0)
    let map = mmap(nil, ISOLATION_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0)
    var message = isolation_message()
    var payload: UnsafePointer<UInt8>?
    isolation_set_patience(socket, Self.interval)
    isolation_set_send_patience(socket, Self.interval)
    let end = isolation_now() + Self.startPatience
    var result = map == MAP_FAILED ? 0 : isolation_take(socket, &inbox, &message, &payload)
    while result == -2, isolation_now() < end { result = isolation_take(socket, &inbox, &message, &payload) }
    let isReady = result == 1 && Self.rule(for: message, of: ISOLATION_WORKER, in: ISOLATION_STATE_STARTING) != nil
    guard let map, map != MAP_FAILED, isReady else {
      isolation_kill(process)
      Glibc.close(socket)
      Glibc.close(errors)
      Glibc.close(process)
      if let map, map != MAP_FAILED { munmap(map, ISOLATION_SHARED_BYTES) }
      inbox.bytes.deallocate()
      throw .io("a worker does not start")
    }
    self.shared = map
    layers = IsolationLayers(rawValue: UInt32(truncatingIfNeeded: message.longs.0))
  }

  deinit {
    if isOwn { isolation_kill(process) }
    Glibc.close(socket)
    Glibc.close(errors)
    Glibc.close(process)
    munmap(shared, ISOLATION_SHARED_BYTES)
    inbox.bytes.deallocate()
  }

  private var isOwn: Bool { owner == ProcessGeneration.current }
  private static let ofParent = CoderError(
    code: .outOfOrder, message: "the file was opened in a worker of the process that forked this one; open it again")

  private static func rule(
    for message: isolation_message, of side: isolation_side, in state: isolation_state
  ) -> isolation_rule? {
    isolation_rule_of(state.rawValue, side, message.kind)?.pointee
  }

  /// Takes note of a message that this process sends.
  ///
  /// - Returns: Whether it may be sent now.
  private func follow(_ message: isolation_message) -> Bool {
    guard let rule = Self.rule(for: message, of: ISOLATION_PROGRAM, in: state) else { return false }
    state = isolation_state(UInt32(rule.next))
    return true
  }

  /// Calls `body` with bytes of an array.
  static func with<Result>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let result: Swift.Result<Result, CoderError> = bytes.withUnsafeBytes { bytes in
      do throws(CoderError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Calls the plugin.
  ///
  /// - Parameters:
  ///   - request: Nil for a call with which the worker has gone on by itself.
  ///   - session: Gets log lines, progress, and the reason of a failure.
  ///   - handle: Gets every other message, with its payload. What it throws ends the worker.
  func call(
    _ request: Request?, time: Time, session: HostSession,
    handle: (isolation_message, UnsafeRawBufferPointer, inout Pause) throws(CoderError) -> Response = { _, _, _ in
      .unknown
    }
  ) throws(CoderError) -> Reply {
    guard isOwn else { throw Self.ofParent }
    if let failure { throw failure }
    calls &+= 1
    var watch = Watch(time, clock)
    if var request {
      guard follow(request.message) else {
        throw broken(.io("\(request.message.kind) is asked in state \(state.rawValue)"))
      }
      request.message.inflated = UInt64(clamping: session.inflatable)
      setCancelled(false)
      Self.roundTrips.wrappingAdd(1, ordering: .relaxed)
      guard try send(request, watch: &watch, session: session) else { throw broken(ended()) }
    }
    var lines = 0
    while true {
      var message = isolation_message()
      var bytes: UnsafePointer<UInt8>?
      switch isolation_take(socket, &inbox, &message, &bytes) {
      case 1: break
      case -2:
        try look(at: &watch, session)
        continue
      case 0: throw broken(ended())
      default: throw fault("a message that is not as long as it says, or brings a file")
      }
      guard message.call == calls else { throw fault("a message of call \(message.call) in call \(calls)") }
      guard let rule = Self.rule(for: message, of: ISOLATION_WORKER, in: state) else {
        throw fault("a message of kind \(message.kind)")
      }
      let goesOn = rule.ahead != 0 && message.words.4 != 0
      state = isolation_state(UInt32(goesOn ? rule.ahead : rule.next))
      let payload = UnsafeRawBufferPointer(start: bytes, count: Int(message.length))
      switch Int(message.kind) {
      case ISOLATION_REPLY: return try reply(message, payload, session)
      case ISOLATION_LOG:
        lines += 1
        guard lines <= Self.mostLines else { throw fault("more than \(Self.mostLines) log lines") }
        session.host.log(Self.printable(payload), severity: LogSeverity(rawValue: message.words.0) ?? .warning)
      case ISOLATION_PROGRESS: session.host.progress(Double(bitPattern: message.longs.0))
      default:
        let response: Response
        do throws(CoderError) { response = try handle(message, payload, &watch.pause) } catch { throw broken(error) }
        switch response {
        case .unknown: throw fault("a message of kind \(message.kind)")
        case .taken: break
        case .answer(let answer):
          // One that is gone is noticed when the next message is received.
          _ = try send(Request(answer, kind: rule.answer), watch: &watch, session: session)
        case .handOver(let answer, let memory):
          defer { IsolatedSource.close(memory) }
          var request = Request(answer, kind: rule.answer)
          request.descriptor = memory
          _ = try send(request, watch: &watch, session: session)
        }
      }
      // A worker that never stops talking is looked at too.
      if watch.isDue { try look(at: &watch, session) }
    }
  }

  /// Sends a message of the call that runs. A worker that does not read has no more time for that than for the call.
  ///
  /// - Returns: Whether it is there.
  private func send(_ request: Request, watch: inout Watch, session: HostSession) throws(CoderError) -> Bool {
    var message = request.message
    message.call = calls
    message.length = UInt32(request.payload.count)
    let start = isolation_now()
    while true {
      let result = isolation_send(socket, message, request.payload.baseAddress, request.descriptor)
      guard result == -2 else { return result == 1 }
      try look(at: &watch, session)
      if isolation_now() - start > Self.readingPatience { throw breach("it does not read what it is sent") }
    }
  }

  private func reply(
    _ message: isolation_message, _ payload: UnsafeRawBufferPointer, _ session: HostSession
  ) throws(CoderError) -> Reply {
    let (reason, limit) = (Int(message.words.1 & 0xFFFF), message.words.1 >> 16)
    guard reason <= Int(ISOLATION_MAX_SENTENCE), reason + Int(message.words.2) == payload.count else {
      throw fault("an answer of \(reason) and \(message.words.2) bytes in \(payload.count)")
    }
    if message.words.3 != 0 {
      let text = Self.printable(UnsafeRawBufferPointer(rebasing: payload.prefix(reason)))
      session.record(
        HostSession.Failure(
          message.words.3, text, offset: Int64(bitPattern: message.longs.0), limit: limit, found: message.longs.2,
          allowed: message.longs.3))
    }
    // A worker that says too little is bound by its processor time.
    do throws(CoderError) { try session.countInflated(Int(clamping: message.inflated)) } catch {
      if message.words.0 == InterfaceStatus.ok { throw error }
    }
    return Reply(
      status: message.words.0, results: UnsafeRawBufferPointer(rebasing: payload.dropFirst(reason)),
      outputBytes: message.longs.1, word: message.words.4)
  }

  /// Lets the plugin stop as soon as it looks.
  func cancelCall() { setCancelled(true) }

  private func setCancelled(_ isCancelled: Bool) {
    guard isOwn else { return }
    // The worker reads the word alone; nothing here depends on what it makes of it.
    shared.storeBytes(of: isCancelled ? 1 : 0, as: UInt32.self)
  }

  /// Looks whether the call has to end.
  private func look(at watch: inout Watch, _ session: HostSession) throws(CoderError) {
    let now = isolation_now()
    watch.lastLook = now
    if session.host.isCancelled {
      setCancelled(true)
      guard let since = watch.cancelledSince else {
        watch.cancelledSince = now
        return
      }
      if now - since > Self.patience { throw broken(.cancelled) }
      return
    }
    if let limit = watch.exceeded(now) { throw broken(limit) }
    if let excess = share.excess(Int(clamping: isolation_own_memory(processNumber))) {
      let most = WorkerBudget.standard.mostMemory
      let message = "all workers have \(excess) bytes of memory, \(most) are allowed, and this one is among the largest"
      throw broken(CoderError(code: .outOfMemory, message: message))
    }
  }

  /// Ends the worker.
  ///
  /// - Returns: The error of this call and of later ones.
  func broken(_ error: CoderError) -> CoderError {
    if let failure { return failure }
    failure = error
    if isOwn { isolation_kill(process) }
    return error
  }

  /// Ends a worker that does not keep to the protocol.
  func fault(_ what: String) -> CoderError { breach("it sent \(what)") }

  private func breach(_ sentence: String) -> CoderError {
    broken(
      CoderError(code: .coderCrashed, message: "the coder's worker breaks the protocol and was ended: \(sentence)"))
  }

  /// Whether the worker says that the file before is closed. It is asked before the next file is opened.
  func isClosed() -> Bool {
    guard isOwn, failure == nil else { return false }
    var message = isolation_message()
    var payload: UnsafePointer<UInt8>?
    let end = isolation_now() + Int64(Self.interval) * 1_000_000
    while state == ISOLATION_STATE_CLOSING, isolation_now() < end {
      let result = isolation_take(socket, &inbox, &message, &payload)
      if result == -2 { continue }
      guard result == 1, message.call == calls, let rule = Self.rule(for: message, of: ISOLATION_WORKER, in: state)
      else {
        return false
      }
      state = isolation_state(UInt32(rule.next))
    }
    // What it printed of other files says nothing of the next one.
    takeErrors()
    return state == ISOLATION_STATE_IDLE
  }

  /// Seconds of processor time that it has used.
  var processorSeconds: Int { Int(isolation_processor_time(clock) / 1_000_000_000) }

  /// Lets the plugin close the file, and does not wait for that.
  ///
  /// - Returns: Whether the worker was told; one whose socket is full is ended.
  func close() -> Bool {
    guard isOwn, failure == nil else { return false }
    calls &+= 1
    var message = Request(ISOLATION_CLOSE).message
    message.call = calls
    files += 1
    guard follow(message) else { return false }
    guard isolation_send(socket, message, nil, -1) != 1 else { return true }
    _ = breach("it does not read what it is sent")
    return false
  }

  private func ended() -> CoderError {
    let printed = takeErrors()
    let last = printed.isEmpty ? "" : "; it printed: \(printed)"
    guard let end = server.end(of: number) else {
      return CoderError(code: .coderCrashed, message: "the coder's worker is gone\(last)")
    }
    let why =
      switch end.signal {
      case 0: refusedCall(end.status) ?? "the coder ended its worker with status \(end.status)"
      case SIGSYS: "SIGSYS: the coder made a system call that its worker may not make"
      case SIGXCPU: "SIGXCPU: the coder's worker used all its processor time"
      default: "\(SignalName.of(end.signal)) in the coder's worker"
      }
    return CoderError(code: .coderCrashed, message: why + last)
  }

  /// What it has printed since it was asked last, the end of it, as one line.
  @discardableResult
  private func takeErrors() -> String {
    withUnsafeTemporaryAllocation(byteCount: Self.mostErrors, alignment: 1) { bytes in
      let count = isolation_take_errors(errors, bytes.baseAddress, bytes.count)
      return Self.printable(UnsafeRawBufferPointer(rebasing: bytes[..<count])).split(separator: " ").joined(
        separator: " "
      ).suffix(Self.mostPrinted).description
    }
  }
}
