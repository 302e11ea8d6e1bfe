// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// A plugin that a file has taken over, in a worker: whatever it tries is an error of that file, and the next one decodes.
@Suite(.serialized) struct IsolationTests {
  /// What a hostile plugin tries, and what becomes of it.
  struct Attempt: Sendable, CustomTestStringConvertible {
    let act: String
    let code: CoderError.Code
    let says: String

    init(_ act: String, _ code: CoderError.Code, _ says: String) {
      (self.act, self.code, self.says) = (act, code, says)
    }

    var testDescription: String { act }
  }

  static let folder: TemporaryFolder = {
    let folder = TemporaryFolder()
    let root = StagedTree.root
    let built = Command.run(
      "cc -std=gnu11 -shared -fPIC -O1 -fvisibility=hidden -I'\(StagedTree.headers)' "
        + "-I'\(root)/Sources/CIsolation/include' -o '\(folder.path)/libhostile.so' "
        + "'\(root)/Tests/HostilePlugin'/*.c 2>/dev/null "
        + "&& cp '\(root)/Tests/HostilePlugin/hostile.imgcoder.json' '\(folder.path)'")
    precondition(built.status == 0, built.output)
    return folder
  }()

  /// The plugin once more, for a test that counts workers: those of the folder above serve other tests at the same time.
  static func folderOfItsOwn() throws -> TemporaryFolder {
    let own = TemporaryFolder()
    let copied = Command.run("cp '\(folder.path)'/* '\(own.path)'")
    try #require(copied.status == 0, "\(copied.output)")
    return own
  }

  static func registry(_ isolation: Isolation) -> CoderRegistry {
    IsolationWorker.registry(isolation, of: [folder.path])
  }

  /// A second of processor time takes many on the clock while all tests run.
  private static let fresh = registry(
    Isolation(.required, usesFreshWorkers: true, processorSeconds: 1, clockSeconds: 120))

  /// For what waits, and uses no processor time.
  private static let impatient = registry(
    Isolation(.required, usesFreshWorkers: true, processorSeconds: 60, clockSeconds: 4))

  /// A worker for each file, and the limit of time that an attempt runs into.
  static func registry(failingAs says: String) -> CoderRegistry { says == "maxClockSeconds" ? impatient : fresh }

  /// Large enough to come in memory of its own.
  static func file(_ act: String) -> ByteSource {
    .bytes(Array("HOSTILE \(act)".utf8) + [UInt8](repeating: 0, count: 40_000))
  }

  /// Answered with an error, which the plugin tells: EPERM is 1, EAGAIN 11, ENOSYS 38.
  static let refused: [Attempt] =
    ["open", "open-memory", "open-environment", "socket", "connect", "handler", "prctl", "fcntl"].map {
      Attempt($0, .malformed, "\($0) gives -1, errno 1")
    } + [
      Attempt("clone", .malformed, "clone gives -1, errno 11"),
      Attempt("clone3", .malformed, "clone3 gives -1, errno 38"),
      Attempt("merge-memory", .malformed, "merge-memory gives -1, errno 22"),
      Attempt("remove-memory", .malformed, "remove-memory gives -1, errno 22"),
    ]

  /// The call never runs, and the error names it.
  static let killed: [Attempt] =
    [
      ("openat2", "openat2"), ("open-by-handle", "open_by_handle_at"), ("socketpair", "socketpair"),
      ("send-to", "sendto with an address"), ("exec", "execve"), ("fork", "fork"), ("vfork", "vfork"), ("kill", "kill"),
      ("kill-all", "kill"), ("tgkill", "tgkill of another process"), ("stop", "tgkill of another process"),
      ("pidfd", "pidfd_open"), ("ptrace", "ptrace"), ("read-process", "process_vm_readv"),
      ("code", "mmap of executable memory"), ("code-later", "mprotect to executable memory"), ("memfd", "memfd_create"),
      ("io-uring", "io_uring_setup"), ("bpf", "bpf"), ("userfaultfd", "userfaultfd"), ("perf", "perf_event_open"),
      ("keyctl", "keyctl"), ("unshare", "unshare"), ("setns", "setns"), ("mount", "mount"), ("seccomp", "seccomp"),
      ("send-file", "sendmsg"), ("shrink", "ftruncate"), ("punch", "fallocate"), ("read-other", "read"),
      ("poll", "ppoll"), ("lock-memory", "mlock"), ("new-limit", "prlimit64 with a new limit"),
      ("requeue", "futex with an operation"), ("shared-lock", "futex with an operation"),
      ("no-name", "system call 222222"), ("unblocked", "execve"),
    ].map { Attempt($0.0, .coderCrashed, "SIGSYS: \($0.1)") } + [
      // Calls of other processors, and one that comes while all signals are blocked.
      Attempt("x32", .coderCrashed, unnamed), Attempt("i386", .coderCrashed, unnamed),
      Attempt("blocked", .coderCrashed, unnamed),
      // Its status alone names no call.
      Attempt("exit-159", .coderCrashed, "status 159"),
    ]

  private static let unnamed = "SIGSYS: the coder made a system call that its worker may not make"

