// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport
import Testing

/// Libraries that harm the process that loads them are loaded by another one first.
@Suite struct LibraryScanTests {
  private static let scanner = LibraryScan.Scanner(path: "\(StagedTree.root)/build/bin/coders")

  /// A library that does something when it is loaded.
  private static func build(_ variant: String, in folder: TemporaryFolder) -> String {
    ForeignPlugin.library("UnrulyPlugin/constructor.c", as: "libconstructor.so", in: folder, flags: ["-D\(variant)"])
  }

  @Test(arguments: [
    ("ABORTS", SkipReason.Code.scanCrashed, "SIGABRT, when LIBRARY is loaded"),
    ("SEGV", .scanCrashed, "SIGSEGV, when LIBRARY is loaded"),
    ("EXITS", .scanExited, "LIBRARY ends the process with status 0 when it is loaded"),
    ("EXITS_AT_ONCE", .scanExited, "LIBRARY ends the process with status 7 when it is loaded"),
    ("HANGS", .scanTimeout, "LIBRARY does not answer within 1 s when it is loaded"),
    ("STAYS", .scanCrashed, "SIGKILL, when LIBRARY is loaded"),
    ("NOTHING", .refused, "the coder gives no reason"),
  ])
  func whatHappensHasAName(_ variant: String, _ code: SkipReason.Code, _ message: String) {
    let folder = TemporaryFolder()
    let library = Self.build(variant, in: folder)
    var scanner = Self.scanner
    if code == .scanTimeout { scanner.timeLimit = 1_000 }
    let reason = scanner.scan(library, id: "org.example.constructor")
    #expect(reason == SkipReason(code, message.replacing("LIBRARY", with: library)))
  }

  @Test func aLibraryThatCanBeLoadedHasNoProblem() {
    let library = "\(StagedTree.root)/build/lib/coders/1/libQOICoder.so"
    #expect(Self.scanner.scan(library, id: "org.imagecoders.qoi") == nil)
    #expect(Self.scanner.scan(library, id: "org.example.other")?.code == .idMismatch)
  }

  /// A program that does not scan, or that cannot be started, finds nothing: the load itself will tell.
  @Test(arguments: ["/bin/true", "/bin/echo", "/nonexistent"]) func anotherProgramSaysNothing(_ program: String) {
    #expect(LibraryScan.Scanner(path: program).scan("/nonexistent.so", id: "org.example.constructor") == nil)
  }

  /// Nobody else may be left to end it. The signal is SIGALRM, 14.
  @Test func aScanEndsItself() {
    let folder = TemporaryFolder()
    let library = Self.build("HANGS", in: folder)
    let command = "'\(Self.scanner.path)' \(LibraryScan.argument) '\(library)' org.example.constructor"
    let result = Command.run("\(command) 3>'\(folder.path)/answer' >/dev/null; echo $?; cat '\(folder.path)/answer'")
    #expect(result.output.hasSuffix("142\nscan 1\n"), "\(result.output)")
  }

  /// The command lists a library without loading it, and lists why it is not used once it has been scanned, until it has changed.
  @Test func answersAreKeptUntilTheLibraryChanges() {
    let folder = TemporaryFolder()
    let library = Self.build("ABORTS", in: folder)
    folder.write(
      """
      {"id": "org.example.constructor", "name": "X", "version": "1", "abi": {"major": 1},
       "library": "libconstructor.so", "formats": [{"uti": "org.example.x", "match": [{"bytes": "58"}]}],
       "capabilities": ["read"]}
      """, to: "x.imgcoder.json")
    let cache = "\(folder.path)/cache/coders/scans"
    func run(_ verb: String, after command: String = "true") -> String {
      Command.run(
        """
        \(command); XDG_CACHE_HOME='\(folder.path)/cache' CODERS_PLUGIN_PATH='\(folder.path)' \
        '\(StagedTree.root)/build/bin/coders' \(verb)
        """
      ).output
    }
    for verb in ["list", "list --quiet", "list --json", "plugin list"] {
      let listed = run(verb)
      #expect(listed.contains("org.example.constructor"), "\(verb): \(listed)")
      #expect(!listed.contains("scan_crashed"), "\(verb): \(listed)")
    }
    #expect(access(cache, F_OK) != 0)
    #expect(run("doctor").contains("org.example.constructor"))
    #expect(run("list").contains("org.example.constructor: scan_crashed: SIGABRT, when \(library) is loaded\n"))
    // Whoever changes the cache is believed: that no process was started shows in what it says.
    #expect(run("list", after: "sed -i s/SIGABRT/KEPT/ '\(cache)'").contains("scan_crashed: KEPT, when"))
    #expect(!run("list", after: "touch -d 2020-01-01 '\(library)'").contains("scan_crashed"))
    #expect(run("doctor").contains("scan_crashed: SIGABRT, when"))
    #expect(run("list").contains("scan_crashed: SIGABRT, when"))
    // What others could have written is not believed.
    #expect(!run("list", after: "chmod 666 '\(cache)'").contains("scan_crashed"))
  }
}
