// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import Foundation
import ImageCoderPlugin
import Testing

@testable import AVIFCoder

/// How many pictures beside the one that is shown are pages: libavif reads all boxes anew for each of them.
@Suite struct HiddenPagesTests {
  typealias Item = FileOfItems.Item

  /// The coded picture of a fixture, with a property for its size and one for its configuration.
  private let picture: Item

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = [UInt8](
      try Data(contentsOf: folder.appending(path: "../../../Tests/Fixtures/avif/valid/brand-miaf.avif")))
    func box(_ name: String) throws -> Range<Int> {
      let place = try #require(file.ranges(of: Array(name.utf8)).first).lowerBound - 4
      return place..<place + file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    picture = Item(
      type: "av01", bytes: Array(file[try box("mdat")].dropFirst(8)),
      properties: [FileOfItems.ispe(128, 64), Array(file[try box("av1C")])])
  }

  /// - Returns: What the header says of a file with so many auxiliary pictures of an unknown kind, and so many thumbnails, and the
  ///   kinds of its hidden pages.
  private func hidden(auxiliaries: Int, thumbnails: Int) throws -> (count: Int, kinds: [PageKind]) {
    var other = picture
    other.isHidden = true
    var auxiliary = other
    auxiliary.properties.append(FileOfItems.auxC("urn:example:heat"))
    let items =
      [picture] + [Item](repeating: auxiliary, count: auxiliaries) + [Item](repeating: other, count: thumbnails)
    let references = (0..<auxiliaries + thumbnails).map { index in
      (type: index < auxiliaries ? "auxl" : "thmb", from: index + 2, to: [1])
    }
    let source = MemorySource(FileOfItems(brand: "avif", items: items, references: references).bytes)
    let reader = try AVIFReader(source.view, host: MemoryHost().host, options: [])
    let count = try reader.header(page: 0).hiddenPageCount
    let kinds = try (0..<count).map { try reader.header(page: $0 + 1).role.kind }
    #expect(throws: CoderError.self) { try reader.header(page: count + 1) }
    withExtendedLifetime(source) {}
    return (count, kinds)
  }

  @Test(arguments: [(0, 0), (1, 2), (16, 16)])
  func allUpToSixteenOfEachAreListed(_ auxiliaries: Int, _ thumbnails: Int) throws {
    #expect(try hidden(auxiliaries: auxiliaries, thumbnails: thumbnails).count == auxiliaries + thumbnails)
  }

  @Test func atMostSixteenAuxiliaryPicturesAreListed() throws {
    let found = try hidden(auxiliaries: 17, thumbnails: 1)
    #expect(found.count == 17)
    #expect(found.kinds.last == .reduced && !found.kinds.dropLast().contains(.reduced))
  }

  @Test func atMostSixteenThumbnailsAreListed() throws {
    let found = try hidden(auxiliaries: 1, thumbnails: 40)
    #expect(found.count == 17)
    #expect(found.kinds.first != .reduced && found.kinds.dropFirst().allSatisfy { $0 == .reduced })
  }
}
