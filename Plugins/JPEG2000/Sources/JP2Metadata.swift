// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Edits the metadata of JP2 files. The header box and the codestream stay byte for byte.
///
/// - Format: ISO/IEC 15444-1 annex I.
enum JP2Metadata {
  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    let source = context.source
    let header = try FileHeader(parsing: source, isIncremental: false)
    guard edits.payloads[.icc] == nil, !edits.removed.contains(.icc) || header.metadata[.icc] == nil else {
      throw .unsupported("the color profile of JPEG 2000 says what colors the samples are, and stays")
    }
    var file = FilePieces()
    guard header.isBoxed else {
      guard edits.payloads.isEmpty else { throw .unsupported("metadata in a bare codestream") }
      file.keep(0..<source.size)
      return try file.write(in: context)
    }
    var isAdded = false
    var offset = 0
    while offset < source.size, let box = try source.box(at: offset, before: source.size) {
      // ISO/IEC 15444-2 annex M: its fragments are found by their place in the file.
      guard box.type != FourCC("ftbl"), box.type != FourCC("flst") else {
        throw .unsupported("metadata of a JPX file whose codestream is in fragments")
      }
      let end = min(box.end, source.size)
      if box.type == .codestream, !isAdded {
        file.put(boxes(of: edits))
        isAdded = true
      }
      if try kinds(of: box, in: source).isDisjoint(with: edits.removed) { file.keep(box.start..<end) }
      offset = end
    }
    if !edits.removed.contains(.other) { file.keep(offset..<source.size) }
    try file.write(in: context)
  }

  /// Names of boxes that belong to programs.
  static func applicationData(in source: SourceView, isBoxed: Bool) throws(CoderError) -> [UInt8]? {
    guard isBoxed else { return nil }
    var data = ApplicationData()
    var offset = 0
    while offset < source.size, let box = try source.box(at: offset, before: source.size) {
      let kinds = try kinds(of: box, in: source)
      if kinds == [.other] || kinds.isEmpty && !structure.contains(box.type) { data.add("box \(box.type)") }
      offset = min(box.end, source.size)
    }
    return data.payload
  }

  /// Boxes that pictures are made of: ISO/IEC 15444-1 table I.2, and those of 15444-2 table M.13 that say the same.
  private static let structure: Set<FourCC> = [
    FourCC("jP  "), .fileType, .header, .codestream, FourCC("rreq"), FourCC("jpch"), FourCC("jplh"), FourCC("mdat"),
    FourCC("ftbl"), FourCC("flst"), FourCC("dtbl"), FourCC("free"),
  ]

  /// The kinds of metadata that a box holds; none for one that pictures need, or that is not known.
  private static func kinds(of box: Box, in source: SourceView) throws(CoderError) -> Set<MetadataBlock> {
    switch box.type {
    case .uuid:
      let start = try source.bytes(at: box.content, count: min(BoxIdentifier.byteCount, max(0, box.end - box.content)))
      switch [UInt8](copying: start) {
      case BoxIdentifier.exif, BoxIdentifier.adobeExif: return [.exif]
      case BoxIdentifier.xmp: return [.xmp]
      case BoxIdentifier.iptc: return [.iptc]
      case BoxIdentifier.geoTIFF, BoxIdentifier.worldFile: return [.geoTIFF]
      default: return [.other]
      }
    case .jumbf:
      let isStore = ContentCredentials.isStore(try source.bytes(at: box.start, count: 48))
      return isStore ? [.c2pa, .other] : [.other]
    // GMLJP2, OGC 08-085, is an association of labels and XML.
    case FourCC("asoc"): return [.geoTIFF, .other]
    case FourCC("xml "), FourCC("uinf"), FourCC("jp2i"), FourCC("free"), FourCC("lbl "): return [.other]
    default: return []
    }
  }

  private static func boxes(of edits: MetadataBlockEdits) -> [UInt8] {
    var writer = ByteWriter()
    let payloads = [
      (edits.payloads[.exif], BoxIdentifier.exif), (edits.payloads[.xmp], BoxIdentifier.xmp),
      (edits.payloads[.iptc], BoxIdentifier.iptc),
    ]
    for case (let payload?, let identifier) in payloads { JP2Header.write(payload, as: identifier, to: &writer) }
    return writer.bytes
  }
}
