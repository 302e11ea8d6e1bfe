// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// A coder that somebody else wrote, in another language, against the installed headers, is a coder like any other.
@Suite struct ForeignPluginTests {
  private static let id = "org.example.qoi"
  private static let format = ImageFormat(rawValue: "io.qoiformat.qoi")
  private static let picture = ByteSource.file("\(StagedTree.fixtures("qoi"))/valid/rgba8.qoi")

  /// A registry in which the foreign coder is preferred; the bundled coder of its files would come first.
  private func registry() -> CoderRegistry {
    var preferences = CoderPreferences()
    preferences.preferred = ["qoi": CoderPreferences.Order(read: [Self.id])]
    return CoderRegistry(
      searchPath: .only([ForeignPlugin.qoi.path, StagedTree.plugins]), preferences: preferences)
  }

  @Test func isListed() throws {
    let entry = try #require(registry().catalog.entries.first { $0.id == Self.id })
    #expect(entry.reason == nil)
    #expect(entry.manifest?.formats.map(\.extensions) == [["qoi"]])
    #expect(entry.priority == 100)
    #expect(registry().name(of: Self.format) == "QOI")
  }

  @Test func compilesWithoutAWarning() {
    let source = "\(StagedTree.root)/Tests/QOIPlugin/qoi.c"
    for dialect in ["cc -std=c99", "cc -std=c11"] {
      let result = Command.run(
        "\(dialect) -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I'\(StagedTree.headers)' '\(source)'")
      #expect(result.status == 0, "\(result.output)")
    }
  }

  @Test func decodesAmongTheOthers() throws {
    var steps: [SelectionStep] = []
    let decoder = try registry().open(Self.picture) { steps.append($0) }
    #expect(decoder.coderID == Self.id)
    #expect(decoder.header.canvas == Size(width: 17, height: 11))
    #expect(decoder.header.format == Self.format)
    #expect(steps.last?.coder == Self.id && steps.last?.code == .chosen)
    #expect(try decoder.image().problem == nil)
  }

  @Test func makesThumbnails() throws {
    let image = try registry().decode(Self.picture, options: .thumbnail(width: 8, height: 8))
    #expect(image.size == Size(width: 8, height: 5))
    #expect(image.coderID == Self.id)
  }

  @Test func encodesWhatItDecodes() throws {
    let registry = registry()
    let image = try registry.decode(Self.picture)
    var options = EncodeOptions()
    options.isLossless = true
    options.values = ["colorspace": 1]
    let bytes = try registry.encode(image, as: Self.format, options: options)
    #expect(bytes[13] == 1)
    let again = try registry.decode(.bytes(bytes))
    #expect(again.header?.cicp?.transfer == 8)
    for y in 0..<image.size.height {
      #expect(again.pixels.withRow(y) { [UInt8]($0) } == image.pixels.withRow(y) { [UInt8]($0) })
    }
  }

  @Test func theCommandFindsItInAFolder() {
    let coders = "'\(StagedTree.root)/build/bin/coders'"
    let list = Command.run("\(coders) list --plugin-dir '\(ForeignPlugin.qoi.path)'")
    #expect(list.status == 0, "\(list.output)")
    #expect(list.output.contains(Self.id), "\(list.output)")
    let probe = Command.run(
      "\(coders) probe --plugin-dir '\(ForeignPlugin.qoi.path)' '\(StagedTree.fixtures("qoi"))/valid/rgba8.qoi'")
    #expect(probe.status == 0, "\(probe.output)")
  }

  @Test func becomesAnotherFormat() throws {
    let registry = registry()
    let image = try registry.decode(Self.picture)
    let png = try registry.encode(image, as: .png)
    let again = try registry.decode(.bytes(png))
    #expect(again.coderID == "org.imagecoders.png")
    #expect(again.pixels.withRow(7) { [UInt8]($0) } == image.pixels.withRow(7) { [UInt8]($0) })
  }
}

/// The plugins of this project need nothing of this project's host: one in plain C reads with them.
@Suite struct ForeignHostTests {
  static let host: TemporaryFolder = {
    let folder = TemporaryFolder()
    let result = Command.run(
      "cc -std=c11 -O1 -I'\(StagedTree.headers)' -o '\(folder.path)/host' '\(StagedTree.root)/Tests/CHost/host.c' -ldl")
    precondition(result.status == 0, "the C host cannot be built; has `make stage` run?\n\(result.output)")
    return folder
  }()

  @Test(arguments: [
    ("PNG", "png/valid/rgba8.png"), ("PNG", "png/valid/apng-loop-3.png"), ("JPEG", "jpeg/valid/progressive-420.jpg"),
    ("GIF", "gif/valid/disposal-restore-previous.gif"), ("WebP", "webp/valid/animated-blend.webp"),
    ("WebP", "webp/valid/lossy.webp"),
  ])
  func reads(_ plugin: String, _ fixture: String) {
    for verb in ["info", "decode"] {
      let result = Command.run(
        "LD_LIBRARY_PATH='\(StagedTree.runtime)' '\(Self.host.path)/host' '\(StagedTree.plugins)/lib\(plugin)Coder.so' \(verb) '\(StagedTree.fixtures(fixture))'"
      )
      #expect(result.status == 0, "\(result.output)")
      #expect(result.output.contains("info status=0x00"))
    }
  }

  @Test func readsWithTheForeignPlugin() {
    let result = Command.run(
      "'\(Self.host.path)/host' '\(ForeignPlugin.qoi.path)/libqoi.so' decode '\(StagedTree.fixtures("qoi/valid/rgb8.qoi"))'"
    )
    #expect(result.status == 0, "\(result.output)")
  }
}
