// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// Edits the metadata of TIFF files: strips and tiles stay byte for byte where they are.
///
/// A directory that changes is written in its place, or after the file if it has grown; new values go after the file,
/// and what is taken out is overwritten with zeros.
///
/// - Format: TIFF 6.0 §2; Exif 2.32 §4.5; the tags of XMP (Part 3 §1.1.2), IPTC and Photoshop.
enum TIFFMetadata {
  /// The Exif of the first page.
  static func block(_ context: OperationContext, _ kind: MetadataBlock) throws(CoderError) -> [UInt8]? {
    let file = try TIFFSource(context.source)
    // Also what stands in the page's own directory, and would be lost.
    return try ExifBlock.read(
      try TIFFDirectory(file, at: file.firstDirectory), limits: context.host.limits, isAlways: true)
  }

  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    let limits = context.host.limits
    var chain = try DirectoryChain(TIFFSource(context.source), limits: limits)
    for index in chain.directories.indices {
      try apply(edits, to: index, of: &chain, limits: limits)
    }
    try chain.pieces().write(in: context)
  }

  private static func apply(
    _ edits: MetadataBlockEdits, to index: Int, of chain: inout DirectoryChain, limits: Limits
  ) throws(CoderError) {
    let directory = chain.directories[index].read
    let isFirst = index == 0
    var exif: ExifBlock?
    if let payload = edits.payloads[.exif] {
      guard let parsed = ParsedExif(parsing: payload, for: chain.file.order) else {
        throw .invalidArgument("an Exif payload that is no TIFF structure")
      }
      exif = parsed.block
    }
    if edits.removed.contains(.exif), isFirst || exif == nil {
      // How the picture is turned and how large it is printed is no secret, and readers of TIFF want it.
      let kept: Set<Int> = [Tag.orientation, Tag.xResolution, Tag.yResolution, Tag.resolutionUnit]
      let new = Set((isFirst ? exif?.main ?? [] : []).map(\.tag))
      chain.remove(Tag.descriptive.subtracting(kept).union(kept.intersection(new)).union(Tag.windows), from: index)
      try chain.removeNested([Tag.exif, Tag.gps], from: index)
      if isFirst, let exif { try chain.add(exif, to: index) }
    } else if edits.removed.contains(.exif), exif?.gps.isEmpty ?? true {
      // Other pages keep what they have, but no place that the first one is rid of.
      try chain.removeNested([Tag.gps], from: index)
    }
    for (kind, tags) in [
      (MetadataBlock.icc, [Tag.iccProfile]), (.xmp, [Tag.xmp]), (.iptc, [Tag.iptc]),
      (.text, Array(Tag.texts.values)), (.geoTIFF, Array(Tag.geographic)), (.c2pa, [Tag.credentials]),
    ] where edits.removed.contains(kind) {
      chain.remove(Set(tags), from: index)
    }
    if edits.removed.contains(.other) {
      // The tags of a camera's raw file say how it is decoded.
      let isRaw = chain.directories[0].read[Tag.dngVersion] != nil
      let own = Set(directory.ownTags)
      chain.remove(isRaw ? [Tag.imageSourceData, Tag.printImageMatching, Tag.credentials] : own, from: index)
    }
    if !edits.removed.isDisjoint(with: [.iptc, .other]),
      let stored = try directory.payload(Tag.imageResources, limits: limits)
    {
      var resources = PhotoshopResources(stored)
      resources.apply(MetadataBlockEdits(removed: edits.removed))
      chain.remove([Tag.imageResources], from: index)
      if !resources.bytes.isEmpty { chain.add(Tag.imageResources, TagType.byte, resources.bytes, to: index) }
    }
    guard isFirst else { return }
    for (kind, tag, type) in [
      (MetadataBlock.icc, Tag.iccProfile, TagType.undefined), (.xmp, Tag.xmp, TagType.byte),
      (.iptc, Tag.iptc, TagType.undefined),
    ] {
      if let payload = edits.payloads[kind] { chain.add(tag, type, payload, to: index) }
    }
  }
}
