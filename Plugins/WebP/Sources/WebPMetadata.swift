// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Edits the metadata of WebP files. The chunks of pictures and frames stay byte for byte.
///
/// - Format: RFC 9649 §2.4 and §2.7.
enum WebPMetadata {
  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    let source = context.source
    guard edits.payloads[.iptc] == nil else { throw .unsupported("WebP has no place for IPTC-IIM") }
    let header = try WebPFile(parsing: source, limits: context.host.limits, isIncremental: false)
    guard !header.isTruncated else {
      throw .truncated("the file ends before its RIFF chunk; its metadata is left as it is", at: source.size)
    }
    let start = try source.reader(at: 0, count: 12, order: .littleEndian, of: "the RIFF header")
    let end = min(Int(try start.uint32(at: 4)) + Chunk.headerSize, source.size)
    var kept: [Chunk] = []
    var flags: ExtendedHeader.Flags = []
    var offset = 12
    while let chunk = try Chunk(parsing: source, at: offset, before: end) {
      if chunk.name == .extended {
        // Its flags tell readers what follows: it is made anew.
        let reader = try source.reader(at: chunk.payload, count: 1, of: "the VP8X chunk")
        flags = ExtendedHeader.Flags(rawValue: try reader.uint8(at: 0))
      } else if kinds(of: chunk.name).isDisjoint(with: edits.removed) {
        kept.append(chunk)
      }
      offset = chunk.next
    }
    let isLossless = kept.contains { $0.name == .lossless }
    if isLossless, kept.count == 1, header.pictures.first?.hasAlpha ?? false { flags.insert(.alpha) }
    for (kind, flag) in [(MetadataBlock.icc, ExtendedHeader.Flags.colorProfile), (.exif, .exif), (.xmp, .xmp)] {
      guard edits.removed.contains(kind) else { continue }
      flags.remove(flag)
      if edits.payloads[kind] != nil { flags.insert(flag) }
    }
    var file = FilePieces()
    let others = flags.subtracting(.alpha)
    let isExtended = !others.isEmpty || kept.count > 1 || kept.contains { $0.name == .alpha }
    if isExtended {
      var writer = ByteWriter(order: .littleEndian)
      writer.put(FourCC.extended)
      writer.put(UInt32(ExtendedHeader.size))
      ExtendedHeader(flags: flags, canvas: header.canvas).write(to: &writer)
      file.put(writer.bytes)
      put(edits.payloads[.icc], as: .colorProfile, in: &file)
    }
    for chunk in kept {
      file.keep(chunk.offset..<min(chunk.next, source.size))
      // Some writers forget the last byte of padding.
      if chunk.next > source.size, chunk.end <= source.size { file.put([0]) }
    }
    put(edits.payloads[.exif], as: .exif, in: &file)
    put(edits.payloads[.xmp], as: .xmp, in: &file)
    var writer = ByteWriter(order: .littleEndian)
    writer.put(FourCC.riff)
    writer.put(UInt32(clamping: file.count + 4))
    writer.put(FourCC.webP)
    try context.output.write(writer.bytes)
    if !edits.removed.contains(.other), end < source.size { file.keep(end..<source.size) }
    try file.write(in: context)
  }

  /// Names of chunks that belong to programs.
  static func applicationData(in source: SourceView) throws(CoderError) -> [UInt8]? {
    let start = try source.reader(at: 0, count: 12, order: .littleEndian, of: "the RIFF header")
    let end = min(Int(try start.uint32(at: 4)) + Chunk.headerSize, source.size)
    var data = ApplicationData()
    var offset = 12
    while let chunk = try Chunk(parsing: source, at: offset, before: end) {
      if chunk.name == .exif || chunk.name == .xmp {
        let count = max(0, min(chunk.end, end) - chunk.payload)
        data.note(
          try source.bytes(at: chunk.payload, count: count, of: "a chunk of metadata"),
          of: chunk.name == .exif ? .exif : .xmp)
      }
      if kinds(of: chunk.name) == [.other], chunk.name != .extended { data.add("chunk \(chunk.name)") }
      offset = chunk.next
    }
    if end < source.size, source.size < .max { data.add("\(source.size - end) bytes after the picture") }
    return data.payload
  }

  private static func put(_ payload: [UInt8]?, as name: FourCC, in file: inout FilePieces) {
    guard let payload else { return }
    var writer = ByteWriter(order: .littleEndian)
    writer.put(name)
    writer.put(UInt32(clamping: payload.count))
    writer.put(payload)
    writer.putZeros(payload.count & 1)
    file.put(writer.bytes)
  }

  /// The kinds of metadata that a chunk holds; none for one that the pictures need.
  private static func kinds(of name: FourCC) -> Set<MetadataBlock> {
    switch name {
    case .colorProfile: [.icc]
    case .exif: [.exif]
    case .xmp: [.xmp]
    case .credentials: [.c2pa, .other]
    case .lossy, .lossless, .alpha, .animation, .frame: []
    default: [.other]
    }
  }
}
