// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderEngine
import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// What `coders check` finds in the project's own plugins.
@Suite(.serialized) struct PluginCheckTests {
  /// A check that a plugin fails for a reason that is known, and not mended yet.
  struct KnownFault {
    let plugin: String
    let checks: [String]
    let reason: String
  }

  static let knownFaults: [KnownFault] = [
    KnownFault(
      plugin: "org.imagecoders.avif", checks: ["decode.flips", "decode.bytes", "decode.lies", "decode.messages"],
      reason: "the AV1 decoder that libavif 0.11 calls prints to standard error, and libavif cannot silence it"),
    KnownFault(
      plugin: "org.imagecoders.jxl",
      checks: ["decode.flips", "decode.bytes", "decode.short", "decode.lies", "decode.messages"],
      reason: "libjxl 0.7 of Debian 12 prints its failures to standard error"),
    KnownFault(
      plugin: "org.imagecoders.raw",
      checks: ["decode.flips", "decode.bytes", "decode.short", "decode.lies", "decode.messages"],
      reason: "tiles of DNG in JPEG XL are decoded by the same libjxl"),
  ]

  /// Five files of each format, from the smallest to the largest, and those with metadata.
  static let files: [String] = StagedTree.fixtureFormats.flatMap { format in
    let listed = Command.run("cd '\(StagedTree.fixtures(format))/valid' && ls -Sr").output
    // What a file states against the rules, a writer may mend, and then it is not kept byte for byte.
    let names = listed.split(separator: "\n").map(String.init).filter { $0 != "orientation-9.jpg" }
    let step = max(1, names.count / 5)
    let spread = stride(from: 0, to: min(names.count, step * 5), by: step).map { names[$0] }
    let described = names.filter { name in ["icc", "exif", "xmp"].contains { name.hasPrefix("\($0).") } }
    return (spread + described.filter { !spread.contains($0) }).map { "\(StagedTree.fixtures(format))/valid/\($0)" }
  }

  static func results(of plugin: CheckedPlugin, only words: [String] = []) -> [CheckResult] {
    precondition(IsolationWorker.isThere, "there is no worker; has `make stage` run?")
    var settings = CheckRun.Settings()
    settings.program = MisbehavingPlugin.command
    settings.effort = 0.3
    settings.jobs = 2
    settings.timeout = 60
    let checks = words.isEmpty ? PluginCheck.all.filter { $0.group != .fuzz } : PluginCheck.selection(words).checks
    return CheckRun(settings).results(of: plugin, checks, cancellation: Cancellation())
  }

  @Test(arguments: Turn.rows(try CheckedPlugin.find(StagedTree.plugins, files: files).map(\.manifest)))
  func passes(_ manifest: String?) throws {
    let plugin = CheckedPlugin(manifest: manifest, library: nil, files: Self.files)
    let known = Set(Self.knownFaults.filter { $0.plugin == plugin.name }.flatMap(\.checks))
    let failures = Self.results(of: plugin).filter { $0.outcome == .fail && !known.contains($0.check) }
    #expect(failures == [])
  }

  /// A reader that never learns how many frames there are, with hidden pages.
  @Test func aReaderThatCountsNoFramesPasses() throws {
    let folder = ForeignPlugin.folder("UncountedPlugin", "uncounted")
    let files = try [3, 300].map { count in
      let file = "\(folder.path)/\(count).reel"
      let bytes = Array("REEL\u{2}".utf8) + (0..<count).map { UInt8(1 + $0 % 200) }
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      return file
    }
    let plugin = CheckedPlugin(manifest: "\(folder.path)/uncounted.imgcoder.json", library: nil, files: files)
    let results = Self.results(of: plugin)
    #expect(results.filter { $0.outcome == .fail } == [])
    for check in ["pages.hidden", "animation.frames", "animation.order", "interface.unknown-page"] {
      #expect(results.first { $0.check == check }?.outcome == .pass, "\(check)")
    }
  }

  @Test func aPluginInCPasses() throws {
    let folder = ForeignPlugin.qoi.path
    let plugin = CheckedPlugin(manifest: "\(folder)/qoi.imgcoder.json", library: nil, files: Self.files)
    #expect(Self.results(of: plugin).filter { $0.outcome == .fail } == [])
  }

