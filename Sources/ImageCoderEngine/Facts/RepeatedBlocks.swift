// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

// A container has a place for one block of Exif and one of XMP, and some files have several. The first of each kind counts,
// as for most readers; the others are named, and go where anything is changed.

extension ApplicationData {
  /// Kinds of blocks of which a payload of ``MetadataKind/other`` names a second one.
  static func repeatedBlocks(in payload: [UInt8]) -> Set<MetadataBlock> {
    let names = ContainerText.texts(in: payload).map(\.keyword)
    return Set(
      [(secondExif, MetadataBlock.exif), (secondXMP, .xmp)].filter { names.contains($0.0) }.map(\.1))
  }
}

extension FactChange {
  /// Blocks after the first of their kind, which are not written.
  package static func leavingOut(_ repeated: Set<MetadataBlock>) -> [FactChange] {
    [(Fact.exif, MetadataBlock.exif), (.xmp, .xmp)].filter { repeated.contains($0.1) }.map { fact, _ in
      FactChange(fact, .dropped, because: "it is a second block, and the first one counts")
    }
  }
}
