// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import ImageCodersBuiltIn
import TestSupport
import Testing

/// Coders that are part of the program: the same rules, the same checks and the same pixels as those of plugins.
@Suite struct BuiltInCoderTests {
  private func registry(
    _ coders: [BuiltInCoder] = .all, plugins: [String] = [], _ change: (inout CoderPreferences) -> Void = { _ in }
  ) -> CoderRegistry {
    var preferences = CoderPreferences()
    change(&preferences)
    return CoderRegistry(builtIn: coders, searchPath: .only(plugins), preferences: preferences)
  }

  /// Those whose manifests name no packages.
  private static let formats = Command.run("cd '\(StagedTree.root)/Registry' && grep -L '\"packages\"' *.imgcoder.json")
    .output.lines.map { String($0.prefix { $0 != "." }) }.sorted()

  @Test func thoseOfTheDefaultTraitsNeedNoLibrary() {
    #expect(registry().coderIDs.sorted() == Self.formats.map { "org.imagecoders.\($0)" })
    #expect(Self.formats.contains("qoi") && !Self.formats.contains("png"))
    #expect([BuiltInCoder].all.count == Self.formats.count && [BuiltInCoder].all.contains(.qoi))
  }

  @Test func areListedWithTheirPlace() throws {
    let entry = try #require(registry([.gif]).catalog.entries.first)
    #expect(entry.place == "built in")
    #expect(entry.path == "built in")
    #expect(entry.library == nil)
    #expect(entry.reason == nil)
    #expect(entry.manifest?.name == "GIF")
  }

  @Test(arguments: formats)
  func decodeWhatThePluginsDecode(_ format: String) throws {
    let (builtIn, plugins) = (registry(), registry([], plugins: [StagedTree.plugins]))
    let files = Command.run("ls '\(StagedTree.fixtures(format))'/*valid/* | grep -v -e answers.json -e '\\.txt$'")
      .output
      .split(separator: "\n").map(String.init)
    try #require(!files.isEmpty)
    for file in files {
      // What a file contains may be of a format whose coder is not built in.
      guard let ours = answer(builtIn, file) else { continue }
      #expect(ours == answer(plugins, file), "\(file)")
    }
  }

  /// The pixels of all frames, or the error; nil if a coder is missing.
  private func answer(_ registry: CoderRegistry, _ file: String) -> [String]? {
    do throws(CoderError) {
      let image = try registry.decode(.file(file))
      return image.frames.map { frame in
        let pixels = frame.pixels
        let rows = (0..<pixels.size.height).map { y in pixels.withRow(y) { Array($0) } }
        return "\(pixels.size) \(pixels.layout) \(frame.delay.seconds) \(rows.hashValue)"
      } + [image.problem.map { "\($0)" } ?? ""]
    } catch {
      return error.code == .noCoder ? nil : ["\(error)"]
    }
  }

  @Test func writeWhatThePluginsWrite() throws {
    let image = try registry().decode(.file("\(StagedTree.fixtures("qoi"))/valid/" + firstValid("qoi")))
    let plugins = registry([], plugins: [StagedTree.plugins])
    for format in [ImageFormat.gif, .bmp, .qoi] {
      #expect(try registry().encode(image, as: format) == plugins.encode(image, as: format))
    }
  }

  private func firstValid(_ format: String) -> String {
    Command.run("ls '\(StagedTree.fixtures(format))/valid' | grep '\\.\(format)$' | head -n 1").output.lines.first ?? ""
  }

  @Test func takeThePlaceOfPluginsWithTheirIdentifier() throws {
    let registry = registry([.gif], plugins: [StagedTree.plugins])
    let entries = registry.catalog.entries.filter { $0.id == "org.imagecoders.gif" }
    #expect(entries.map(\.place) == ["built in", "\(StagedTree.plugins)/libGIFCoder.so"])
    #expect(entries.map { $0.reason?.code } == [nil, .shadowed])
    #expect(entries.last?.reason?.message == "a coder with the same id is built into the program")
    #expect(registry.coderIDs.contains("org.imagecoders.png"))
  }

  @Test func obeyTheUsersSettings() {
    let disabled = registry([.gif, .bmp]) { $0.disabled = ["org.imagecoders.gif"] }
    #expect(disabled.coderIDs == ["org.imagecoders.bmp"])
    let allowed = registry([.gif, .bmp]) { $0.allowed = ["org.imagecoders.gif"] }
    #expect(allowed.coderIDs == ["org.imagecoders.gif"])
    let first = registry([.bmp, .gif, .qoi]) { $0.priorities = ["org.imagecoders.qoi": 200] }
    #expect(first.coderIDs == ["org.imagecoders.qoi", "org.imagecoders.bmp", "org.imagecoders.gif"])
  }

  /// The plugin giflib has priority 50.
  @Test func areRankedAmongPlugins() throws {
    let file = "\(StagedTree.fixtures("gif"))/valid/" + firstValid("gif")
    let both = registry([.gif], plugins: [StagedTree.plugins])
    #expect(try both.open(.file(file)).coderID == "org.imagecoders.gif")
    both.setPriority(300, of: "org.imagecoders.gif.giflib")
    #expect(try both.open(.file(file)).coderID == "org.imagecoders.gif.giflib")
  }

  @Test func eachStepOfTheChoiceIsExplained() throws {
    var steps: [SelectionStep] = []
    _ = try registry([.gif, .bmp]).open(
      .file("\(StagedTree.fixtures("gif"))/valid/" + firstValid("gif")), explain: { steps.append($0) })
    #expect(
      steps.map { "\($0.coder ?? "") \($0.code)" }.sorted() == [
        "org.imagecoders.bmp noMatch", "org.imagecoders.gif chosen", "org.imagecoders.gif identified",
      ])
  }

  @Test func onlyAllowedFormatsAreRead() {
    var options = DecodeOptions()
    options.allowedFormats = [.bmp]
    let error = #expect(throws: CoderError.self) {
      try registry().decode(.file("\(StagedTree.fixtures("gif"))/valid/" + firstValid("gif")), options: options)
    }
    #expect(error?.code == .unsupported)
  }
}

extension String {
  fileprivate var lines: [String] { split(separator: "\n").map(String.init) }
}
