// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// A plugin that asks for files beside its own, in the process and in a worker: what it gets, and what the log says.
@Suite(.serialized) struct SiblingTests {
  private static let plugin = ForeignPlugin.folder("SiblingPlugin", "sibling")

  /// The same plugin, whose manifest names every file.
  private static let ofFolder: TemporaryFolder = {
    let folder = TemporaryFolder()
    let result = Command.run(
      "cp '\(plugin.path)'/* '\(folder.path)' && cd '\(folder.path)' && "
        + "sed -i 's/\"siblings\": .*/\"siblings\": [\"*\"]/' sibling.imgcoder.json")
    precondition(result.status == 0, result.output)
    return folder
  }()

  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case process, worker
    var testDescription: String { rawValue }
  }

  /// What the plugin said of each name: a status, a space, the bytes. The log is lines of the host.
  private struct Answer: Equatable {
    var lines: [String]
    var log: [String]
  }

  /// `photo.sib` and files beside it.
  private let folder = TemporaryFolder()

  init() {
    folder.write("a sidecar", to: "photo.xmp")
    folder.write("another", to: "photo.sib.xmp")
    folder.write("a legend", to: "legend.txt")
    folder.write("secret", to: ".photo.xmp")
    folder.write("of another", to: "other.xmp")
    folder.write("empty", to: "below/photo.xmp")
    folder.write("", to: "nothing.txt")
  }

  private func ask(
    _ names: [String], _ place: Place, of plugin: TemporaryFolder = Self.plugin, file: String = "photo.sib",
    access: SiblingAccess? = nil, policy: SecurityPolicy = .standard, limits: Limits = .standard
  ) throws -> Answer {
    folder.write("SIBLING " + names.joined(separator: "\n"), to: file)
    let registry = CoderRegistry(
      searchPath: .only([plugin.path]), preferences: CoderPreferences(),
      isolation: Isolation(place == .worker ? .required : .inProcess), policy: policy)
    let log = Mutex<[String]>([])
    var options = DecodeOptions(limits: limits)
    options.siblings = access
    options.log = { severity, message in log.withLock { $0.append("\(severity): \(message)") } }
    let image = try registry.decode(.file("\(folder.path)/\(file)"), options: options)
    let said = String(decoding: image.metadata[.xmp] ?? [], as: UTF8.self)
    return Answer(
      lines: said.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init),
      log: log.withLock { $0 })
  }

  private static let notPresent = "2 "

  @Test(arguments: Place.allCases) func namedFilesAreRead(_ place: Place) throws {
    #expect(IsolationWorker.isThere)
    let answer = try ask(["{stem}.xmp", "{name}.xmp", "photo.xmp", "photo.sib.xmp"], place)
    #expect(answer.lines == ["0 a sidecar", "0 another", "0 a sidecar", "0 another"])
    #expect(answer.log == [])
  }

  @Test(arguments: Place.allCases) func whatTheManifestDoesNotNameIsNotThere(_ place: Place) throws {
    let answer = try ask(["other.xmp", "photo.sib", "photo.XMP"], place, access: .folder)
    #expect(answer.lines == [Self.notPresent, Self.notPresent, Self.notPresent])
    #expect(answer.log.count == 3)
    #expect(
      answer.log.first == "info: other.xmp, beside the file, is not opened: the coder's manifest does not name it")
  }

  @Test(arguments: Place.allCases) func aManifestOfAllFilesNeedsTheAccessForThat(_ place: Place) throws {
    for (access, answer, reason) in [
      (nil, Self.notPresent, "the caller allows \"named\""), (.folder, "0 of another", nil),
      (.nothing, Self.notPresent, "the caller allows \"none\""),
    ] as [(SiblingAccess?, String, String?)] {
      let found = try ask(["other.xmp"], place, of: Self.ofFolder, access: access)
      #expect(found.lines == [answer])
      #expect(found.log == (reason.map { ["info: other.xmp, beside the file, is not opened: \($0)"] } ?? []))
    }
    // A name of its own is none that is made of the file's.
    #expect(try ask(["legend.txt"], place).lines == [Self.notPresent])
    #expect(try ask(["legend.txt"], place, access: .folder).lines == ["0 a legend"])
    #expect(try ask(["{stem}.xmp"], place, access: .nothing).lines == [Self.notPresent])
  }

  @Test(arguments: Place.allCases) func nothingElseOfTheSystemIsOpened(_ place: Place) throws {
    let made = Command.run(
      """
      cd '\(folder.path)' && ln -s photo.xmp link.xmp && ln -s /etc/passwd out.xmp && mkfifo fifo.xmp \
      && mkdir folder.xmp && ln -s nowhere dangling.xmp
      """)
    try #require(made.status == 0, "\(made.output)")
    let names = [
      "../\(folder.path.split(separator: "/").last ?? "")/photo.xmp", "..", ".", "below/photo.xmp", "/etc/passwd",
      ".photo.xmp", "link.xmp", "out.xmp", "fifo.xmp", "folder.xmp", "dangling.xmp", "absent.xmp", "",
      String(repeating: "a", count: 4096), String(repeating: "a", count: 255), "photo.xmp\0.txt", "{stem}/../other.xmp",
    ]
    let answer = try ask(names, place, of: Self.ofFolder, access: .folder)
    #expect(answer.lines == names.map { _ in Self.notPresent })
    #expect(answer.log.count == names.count)
    let reasons = answer.log.map { $0.split(separator: ": ").last.map(String.init) ?? "" }
    #expect(reasons.prefix(6).allSatisfy { $0 == "this is no name of a file of the folder" })
    #expect(reasons[6...11].allSatisfy { $0 == "there is no such file, or it is no regular file" })
    #expect(reasons[12] == reasons[0] && reasons[13] == reasons[0] && reasons[14] == reasons[11])
    #expect(reasons[15] == reasons[0] && reasons[16] == reasons[0])
  }

  @Test(arguments: Place.allCases) func anEmptyFileIsThere(_ place: Place) throws {
    #expect(try ask(["nothing.txt"], place, of: Self.ofFolder, access: .folder).lines == ["0 "])
  }

  @Test(arguments: Place.allCases) func aPolicySaysWhoForbidsIt(_ place: Place) throws {
    var policy = SecurityPolicy.standard
    policy.siblings = .init(.named, reason: "one folder for all")
    let answer = try ask(["{stem}.xmp", "legend.txt"], place, access: .folder, policy: policy)
    #expect(answer.lines == ["0 a sidecar", Self.notPresent])
    #expect(
      answer.log == [
        """
        info: legend.txt, beside the file, is not opened: set by the program: one folder for all: "named"
        """
      ])
    policy.siblings = .init(.nothing)
    #expect(try ask(["{stem}.xmp"], place, policy: policy).lines == [Self.notPresent])
    // Without a word of the caller's, what the policy allows is what is read.
    policy.siblings = .init(.folder)
    #expect(try ask(["legend.txt"], place, policy: policy).lines == ["0 a legend"])
  }

  @Test(arguments: Place.allCases) func bytesCountTogetherTowardMaxMemory(_ place: Place) throws {
    folder.write(String(repeating: "x", count: 20_000), to: "photo.xmp")
    var limits = Limits.standard
    limits.maxMemory = 45_000
    let answer = try ask(["{stem}.xmp", "{stem}.xmp", "{stem}.xmp"], place, limits: limits)
    #expect(answer.lines.map(\.count) == [20_002, 20_002, 3])
    #expect(answer.lines[2] == "\(CoderError.Code.limitExceeded.rawValue) ")
  }

  @Test(arguments: Place.allCases) func eachFileCountsAsARead(_ place: Place) throws {
    var limits = Limits.standard
    limits.maxReads = 3
    let lines = try ask((0..<8).map { _ in "absent" }, place, limits: limits).lines
    // In the process the plugin's look at its own file is the first of three.
    let answered = place == .process ? 2 : 3
    #expect(lines.prefix(answered).allSatisfy { $0 == Self.notPresent })
    #expect(lines.dropFirst(answered).allSatisfy { $0 == "\(CoderError.Code.limitExceeded.rawValue) " })
    #expect(lines.count == 8)
  }

  @Test(arguments: Place.allCases) func aNameThatIsNotUTF8HasSiblings(_ place: Place) throws {
    let made = Command.run("cd '\(folder.path)' && printf 'of bytes' > \"$(printf 'a\\377b.xmp')\"")
    try #require(made.status == 0, "\(made.output)")
    let name = SystemName.string([0x61, 0xFF, 0x62, 0x2E, 0x73, 0x69, 0x62])
    folder.write("SIBLING {stem}.xmp", to: "c.sib")
    let moved = Command.run("cd '\(folder.path)' && mv c.sib \"$(printf 'a\\377b.sib')\"")
    try #require(moved.status == 0, "\(moved.output)")
    let registry = CoderRegistry(
      searchPath: .only([Self.plugin.path]), preferences: CoderPreferences(),
      isolation: Isolation(place == .worker ? .required : .inProcess))
    let image = try registry.decode(.file("\(folder.path)/\(name)"))
    #expect(image.metadata[.xmp] == Array("0 of bytes\n".utf8))
  }

  @Test(arguments: Place.allCases) func bytesOfNoPathHaveNoFolder(_ place: Place) throws {
    let registry = CoderRegistry(
      searchPath: .only([Self.plugin.path]), preferences: CoderPreferences(),
      isolation: Isolation(place == .worker ? .required : .inProcess))
    let log = Mutex<[String]>([])
    var options = DecodeOptions()
    options.log = { _, message in log.withLock { $0.append(message) } }
    let image = try registry.decode(.bytes(Array("SIBLING {stem}.xmp".utf8)), options: options)
    #expect(image.metadata[.xmp] == Array("\(Self.notPresent)\n".utf8))
    #expect(
      log.withLock { $0 } == [
        "{stem}.xmp, beside the file, is not opened: the bytes that are read have no folder"
      ])
  }

  @Test(arguments: Place.allCases) func anImageKnowsWhetherItsSiblingsAreStillTheSame(_ place: Place) throws {
    folder.write("SIBLING {stem}.xmp\n{name}.xmp\nother.xmp", to: "photo.sib")
    let registry = CoderRegistry(
      searchPath: .only([Self.plugin.path]), preferences: CoderPreferences(),
      isolation: Isolation(place == .worker ? .required : .inProcess))
    try FileManager.default.removeItem(atPath: "\(folder.path)/photo.sib.xmp")
    let image = try registry.decode(.file("\(folder.path)/photo.sib"))
    #expect(image.siblings.count == 2)
    #expect(image.siblings.map(\.holds) == [true, true])
    folder.write("there now", to: "photo.sib.xmp")
    #expect(image.siblings.map(\.holds) == [true, false])
    folder.write("another sidecar", to: "photo.xmp")
    #expect(image.siblings.map(\.holds) == [false, false])
  }
}
