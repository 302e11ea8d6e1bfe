// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct FramesCommandTests {
  private let folder = Folder()

  @Test func listsFramesAsTheFileHasThem() throws {
    let run = Run.inProcess("frames", try Fixture.path("comet-alpha.webp"))
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 31)
    #expect(lines[0] == "FRAME    X    Y  SIZE     SECONDS  DISPOSAL           BLEND   ALPHA")
    #expect(lines[1].hasPrefix("    1    0    0  200×200     0.05  "))
    #expect(lines[30].hasPrefix("   30  "))
  }

  @Test func jsonHasTheSameFrames() throws {
    let run = Run.inProcess("frames", "--json", try Fixture.path("comet-alpha.gif"))
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").count { $0.contains("\"rect\"") } == 30)
    #expect(run.output.contains(#""frame_count": 30"#))
  }

  @Test(arguments: [false, true]) func writesOneFileForEachFrame(_ isRaw: Bool) throws {
    let output = "\(folder.path)/out"
    let run = Run.inProcess(["frames", try Fixture.path("comet-alpha.gif"), "-o", output] + (isRaw ? ["--raw"] : []))
    #expect(run.status == 0)
    #expect(run.errors == "")
    let names = Folder.names(in: output)
    #expect(names.count == 30)
    #expect(names.first == "0001.png" && names.last == "0030.png")
    #expect(run.output.hasPrefix("\(output)/0001.png\n\(output)/0002.png\n"))
  }

  @Test func oneFrameAtATimeNeedsTheMemoryOfOne() throws {
    // 30 frames of 200 × 200 are 4.8 MB; one, with the canvas and what it keeps, is much less.
    let run = Run.inProcess(
      "frames", "--quiet", "--max-memory", "2000000", try Fixture.path("comet-alpha.gif"), "-o", "\(folder.path)/out")
    #expect(run.errors == "")
    #expect(run.status == 0)
    let words = ["convert", "--max-memory", "2000000", try Fixture.path("comet-alpha.gif"), "\(folder.path)/all.webp"]
    #expect(Run.inProcess(words).status == 0)
    // To try several qualities, all frames have to be kept.
    #expect(Run.inProcess(words + ["--max-bytes", "20k"]).status == 3)
  }
}
