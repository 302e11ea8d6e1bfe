// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Edits the metadata of JPEG XL files. The codestream stays byte for byte.
///
/// - Format: ISO/IEC 18181-2 §9.
enum JXLMetadata {
  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    let source = context.source
    guard !edits.removed.contains(.icc) else {
      throw .unsupported("the color profile of JPEG XL is a part of its codestream, and stays")
    }
    guard edits.payloads[.iptc] == nil else { throw .unsupported("JPEG XL has no place for IPTC-IIM") }
    var file = FilePieces()
    guard try BoxIndex(parsing: source).isContainer else {
      // A codestream alone has no metadata.
      guard !edits.payloads.isEmpty else {
        file.keep(0..<source.size)
        return try file.write(in: context)
      }
      var writer = ByteWriter()
      writer.put(BoxIndex.signature)
      writer.box(FourCC("ftyp")) { writer in
        writer.put("jxl ")
        writer.put(UInt32(0))
        writer.put("jxl ")
      }
      writer.put(boxes(of: edits))
      // A size of 0 reaches to the end of the file.
      writer.put(UInt32(0))
      writer.put(FourCC.codestream)
      file.put(writer.bytes)
      file.keep(0..<source.size)
      return try file.write(in: context)
    }
    var isAdded = false
    let changesJPEG = !edits.removed.isDisjoint(with: [.exif, .xmp, .other])
    var offset = 0
    while offset < source.size, let box = try source.boxIfAny(at: offset) {
      let end = min(box.end, source.size)
      // Metadata comes before the codestream, so that it is there while the rest arrives.
      if box.type == .codestream || box.type == .partialCodestream, !isAdded {
        file.put(boxes(of: edits))
        isAdded = true
      }
      if try !isRemoved(box, in: source, edits.removed, changesJPEG: changesJPEG) { file.keep(box.start..<end) }
      offset = end
    }
    file.keep(offset..<source.size)
    try file.write(in: context)
  }

  /// - Parameter changesJPEG: Whether the file no longer holds what a JPEG is made again of.
  private static func isRemoved(
    _ box: Box, in source: SourceView, _ removed: Set<MetadataBlock>, changesJPEG: Bool
  ) throws(CoderError) -> Bool {
    var type = box.type
    if type == .compressed, box.payload.count >= 4, !box.isCut {
      var reader = try source.reader(at: box.content, count: 4, of: "a compressed box")
      type = try reader.fourCC("the type of its content")
    }
    switch type {
    case .exif: return removed.contains(.exif)
    case .xml: return removed.contains(.xmp)
    case .reconstruction: return changesJPEG
    case .codestream, .partialCodestream, .level, FourCC("JXL "), FourCC("ftyp"), FourCC("jxli"): return false
    default: return removed.contains(.other)
    }
  }

  private static func boxes(of edits: MetadataBlockEdits) -> [UInt8] {
    var writer = ByteWriter()
    if let exif = edits.payloads[.exif] {
      writer.box(.exif) { writer in
        writer.put(UInt32(0))  // the TIFF header follows at once, §9.6
        writer.put(exif)
      }
    }
    if let xmp = edits.payloads[.xmp] { writer.box(.xml) { $0.put(xmp) } }
    return writer.bytes
  }
}
