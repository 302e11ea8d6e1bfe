// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// A writer that has been taken over, and what stops a plugin when a layer is missing.
@Suite(.serialized) struct IsolationWriterTests {
  private static let format = ImageFormat(rawValue: "org.example.hostile")

  static func write(_ act: UInt8, _ registry: CoderRegistry) throws(CoderError) -> [UInt8] {
    let pixels = try PixelBuffer(size: Size(width: 8, height: 6), format: .rgba8, alpha: .straight)
    for y in 0..<6 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: act, count: pixels.rowBytes) }
    var options = EncodeOptions()
    options.limits.maxMemory = 64 << 20
    return try registry.encode(Image(pixels), as: format, options: options)
  }

  /// What the writer tries, by its number in the plugin, and what becomes of it.
  static let acts: [(act: UInt8, code: CoderError.Code, says: String)] = [
    (1, .coderCrashed, "SIGABRT"),
    (2, .coderCrashed, "SIGSEGV"),
    (3, .coderCrashed, "SIGSYS: socketpair"),
    (4, .limitExceeded, "maxProcessorSeconds"),
    (5, .limitExceeded, "maxClockSeconds"),
    (6, .coderCrashed, "status 3"),
    (7, .coderCrashed, "1 bytes of a file in slot 2"),
    (8, .coderCrashed, "1048576 bytes of a file in slot 0"),
    (9, .coderCrashed, "1099511627776 bytes of a file in slot 0"),
    (10, .coderCrashed, "a wish for rows 0 + 4294967295 of 6"),
    (11, .coderCrashed, "in band 2"),
    (12, .invalidArgument, "10 bytes at 100 of 0"),
    (13, .limitExceeded, "maxMemory"),
    // On two threads at once.
    (14, .limitExceeded, "maxProcessorSeconds"),
    (15, .coderCrashed, "breaks the protocol"),
    (16, .coderCrashed, "breaks the protocol"),
    (17, .coderCrashed, "SIGABRT in the coder's worker; it printed: "),
    // No thread is made; the plugin aborts when it has been told EAGAIN.
    (18, .coderCrashed, "SIGABRT"),
    (19, .coderCrashed, "it printed: [2J the last words"),
  ]

  @Test(arguments: acts.indices) func isAnErrorOfOneFile(_ index: Int) throws {
    let (act, code, says) = Self.acts[index]
    let registry = IsolationTests.registry(failingAs: says)
    do throws(CoderError) {
      _ = try Self.write(act, registry)
      Issue.record("\(act) writes")
    } catch {
      #expect(error.code == code, "\(act): \(error)")
      #expect(error.message.contains(says), "\(act): \(error)")
      #expect(error.message.utf8.count < 600)
      #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
    #expect(try Self.write(0, registry) == Array("HOSTILE nothing".utf8))
  }

  @Test func workersThatWaitAreEnded() throws {
    let folder = try IsolationTests.folderOfItsOwn()
    let registry = IsolationWorker.registry(of: [folder.path])
    try IsolationTests.expectPicture(try registry.decode(IsolationTests.file("nothing")))
    #expect(!WorkerPool.idleProcesses(in: folder.path).isEmpty)
    // They wait for 30 s, of which a busy machine takes some.
    WorkerPool.endIdle(secondsFromNow: 15, in: folder.path)
    #expect(!WorkerPool.idleProcesses(in: folder.path).isEmpty)
    WorkerPool.endIdle(secondsFromNow: 31, in: folder.path)
    #expect(WorkerPool.idleProcesses(in: folder.path).isEmpty)
    // The server too; the next file gets a new one.
    WorkerPool.endIdle(secondsFromNow: 301, in: folder.path)
    try IsolationTests.expectPicture(try registry.decode(IsolationTests.file("nothing")))
  }

  private static func probe(_ act: String, _ mode: String, without layers: String) -> (status: Int32, output: String) {
    let folder = IsolationTests.folder.path
    let run = Command.run(
      "head -c 40000 /dev/zero | cat '\(folder)/\(act).act' - >'\(folder)/\(act).hostile'; "
        + "CODERS_WORKER='\(StagedTree.root)/build/lib/coders/coders-worker' CODERS_PLUGIN_PATH='\(folder)' "
        + "CODERS_ISOLATION_WITHOUT=\(layers) '\(StagedTree.root)/build/bin/coders' "
        + "probe --isolate \(mode) '\(folder)/\(act).hostile' 2>&1")
    return (Int32(run.status), run.output)
  }

  private static func prepare(_ acts: [String]) {
    let folder = IsolationTests.folder.path
    for act in acts { _ = Command.run("printf 'HOSTILE %s' '\(act)' >'\(folder)/\(act).act'") }
  }

  /// Without Landlock or without namespaces, the filter stops all that it stops with them.
  @Test(arguments: ["landlock", "root,network,ipc,pid"]) func theFilterStopsAllByItself(_ layers: String) {
    let acts = ["nothing"] + IsolationTests.killed.map(\.act) + IsolationTests.refused.map(\.act)
    Self.prepare(acts)
    let nothing = Self.probe("nothing", "required", without: layers)
    // Where the other one of the two cannot be had, the mode is refused.
    guard nothing.status == 0 else {
      #expect(nothing.output.contains("landlock or root"), "\(nothing)")
      return
    }
    for attempt in IsolationTests.killed + IsolationTests.refused {
      let run = Self.probe(attempt.act, "required", without: layers)
      #expect(run.status != 0 && run.output.contains(attempt.says), "\(attempt.act): \(run)")
    }
  }

  /// Without the filter, the other layers refuse files, programs and other processes. Only what does no harm in this
  /// process is tried, since nothing is required then.
  @Test func theOthersStopFilesWithoutTheFilter() {
    let acts = [
      "open", "open-memory", "open-environment", "openat2", "open-by-handle", "ptrace", "mount",
      "setns",
      "shrink", "punch", "map-input", "write-input",
    ]
    Self.prepare(acts)
    for act in acts {
      #expect(Self.probe(act, "required", without: "seccomp").output.contains("isolation_missing"))
      let run = Self.probe(act, "preferred", without: "seccomp")
      #expect(run.status != 0 && run.output.contains("\(act) gives -1"), "\(act): \(run)")
    }
  }
}
