// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// The first screen of the README is code that compiles: the function below, line by line.
@Suite struct ReadmeTests {
  /// Never called: it names files that a reader has.
  private func firstScreen() throws {
    let registry = CoderRegistry.standard
    let image = try registry.decode(.file("photo.jpg"), options: .thumbnail(width: 256, height: 256))
    print(image.size, image.pixels.format)  // 256×171 rgb8: upright, never enlarged

    let animation = try registry.open(.file("party.gif"))  // header only, no pixels yet
    for index in 0..<animation.frameCount {
      let frame = try animation.frame(at: index)  // the whole canvas, in any order
      print(frame.delay.seconds, frame.pixels.size)
    }
    let bytes = try registry.encode(image, as: .webP)

    let scan = try registry.open(.file("scan.tiff"))  // pages are independent pictures
    let pages = try (0..<scan.header.pageCount).map { try scan.page($0).image() }
    _ = (bytes, pages)
  }

  @Test func showsCodeThatCompiles() throws {
    let readme = Command.run("cat '\(StagedTree.root)/README.md'").output
    let source = Command.run("cat '\(#filePath)'").output
    let blocks = readme.components(between: "```swift\n", and: "```")
    let shown = try #require(blocks.first).lines.filter { !$0.isEmpty && $0 != "import ImageCoders" }
    let compiled = try #require(source.components(between: "firstScreen() throws {\n", and: "    _ = (bytes").first)
      .lines
    #expect(shown == compiled.filter { !$0.isEmpty })
  }
}

extension String {
  /// What stands between each pair of marks.
  fileprivate func components(between start: String, and end: String) -> [String] {
    var found: [String] = []
    var rest = self[...]
    while let open = rest.firstRange(of: start), let close = rest[open.upperBound...].firstRange(of: end) {
      found.append(String(rest[open.upperBound..<close.lowerBound]))
      rest = rest[close.upperBound...]
    }
    return found
  }

  /// Lines without the spaces at both ends.
  fileprivate var lines: [String] {
    split(separator: "\n").map { line in
      String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }
}
