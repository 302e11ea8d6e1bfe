// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Puts gain maps after the pictures of JPEG files, in the three ways that programs look for: the index of a
/// multi-picture file, the directory in XMP, and the segments of ISO 21496-1.
///
/// - Format: ISO 21496-1:2025 annex C; Android's "Ultra HDR image format" 1.1; CIPA DC-007-2021 §5.2.
enum JPEGGainMap {
  static func attach(_ context: OperationContext, _ map: GainMapParts) throws(CoderError) {
    let source = context.source
    let second = try mapFile(map)
    let header = try HeaderSegments(parsing: source)
    let end = try header.endOfPicture(in: source)
    let trailer = try trailer(of: source, header, after: end, host: context.host)
    let xmp = try packet(of: source, header, length: second.count, trailer: trailer)
    var added = MultiPictureFile.segment(0xE1, [UInt8](copying: FileHeader.Prefix.xmp), xmp)
    // Minimum version and writer's version; the map's file has the rest.
    added += MultiPictureFile.segment(0xE2, [UInt8](copying: JPEGAuxiliary.isoPrefix), [0, 0, 0, 0])
    let file = MultiPictureFile(
      source: source, header: header, end: end, added: added, pictures: [.init(.new(second), type: 0)],
      trailer: trailer)
    // The packet is in what was added.
    try file.pieces(replacing: [.gainMap, .xmp]).write(in: context)
  }

  /// What follows the pictures of the file, such as a video. Pictures after the first one go.
  static func trailer(
    of source: SourceView, _ header: HeaderSegments, after end: Int, host: CoderHost
  ) throws(CoderError) -> Range<Int> {
    let others = try others(of: source, header, host: host).found.map(\.place)
    return try JPEGFacts.end(of: others, after: end, in: source)..<source.size
  }

  /// The pictures after the first.
  static func others(
    of source: SourceView, _ header: HeaderSegments, host: CoderHost
  ) throws(CoderError) -> JPEGAuxiliary {
    var packet: [UInt8]?
    for part in header.segments where part.kind == .xmp && packet == nil {
      let payload = try source.bytes(at: part.payload.lowerBound, count: part.payload.count, of: "a segment")
      guard ByteReader(payload.span.bytes).has(FileHeader.Prefix.xmp, at: 0) else { continue }
      packet = Array(payload[FileHeader.Prefix.xmp.utf8CodeUnitCount...])
    }
    let hasIndex = header.segments.contains { $0.kind == .multiPicture }
    return try JPEGAuxiliary(source, hasIndex: hasIndex, xmp: packet, host: host)
  }

  /// What the directory says of a trailer.
  private static func item(for trailer: Range<Int>, in source: SourceView) throws(CoderError) -> String {
    guard !trailer.isEmpty else { return "" }
    let isVideo = try source.reader(at: trailer.lowerBound, count: 8, of: "the trailer").has("ftyp", at: 4)
    let (semantic, mime) = isVideo ? ("MotionPhoto", "video/mp4") : ("Other", "application/octet-stream")
    return """
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="\(semantic)" Item:Mime="\(mime)" \
      Item:Length="\(trailer.count)"/></rdf:li>
      """
  }

  /// The map's file with its metadata after SOI and JFIF's segment.
  private static func mapFile(_ map: GainMapParts) throws(CoderError) -> [UInt8] {
    let file = map.file
    guard file.count > 4, file.starts(with: [0xFF, 0xD8, 0xFF]) else {
      throw .invalidArgument("a gain map of \(file.count) bytes, which is no JPEG file")
    }
    var place = 2
    if file[3] == 0xE0, file.count > 6 {
      place = 4 + Int(file[4]) << 8 + Int(file[5])
      guard place < file.count else { throw .invalidArgument("a gain map whose first segment is cut off") }
    }
    // B.1.1.4: a segment holds 65,533 bytes after its length.
    let room = 65_533 - JPEGAuxiliary.isoPrefix.utf8CodeUnitCount
    guard map.iso.count <= room else {
      throw .invalidArgument("metadata of a gain map of \(map.iso.count) bytes; a segment of JPEG has room for \(room)")
    }
    if let count = map.xmp?.count, count > ExtendedXMP.largestStandard {
      throw .invalidArgument(
        "an XMP packet of a gain map of \(count) bytes; a segment of JPEG has room for \(ExtendedXMP.largestStandard)")
    }
    var added: [UInt8] = []
    if let xmp = map.xmp { added += MultiPictureFile.segment(0xE1, [UInt8](copying: FileHeader.Prefix.xmp), xmp) }
    added += MultiPictureFile.segment(0xE2, [UInt8](copying: JPEGAuxiliary.isoPrefix), map.iso)
    // The map's profile is that of the other rendition, where gains are in its primaries: flag 0x40 is that they are not.
    let profile = map.iso.count > 4 && map.iso[4] & 0x40 == 0 ? map.alternateProfile : nil
    if let profile { added += try profileSegments(profile) }
    return Array(file[..<place]) + added + (try rest(of: file, from: place, hasProfile: profile == nil))
  }

