// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// Pages at the shell: a row of pictures in one file, and the sizes of an icon.
@Suite struct PagesCommandTests {
  private let folder = Folder()

  private static func open(_ path: String) throws -> ImageDecoder {
    try CoderRegistry(
      searchPath: .only([Package.plugins])
    ).open(.file(path))
  }

  @Test func probeShowsEachPage() throws {
    let run = Run.inProcess("probe", try Fixture.path("pages.tiff"))
    #expect(run.status == 0)
    for line in [
      "  pages        3, primary page 1", "  page 1       720×420, rgb8, 8 bits, opaque",
      "  page 2       480×360, rgba8, 8 bits, straight", "  page 3       512×320, rgb16, 16 bits, opaque",
    ] { #expect(run.output.contains(line), "\(line) in \(run.output)") }
    let json = Run.inProcess("probe", "--json", try Fixture.path("icon.ico")).output
    for line in [#""page_count": 4"#, #""pages_are_sizes": true"#, #""primary_page": 4"#, #""page": 3"#] {
      #expect(json.contains(line), "\(line)")
    }
  }

  /// The number of pages is `page_count` in JSON; `flags` has words that do not depend on the file.
  @Test func flagsCountPagesForPeopleOnly() throws {
    let pages = try Fixture.path("pages.tiff")
    let json = Run.inProcess("probe", "--json", pages).output
    #expect(json.contains("      \"flags\": [\n        \"lossless\"\n      ],\n"), "\(json)")
    #expect(Run.inProcess("probe", pages).output.contains("  flags        3 pages, lossless\n"))
    #expect(Run.inProcess("probe", "--short", pages).output.hasSuffix("  3 pages lossless\n"))
  }

  @Test func framesListsAndWritesPages() throws {
    let list = Run.inProcess("frames", try Fixture.path("pages.tiff")).output.split(separator: "\n")
    #expect(list.count == 4)
    #expect(list[0].hasPrefix("PAGE     SIZE  PIXELS"))
    #expect(list[1].hasSuffix("primary"))
    let output = "\(folder.path)/out"
    let run = Run.inProcess("frames", try Fixture.path("pages.tiff"), "-o", output)
    #expect(run.status == 0)
    #expect(Folder.names(in: output) == ["0001.png", "0002.png", "0003.png"])
    #expect(try Self.open("\(output)/0003.png").header.canvas == Size(width: 512, height: 320))
  }

  @Test func convertTakesOnePageOrAll() throws {
    let pages = try Fixture.path("pages.tiff")
    let first = Run.inProcess("convert", pages, "\(folder.path)/first.png")
    #expect(first.status == 0)
    #expect(first.errors.contains("warning: public.png holds 1 page: page 1 of 3 is written"))
    #expect(try Self.open("\(folder.path)/first.png").header.canvas == Size(width: 720, height: 420))
    #expect(Run.inProcess("convert", "--page", "2", pages, "\(folder.path)/second.png").errors == "")
    #expect(try Self.open("\(folder.path)/second.png").header.canvas == Size(width: 480, height: 360))
    #expect(Run.inProcess("convert", pages, "\(folder.path)/all.tiff").errors == "")
    let all = try Self.open("\(folder.path)/all.tiff")
    #expect(all.header.pageCount == 3)
    #expect(try all.page(2).header.canvas == Size(width: 512, height: 320))
    let none = Run.inProcess("convert", "--page", "4", pages, "\(folder.path)/none.png")
    #expect(none.status == 64)
    #expect(none.errors.contains("invalidArgument: --page is 4, the file has pages 1 to 3"))
    #expect(Run.inProcess("convert", "--page", "0", pages, "\(folder.path)/none.png").status == 64)
  }

  @Test func iconsAreMadeInSizesAndReadInTheOneThatFits() throws {
    let icon = "\(folder.path)/icon.ico"
    let made = Run.inProcess("convert", "--sizes", "16,48,999", try Fixture.path("window.png"), icon)
    #expect(made.status == 0)
    #expect(made.errors.contains("size 999 is left out"))
    let decoder = try Self.open(icon)
    #expect(decoder.header.pageCount == 2)
    #expect(try decoder.page(0).header.canvas == Size(width: 16, height: 16))
    #expect(decoder.header.canvas == Size(width: 48, height: 48))
    let thumbnail = "\(folder.path)/t.png"
    #expect(
      Run.inProcess("thumbnail", "--size", "16", try Fixture.path("icon.ico"), "-o", thumbnail).status == 0)
    #expect(try Self.open(thumbnail).header.canvas == Size(width: 16, height: 16))
    // Sizes of one picture are no row of pictures: the largest is converted, without a word.
    let picture = Run.inProcess("convert", try Fixture.path("icon.ico"), "\(folder.path)/icon.png")
    #expect(picture.errors == "")
    #expect(try Self.open("\(folder.path)/icon.png").header.canvas == Size(width: 128, height: 128))
  }
}
