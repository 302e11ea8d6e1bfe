// SPDX-License-Identifier: Apache-2.0

import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// The conformance kit over each plugin that has a folder of fixtures, by the name of its manifest. CODERS_PLUGINS says which.
@Suite struct PluginConformanceTests {
  /// A check of a plugin; nil where the plugin is not staged.
  struct Subject: Sendable, CustomTestStringConvertible {
    let plugin: String
    let check: ConformanceCheck?

    var testDescription: String { "\(plugin): \(check?.name ?? "not staged, its library is not on this machine")" }
  }

  static let subjects = StagedTree.pluginsWithFixtures.flatMap { plugin -> [Subject] in
    guard StagedTree.missing([plugin]).isEmpty else { return [Subject(plugin: plugin, check: nil)] }
    return conformance(of: plugin.lowercased()).checks.filter { !isLeftOut($0, of: plugin) }
      .map { Subject(plugin: plugin, check: $0) }
  }

  /// The pinned libavif has aom alone, so an encoder cannot be chosen. Entries of icons that are PNG files are read by the coder
  /// of that format, which the kit does not have: `ICOCoderTests` looks at them.
  private static func isLeftOut(_ check: ConformanceCheck, of plugin: String) -> Bool {
    plugin == "AVIF" && PinnedAnswers.count(for: "avif") && check.name == "options: codec"
      || plugin == "ICO" && check.name == "options: png"
  }

  private static func conformance(of name: String) -> CoderConformance {
    let isPinned = PinnedAnswers.count(for: name)
    // Where they cannot be read, the checks of the folder say so.
    let fixtures = isPinned ? try? PinnedAnswers.fixtures(name) : nil
    var bounds = CoderConformance.Bounds()
    // AV1 has 12 bits at most, and HEVC as x265 writes it.
    if ["avif", "heif"].contains(name) { bounds.losslessBits = 12 }
    return CoderConformance(
      pluginDirectory: StagedTree.plugins, id: "org.imagecoders.\(name)",
      fixtures: fixtures ?? StagedTree.fixtures(name), bounds: bounds,
      // Icons are squares of certain sides: 32 and four times as much are among them.
      pictureSize: name == "icns" ? Size(width: 32, height: 32) : Size(width: 48, height: 36),
      optionsWithoutEffect: withoutEffect(name, isPinned: isPinned))
  }

  private static func withoutEffect(_ name: String, isPinned: Bool) -> [String: String] {
    switch name {
    case "avif" where isPinned: ["codec": "the pinned libavif has aom alone"]
    case "heif": ["groups": "the kit's texts name no pages; PictureGroupTests has those that do"]
    default: [:]
    }
  }

  @Test(arguments: Turn.rows(subjects)) func passes(_ subject: Subject) throws {
    guard let check = subject.check else {
      try Test.cancel("\(subject.testDescription)")
    }
    try check.run()
  }
}
