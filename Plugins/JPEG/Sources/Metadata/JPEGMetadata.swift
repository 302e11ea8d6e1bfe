// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// Edits the metadata of JPEG files. Frame, tables and scans stay byte for byte.
enum JPEGMetadata {
  /// A block of metadata, also of a file that ends or is damaged after it.
  static func block(_ context: OperationContext, _ kind: MetadataBlock) throws(CoderError) -> [UInt8]? {
    let (source, host) = (context.source, context.host)
    let header = try HeaderSegments(parsing: source, toleratesDamage: true)
    switch kind {
    case .exif: return try header.exif(in: source, host.limits)
    case .xmp:
      let isExtended = { (segment: HeaderSegments.Segment) in segment.isExtendedXMP }
      let packets = header.segments.filter { $0.kind == .xmp }
      guard let standard = packets.first(where: { !isExtended($0) }) else { return nil }
      return try JoinedXMP(
        standard.content, packets.filter(isExtended).map(\.content), source: source, host: host
      ).packet
    case .icc: return try header.profile(in: source, host.limits)
    default: return try PhotoshopSegments.resources(header.photoshop, source, host.limits).iptc
    }
  }

  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    let source = context.source
    let header = try HeaderSegments(parsing: source)
    var new = ApplicationSegments()
    for (block, kind) in [(MetadataBlock.exif, MetadataKind.exif), (.xmp, .xmp), (.icc, .icc)] {
      if let payload = edits.payloads[block] { try new.add(payload, as: kind) }
    }
    var added = try new.bytes()
    let changesResources = !edits.removed.isDisjoint(with: [.iptc, .other])
    if changesResources {
      var resources = try PhotoshopSegments.resources(header.photoshop, source, context.host.limits)
      resources.apply(edits)
      added += PhotoshopSegments.bytes(resources)
    }
    var file = FilePieces()
    file.keep(0..<header.start)
    var isAdded = false
    var multiPicture: (piece: Int, base: Int, before: Int)?
    for segment in header.segments {
      // New blocks follow JFIF's own segment, which comes first (T.871 §10.1).
      if !isAdded, segment.kind != .jfif {
        file.put(added)
        isAdded = true
      }
      if segment.kind == .photoshop {
        if !changesResources { file.keep(segment.bytes) }
        continue
      }
      if let block = segment.kind.block, edits.removed.contains(block) { continue }
      if segment.kind == .credentials, edits.removed.contains(.other) { continue }
      if segment.kind == .multiPicture {
        multiPicture = (file.pieces.count, segment.payload.lowerBound + 4, file.count - segment.bytes.lowerBound)
        file.put([UInt8](try source.view(at: segment.bytes.lowerBound, count: segment.bytes.count)))
        continue
      }
      file.keep(segment.bytes)
    }
    let end = edits.removed.contains(.other) ? try header.endOfPicture(in: source) : source.size
    let mainEnd = file.count - header.scan
    file.keep(header.scan..<end)
    // Multi-picture files count the places of the others from a place in this segment (CIPA DC-007 §5.2.3.3).
    if let multiPicture, mainEnd != 0 {
      file = Self.moved(file, multiPicture.piece, by: mainEnd - multiPicture.before, mainBy: mainEnd)
    }
    try file.write(in: context)
  }

  /// The file with the entries of its MPF segment changed.
  ///
  /// - Parameters:
  ///   - delta: What the other pictures have moved by, seen from the segment.
  ///   - size: What the first picture has grown by.
  private static func moved(_ file: FilePieces, _ index: Int, by delta: Int, mainBy size: Int) -> FilePieces {
    var result = FilePieces()
    for (place, piece) in file.pieces.enumerated() {
      switch piece {
      case .kept(let range): result.keep(range)
      case .new(let bytes):
        result.put(place == index ? MultiPictureIndex.moved(bytes, others: delta, first: size) ?? bytes : bytes)
      }
    }
    return result
  }
}

/// The segments before the first scan, with their markers.
struct HeaderSegments {
  enum Kind {
    case jfif, exif, xmp, icc, photoshop, multiPicture, comment
    /// A part of a manifest store of C2PA.
    case credentials
    /// Says that a gain map follows, ISO 21496-1:2025 annex C.
    case gainMap
    /// A segment of an application that is not needed to show the picture.
    case application
    /// Tables and frames, and what tells their colors.
    case coding