  /// Text is the same in a worker, which may read fonts because the manifest says so.
  @Test func textIsDrawnInAWorker() throws {
    let folder = TemporaryFolder()
    let text = folder.write(
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="120" height="40">
        <text x="5" y="28" font-size="24">Hamburg</text>
      </svg>
      """, to: "text.svg")
    _ = Command.run("cp '\(StagedTree.plugins)/libSVGCoder.so' '\(folder.path)'")
    let manifest = Command.run("cat '\(StagedTree.plugins)/svg.imgcoder.json'").output
    func decode() throws -> CheckResult {
      let plugin = CheckedPlugin(manifest: "\(folder.path)/svg.imgcoder.json", library: nil, files: [text])
      return try #require(Self.results(of: plugin, only: ["isolated.decode"]).first)
    }
    folder.write(manifest, to: "svg.imgcoder.json")
    #expect(try decode().outcome == .pass)
    let place = try #require(manifest.firstRange(of: "\"resources\": [\"fonts\"],"))
    folder.write(String(manifest[..<place.lowerBound] + manifest[place.upperBound...]), to: "svg.imgcoder.json")
    let failure = try #require(try decode().failure)
    #expect(failure.expected == "the same bytes, as without a worker")
    #expect(failure.found == "other bytes")
  }

  /// Color corrections and primaries of Radiance HDR are lists.
  @Test func valuesOfAListNeedNoName() {
    let files = ["corrections", "primaries-own"].map { "\(StagedTree.fixtures("hdr"))/valid/\($0).hdr" }
    let plugin = CheckedPlugin(manifest: "\(StagedTree.plugins)/hdr.imgcoder.json", library: nil, files: files)
    #expect(Self.results(of: plugin).filter { $0.outcome == .fail } == [])
  }

  @Test func knownFaultsNameChecks() {
    let ids = Set(PluginCheck.all.map(\.id))
    for fault in Self.knownFaults {
      #expect(ids.isSuperset(of: fault.checks))
      #expect(!fault.reason.isEmpty)
    }
  }

  @Test func eachCheckHasItsOwnNameAndASentence() {
    #expect(Set(PluginCheck.all.map(\.id)).count == PluginCheck.all.count)
    for check in PluginCheck.all {
      #expect(check.sentence.hasSuffix("."), "\(check.id)")
      #expect(!check.sentence.dropLast().contains(". "), "\(check.id)")
    }
  }

  /// The rules are those of the header, word for word.
  @Test func rulesAreThoseOfTheHeader() throws {
    let header = Command.run("cat '\(StagedTree.root)/Sources/CImageCoder/include/imgcoder/plugin.h'").output
    let lines = header.split(separator: "\n").filter { $0.hasPrefix("//") }.map { $0.dropFirst(2) }
    let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    for rule in Rule.allCases where rule != .manifest && rule != .options {
      #expect(words.contains("\(rule.rawValue) \(rule.text)"), "\(rule.rawValue)")
    }
  }

  /// A library with any byte changed is parsed or refused, without a trap.
  @Test func damagedLibrariesAreParsedOrRefused() throws {
    let folder = TemporaryFolder()
    let source = try OpenSource(.file("\(ForeignPlugin.qoi.path)/libqoi.so"), limits: .standard)
    let whole = try withExtendedLifetime(source) { [UInt8](try $0.view(at: 0, count: .max)) }
    folder.write(Command.run("cat '\(ForeignPlugin.qoi.path)/qoi.imgcoder.json'").output, to: "qoi.imgcoder.json")
    var random = SplitMix(seed: 3)
    var refused = 0
    for turn in 0..<300 {
      var bytes = whole
      // The headers, the dynamic section and the tables of names are spread over the file.
      for _ in 0..<4 {
        let reach = turn % 2 == 0 ? 0x400 : bytes.count
        bytes[Int(random.next() % UInt64(reach))] = UInt8(truncatingIfNeeded: random.next())
      }
      if turn % 10 == 0 { bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count)))) }
      folder.write(bytes, to: "libqoi.so")
      let plugin = CheckedPlugin(manifest: "\(folder.path)/qoi.imgcoder.json", library: nil, files: [])
      if !CheckRun.staticFailures(of: plugin).isEmpty { refused += 1 }
    }
    // Every tenth is cut.
    #expect(refused >= 30)
  }
}
