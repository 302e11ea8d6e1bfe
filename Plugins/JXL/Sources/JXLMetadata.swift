// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Edits the metadata of JPEG XL files. The codestream stays byte for byte, unless the file stores a JPEG whose metadata
/// change: that is stored again, with the same coefficients.
///
/// - Format: ISO/IEC 18181-2 §9.
enum JXLMetadata {
  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    let source = context.source
    guard !edits.removed.contains(.icc) else {
      throw .unsupported("the color profile of JPEG XL is a part of its codestream, and stays")
    }
    guard edits.payloads[.iptc] == nil else { throw .unsupported("JPEG XL has no place for IPTC-IIM") }
    guard try BoxIndex(parsing: source).isContainer else {
      var file = FilePieces()
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
    let stored = try storedJPEG(context, edits)
    guard case .changed(let new) = stored else {
      try write(edits, keepsJPEG: stored == .same, in: context)
      return
    }
    try write(new, edits, in: context)
  }

  /// What becomes of the JPEG file that a file stores.
  private enum StoredFile: Equatable {
    /// It stays, or there is none.
    case same
    /// A JPEG XL file that stores it with its metadata changed.
    case changed([UInt8])
    /// It cannot be stored again.
    case dropped
  }

  private static func storedJPEG(
    _ context: OperationContext, _ edits: MetadataBlockEdits
  ) throws(CoderError) -> StoredFile {
    guard try BoxIndex(parsing: context.source).hasReconstruction, !context.asksOnly else { return .same }
    do throws(CoderError) {
      let file = try JXLTranscoder.reconstructed(context.source, host: context.host)
      let edited = try StoredJPEG(parsing: file).edited(edits)
      guard edited != file else { return .same }
      let result = edited.withUnsafeBytes { bytes -> Result<[UInt8], CoderError> in
        do throws(CoderError) { return .success(try JXLTranscoder.wrapped(bytes, host: context.host)) } catch {
          return .failure(error)
        }
      }
      return .changed(try result.get())
    } catch {
      guard error.code.group == .file || error.code == .unsupported || error.code == .limitExceeded else { throw error }
      context.facts["dropped"] = .text("stored JPEG")
      context.host.log("the stored JPEG is left out: \(error.message)", severity: .warning)
      return .dropped
    }
  }

  /// Writes the file with the boxes that stay.
  private static func write(
    _ edits: MetadataBlockEdits, keepsJPEG: Bool, in context: OperationContext
  ) throws(CoderError) {
    let source = context.source
    var file = FilePieces()
    var isAdded = false
    var offset = 0
    while offset < source.size, let box = try source.boxIfAny(at: offset) {
      let end = min(box.end, source.size)
      // Metadata comes before the codestream, so that it is there while the rest arrives.
      if box.type == .codestream || box.type == .partialCodestream, !isAdded {
        file.put(boxes(of: edits))
        isAdded = true
      }
      let kind = try kind(of: box, in: source)
      let goes = kind == .reconstruction ? !keepsJPEG : !kind.blocks.isDisjoint(with: edits.removed)
      if !goes { file.keep(box.start..<end) }
      offset = end
    }
    file.keep(offset..<source.size)
    try file.write(in: context)
  }

  /// Writes a file that stores another JPEG, with the boxes that it did not have.
  private static func write(
    _ new: [UInt8], _ edits: MetadataBlockEdits, in context: OperationContext
  ) throws(CoderError) {
    let source = context.source
    var file = FilePieces()
    let start = firstCodestream(in: new)
    file.put(Array(new[..<start]))
    var offset = 0
    while offset < source.size, let box = try source.boxIfAny(at: offset) {
      let end = min(box.end, source.size)
      if case .other(let blocks) = try kind(of: box, in: source), blocks.isDisjoint(with: edits.removed) {
        file.keep(box.start..<end)
      }
      offset = end
    }
    file.put(Array(new[start...]))
    try file.write(in: context)
  }

  private static func firstCodestream(in file: [UInt8]) -> Int {
    var reader = BoxReader(ByteReader(file.span.bytes), isCutOff: true)
    while let box = try? reader.next() {
      if box.type == .codestream || box.type == .partialCodestream { return box.start }
    }
    return file.count
  }

  private enum BoxKind: Equatable {
    /// What pictures need, and what every file has.
    case needed
    /// What a JPEG is made again of.
    case reconstruction
    case exif
    case xmp
    /// Anything else, and the kinds of metadata that it counts as.
    case other(Set<MetadataBlock>)

    var blocks: Set<MetadataBlock> {
      switch self {
      case .needed, .reconstruction: []
      case .exif: [.exif]
      case .xmp: [.xmp]
      case .other(let blocks): blocks
      }
    }
  }

  /// The type of a box, or of what it holds in compressed form.
  private static func contentType(of box: Box, in source: SourceView) throws(CoderError) -> FourCC {
    guard box.type == .compressed, box.payload.count >= 4, !box.isCut else { return box.type }
    var reader = try source.reader(at: box.content, count: 4, of: "a compressed box")
    return try reader.fourCC("the type of its content")
  }

  private static func kind(of box: Box, in source: SourceView) throws(CoderError) -> BoxKind {
    switch try contentType(of: box, in: source) {
    case .exif: return .exif
    case .xml: return .xmp
    case .reconstruction: return .reconstruction
    case .codestream, .partialCodestream, .level, FourCC("JXL "), FourCC("ftyp"), FourCC("jxli"): return .needed
    case .jumbf where ContentCredentials.isStore(try source.bytes(at: box.start, count: 48)):
      return .other([.c2pa, .other])
    default: return .other([.other])
    }
  }

  /// Names of boxes that belong to programs, and of channels that no picture is made of.
  static func applicationData(in source: SourceView, _ codestream: Codestream) throws(CoderError) -> [UInt8]? {
    var data = ApplicationData()
    let depths = Set(DepthChannel.all(in: codestream).map(\.index))
    let shown = [JXL_CHANNEL_ALPHA, JXL_CHANNEL_BLACK, JXL_CHANNEL_SPOT_COLOR]
    for (index, channel) in codestream.extraChannels.enumerated() {
      if !depths.contains(index), !shown.contains(channel.kind) { data.add("channel \(channel.kindName)") }
    }
    guard try BoxIndex(parsing: source).isContainer else { return data.payload }
    var offset = 0
    while offset < source.size, let box = try source.boxIfAny(at: offset) {
      let kind = try kind(of: box, in: source)
      if kind == .exif || kind == .xmp, !box.isCut {
        data.note(
          try source.bytes(at: box.content, count: min(box.end, source.size) - box.content, of: "a box of metadata"),
          of: kind == .exif ? .exif : .xmp)
      }
      if kind == .other([.other]), try contentType(of: box, in: source) != .gainMap {
        data.add("box \(try contentType(of: box, in: source))")
      }
      offset = min(box.end, source.size)
    }
    return data.payload
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