  /// ICC.1:2022 B.4: parts with their number and count, both from 1.
  private static func profileSegments(_ profile: [UInt8]) throws(CoderError) -> [UInt8] {
    let room = 65_519
    let count = (profile.count + room - 1) / room
    guard count <= 255 else {
      throw .unsupported("a profile of a gain map of \(profile.count) bytes; JPEG has room for \(255 * room)")
    }
    var segments: [UInt8] = []
    for index in 0..<count {
      let part = profile[(index * room)..<min(profile.count, index * room + room)]
      segments += MultiPictureFile.segment(
        0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)], Array(part))
    }
    return segments
  }

  /// A map's file from after its first segment on, without what it says of a gain map so far.
  ///
  /// - Parameter hasProfile: Whether its profile stays.
  static func rest(of file: [UInt8], from start: Int, hasProfile: Bool) throws(CoderError) -> [UInt8] {
    let reader = ByteReader(file.span.bytes, of: "a gain map")
    var kept: [UInt8] = []
    var place = start
    while try reader.uint8(at: place) == 0xFF, (0xE0...0xFE).contains(try reader.uint8(at: place + 1)) {
      let end = place + 2 + Int(try reader.uint16(at: place + 2))
      guard end > place + 3, end <= file.count else { throw .invalidArgument("a gain map whose segment is cut off") }
      var replaced = [FileHeader.Prefix.xmp, JPEGAuxiliary.isoPrefix, "MPF\0"]
      if !hasProfile { replaced.append("ICC_PROFILE\0") }
      let isReplaced = replaced.contains { reader.has($0, at: place + 4) }
      if !isReplaced { kept += file[place..<end] }
      place = end
    }
    // A scan has no EOI inside of it (ITU-T T.81 §B.1.1.5).
    guard file[place...].indices.dropLast().last(where: { file[$0] == 0xFF && file[$0 + 1] == 0xD9 }) != nil else {
      throw .invalidArgument("a picture of \(file.count) bytes without an end")
    }
    return kept + file[place...]
  }

  /// The packet of the first picture with a directory of both; what it said of another map has to be gone.
  ///
  /// - Parameters:
  ///   - length: Bytes of the map's file.
  ///   - trailer: What follows it. Places are counted from the end of the file.
  private static func packet(
    of source: SourceView, _ header: HeaderSegments, length: Int, trailer: Range<Int>
  ) throws(CoderError) -> [UInt8] {
    let last = try item(for: trailer, in: source)
    let directory = """
      <rdf:Description xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="" \
      xmlns:Container="http://ns.google.com/photos/1.0/container/" \
      xmlns:Item="http://ns.google.com/photos/1.0/container/item/" xmlns:hdrgm="\(JPEGAuxiliary.ultraHDR)" \
      hdrgm:Version="1.0"><Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item \
      Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li><rdf:li rdf:parseType="Resource"><Container:Item \
      Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="\(length)"/></rdf:li>\(last)</rdf:Seq>\
      </Container:Directory></rdf:Description>
      """
    for part in header.segments where part.kind == .xmp {
      let payload = try source.bytes(at: part.payload.lowerBound, count: part.payload.count, of: "a segment")
      let reader = ByteReader(payload.span.bytes)
      guard reader.has(FileHeader.Prefix.xmp, at: 0) else { continue }
      let packet = withoutDirectory(Array(payload[FileHeader.Prefix.xmp.utf8CodeUnitCount...]))
      guard let outline = XMPOutline(packet, hasNote: false) else { break }
      let end = outline.properties.upperBound
      let longer = Array(packet[..<end]) + Array(directory.utf8) + packet[end...]
      guard longer.count <= ExtendedXMP.largestStandard else {
        throw .unsupported(
          "a gain map beside \(packet.count) bytes of XMP; \(ExtendedXMP.largestStandard) are the most")
      }
      return longer
    }
    return Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      \(directory)</rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  /// A packet without the directory that the host has written for a video: a new one names both.
  private static func withoutDirectory(_ packet: [UInt8]) -> [UInt8] {
    var scanner = TagScanner(packet)
    var start: Int?
    while let tag = scanner.next() {
      guard packet[tag.name].elementsEqual("Container:Directory".utf8) else { continue }
      if tag.kind != .end { start = start ?? tag.whole.lowerBound }
      guard tag.kind != .start, let start else { continue }
      return Array(packet[..<start] + packet[tag.whole.upperBound...])
    }
    return packet
  }
}

extension [UInt8] {
  init(copying text: StaticString) { self = text.withUTF8Buffer { Array($0) } }
}
