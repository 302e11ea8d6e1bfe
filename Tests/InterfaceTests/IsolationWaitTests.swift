// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// A worker that sends and does not read: the program waits for it no longer than for one that does nothing.
@Suite(.serialized) struct IsolationWaitTests {
  private static let fresh = IsolationTests.registry(Isolation(.required, usesFreshWorkers: true))

  /// Answers that a socket has room for.
  private static let room: Int = {
    var ends: [Int32] = [-1, -1]
    let made = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
    precondition(made == 0)
    defer { for end in ends { close(end) } }
    // As long as a message without a payload.
    let message = [UInt8](repeating: 0, count: 72)
    var count = 0
    while send(ends[0], message, message.count, Int32(MSG_DONTWAIT)) == message.count { count += 1 }
    return count
  }()

  private static func expectBreach(_ what: String, _ body: () throws(CoderError) -> Void) {
    do throws(CoderError) {
      try body()
      Issue.record("\(what) succeeds")
    } catch {
      #expect(error.code == .coderCrashed, "\(what): \(error)")
      let says = "breaks the protocol and was ended: it does not read what it is sent"
      #expect(error.message.contains(says), "\(what): \(error)")
      #expect(error.coder == "org.example.hostile")
    }
  }

  /// Each message that is answered, in each call of a reader.
  @Test(arguments: [
    "need-open", "need-info", "need-frame", "need-negotiate", "need-decode", "band-decode",
  ]) func unreadAnswersEndAReader(_ act: String) throws {
    var options = DecodeOptions()
    // Rows that came before do not make a picture of it.
    options.isStrict = true
    Self.expectBreach(act) { () throws(CoderError) in
      _ = try Self.fresh.decode(IsolationTests.file(act), options: options)
    }
    try IsolationTests.expectPicture(try Self.fresh.decode(IsolationTests.file("nothing")))
  }

  @Test func unreadAnswersEndAReadingOfMetadata() throws {
    let decoder = try Self.fresh.open(IsolationTests.file("need-metadata"))
    Self.expectBreach("need-metadata") { () throws(CoderError) in _ = try decoder.metadata(.icc) }
    try IsolationTests.expectPicture(try Self.fresh.decode(IsolationTests.file("nothing")))
  }

  @Test func aRequestThatIsNotReadEndsAReader() throws {
    let act = "full-open \(Self.room)"
    Self.expectBreach(act) { () throws(CoderError) in _ = try Self.fresh.decode(IsolationTests.file(act)) }
    try IsolationTests.expectPicture(try Self.fresh.decode(IsolationTests.file("nothing")))
  }

  /// The file is closed without waiting for room.
  @Test func aFullSocketEndsAWorkerThatIsGivenBack() throws {
    let folder = try IsolationTests.folderOfItsOwn()
    let registry = IsolationWorker.registry(of: [folder.path])
    // Whether there is a picture without rows is not the question.
    _ = try? registry.decode(IsolationTests.file("full-decode \(Self.room)"))
    #expect(WorkerPool.idleProcesses(in: folder.path).isEmpty)
    try IsolationTests.expectPicture(try registry.decode(IsolationTests.file("nothing")))
  }

  /// WANT and OUTPUT while a frame is written, and OUTPUT while the file is finished.
  @Test(arguments: [20, 21, 22] as [UInt8]) func unreadAnswersEndAWriter(_ act: UInt8) throws {
    let registry = Self.fresh
    Self.expectBreach("\(act)") { () throws(CoderError) in _ = try IsolationWriterTests.write(act, registry) }
    #expect(try IsolationWriterTests.write(0, registry) == Array("HOSTILE nothing".utf8))
  }

  @Test(arguments: ["need-transcode", "output-transcode"]) func unreadAnswersEndATranscoder(_ act: String) throws {
    let registry = Self.fresh
    Self.expectBreach(act) { () throws(CoderError) in
      _ = try registry.transcode(IsolationTests.file(act), to: .jpeg)
    }
    #expect(try registry.transcode(IsolationTests.file("nothing"), to: .jpeg) == Array("other".utf8))
  }

  @Test func aCancelledFileDoesNotWaitForRoom() throws {
    let cancellation = Cancellation()
    var options = DecodeOptions()
    options.cancellation = cancellation
    cancellation.cancel()
    do throws(CoderError) {
      _ = try Self.fresh.decode(IsolationTests.file("need-open"), options: options)
      Issue.record("it decodes")
    } catch {
      #expect(error.code == .cancelled)
    }
  }

  /// The pool finds out when it lends the worker, or the file does; the program gets no SIGPIPE.
  @Test func aWorkerThatWasKilledHarmsOneFileAtMost() throws {
    let folder = try IsolationTests.folderOfItsOwn()
    let registry = IsolationWorker.registry(of: [folder.path])
    try IsolationTests.expectPicture(try registry.decode(IsolationTests.file("nothing")))
    let idle = WorkerPool.idleProcesses(in: folder.path)
    #expect(idle.count == 1)
    for process in idle { kill(process, SIGKILL) }
    do throws(CoderError) { _ = try registry.decode(IsolationTests.file("nothing")) } catch {
      #expect(error.code == .coderCrashed)
    }
    try IsolationTests.expectPicture(try registry.decode(IsolationTests.file("nothing")))
  }

  /// A program may have a timer whose signals come more often than a worker is looked at.
  @Test func signalsDoNotProlongAWait() throws {
    let signals = Signals(to: pthread_self())
    Task.detached { signals.send() }
    let registry = IsolationTests.registry(failingAs: "maxClockSeconds")
    #expect(throws: CoderError.self) { try registry.decode(IsolationTests.file("sleep")) }
    #expect(signals.end() < Signals.most)
  }

  /// Signals to one thread, a few milliseconds apart.
  private final class Signals: Sendable {
    static let most = 10_000
    private let thread: pthread_t
    private let sent = Mutex<(count: Int, isDone: Bool)>((0, false))

    init(to thread: pthread_t) {
      self.thread = thread
      // Ignored ones would end no wait.
      _ = signal(SIGUSR2) { _ in }
    }

    func send() {
      while true {
        let goesOn = sent.withLock { sent in
          guard !sent.isDone, sent.count < Self.most else { return false }
          pthread_kill(thread, SIGUSR2)
          sent.count += 1
          return true
        }
        guard goesOn else { return }
        usleep(5000)
      }
    }

    /// - Returns: How many were sent.
    func end() -> Int {
      sent.withLock { sent in
        sent.isDone = true
        return sent.count
      }
    }
  }
}
