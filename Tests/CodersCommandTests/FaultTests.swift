// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// What is left of a run of the command in which a plugin harms the process.
@Suite struct FaultTests {
  private let folder = UnrulyFolder()

  /// What the plugin does, and how the command ends because of it.
  struct Fault: Sendable, CustomTestStringConvertible {
    let act: String
    let end: String
    /// Lines that others print first.
    var before = ""

    var testDescription: String { act }
  }

  static let faults: [Fault] = [
    Fault(act: "segv", end: "crashed: SIGSEGV"),
    Fault(act: "bus", end: "crashed: SIGBUS"),
    Fault(act: "fpe", end: "crashed: SIGFPE"),
    Fault(act: "raise-abort", end: "crashed: SIGABRT"),
    Fault(act: "stack", end: "crashed: SIGSEGV"),
    Fault(act: "thread-segv", end: "crashed: SIGSEGV"),
    Fault(act: "parallel-segv", end: "crashed: SIGSEGV"),
    Fault(act: "abort", end: "called abort()"),
    Fault(
      act: "throw", end: "called abort()", before: "terminate called after throwing an instance of 'int'\n"),
    Fault(act: "exit", end: "called exit(0)"),
    Fault(act: "err", end: "called exit(3)", before: "coders: the unruly plugin gives up\n"),
    Fault(act: "_exit", end: "called _exit(0)"),
    Fault(act: "_Exit", end: "called _Exit(7)"),
    Fault(act: "quick_exit", end: "called quick_exit(0)"),
    Fault(act: "pthread_exit", end: "called pthread_exit()"),
    Fault(act: "thrd_exit", end: "called thrd_exit()"),
  ]

  @Test(arguments: faults) func endsWithOneLine(_ fault: Fault) {
    let file = folder.file("decode-\(fault.act)")
    let run = folder.run(["convert", file, folder.out("a.png")])
    #expect(run.errors == "\(fault.before)coders: \(file): org.example.unruly: \(fault.end)\n")
    #expect(run.status == 5)
    #expect(run.output == "")
    #expect(folder.output.names == [])
  }

  /// The compiler's trap instruction is another one on each processor.
  @Test func trapsAreCrashes() {
    let file = folder.file("decode-ill")
    let run = folder.run(["convert", file, folder.out("a.png")])
    let line = "coders: \(file): org.example.unruly: crashed: "
    #expect([line + "SIGILL\n", line + "SIGTRAP\n"].contains(run.errors))
    #expect(run.status == 5)
  }

  /// A stream is read on a thread of the pool.
  @Test func threadsOfThePoolHaveAlternateStacks() {
    let file = folder.file("decode-stack")
    let run = folder.run(["stream", file])
    #expect(run.errors == "coders: \(file): org.example.unruly: crashed: SIGSEGV\n")
    #expect(run.status == 5)
  }

  @Test(arguments: ["open", "close"]) func everyCallIsWatched(_ call: String) {
    let file = folder.file("\(call)-segv")
    let run = folder.run(["probe", "--quiet", file])
    #expect(run.errors == "coders: \(file): org.example.unruly: crashed: SIGSEGV\n")
    #expect(run.status == 5)
  }

  @Test func namesAreAsTyped() {
    _ = folder.file("decode-segv")
    let run = folder.run(["convert", "./a.unruly", "a.png"], directory: folder.input.path)
    #expect(run.errors == "coders: ./a.unruly: org.example.unruly: crashed: SIGSEGV\n")
    #expect(folder.input.names == ["a.unruly"])
  }

  @Test func standardInputHasItsName() {
    let run = Run.binary(
      ["convert", "-", folder.out("a.png"), "--plugin-dir", UnrulyFolder.path],
      input: folder.file("decode-segv"))
    #expect(run.errors == "coders: -: org.example.unruly: crashed: SIGSEGV\n")
  }

  @Test func earlierFilesOfARunAreKept() throws {
    let file = folder.file("decode-segv")
    let files = [try Fixture.path("window.png"), file, try Fixture.path("icon.ico")]
    let run = folder.run(["thumbnail", "--jobs", "1", "--size", "64", "-o", folder.output.path] + files)
    #expect(run.errors == "coders: \(file): org.example.unruly: crashed: SIGSEGV\n")
    #expect(run.status == 5)
    #expect(folder.output.names == ["window.png"])
  }

