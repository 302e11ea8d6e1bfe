// SPDX-License-Identifier: Apache-2.0

import CInterfaceFakes
import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import Testing

/// A worker that says each message in each state, floods the program with it, or falls silent: the program goes on, at the
/// latest when the call's time is over. What may be said when is a table, which the program and the worker go by.
@Suite(.serialized) struct ProtocolStateTests {
  private static let format = ImageFormat(rawValue: "org.example.liar")
  private static let manifest = try? Manifest(
    json: Array(
      """
      {"manifest": 1, "id": "org.example.liar", "name": "Liar", "version": "1.0.0",
       "abi": {"major": 1, "min_minor": 0}, "library": "libliar.so",
       "formats": [{"uti": "org.example.liar", "extensions": ["liar"], "match": [{"bytes": "4c494152"}]}],
       "capabilities": ["read", "write", "recognize", "pages", "icc"],
       "operations": [{"name": "org.example.change", "from": ["org.example.liar"]}]}
      """.utf8))
  private static let limits = Limits(maxPixels: 1 << 20, maxMemory: 1 << 24)
  private static let file = Array("LIAR".utf8) + [UInt8](repeating: 7, count: 60)

  /// Seconds that a call may take, and what a program may take for all calls of a file on a busy machine.
  private static let seconds = 1
  private static let mostSeconds: Int64 = 30

  /// One thing that a worker does.
  struct Act: Sendable {
    let state: isolation_state
    let kind: Int
    let act: peer_act

    var rule: isolation_rule? { isolation_rule_of(state.rawValue, ISOLATION_WORKER, UInt32(kind))?.pointee }
  }

  /// Messages of workers, of servers and of programs, and one that is none.
  private static let kinds = [
    ISOLATION_READY, ISOLATION_REPLY, ISOLATION_NEED, ISOLATION_BAND, ISOLATION_ROWS, ISOLATION_CHUNK, ISOLATION_LOG,
    ISOLATION_PROGRESS, ISOLATION_WANT, ISOLATION_OUTPUT, ISOLATION_SIBLING, ISOLATION_SPAWNED, ISOLATION_OPEN,
    ISOLATION_AVAILABLE, 4242,
  ]

  private static let acts: [Act] = (ISOLATION_STATE_STARTING.rawValue..<ISOLATION_STATES.rawValue).flatMap { number in
    let state = isolation_state(number)
    let said = kinds.flatMap { kind in
      [PEER_SAYS, PEER_FLOODS].map { Act(state: state, kind: kind, act: $0) }
    }
    return said + [Act(state: state, kind: 0, act: PEER_IS_SILENT)]
  }

  @Test func noStateHangsTheProgram() {
    let next = Atomic<Int>(0)
    let seen = Mutex<[String]>([])
    withThreads(16) {
      while case let index = next.wrappingAdd(1, ordering: .relaxed).oldValue, index < Self.acts.count {
        let act = Self.acts[index]
        let start = isolationSeconds()
        let error = Self.run(act)
        let what = "\(act.act.rawValue) of \(act.kind) in state \(act.state.rawValue)"
        let took = isolationSeconds() - start
        if took > Self.mostSeconds { seen.withLock { $0.append("\(what) takes \(took) s") } }
        if let wrong = Self.judge(act, error) { seen.withLock { $0.append("\(what): \(wrong)") } }
      }
    }
    #expect(seen.withLock { $0 } == [])
  }

  /// Without a hostile act, all of it works: else nothing of the above would be reached.
  @Test func anHonestWorkerDoesAll() {
    for number in ISOLATION_STATE_STARTING.rawValue..<ISOLATION_STATES.rawValue {
      let error = Self.run(Act(state: isolation_state(number), kind: 0, act: PEER_IS_HONEST))
      #expect(error == nil, "state \(number)")
    }
  }

  /// Both sides go by the same table, in which each call is answered.
  @Test func eachCallIsAnswered() {
    var count = 0
    let rules = UnsafeBufferPointer(start: isolation_rules(&count), count: count)
    #expect(count == 72)
    for rule in rules where rule.side == UInt8(ISOLATION_PROGRAM.rawValue) {
      #expect(isolation_rule_of(UInt32(rule.next), ISOLATION_WORKER, UInt32(ISOLATION_REPLY)) != nil)
    }
  }

