// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

@Suite struct StreamCommandTests {
  private let folder = Folder()

  @Test func writesEachPictureAndAStripOfThem() throws {
    let output = "\(folder.path)/steps"
    let window = try Fixture.path("window.png")
    let size = try Package.bytes(window).count
    let run = Run.inProcess("stream", "--chunk", "\((size + 2) / 3)", window, "-o", output)
    #expect(run.status == 0)
    #expect(run.errors == "")
    let pictures = Folder.names(in: output).filter { $0 != "strip.png" }
    #expect(pictures.first == "0001.png")
    #expect(run.output.split(separator: "\n").last?.hasSuffix(pictures.last ?? "none") == true)
    let last = try Decoded.image("\(output)/\(pictures.last ?? "")")
    #expect(Decoded.bytes(last.pixels) == Decoded.bytes(try Decoded.image(window).pixels))
    // Each picture is 200 wide in the strip, with 8 transparent columns between two.
    let strip = try Decoded.image("\(output)/strip.png")
    #expect(strip.size == Size(width: 208 * pictures.count - 8, height: 117))
    let corners = strip.pixels.withRow(0) { row in
      (row[3], pictures.count > 1 ? row[4 * 204 + 3] : 0, row[row.count - 1])
    }
    #expect(corners == (255, 0, 255))
  }

  @Test func printsStepsWithoutWriting() throws {
    let run = Run.inProcess("stream", "--json", "--chunk", "5000", try Fixture.path("comet-alpha.gif"))
    #expect(run.status == 0)
    #expect(run.output.contains(#""status": "complete""#))
    #expect(folder.names == [])
  }
}