  @Test func earlierResultsArePrinted() throws {
    let run = folder.run(["probe", try Fixture.path("window.png"), folder.file("open-exit")])
    #expect(run.output.contains("\n  size         720×420\n"))
    #expect(run.status == 5)
  }

  // MARK: Writing

  @Test(arguments: [("segv", "crashed: SIGSEGV"), ("exit", "called exit(0)"), ("abort", "called abort()")])
  func aWriterIsNamedWithTheOutput(_ act: String, _ end: String) throws {
    let file = folder.out("a.unruly")
    let run = folder.run(["convert", try Fixture.path("window.png"), file], act: "write-\(act)")
    #expect(run.errors == "coders: \(file): org.example.unruly: \(end)\n")
    #expect(run.status == 5)
    #expect(folder.output.names == [])
  }

  // MARK: Loading

  @Test(arguments: [
    ("load-segv", "crashed: SIGSEGV"), ("load-_exit", "called _exit(0)"), ("describe-exit", "called exit(0)"),
    ("describe-abort", "called abort()"),
  ])
  func aLibraryThatIsLoadedIsNamed(_ act: String, _ end: String) {
    let line = "org.example.unruly: \(end) while \(UnrulyFolder.library) is loaded\n"
    let doctor = folder.run(["doctor"], act: act)
    #expect(doctor.errors == "coders: \(line)")
    #expect(doctor.status == 5)
    let file = folder.file("nothing")
    let probe = folder.run(["probe", file], act: act)
    #expect(probe.errors == "coders: \(file): \(line)")
    #expect(probe.status == 5)
  }

  // MARK: What is allowed

  @Test(arguments: ["thread-ends", "child-exits", "nothing"]) func otherEndsAreNoFaults(_ act: String) {
    let run = folder.run(["convert", folder.file("decode-\(act)"), folder.out("a.png")])
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(folder.output.names == ["a.png"])
  }

  @Test(arguments: ["_exit", "_Exit", "exit"]) func handlersOfExitDoNotChangeTheStatus(_ act: String) {
    let run = folder.run(["probe", "--quiet", folder.file("nothing"), "/nowhere.png"], act: "atexit-\(act)")
    #expect(run.errors == "coders: /nowhere.png: io: no such file or directory\n")
    #expect(run.status == 5)
  }

  // MARK: What does not stop

  @Test(arguments: ["hang", "parallel-hang"]) func aPluginThatDoesNotStopIsLeft(_ act: String) {
    let file = folder.file("decode-\(act)")
    let run = folder.run(["convert", file, folder.out("a.png")], signals: [SIGINT])
    #expect(run.errors == "coders: \(file): org.example.unruly: does not stop\n")
    #expect(run.status == 130)
    #expect(folder.output.names == [])
  }

  @Test func aSecondSignalEndsTheProcess() throws {
    let file = folder.out("a.unruly")
    let window = try Fixture.path("window.png")
    let run = folder.run(["convert", window, file], act: "write-hang", signals: [SIGINT, SIGTERM])
    #expect(run.errors == "coders: \(file): org.example.unruly: does not stop\n")
    #expect(run.status == 143)
    #expect(folder.output.names == [])
  }

  @Test func aLibraryThatHangsIsNamed() {
    let run = folder.run(["doctor"], act: "load-hang", signals: [SIGTERM])
    #expect(
      run.errors == "coders: org.example.unruly: does not stop while \(UnrulyFolder.library) is loaded\n")
    #expect(run.status == 143)
  }

  /// A signal that somebody sends says nothing about the plugin that it interrupts.
  @Test func otherCrashesRemoveTemporaryFiles() throws {
    let run = folder.run(
      ["convert", try Fixture.path("window.png"), folder.out("a.unruly")], act: "write-hang", signals: [SIGSEGV])
    #expect(run.errors == "")
    #expect(run.status == 128 + SIGSEGV)
    #expect(folder.output.names == [])
  }
}
