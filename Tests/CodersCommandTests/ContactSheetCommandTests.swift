// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ContactSheetCommandTests {
  private let folder = Folder()

  @Test func hasACellForEachFile() throws {
    let output = "\(folder.path)/sheet.png"
    let files = try ["window.png", "shapes-alpha.webp", "comet-alpha.gif"].map(Fixture.path)
    let run = Run.inProcess(["contact-sheet", "--columns", "2", "--size", "96", "-o", output] + files)
    #expect(run.status == 0)
    #expect(run.errors == "")
    // Two cells of 96 + 2 × 6 and three gaps of 6; the second row holds a strip of film and is 96 high.
    #expect(Run.inProcess("probe", output).output.contains("size         234×264\n"))
  }

  @Test func isTheSameEveryTime() throws {
    let files = try ["window.png", "shapes-alpha.webp", "comet-alpha.gif"].map(Fixture.path)
    var sheets: Set<[UInt8]> = []
    for number in 0..<3 {
      let output = "\(folder.path)/\(number).png"
      #expect(Run.inProcess(["contact-sheet", "-o", output] + files).status == 0)
      sheets.insert(try Package.bytes(output))
    }
    #expect(sheets.count == 1)
  }

  @Test func showsFilesThatCannotBeRead() throws {
    let bad = folder.write("bad.png", "no picture")
    let run = Run.inProcess("contact-sheet", bad, try Fixture.path("window.png"), "-o", "\(folder.path)/sheet.png")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coders: \(bad): noCoder: "))
    #expect(folder.names == ["bad.png", "sheet.png"])
  }
}
