// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// Edits the metadata of PNG and APNG files. The chunks that pictures are made of stay byte for byte.
///
/// - Format: PNG Third Edition §5 and §11.3.
enum PNGMetadata {
  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    let (source, host) = (context.source, context.host)
    let added = try chunks(of: edits, host: host)
    var file = FilePieces()
    var walk = try walk(source)
    file.keep(0..<walk.offset)
    var isAdded = false
    while true {
      let step = try walk.next()
      guard case .chunk(let chunk) = step else {
        // What is no chunk stays for readers to say what it is.
        if !edits.removed.contains(.other) || !isAdded { file.keep(walk.offset..<max(walk.offset, source.size)) }
        break
      }
      let end = min(chunk.end, source.size)
      if try Self.kind(of: chunk, in: source, host: host).isDisjoint(with: edits.removed) {
        file.keep(chunk.offset..<end)
      }
      if chunk.name == .ihdr, !isAdded {
        // Before the palette and the pixels, as profiles have to be (§5.6).
        file.put(added)
        isAdded = true
      }
      if chunk.name == .iend {
        if !edits.removed.contains(.other) { file.keep(end..<source.size) }
        break
      }
    }
    guard isAdded else { throw .malformed("a file without an IHDR chunk") }
    try file.write(in: context)
  }

  /// Names of chunks of programs, and of others that nothing is made of: palettes to choose from, when it was changed.
  static func applicationData(in source: SourceView, host: CoderHost) throws(CoderError) -> [UInt8]? {
    var data = ApplicationData()
    var walk = try walk(source)
    while case .chunk(let chunk) = try walk.next() {
      let kinds = try kind(of: chunk, in: source, host: host)
      if kinds == [.other] || unread.contains(chunk.name) { data.add("chunk \(chunk.name)") }
      if kinds == [.exif] || kinds == [.xmp], let block = try payload(of: chunk, in: source, host: host) {
        data.note(block, of: kinds == [.exif] ? .exif : .xmp)
      }
      if kinds == [.icc], chunk.name != .iccp { data.add("profile in a text") }
      guard chunk.name == .iend else { continue }
      if chunk.end < source.size { data.add("\(source.size - chunk.end) bytes after the picture") }
      break
    }
    return data.payload
  }

  /// Exif or XMP as a chunk has it, without what says that it is; the chunk's data, if that cannot be read.
  private static func payload(
    of chunk: Chunk, in source: SourceView, host: CoderHost
  ) throws(CoderError) -> [UInt8]? {
    let limit = host.limits.maxMetadata
    guard case .data(let data) = try ChunkData(of: chunk, in: source, limit: limit) else { return nil }
    var payload = data
    if chunk.name != .exif, let text = try TextChunk(data, of: chunk.name, limit: limit, host: host), !text.isCut {
      payload = RawProfile(text.text)?.payload ?? text.text
    }
    return Array(payload.dropFirst(ExifPayload.start(in: payload.span.bytes)))
  }

  private static func walk(_ source: SourceView) throws(CoderError) -> ChunkWalk {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard [UInt8](copying: try source.bytes(at: 0, count: 8)) == signature else {
      throw .wrongFormat("the file does not begin as PNG", at: 0)
    }
    return ChunkWalk(source, from: 8)
  }

  /// Chunks that tell how pixels look, or what they are of: these stay.
  private static let kept: Set<FourCC> = [
    .actl, .fctl, .fdat, .bkgd, .chrm, .cicp, .clli, .gama, .mdcv, .phys, .srgb, .trns, FourCC("sBIT"), FourCC("hIST"),
    FourCC("sPLT"), .draftMDCV, .draftCLLI, FourCC("oFFs"), FourCC("pCAL"),
    FourCC("sCAL"), FourCC("sTER"), FourCC("gIFg"),
  ]

  /// Chunks that stay where nothing is encoded anew, and that no picture is made of.
  private static let unread: Set<FourCC> = [
    .bkgd, .time, FourCC("sBIT"), FourCC("hIST"), FourCC("sPLT"), FourCC("oFFs"), FourCC("pCAL"), FourCC("sCAL"),
    FourCC("sTER"), FourCC("gIFg"),
  ]

  /// The kinds of metadata that a chunk holds: none for one that the pictures need.
  private static func kind(
    of chunk: Chunk, in source: SourceView, host: CoderHost
  ) throws(CoderError) -> Set<MetadataBlock> {
    switch chunk.name {
    case .iccp: return [.icc]
    case .exif: return [.exif]
    case .cabx: return [.c2pa, .other]
    case .time: return [.text]
    case .itxt, .text, .ztxt: return try kind(ofText: chunk, in: source, host: host)
    default: return chunk.name.isCritical || kept.contains(chunk.name) ? [] : [.other]
    }
  }

  private static func kind(
    ofText chunk: Chunk, in source: SourceView, host: CoderHost
  ) throws(CoderError) -> Set<MetadataBlock> {
    var start = try source.reader(at: chunk.dataOffset, count: min(chunk.length, 80), of: "text")
    switch start.terminatedText() {
    case "XML:com.adobe.xmp": return [.xmp]
    case "Raw profile type exif": return [.exif]
    case "Raw profile type xmp": return [.xmp]
    case "Raw profile type iptc", "Raw profile type 8bim": return [.iptc]
    case "Raw profile type icc", "Raw profile type icm": return [.icc]
    case "Raw profile type APP1":
      // One name for both of what JPEG has in its segments of this name.
      guard case .data(let data) = try ChunkData(of: chunk, in: source, limit: host.limits.maxMetadata),
        let profile = try rawProfile(data, of: chunk, host: host)
      else { return [.exif, .xmp] }
      return ExifPayload.start(in: profile.span.bytes) > 0 ? [.exif] : [.xmp]
    default: return [.text]
    }
  }

  private static func rawProfile(
    _ data: [UInt8], of chunk: Chunk, host: CoderHost
  ) throws(CoderError) -> [UInt8]? {
    let text = try TextChunk(data, of: chunk.name, limit: host.limits.maxMetadata, host: host)
    return text.flatMap { $0.isCut ? nil : RawProfile($0.text)?.payload }
  }

  /// The chunks of new metadata.
  private static func chunks(of edits: MetadataBlockEdits, host: CoderHost) throws(CoderError) -> [UInt8] {
    var chunks: [UInt8] = []
    if let profile = edits.payloads[.icc] { chunks += try LibPNG.profileChunk(profile, host: host) }
    if let exif = edits.payloads[.exif] { chunks += LibPNG.chunk(.exif, exif) }
    if let xmp = edits.payloads[.xmp] { chunks += LibPNG.xmpChunk(xmp) }
    if let iptc = edits.payloads[.iptc] {
      var resources = PhotoshopResources([])
      resources.apply(MetadataBlockEdits(removed: [.iptc], payloads: [.iptc: iptc]))
      chunks += LibPNG.chunk(.text, Array("Raw profile type iptc\0".utf8) + RawProfile.text(resources.bytes, "iptc"))
    }
    return chunks
  }
}

extension RawProfile {
  /// The text of a payload.
  static func text(_ payload: [UInt8], _ name: String) -> [UInt8] {
    var text = Array("\n\(name)\n\(payload.count)\n".utf8)
    for (index, byte) in payload.enumerated() {
      for nibble in [byte >> 4, byte & 15] { text.append(nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10) }
      if index % 36 == 35 { text.append(0x0A) }
    }
    return text + [0x0A]
  }
}
