// SPDX-License-Identifier: Apache-2.0

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

  /// The command scans a library once, lists why it is not used, and scans it again when it has changed.
  @Test func answersAreKeptUntilTheLibraryChanges() {
    let folder = TemporaryFolder()
    let library = Self.build("ABORTS", in: folder)
    let manifest =
      #"{"id": "org.example.constructor", "name": "X", "version": "1", "abi": {"major": 1}, "library": "libconstructor.so", "formats": [{"uti": "org.example.x", "match": [{"bytes": "58"}]}], "capabilities": ["read"]}"#
    let list =
      "XDG_CACHE_HOME='\(folder.path)/cache' CODERS_PLUGIN_PATH='\(folder.path)' '\(StagedTree.root)/build/bin/coders' list"
    let written = Command.run("echo '\(manifest)' > '\(folder.path)/x.imgcoder.json'; \(list)")
    #expect(written.output.contains("org.example.constructor: scan_crashed: SIGABRT, when \(library) is loaded\n"))
    // Whoever changes the cache is believed: that no process was started shows in what it says.
    let kept = Command.run("sed -i s/SIGABRT/KEPT/ '\(folder.path)/cache/coders/scans'; \(list)")
    #expect(kept.output.contains("scan_crashed: KEPT, when"))
    let changed = Command.run("touch -d 2020-01-01 '\(library)'; \(list)")
    #expect(changed.output.contains("scan_crashed: SIGABRT, when"))
    let others = Command.run(
      "sed -i s/SIGABRT/KEPT/ '\(folder.path)/cache/coders/scans'; chmod 666 '\(folder.path)/cache/coders/scans'; \(list)"
    )
    #expect(others.output.contains("scan_crashed: SIGABRT, when"))
  }
}