    /// The kind of metadata that it holds, if all of it does.
    var block: MetadataBlock? {
      switch self {
      case .exif: .exif
      case .xmp: .xmp
      case .icc: .icc
      case .comment: .text
      case .credentials: .c2pa
      case .application, .multiPicture, .gainMap: .other
      case .jfif, .photoshop, .coding: nil
      }
    }
  }

  struct Segment {
    let marker: UInt8
    fileprivate(set) var kind: Kind
    /// With the marker, and what is between it and the segment before.
    let bytes: Range<Int>
    let payload: Range<Int>
    /// What of the payload is the name of its kind, of Exif, XMP and profiles.
    fileprivate(set) var lead = 0
    fileprivate(set) var isExtendedXMP = false
    /// Whether it goes on with the Exif of the segment before.
    fileprivate(set) var continuesExif = false

    /// The payload without the name of its kind.
    var content: Range<Int> { payload.lowerBound + min(lead, payload.count)..<payload.upperBound }
  }

  /// Where the first of them begins, after SOI.
  let start = 2
  private(set) var segments: [Segment] = []
  /// Where the first scan's marker is.
  private(set) var scan = 0

  /// Payloads of all segments of Photoshop.
  var photoshop: [Range<Int>] { segments.filter { $0.kind == .photoshop }.map(\.payload) }

  /// - Parameter toleratesDamage: Whether segments up to a damaged place, or the end of the file, are enough.
  /// - Throws: ``CoderError/Code/truncated`` if the file ends before its first scan; ``CoderError/Code/malformed``.
  init(parsing source: SourceView, toleratesDamage: Bool = false) throws(CoderError) {
    do throws(CoderError) { try read(source) } catch {
      guard toleratesDamage, error.code == .truncated || error.code == .malformed else { throw error }
    }
  }

  private mutating func read(_ source: SourceView) throws(CoderError) {
    var input = MarkerInput(source, offset: start)
    var boxes: [(segment: Int, part: BoxPart)] = []
    while true {
      let begin = input.offset
      let marker = try input.marker()
      if marker == 0x01 || (0xD0...0xD8).contains(marker) {
        segments.append(
          Segment(marker: marker, kind: .coding, bytes: begin..<input.offset, payload: input.offset..<input.offset))
        continue
      }
      guard marker != 0xD9 else { throw .malformed("an EOI marker before the first scan", at: begin) }
      guard marker != 0xDA else {
        scan = begin
        nameCredentials(boxes)
        return
      }
      let payload = try input.segment(marker)
      let reader = try source.reader(
        at: payload.lowerBound, count: min(payload.count, FileHeader.Prefix.longest), of: "a segment")
      var segment = Segment(
        marker: marker, kind: Self.kind(marker, reader), bytes: begin..<payload.upperBound, payload: payload)
      switch segment.kind {
      case .xmp:
        segment.isExtendedXMP = reader.has(FileHeader.Prefix.extendedXMP, at: 0)
        let prefix = segment.isExtendedXMP ? FileHeader.Prefix.extendedXMP : FileHeader.Prefix.xmp
        segment.lead = prefix.utf8CodeUnitCount
      case .icc: segment.lead = FileHeader.Prefix.icc.utf8CodeUnitCount + 2
      default:
        guard marker == 0xE1 else { break }
        segment.lead = ExifPayload.start(in: reader.bytes)
        // Some programs write the name of Exif in other ways.
        if segment.lead > 0 { segment.kind = .exif }
        segment.continuesExif = segments.last?.kind == .exif && reader.continuesExif
      }
      if marker == 0xEB, let part = BoxPart(reader, payload) { boxes.append((segments.count, part)) }
      segments.append(segment)
    }
  }

  /// The first block of Exif, or nil.
  func exif(in source: SourceView, _ limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let first = segments.firstIndex(where: { $0.kind == .exif && $0.lead > 0 }) else { return nil }
    let parts = parts(ofExifAt: first)
    try limits.check(metadata: parts.reduce(0) { $0 + $1.count })
    return try Self.joined(parts, in: source)
  }

