// SPDX-License-Identifier: Apache-2.0

import ContactSheets
import ImageCoders
import Testing

@Suite struct ContactSheetTests {
  private static let names = ["window.png", "shapes-alpha.webp", "comet-alpha.gif"]

  private static func sheet(
    _ files: [String], columns: Int? = nil, size: Int = 192
  ) async throws -> PixelBuffer {
    let items = await SheetItem.items(files, size: size, registry: SampleFiles.registry)
    return try ContactSheet(items, columns: columns, size: size).drawn()
  }

  private static func bytes(_ pixels: PixelBuffer) -> [UInt8] { pixels.copyBytes() }

  @Test func hasACellForEachFile() async throws {
    let files = try Self.names.map(SampleFiles.path)
    // Two cells of 96 + 2 × 6 and three gaps of 6; the second row holds a strip of film and is 96 high.
    #expect(try await Self.sheet(files, columns: 2, size: 96).size == Size(width: 234, height: 264))
  }

  @Test func isTheSameEveryTime() async throws {
    let files = try Self.names.map(SampleFiles.path)
    var sheets: Set<[UInt8]> = []
    for _ in 0..<3 { sheets.insert(Self.bytes(try await Self.sheet(files))) }
    #expect(sheets.count == 1)
  }

  @Test func keepsTheOrderOfTheFiles() async throws {
    let files = try Self.names.map(SampleFiles.path)
    #expect(await SheetItem.items(files, size: 64, registry: SampleFiles.registry).map(\.file) == files)
    let (forwards, backwards) = (try await Self.sheet(files), try await Self.sheet(files.reversed()))
    #expect(Self.bytes(forwards) != Self.bytes(backwards))
  }

  @Test func showsFilesThatCannotBeRead() async throws {
    let bad = SampleFiles.folder.write("bad.png", Array("no picture".utf8))
    let files = [bad, try SampleFiles.path("window.png")]
    let items = await SheetItem.items(files, size: 96, registry: SampleFiles.registry)
    #expect(items.map(\.problem?.code) == [.noCoder, nil])
    // The cell of the file that cannot be read is as wide as any other.
    #expect(try ContactSheet(items, columns: 2, size: 96).drawn().size.width == 234)
  }
}
