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

  /// The first chunk is shown while the rest of the file has not been written to the pipe.
  @Test func aPipeIsShownAsItArrives() throws {
    let film = try Fixture.path("comet-alpha.gif")
    let half = try Package.bytes(film).count / 2
    let out = "\(folder.path)/out"
    let run = Run.shell(
      """
      { head -c "$3" "$1"; for i in $(seq 60); do grep -qs incomplete "$2" && break; sleep 1; done
        grep -qs incomplete "$2" && echo early >&2; tail -c +"$(($3 + 1))" "$1"; } \\
        | "$0" stream - --chunk 1000000 >"$2"
      """, [Package.command, film, out, "\(half)"])
    #expect(run.errors == "early\n")
    #expect(run.status == 0)
    let lines = String(decoding: try Package.bytes(out), as: UTF8.self).split(separator: "\n")
    #expect(lines.last?.contains("complete           30") == true, "\(lines)")
  }

  @Test func printsStepsWithoutWriting() throws {
    let run = Run.inProcess("stream", "--json", "--chunk", "5000", try Fixture.path("comet-alpha.gif"))
    #expect(run.status == 0)
    #expect(run.output.contains(#""status": "complete""#))
    #expect(folder.names == [])
  }
}
