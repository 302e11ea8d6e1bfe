// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Puts depth, mattes and the like after the pictures of JPEG files, as phones do: the index of a multi-picture file says
/// where they are, and XMP of their own what they are.
enum JPEGDepth {
  static func attach(_ context: OperationContext, _ picture: AuxiliaryParts) throws(CoderError) {
    let source = context.source
    let header = try HeaderSegments(parsing: source)
    let end = try header.endOfPicture(in: source)
    let others = try JPEGGainMap.others(of: source, header, host: context.host).found
    let trailer = try JPEGGainMap.trailer(of: source, header, after: end, host: context.host)
    let type = JPEGAuxiliary.types.first { $0.name == picture.typeName }?.code
    let second = try file(of: picture, isNamed: type == nil)
    // Lengths that are stated may be too small, and what lies between pictures belongs to the one before.
    let starts = others.map(\.place.lowerBound).filter { $0 >= end }.sorted()
    let ends = Array(starts.dropFirst()) + [trailer.lowerBound]
    guard starts.count == others.count, starts.first ?? trailer.lowerBound == end || starts.isEmpty else {
      throw .unsupported("another picture in a JPEG file whose pictures do not follow each other")
    }
    var pictures = zip(starts, ends).map { start, end in
      let name = others.first { $0.place.lowerBound == start }?.role.name
      return MultiPictureFile.Picture(
        .kept(start..<end), type: JPEGAuxiliary.types.first { $0.name == name }?.code ?? 0)
    }
    pictures.append(.init(.new(second), type: type ?? 0))
    // A directory of a gain map counts what follows it.
    let packet = try directory(of: source, header, with: second.count)
    let added = packet.map { MultiPictureFile.segment(0xE1, [UInt8](copying: FileHeader.Prefix.xmp), $0) } ?? []
    let file = MultiPictureFile(
      source: source, header: header, end: end, added: added, pictures: pictures, trailer: trailer)
    try file.pieces(replacing: packet == nil ? [] : [.xmp]).write(in: context)
  }

  /// The picture's file with a packet that says what it is.
  ///
  /// - Parameter isNamed: Whether XMP has to say it, since the index does not.
  private static func file(of picture: AuxiliaryParts, isNamed: Bool) throws(CoderError) -> [UInt8] {
    let file = picture.file
    guard file.count > 4, file.starts(with: [0xFF, 0xD8, 0xFF]) else {
      throw .invalidArgument("a picture of \(file.count) bytes, which is no JPEG file")
    }
    var place = 2
    if file[3] == 0xE0, file.count > 6 {
      place = 4 + Int(file[4]) << 8 + Int(file[5])
      guard place < file.count else { throw .invalidArgument("a picture whose first segment is cut off") }
    }
    var packet = picture.xmp
    if isNamed { packet = try named(packet, picture.typeName) }
    guard packet?.count ?? 0 <= ExtendedXMP.largestStandard else {
      throw .unsupported("a packet of \(packet?.count ?? 0) bytes beside a picture; a segment has less room")
    }
    let segment = packet.map { MultiPictureFile.segment(0xE1, [UInt8](copying: FileHeader.Prefix.xmp), $0) } ?? []
    return Array(file[..<place]) + segment + (try JPEGGainMap.rest(of: file, from: place, hasProfile: true))
  }

  /// A packet that has the name of the kind. Apple's property of it is what others look for.
  private static func named(_ packet: [UInt8]?, _ name: String) throws(CoderError) -> [UInt8] {
    let statement = """
      <rdf:Description xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="" \
      xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" apdi:AuxiliaryImageType="\(name)"/>
      """
    guard let packet, !packet.isEmpty else {
      return Array(
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        \(statement)</rdf:RDF></x:xmpmeta>
        """.utf8)
    }
    if JPEGAuxiliary.name(in: packet) == name { return packet }
    guard JPEGAuxiliary.name(in: packet) == nil, let outline = XMPOutline(packet, hasNote: false) else {
      throw .unsupported("a packet that says of a picture that it is something else")
    }
    let end = outline.properties.upperBound
    return Array(packet[..<end]) + Array(statement.utf8) + packet[end...]
  }

  /// The packet of the first picture with one more picture in its directory, or nil without a directory of a gain map.
  private static func directory(
    of source: SourceView, _ header: HeaderSegments, with length: Int
  ) throws(CoderError) -> [UInt8]? {
    for part in header.segments where part.kind == .xmp {
      let payload = try source.bytes(at: part.payload.lowerBound, count: part.payload.count, of: "a segment")
      guard ByteReader(payload.span.bytes).has(FileHeader.Prefix.xmp, at: 0) else { continue }
      let packet = Array(payload[FileHeader.Prefix.xmp.utf8CodeUnitCount...])
      guard let place = GainMapDirectory.endOfPictures(in: packet) else { return nil }
      let item = """
        <rdf:li xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
        xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/" rdf:parseType="Resource"><Container:Item \
        Item:Semantic="Other" Item:Mime="image/jpeg" Item:Length="\(length)"/></rdf:li>
        """
      let longer = Array(packet[..<place]) + Array(item.utf8) + packet[place...]
      guard longer.count <= ExtendedXMP.largestStandard else {
        throw .unsupported("another picture beside \(packet.count) bytes of XMP, which names the pictures")
      }
      return longer
    }
    return nil
  }
}
