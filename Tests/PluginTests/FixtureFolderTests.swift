// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// What the conformance kit says of a folder of fixtures, as the author of a coder makes one.
@Suite struct FixtureFolderTests {
  /// A copy of QOI's fixtures with a sibling, and the plugin in C that answers for them.
  private let place = TemporaryFolder()

  init() {
    let result = Command.run(
      "cp -r '\(StagedTree.fixtures("qoi"))' '\(place.path)/qoi' && mkdir -p '\(place.path)/other/valid'")
    #expect(result.status == 0, "\(result.output)")
  }

  private var folder: String { "\(place.path)/qoi" }

  private var conformance: CoderConformance {
    CoderConformance(pluginDirectory: ForeignPlugin.qoi.path, id: "org.example.qoi", fixtures: folder)
  }

  /// The failures of the family that looks at the folder, by their subjects.
  private func mistakes() -> [String: String] {
    var mistakes: [String: String] = [:]
    for check in conformance.checks where check.family == .loading {
      do throws(ConformanceFailure) { try check.run() } catch { mistakes[check.subject] = "\(error)" }
    }
    return mistakes
  }

  private func replaceAnswers(_ answers: String) { place.write(answers, to: "qoi/answers.json") }

  @Test func aFolderAsItShouldBeHasNoMistakes() {
    #expect(mistakes().isEmpty)
    #expect(Set(conformance.checks.map(\.family)).isSuperset(of: [.pixels, .malformed, .roundTrip, .options]))
  }

  @Test func aSiblingWithoutPicturesFailsNothing() throws {
    place.write("not a picture", to: "other/valid/.keep")
    place.write("notes", to: "other/README.md")
    #expect(mistakes().isEmpty)
    for check in conformance.checks where check.family == .signature { try check.run() }
  }

  @Test func aFolderWithoutAnswersSaysWhatIsMissing() {
    _ = Command.run("rm '\(folder)/answers.json'")
    let found = mistakes()
    #expect(found.count == 1 && conformance.checks.count == 1)
    #expect(found["org.example.qoi"]?.contains("\(folder)/answers.json is missing") == true)
  }

  @Test func textThatIsNotJSONSaysWhichFile() {
    replaceAnswers("{\"valid/rgb8.qoi\": {")
    #expect(mistakes()["org.example.qoi"]?.contains("\(folder)/answers.json cannot be read") == true)
  }

  @Test func aPictureWithoutAnAnswerIsNamed() {
    _ = Command.run("cp '\(folder)/valid/rgb8.qoi' '\(folder)/valid/new.qoi'")
    #expect(
      mistakes() == [
        "valid/new.qoi": "loading: valid/new.qoi: fixture: expected an answer in answers.json, found none"
      ])
  }

  @Test func anAnswerWithoutAPictureIsNamed() {
    _ = Command.run("rm '\(folder)/invalid/truncated-header.qoi' && ls '\(folder)/invalid'")
    #expect(
      mistakes()["invalid/truncated-header.qoi"]
        == "loading: invalid/truncated-header.qoi: fixture: expected a file for its answer, found none")
  }

  @Test func foldersWithoutPicturesAreNamed() {
    _ = Command.run("rm '\(folder)'/*valid/*")
    replaceAnswers("{}")
    #expect(Set(mistakes().keys) == ["valid/", "invalid/"])
  }

  @Test(arguments: [
    (#"{"hash": "0"}"#, "hash is not known; an answer has shows, canvas"),
    (#"{"canvas": [4, 4]}"#, "pixelFormat is missing"),
    (#"{"canvas": 4}"#, "expected"),
    (Self.answer(canvas: "[4]"), "canvas has 1 numbers"), (Self.answer(frames: "[]"), "frames is empty"),
    (Self.answer(hashFormat: "gray8"), "hashFormat is gray8"),
    (Self.answer(frames: #"[{"hash": "0", "delay": [1]}]"#), "the delay of frame 0"),
    (Self.answer(frames: #"[{"hash": "0", "rect": [1]}]"#), "the rect of frame 0"),
  ]) func anAnswerThatCannotBeUsedIsNamedWithTheReason(_ answer: String, _ reason: String) {
    replaceAnswers("{\"valid/rgb8.qoi\": \(answer)}")
    let found = mistakes()["valid/rgb8.qoi"] ?? ""
    #expect(found.hasPrefix("loading: valid/rgb8.qoi: fixture: expected an answer that can be used, found "))
    #expect(found.contains(reason), "\(found)")
  }

  @Test(arguments: [
    ("invalid/x.qoi", #"{"error": "wrong"}"#, "the error is wrong, not one of wrongFormat"),
    ("invalid/x.qoi", #"{"error": "truncated", "rows": "few"}"#, "rows is few"),
    ("x.qoi", "{}", "the name begins neither with valid/ nor with invalid/"),
  ]) func anAnswerForABadFileIsLookedAtToo(_ name: String, _ answer: String, _ reason: String) {
    replaceAnswers("{\"\(name)\": \(answer)}")
    #expect(mistakes()[name]?.contains(reason) == true)
  }

  private static func answer(
    canvas: String = "[4, 4]", hashFormat: String = "rgba8", frames: String = #"[{"hash": "0"}]"#
  ) -> String {
    """
    {"canvas": \(canvas), "pixelFormat": "rgb8", "bitsPerChannel": 8, "alpha": "opaque", "hashFormat": "\(hashFormat)",
     "frames": \(frames)}
    """
  }

  /// Formats with pages, orientation, metadata, animations and 16 bits.
  @Test(arguments: ["qoi", "png", "tiff", "ico"]) func aDraftHoldsWhatTheCoderAnswers(_ format: String) throws {
    _ = Command.run("rm -r '\(folder)' && cp -r '\(StagedTree.fixtures(format))' '\(folder)'")
    let id = "org.imagecoders.\(format)"
    replaceAnswers(
      try CoderConformance.draftAnswers(pluginDirectory: StagedTree.plugins, id: id, fixtures: folder))
    let conformance = CoderConformance(pluginDirectory: StagedTree.plugins, id: id, fixtures: folder)
    let families: Set<ConformanceCheck.Family> = [.loading, .pixels, .malformed, .animation]
    for check in conformance.checks where families.contains(check.family) { try check.run() }
    let pictures = Command.run("ls '\(folder)'/*valid/* | wc -l").output
    #expect(
      conformance.checks.filter { [.pixels, .malformed].contains($0.family) }.count == Int(pictures.filter(\.isNumber)))
  }

  @Test func theHashIsThatOfFNV() throws {
    // The vectors of the hash's authors.
    #expect("\(PixelHash([]))" == "cbf29ce484222325")
    #expect("\(PixelHash("a".utf8))" == "af63dc4c8601ec8c")
    #expect("\(PixelHash("foobar".utf8))" == "85944171f73967e8")
    let pixels = try PixelBuffer(size: Size(width: 1, height: 1), format: .gray8, alpha: .opaque)
    pixels.row(0).storeBytes(of: 0x61, as: UInt8.self)
    #expect(PixelHash(pixels) == PixelHash("a".utf8))
  }
}
