// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// What `coders check` finds in a plugin that breaks one rule.
@Suite(.serialized) struct MisbehavingPluginTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let check: String
    let rule: String
    /// The beginning of what is found.
    let found: String
    var flags = ""
    var edit: [String] = []
    var hasSamples = true

    init(
      _ check: String, _ rule: String, _ found: String, flags: String = "", edit: [String] = [], hasSamples: Bool = true
    ) {
      (self.check, self.rule, self.found, self.flags, self.edit) = (check, rule, found, flags, edit)
      self.hasSamples = hasSamples
    }

    var testDescription: String { check }
  }

  static let manifestFaults: [Fault] = [
    Fault(
      "manifest.readable", "manifest", "line 7, column 14: formats is an empty list",
      edit: ["\"formats\": [", "\"formats\": [], \"x\": ["]),
    Fault("manifest.names", "manifest", "\"v1\"", edit: ["1.0.0", "v1"]),
    Fault("manifest.extensions", "manifest", "\".misb\"", edit: ["[\"misb\"]", "[\"misb\", \".misb\"]"]),
    Fault("manifest.signatures", "manifest", "4 bits", edit: ["4d495342\"", "4d495342\", \"mask\": \"0000000f\""]),
    Fault("manifest.samples", "manifest", "none agrees", edit: ["4d495342", "4d495343", ", \"recognize\"", ""]),
    Fault("manifest.id", "R15", "\"1.0.1\"", edit: ["1.0.0", "1.0.1"]),
    Fault("manifest.capabilities", "R15", "not stated", edit: ["\"pages\", ", ""]),
    Fault(
      "manifest.options", "R15", "\"integer, 0.0 to 8.0, default 0.0\"", edit: ["\"maximum\": 9", "\"maximum\": 8"]),
    Fault("manifest.container", "R15", "\"2\"", edit: ["\"default_loop_count\": 0", "\"default_loop_count\": 2"]),
    Fault("manifest.operations", "R15", "\"false\"", edit: ["\"takes_out\": true", "\"takes_out\": false"]),
  ]

  static let binaryFaults: [Fault] = [
    Fault("binary.symbols", "R5", "imgcoder_entry_v1, misbehaving_extra", flags: "-DEXPORTS"),
    Fault("binary.paths", "R6", "/home/build/lib", flags: "-Wl,-rpath,/home/build/lib"),
    Fault("binary.textrel", "R6", "DT_TEXTREL", flags: "-DTEXTREL -Wl,-z,notext"),
    Fault("binary.stack", "R3", "flags 7", flags: "-Wl,-z,execstack"),
    Fault("binary.load", "R6", "", flags: "-DUNDEFINED"),
    Fault("binary.constructors", "R1", "the umask: 000", flags: "-DCONSTRUCTOR"),
    Fault("interface.entry", "R16", "other bytes", flags: "-DWRONG_MAGIC"),
  ]

  static let interfaceFaults: [Fault] = [
    Fault("interface.describe", "R14", "null without a message"),
    Fault("interface.callbacks", "R16", "null"),
    Fault("interface.sizes", "R16", "8"),
    Fault("interface.texts", "R16", "9 bytes that are not such a text"),
    Fault("interface.options", "options", "10.0 to 9.0, default 0.0"),
    Fault("interface.extensions", "R16", "a pointer"),
    Fault("interface.constant", "R12", "other bytes after use"),
    Fault("interface.exact", "R16", "it was touched (SIGSEGV)"),
    Fault("interface.first-formats", "R16", "11"),
    Fault("interface.grown", "R16", "LIBRARY instead of OK"),
    Fault("interface.grown-writing", "R16", "open: LIBRARY"),
    Fault("interface.no-options", "R2", "crashed SIGSEGV"),
    Fault("interface.unknown-page", "R16", "OK"),
    Fault("interface.unknown-metadata", "R16", "OK"),
    Fault("interface.unknown-request", "R16", "unmet 0"),
    Fault("interface.unknown-flags", "R16", "INVALID_ARGUMENT instead of OK"),
    Fault("interface.recognize", "R16", "status 0x4d"),
  ]

  static let decodeFaults: [Fault] = [
    Fault("decode.samples", "R15", "MALFORMED: no mood"),
    Fault("decode.info", "R16", "200"),
    Fault("decode.negotiate", "R16", "8×5"),
    Fault("decode.any-size", "R16", "7×5"),
    Fault("decode.part", "R10", "7×1 at 0,0 of 7×5"),
    Fault("decode.repeat", "R10", "picture 0: row 0 has other bytes"),
    Fault("decode.threads", "R10", "picture 0: row 0 has other bytes"),
    Fault("decode.sessions", "R12", "row 0 has other bytes"),
    Fault("decode.foreign", "R15", "MALFORMED"),
    Fault("decode.guards", "R8", "it was touched (SIGSEGV)"),
    Fault("decode.fills", "R8", "picture 0: row 0 has other bytes"),
    Fault("decode.grants", "R10", "picture 0: row 0 has other bytes"),
    Fault("decode.sink-stops", "R16", "1"),
    Fault("decode.after-error", "R16", "row 0 has other bytes"),
    Fault("decode.cut", "R9", "MALFORMED: the rows end early"),
    Fault("decode.flips", "R2", "crashed SIGABRT"),
    Fault("decode.bytes", "R2", "called exit(0)"),
    Fault("decode.short", "R2", "still running after 2 s"),
    Fault("decode.lies", "R7", "OUT_OF_MEMORY"),
    Fault("decode.messages", "R14", "none"),
    Fault("decode.limits", "R7", "OK"),
    Fault("decode.memory", "R7", "6"),
    Fault("decode.budget", "R2", "crashed SIGSEGV"),
    Fault("decode.allocations", "R2", "crashed SIGSEGV"),
    Fault("decode.source-fails", "R16", "MALFORMED"),
    Fault("decode.cancel", "R16", "MALFORMED"),
    Fault("decode.hints", "R10", "1×5"),
    Fault("decode.options", "options", "UNSUPPORTED instead of OK"),
    Fault("decode.options-beyond", "options", "status 0x4d"),
  ]

  static let sessionFaults: [Fault] = [
    Fault("incremental.chunks", "R10", "picture 0: row 0 has other bytes"),
    Fault("incremental.header", "R15", "all of them"),
    Fault("incremental.complete", "R16", "flags"),
    Fault("incremental.cancel", "R16", "MALFORMED"),
    Fault("incremental.cut", "R8", "0"),
    Fault("pages.count", "R16", "no page 1"),
    Fault("pages.hidden", "R16", "kind 0, owner 0"),
    Fault("pages.order", "R10", "row 0 has other bytes"),
    Fault("animation.frames", "R16", "6×4 at 1, 0"),
    Fault("animation.order", "R10", "row 0 has other bytes"),
    Fault("animation.alpha", "R16", "smaller ones"),
    Fault("metadata.flags", "R16", "OK"),
    Fault("metadata.lifetime", "R13", "other bytes"),
    Fault("metadata.limit", "R7", "OK"),
    Fault("metadata.properties", "R16", "1 open dictionaries"),
  ]

  static let writingFaults: [Fault] = [
    Fault("writing.defaults", "R15", "open: LIBRARY: no mood"),
    Fault("writing.layouts", "R16", "negotiate: LIBRARY: no opaque pictures"),
    Fault("writing.unknown-layout", "R16", "0, 0"),
    Fault("writing.lossless", "R15", ""),
    Fault("writing.repeat", "R10", "two files that differ"),
    Fault("writing.frames", "R15", "2 frames"),
    Fault("writing.pages", "R15", "1 pages"),
    Fault("writing.metadata", "R15", "others, or none"),
    Fault("writing.thumbnail", "R15", "org.example.misb: add_thumbnail: UNSUPPORTED: no place"),
    Fault("writing.output-fails", "R16", "OK"),
    Fault("writing.allocations", "R2", "crashed SIGSEGV"),
    Fault("writing.cancel", "R16", "add_frame 0 of page 0: LIBRARY: stopped"),
    Fault("writing.order", "R16", "OK"),
    Fault("writing.unknown-format", "R16", "OK"),
    Fault("writing.unknown-metadata", "R16", "OK"),
    Fault("writing.messages", "R14", "none"),
    Fault("writing.bounds", "options", "open: LIBRARY: nine is too many"),
    Fault("writing.beyond", "R2", "crashed SIGABRT"),
    Fault("writing.unknown-option", "R2", "crashed SIGABRT"),
    Fault("writing.effects", "options", "the same bytes for each of"),
  ]

  static let operationFaults: [Fault] = [
    Fault("operations.run", "R15", "UNSUPPORTED: no mood"),
    Fault("operations.values", "R2", "crashed SIGABRT"),
    Fault("operations.cut", "R2", "crashed SIGABRT"),
    Fault("operations.unknown", "R16", "OK"),
    Fault("operations.output-fails", "R16", "OK"),
  ]

  static let processFaults: [Fault] = [
    Fault("process.descriptors", "R3", "file descriptor"),
    Fault("process.directory", "R3", "the working directory: /"),
    Fault("process.environment", "R3", "the environment: MISBEHAVING=1"),
    Fault("process.locale", "R3", "the locale: C.UTF-8"),
    Fault("process.umask", "R3", "the umask: 000"),
    Fault("process.signals", "R3", "the handler of signal 10: 0x1"),
    Fault("process.signal-mask", "R3", "the signal mask: 12 is blocked"),
    Fault("process.limits", "R3", "resource limit 7: 64 of 64"),
    Fault("process.threads", "R4", ""),
    Fault("process.silence", "R3", ""),
    Fault("process.leaks", "R13", "10 bytes"),
    Fault("process.growth", "R13", ""),
    Fault("process.exit", "R2", "crashed SIGABRT"),
  ]

  /// It sees files of the machine, and says so in what it makes.
  static let isolatedFaults: [Fault] = [
    Fault("isolated.load", "R16", "refused: not here"),
    Fault("isolated.decode", "R11", "other bytes"),
    Fault("isolated.metadata", "R11", "integer(2)"),
    Fault("isolated.errors", "R14", "truncated: no file says why"),
    Fault("isolated.writing", "R11", "other bytes"),
    Fault("isolated.operations", "R11", "other bytes"),
  ]

  @Test(
    arguments: Turn.rows(
      manifestFaults + binaryFaults + interfaceFaults + decodeFaults + sessionFaults + writingFaults
        + operationFaults + processFaults + isolatedFaults))
  func isFound(_ fault: Fault) throws {
    let plugin = MisbehavingPlugin(
      fault.check, flags: fault.flags, edit: fault.edit, hasSamples: fault.hasSamples)
    let result = try plugin.result(of: fault.check, timeout: fault.check == "decode.short" ? 2 : 60)
    #expect(result.outcome == .fail, "\(result.note ?? "no note")")
    #expect(result.rule.rawValue == fault.rule)
    let found = result.failure?.found ?? ""
    #expect(found.hasPrefix(fault.found), "\(found)")
  }

  /// Every check that can fail is one that some plugin fails here, or in the tests below.
  @Test func everyCheckHasAFault() {
    let groups = [
      Self.manifestFaults, Self.binaryFaults, Self.interfaceFaults, Self.decodeFaults, Self.sessionFaults,
      Self.writingFaults, Self.operationFaults, Self.processFaults, Self.isolatedFaults,
    ]
    let known = Set(groups.joined().map(\.check))
    let elsewhere: Set = [
      "manifest.keys", "manifest.others", "manifest.permissions", "binary.elf", "animation.delays", "incremental.rows",
      "fuzz.mutations",
    ]
    #expect(Set(PluginCheck.all.map(\.id)) == known.union(elsewhere))
  }

  /// What a later version of the manifest may have is no fault.
  @Test func warnsOfWhatHostsIgnore() throws {
    let plugin = MisbehavingPlugin("none", edit: ["\"read\",", "\"read\", \"teleport\","])
    let result = try plugin.result(of: "manifest.keys")
    #expect(result.outcome == .warn)
    let note = try #require(result.note)
    #expect(
      note.hasSuffix(
        "is \"teleport\"; it is ignored; known words are read, write, recognize, animation, frames, "
          + "pages, lossless, incremental, icc, exif, xmp, orientation, thumbnail, resolution, iptc, geotiff, text, trailer"
      ), "\(note)")
  }

  /// What a later version of the interface may have is none either, of a plugin that is built for it.
  @Test(arguments: ["decode.info", "decode.negotiate", "interface.unknown-request", "decode.flips"])
  func acceptsWhatIsLater(_ check: String) throws {
    let later = try MisbehavingPlugin("none", flags: "-DLATER=1").result(of: check)
    #expect(later.outcome == .pass, "\(later.failure?.found ?? later.note ?? "")")
    guard check != "decode.flips" else { return }
    let now = try MisbehavingPlugin("none", flags: "-DLATER=0").result(of: check)
    #expect(now.outcome == .fail)
  }

  /// The host converts to whatever a writer takes, also to floating point.
  @Test(arguments: ["writing.defaults", "writing.layouts", "writing.frames", "writing.pages", "writing.output-fails"])
  func acceptsAWriterOfFloatingPoint(_ check: String) throws {
    let result = try MisbehavingPlugin("none", flags: "-DTAKES=10").result(of: check)
    #expect(result.outcome == .pass, "\(result.failure?.found ?? result.note ?? "")")
    if check == "writing.layouts" { #expect(result.note == "27 layouts") }
  }

  @Test(arguments: ["writing.defaults", "writing.layouts"]) func namesALayoutThatNoHostKnows(_ check: String) throws {
    let failure = try MisbehavingPlugin("none", flags: "-DTAKES=99").result(of: check).failure
    // No file can be made for the other checks.
    guard check == "writing.defaults" else { return #expect(failure == nil) }
    #expect(
      failure?.found == "negotiate for straight rgba8, which accepted pixel format 99 with alpha 1: LIBRARY: "
        + "a writer takes pixel format 1 to 11, alpha 0 to 2")
  }

  @Test func findsASignatureOfAnotherPlugin() throws {
    let plugin = MisbehavingPlugin("none")
    plugin.folder.write(
      """
      {"id": "org.example.other", "name": "Other", "version": "1", "abi": {"major": 1}, "library": "x.so",
       "formats": [{"uti": "org.example.other", "match": [{"bytes": "4d495342"}]}], "capabilities": ["read"]}
      """, to: "other.imgcoder.json")
    let result = try plugin.result(of: "manifest.others")
    #expect(result.outcome == .fail)
    #expect(result.rule == .manifest)
    #expect(result.failure?.found == "one of 32 bits, theirs has 32")
  }

  @Test func findsALibraryThatOthersCanWrite() throws {
    let plugin = MisbehavingPlugin("none")
    _ = Command.run("chmod 666 '\(plugin.folder.path)/libmisbehaving.so'")
    let result = try plugin.result(of: "manifest.permissions")
    #expect(result.outcome == .fail)
    #expect(result.failure?.found == "666")
  }

  @Test func findsALibraryThatIsNone() throws {
    let plugin = MisbehavingPlugin("none")
    plugin.folder.write([UInt8](repeating: 0x7F, count: 100), to: "libmisbehaving.so")
    let result = try plugin.result(of: "binary.elf")
    #expect(result.outcome == .fail)
    #expect(result.rule == .r6)
    #expect(result.failure?.found == "the file does not begin as ELF does")
  }

  @Test func warnsOfADelayThatIsNotStated() throws {
    let result = try MisbehavingPlugin("animation.delays").result(of: "animation.delays")
    #expect(result.outcome == .warn)
    #expect(result.note == "animated.misb: frame 0 states no delay, and the host takes 0.1 s")
  }

  @Test func warnsOfRowsThatWaitForTheLastByte() throws {
    let result = try MisbehavingPlugin("incremental.rows").result(of: "incremental.rows")
    #expect(result.outcome == .warn)
    #expect(result.note == "no row before the last byte of large.misb, org.example.misb of noise")
  }

  /// The words are those of a program that isolates its plugins.
  @Test func namesTheCallThatNoWorkerMayMake() throws {
    let plugin = MisbehavingPlugin("isolated.attempt")
    let result = try plugin.result(of: "isolated.decode")
    #expect(result.outcome == .fail)
    #expect(result.rule == .r11)
    let failure = try #require(result.failure)
    #expect(failure.what == "still.misb, after stored colors of page 0")
    #expect(failure.expected == "no error, as without a worker")
    #expect(failure.found == "coderCrashed: SIGSYS: memfd_create, which a worker may not call")
    let registry = IsolationWorker.registry(of: [plugin.folder.path])
    let error = #expect(throws: CoderError.self) {
      try registry.decode(.file("\(plugin.folder.path)/samples/still.misb"))
    }
    #expect(error?.message == "SIGSYS: memfd_create, which a worker may not call")
  }

  /// A question that a worker answers with an error ends nothing; what the plugin makes of the answer counts.
  @Test func findsAPictureThatNeedsASocket() throws {
    let result = try MisbehavingPlugin("isolated.question").result(of: "isolated.decode")
    #expect(result.rule == .r11)
    #expect(result.failure?.expected == "no error, as without a worker")
    #expect(result.failure?.found == "library: no socket for the pixels")
  }

  /// Threads of a wrapped library break R4, which the manifest may allow.
  @Test func waivesThreadsThatTheManifestStates() throws {
    let plugin = MisbehavingPlugin(
      "process.threads", edit: ["\"library\": \"lib", "\"threads\": \"library\", \"library\": \"lib"])
    let result = try plugin.result(of: "process.threads")
    #expect(result.outcome == .pass)
    let waiver = try #require(result.waiver)
    #expect(waiver.hasSuffix(" while reading and writing, which \"threads\": \"library\" of the manifest allows"))
    #expect(try MisbehavingPlugin("none").result(of: "process.threads").waiver == nil)
  }

  @Test func savesTheInputThatEndedAProcess() throws {
    let plugin = MisbehavingPlugin("decode.flips")
    let result = try plugin.result(of: "fuzz.mutations")
    #expect(result.outcome == .fail)
    #expect(result.rule == .r2)
    #expect(result.failure?.found == "crashed SIGABRT")
    let file = try #require(result.file)
    // The input by itself ends the next process too.
    let again = try plugin.result(of: "decode.samples", files: [Self.renamed(file)])
    #expect(again.failure?.found == "crashed SIGABRT")
  }

  private static func renamed(_ file: String) -> String {
    _ = Command.run("cp '\(file)' '\(file).misb'")
    return "\(file).misb"
  }

  /// A plugin that breaks no rule fails no check, with samples and without.
  @Test(arguments: [true, false]) func passesWithoutAFault(hasSamples: Bool) throws {
    let plugin = MisbehavingPlugin("none", hasSamples: hasSamples)
    var settings = CheckRun.Settings()
    settings.program = MisbehavingPlugin.command
    settings.effort = 1
    settings.jobs = 2
    settings.fuzzing = 1
    #expect(IsolationWorker.isThere)
    let results = CheckRun(settings).results(
      of: CheckedPlugin(manifest: "\(plugin.folder.path)/misbehaving.imgcoder.json", library: nil, files: []),
      PluginCheck.all, cancellation: Cancellation())
    #expect(results.count == PluginCheck.all.count)
    #expect(results.filter { $0.outcome == .fail || $0.outcome == .warn } == [])
  }
}