  /// Where a block of Exif is that begins in a segment: in that one, and in those that go on with it.
  func parts(ofExifAt index: Int) -> [Range<Int>] {
    [segments[index].content] + segments[(index + 1)...].prefix(while: \.continuesExif).map(\.content)
  }

  static func joined(_ parts: [Range<Int>], in source: SourceView) throws(CoderError) -> [UInt8] {
    var payload: [UInt8] = []
    try ArrayMemory.grow(&payload, by: parts.reduce(0) { $0 + $1.count }, for: "the Exif payload")
    for part in parts {
      payload += try source.bytes(at: part.lowerBound, count: part.count, of: "the Exif payload")
    }
    return payload
  }

  /// The profile, or nil for none, or one with parts that do not fit together.
  func profile(in source: SourceView, _ limits: Limits) throws(CoderError) -> [UInt8]? {
    var parts: [FileHeader.ProfilePart] = []
    for segment in segments where segment.kind == .icc && segment.payload.count >= segment.lead {
      let place = segment.content.lowerBound - 2
      let numbers = try source.bytes(at: place, count: 2, of: "the ICC profile")
      parts.append(FileHeader.ProfilePart(number: Int(numbers[0]), count: Int(numbers[1]), bytes: segment.content))
    }
    guard case .success(let sorted) = parts.inOrder, !sorted.isEmpty else { return nil }
    try limits.check(metadata: sorted.reduce(0) { $0 + $1.bytes.count })
    var profile: [UInt8] = []
    for part in sorted {
      profile += try source.bytes(at: part.bytes.lowerBound, count: part.bytes.count, of: "the ICC profile")
    }
    return profile
  }

  /// A box goes on in further segments, which do not say what it is.
  private mutating func nameCredentials(_ boxes: [(segment: Int, part: BoxPart)]) {
    let stores = Set(boxes.filter(\.part.isStore).map(\.part.box))
    for (segment, part) in boxes where stores.contains(part.box) { segments[segment].kind = .credentials }
  }

  private static func kind(_ marker: UInt8, _ reader: borrowing ByteReader) -> Kind {
    switch marker {
    case 0xFE: .comment
    case 0xE0 where reader.has(FileHeader.Prefix.jfif, at: 0): .jfif
    case 0xE1 where reader.has("Exif\0\0", at: 0): .exif
    case 0xE1 where reader.has(FileHeader.Prefix.xmp, at: 0): .xmp
    case 0xE1 where reader.has(FileHeader.Prefix.extendedXMP, at: 0): .xmp
    case 0xE2 where reader.has(FileHeader.Prefix.icc, at: 0): .icc
    case 0xE2 where reader.has("MPF\0", at: 0): .multiPicture
    case 0xE2 where reader.has(JPEGAuxiliary.isoPrefix, at: 0): .gainMap
    case 0xED where reader.has(PhotoshopSegments.prefix, at: 0): .photoshop
    // Adobe's segment says how colors are stored, T.872 §6.5.3.
    case 0xEE where reader.has("Adobe", at: 0): .coding
    case 0xE0...0xEF: .application
    default: .coding
    }
  }

  /// Where the picture ends that begins the file, with its EOI; the end of the file if there is none.
  func endOfPicture(in source: SourceView) throws(CoderError) -> Int {
    try Self.endOfPicture(in: source, from: scan)
  }

  /// The same, of a picture that a marker at a place is in.
  static func endOfPicture(in source: SourceView, from place: Int) throws(CoderError) -> Int {
    var input = MarkerInput(source, offset: place)
    while input.offset < source.size {
      let begin = input.offset
      do throws(CoderError) {
        let marker = try input.marker()
        switch marker {
        case 0xD9: return input.offset
        // Restarts, and what has no segment.
        case 0x01, 0xD0...0xD8: continue
        default: _ = try input.segment(marker)
        }
      } catch {
        guard error.code == .truncated || error.code == .malformed, input.offset > begin else { return source.size }
        if error.code == .truncated { return source.size }
      }
    }
    return source.size
  }
}