  /// - Returns: What is wrong with what became of an act, or nil.
  private static func judge(_ act: Act, _ error: CoderError?) -> String? {
    // Nobody waits for a file to be closed, and a look into a file that fails is one that finds nothing.
    if act.state == ISOLATION_STATE_CLOSING || act.state == ISOLATION_STATE_RECOGNIZING {
      return error.map { "\($0)" }
    }
    // An answer that may come is the end of the last call, as of an honest worker.
    guard let error else { return act.kind == ISOLATION_REPLY && act.rule != nil ? nil : "no error" }
    guard act.act != PEER_IS_SILENT else { return error.code == .limitExceeded || error.code == .io ? nil : "\(error)" }
    if act.state == ISOLATION_STATE_STARTING { return error.code == .io || act.rule != nil ? nil : "\(error)" }
    guard act.rule == nil else { return nil }
    return error.code == .coderCrashed && error.message.contains("breaks the protocol") ? nil : "\(error)"
  }

  /// Uses a worker so that it comes into a state.
  private static func run(_ act: Act) -> CoderError? {
    var pairs: [[Int32]] = []
    for _ in 0..<3 {
      var pair: [Int32] = [-1, -1]
      guard peer_pair(&pair) == 1 else { return CoderError(code: .io, message: "no sockets") }
      pairs.append(pair)
    }
    let shared = peer_memory()
    defer { for end in [shared, pairs[2][1]] { close(end) } }
    let plan = peer_plan(
      state: act.state.rawValue, kind: UInt32(act.kind), act: act.act, control: pairs[0][1], socket: pairs[1][1])
    let worker = Thread { peer_run(plan) }
    defer { worker.join() }
    let connection = ConnectedWorker(control: pairs[0][0], socket: pairs[1][0], errors: pairs[2][0], shared: shared)
    do throws(CoderError) {
      guard let manifest else { throw .io("the manifest is wrong") }
      let isolation = Isolation(.required, processorSeconds: seconds, clockSeconds: seconds)
      try use(try connection.container(manifest, limits: limits, isolation: isolation), to: act.state)
      return nil
    } catch {
      return error
    }
  }

  private static func use(_ container: any Container, to state: isolation_state) throws(CoderError) {
    switch state {
    case ISOLATION_STATE_WRITER, ISOLATION_STATE_WRITING, ISOLATION_STATE_FILLING: try write(container)
    case ISOLATION_STATE_SOURCE, ISOLATION_STATE_TAKING, ISOLATION_STATE_OPERATING:
      let session = HostSession(source: try OpenSource(.bytes(file), limits: limits), limits: limits)
      _ = try container.run(FileOperation("org.example.change"), from: format, to: format, in: session, asksOnly: true)
    case ISOLATION_STATE_RECOGNIZING: _ = file.withUnsafeBytes { container.recognize(prefix: $0, fileSize: file.count) }
    default: try read(container)
    }
  }

  private static func registry(of container: any Container) -> CoderRegistry {
    let registry = CoderRegistry(
      searchPath: .only([]), preferences: CoderPreferences(), policy: SecurityPolicy(name: "none"))
    registry.register(AnimatedCoder(container))
    return registry
  }

  private static func read(_ container: any Container) throws(CoderError) {
    var options = DecodeOptions()
    options.limits = limits
    options.isStrict = true
    let decoder = try registry(of: container).open(.bytes(file), options: options)
    _ = try decoder.metadata(.icc)
    _ = try decoder.image()
    _ = try decoder.page(1).header
  }

  private static func write(_ container: any Container) throws(CoderError) {
    let pixels = try PixelBuffer(size: Size(width: 700, height: 3), format: .rgba8, alpha: .straight)
    var options = EncodeOptions()
    options.limits = limits
    _ = try registry(of: container).encode(Image(frames: [Frame(pixels: pixels)]), as: format, options: options)
  }
}

private func isolationSeconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec)
}

/// A thread that may wait, which those of the pool may not.
private struct Thread {
  private var handle = pthread_t()

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  init(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    let problem = pthread_create(
      &handle, nil,
      { work in
        if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
        return nil
      }, work)
    precondition(problem == 0)
  }

  func join() { pthread_join(handle, nil) }
}

/// Runs `body` on some threads at a time.
private func withThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  let threads = (0..<count).map { _ in Thread(body) }
  for thread in threads { thread.join() }
}