  static let others: [Attempt] = [
    // The system answers these: EPERM of a sealed file, EACCES of a map that is read only.
    Attempt("map-input", .malformed, "map-input gives -1, errno 1"),
    Attempt("write-input", .malformed, "write-input gives -1, errno 13"),
    Attempt("abort", .coderCrashed, "SIGABRT"),
    Attempt("trap", .coderCrashed, "SIGILL"),
    Attempt("segv", .coderCrashed, "SIGSEGV"),
    Attempt("stack", .coderCrashed, "SIGSEGV"),
    Attempt("exit", .coderCrashed, "status 0"),
    Attempt("exit-7", .coderCrashed, "status 7"),
    Attempt("spin", .limitExceeded, "maxProcessorSeconds"),
    Attempt("sleep", .limitExceeded, "maxClockSeconds"),
    Attempt("eat", .malformed, "limited"),
    Attempt("inflates", .limitExceeded, "maxInflated"),
    Attempt("environment", .malformed, "environment gives 0"),
    Attempt("descriptors", .malformed, "descriptors gives 0"),
  ]

  static let lies: [Attempt] = [
    "band-too-long", "band-of-32-bits", "band-later", "band-of-slot-2", "band-behind-the-end", "band-empty",
    "band-twice", "other-call", "unknown-kind", "unasked-chunk", "unasked-file", "reason-too-long",
    "reason-that-is-not-there",
    "length-that-lies", "rows-outside", "rows-twice", "too-long", "short", "flood",
  ].map { Attempt($0, .coderCrashed, "breaks the protocol") }

  @Test(arguments: refused + killed + others + lies) func isAnErrorOfOneFile(_ attempt: Attempt) throws {
    let registry = Self.registry(failingAs: attempt.says)
    do throws(CoderError) {
      _ = try registry.decode(Self.file(attempt.act))
      Issue.record("\(attempt.act) decodes")
    } catch {
      #expect(error.code == attempt.code, "\(error)")
      #expect(error.message.contains(attempt.says), "\(error)")
      #expect(error.coder == "org.example.hostile")
    }
    try Self.expectPicture(try registry.decode(Self.file("nothing")))
  }

  static func expectPicture(_ image: Image) throws {
    #expect(image.size == Size(width: 4096, height: 6))
    #expect(image.problem == nil)
    for y in 0..<6 { #expect(image.pixels.withRow(y) { [UInt8]($0) } == [UInt8](repeating: 7, count: 4 * 4096)) }
  }

  @Test func whatIsWrittenLaterIsNotSeen() throws {
    try Self.expectPicture(try Self.fresh.decode(Self.file("write-later")))
  }

  @Test func textOfAWorkerIsPrintable() {
    for (act, code) in [("escapes", CoderError.Code.malformed), ("unknown-status", CoderError.Code(rawValue: .max))] {
      do throws(CoderError) {
        _ = try Self.fresh.decode(Self.file(act))
        Issue.record("\(act) decodes")
      } catch {
        #expect(error.code == code)
        #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
      }
    }
  }

  @Test func aWorkerThatDoesNotCloseAFileIsNotUsedAgain() throws {
    let registry = Self.registry(Isolation(.required))
    for act in ["close-hangs", "nothing", "close-crashes", "nothing", "nothing"] {
      try Self.expectPicture(try registry.decode(Self.file(act)))
    }
  }

  /// A worker that is given back twice would be lent to two files at a time.
  @Test func aFileThatDoesNotOpenGivesItsWorkerBackOnce() throws {
    let folder = try Self.folderOfItsOwn()
    let registry = IsolationWorker.registry(of: [folder.path])
    try Self.expectPicture(try registry.decode(Self.file("nothing")))
    let before = WorkerPool.idleProcesses(in: folder.path)
    for _ in 0..<3 { #expect(throws: CoderError.self) { try registry.decode(Self.file("environment")) } }
    #expect(WorkerPool.idleProcesses(in: folder.path) == before)
    try Self.expectPicture(try registry.decode(Self.file("nothing")))
  }

  @Test func aCancelledFileEndsItsWorker() throws {
    let cancellation = Cancellation()
    var options = DecodeOptions()
    options.cancellation = cancellation
    cancellation.cancel()
    let registry = Self.registry(Isolation(.required))
    do throws(CoderError) {
      _ = try registry.decode(Self.file("spin"), options: options)
      Issue.record("it decodes")
    } catch {
      #expect(error.code == .cancelled)
    }
    try Self.expectPicture(try registry.decode(Self.file("nothing")))
  }

  /// All that a plugin in this process may do wrong has the same name in a worker.
  @Test(arguments: MisbehaviorTests.acts) func mistakesHaveTheSameNames(_ act: MisbehaviorTests.Act) throws {
    let here = UnrulyPlugin.byFile
    let isolated = IsolationWorker.registry(of: [here.path])
    func result(_ registry: CoderRegistry) -> Result<Image, CoderError> {
      do throws(CoderError) { return .success(try registry.decode(UnrulyPlugin.file(act.name))) } catch {
        return .failure(error)
      }
    }
    switch (result(here.registry), result(isolated)) {
    case (.success(let one), .success(let other)):
      #expect(one.size == other.size)
      #expect(one.problem == other.problem)
      guard one.size == other.size else { return }
      for y in 0..<one.size.height {
        #expect(one.pixels.withRow(y) { [UInt8]($0) } == other.pixels.withRow(y) { [UInt8]($0) }, "row \(y)")
      }
    case (.failure(let one), .failure(let other)):
      #expect(one.code == other.code, "\(one) / \(other)")
      // What a terminal would obey is taken out of what a worker says.
      if act.name != "open-fails-with-noise" { #expect(one.message == other.message) }
    case (let one, let other): Issue.record("\(one) / \(other)")
    }
  }
}
