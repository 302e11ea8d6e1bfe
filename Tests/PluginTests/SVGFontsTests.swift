// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport
import Testing

/// Fonts in a worker, by the layers that keep it to them: each command has a server of its own.
@Suite(.needs("SVG", "PNG")) struct SVGFontsTests {
  private static let text =
    "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='40'><text x='5' y='30' font-size='30'>Text</text></svg>"

  /// The picture that a command makes, and what it says.
  private static func convert(_ variables: String, _ arguments: String) throws -> (picture: [UInt8], said: String) {
    let folder = TemporaryFolder()
    let file = folder.write(Array(text.utf8), to: "text.svg")
    let output = "\(folder.path)/text.png"
    let said = Command.run(
      "\(variables) '\(StagedTree.root)/build/bin/coders' convert \(arguments) '\(file)' '\(output)' 2>&1")
    return (try OpenSource(.file(output), limits: .standard).contents(), said.output)
  }

  @Test(arguments: ["", "landlock", "root"]) func oneLayerGivesFonts(_ without: String) throws {
    let here = try Self.convert("", "")
    let isolated = try Self.convert("CODERS_ISOLATION_WITHOUT=\(without)", "--isolate required")
    #expect(here.picture == isolated.picture)
    #expect(here.said == "" && isolated.said == "")
  }

  /// In a folder that the empty root of a worker hides, if nothing is done for it.
  @Test func fontsOfTheUserAreGiven() throws {
    let folder = TemporaryFolder()
    let copied = Command.run(
      "mkdir '\(folder.path)/fonts' && cp \"$(fc-match -f '%{file}' monospace:bold)\" '\(folder.path)/fonts'")
    #expect(copied.status == 0, "\(copied.output)")
    folder.write(Array("<fontconfig><dir>\(folder.path)/fonts</dir></fontconfig>".utf8), to: "fonts.conf")
    let variables = "FONTCONFIG_FILE='\(folder.path)/fonts.conf'"
    let (here, isolated) = (try Self.convert(variables, ""), try Self.convert(variables, "--isolate required"))
    #expect(here.picture == isolated.picture)
    #expect(here.picture != (try Self.convert("", "").picture))
    #expect(here.said == "" && isolated.said == "")
  }

  @Test func noLayerGivesNoFonts() throws {
    let here = try Self.convert("", "")
    let bare = try Self.convert("CODERS_ISOLATION_WITHOUT=landlock,root", "--isolate preferred")
    #expect(here.picture != bare.picture)
    #expect(bare.said.contains("the drawing has text, and no font can be opened"))
  }
}
