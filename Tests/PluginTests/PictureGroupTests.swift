// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Pictures of a HEIF file that belong together: the two of a stereo pair, as phones write it, and those of a burst.
@Suite(.needs("HEIF", "JPEG", "TIFF"))
struct PictureGroupTests {
  private static let registry = EncodingPictures.registry

  private static func file(_ type: String) throws -> [UInt8] {
    BoxEdit.grouping([1, 2], as: type, in: try ReportedLoss.fixture("pages.heic", of: "heif"))
  }

  @Test(arguments: [("ster", FilePart.Kind.stereo), ("brst", .burst)])
  func theOtherPictureIsAPart(_ type: String, _ kind: FilePart.Kind) throws {
    let decoder = try Self.registry.open(.bytes(Self.file(type)))
    #expect(decoder.parts().filter { $0.kind == kind }.count == 1)
    #expect(try decoder.image().problem == nil)
  }

  @Test(arguments: [("ster", "stereo pair"), ("brst", "burst")])
  func conversionsNameWhatTheyWere(_ type: String, _ words: String) throws {
    let source = ByteSource.bytes(try Self.file(type))
    for target in [ImageFormat.jpeg, .tiff, .heic] {
      let made = try Self.registry.convert(source, to: target, at: .memory, options: EncodeOptions(allowsCopy: false))
      let pages = made.changes.filter { $0.fact == .pages && $0.outcome == .dropped }
      #expect(pages.count == 1 && pages[0].reason.contains(words), "\(target): \(made.changes)")
      #expect(try Self.registry.open(.bytes(made.bytes)).header.pageCount == (target == .jpeg ? 1 : 2))
    }
  }

  /// Pages that are nothing to each other are only counted.
  @Test func otherPagesAreNoGroup() throws {
    let source = ByteSource.bytes(try ReportedLoss.fixture("pages.heic", of: "heif"))
    let made = try Self.registry.convert(source, to: .tiff, at: .memory, options: EncodeOptions(allowsCopy: false))
    #expect(!made.changes.contains { $0.fact == .pages })
  }
}
