// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

/// The pictures that follow the first one in a JPEG file.
///
/// The index of a multi-picture file says where they are; without one that is right, the directory in the first picture's
/// XMP, which counts lengths from the end of the file. The length of the first picture is not looked at: many writers
/// state another one than it has.
///
/// - Format: CIPA DC-007-2021 §5.2.3; Android's "Ultra HDR image format" 1.1; ISO 21496-1:2025 annex C.
struct JPEGAuxiliary {
  /// A picture that was found.
  struct Found {
    var role: PageRole
    /// The metadata of a gain map as ISO 21496-1 has it, or nil.
    var gainMap: [UInt8]?
    /// Where its file is.
    let place: Range<Int>
    let frame: FrameParameters
  }

  let found: [Found]

  /// What application segments with the metadata of a gain map begin with, ISO 21496-1:2025, annex C.
  static let isoPrefix: StaticString = "urn:iso:std:iso:ts:21496:-1\0"
  static let ultraHDR: StaticString = "http://ns.adobe.com/hdr-gain-map/1.0/"

  /// Of more pictures than pages are allowed, one more than that: the host refuses them.
  ///
  /// - Parameters:
  ///   - hasIndex: Whether the file has the index of a multi-picture file.
  ///   - xmp: The packet of the first picture, if it has a directory.
  /// - Throws: ``CoderError/Code/limitExceeded`` for metadata of a gain map that is too large.
  init(_ source: SourceView, hasIndex: Bool, xmp: [UInt8]?, host: CoderHost) throws(CoderError) {
    var listed = hasIndex ? try Self.index(of: source, most: host.limits.maxPages) : []
    let inDirectory = xmp.map { GainMapDirectory($0).places(endingAt: source.size) } ?? []
    for place in inDirectory where !listed.contains(where: { $0.place.lowerBound == place.place.lowerBound }) {
      // One that the index gives counts as it is there.
      if listed.contains(where: { $0.place.overlaps(place.place) }) { continue }
      listed.append(place)
    }
    var found: [Found] = []
    for entry in Self.apart(listed) {
      guard found.count <= host.limits.maxPages else { break }
      guard entry.place.lowerBound > 0, let read = try Self.read(entry, source, host) else { continue }
      found.append(read)
    }
    self.found = found
  }

  /// Where a picture is said to be, and what.
  struct Entry {
    var place: Range<Int>
    var kind = PageKind.other
    var typeName = ""
  }

  /// The same pictures, each of which ends where the next one in the file begins at the latest. So all of them together are
  /// no larger than the file, however often a part of it is named.
  private static func apart(_ entries: [Entry]) -> [Entry] {
    let starts = Set(entries.map(\.place.lowerBound)).sorted()
    let ends = Dictionary(uniqueKeysWithValues: zip(starts, starts.dropFirst()))
    var known: Set<Int> = []
    return entries.compactMap { entry in
      guard known.insert(entry.place.lowerBound).inserted else { return nil }
      var entry = entry
      let end = min(entry.place.upperBound, ends[entry.place.lowerBound] ?? .max)
      entry.place = entry.place.lowerBound..<end
      return entry
    }
  }

  /// Pictures but the first of the index, if it can be read.
  private static func index(of source: SourceView, most: Int) throws(CoderError) -> [Entry] {
    guard let segment = try HeaderSegments(parsing: source).segments.first(where: { $0.kind == .multiPicture }) else {
      return []
    }
    let base = segment.payload.lowerBound + 4
    let payload = try source.bytes(at: base, count: segment.payload.upperBound - base, of: "the index")
    guard let order = ExifPayload.byteOrder(of: payload.span.bytes) else { return [] }
    let reader = ByteReader(payload.span.bytes, order: order, of: "the index")
    guard let directory = try? Int(reader.uint32(at: 4)), let count = try? Int(reader.uint16(at: directory)) else {
      return []
    }
    var entries: [Entry] = []
    for index in 0..<count {
      let field = directory + 2 + 12 * index
      guard let tag = try? reader.uint16(at: field) else { break }
      guard tag == 0xB002, let size = try? Int(reader.uint32(at: field + 4)),
        let place = try? Int(reader.uint32(at: field + 8)), size >= 32
      else { continue }
      for picture in 1..<min(size / 16, most + 1) {
        let entry = place + 16 * picture
        guard let attribute = try? reader.uint32(at: entry), let length = try? Int(reader.uint32(at: entry + 4)),
          let offset = try? Int(reader.uint32(at: entry + 8))
        else { break }
        // §5.2.3.3: counted from the header of the index. A length beyond the end is that to the end.
        let start = base + offset
        guard offset > 0, start < source.size else { continue }
        entries.append(Self.entry(type: attribute & 0xFF_FFFF, at: start..<min(start + max(length, 1), source.size)))
      }
      break
    }
    return entries
  }

  /// Types of the index that say what a picture is, §5.2.3.3.1 and table 4.
  static let types: [(code: UInt32, name: String, kind: PageKind)] = [
    (0, "MPF", .other), (0x01_0001, "MPF large thumbnail", .preview), (0x01_0002, "MPF large thumbnail", .preview),
    (0x02_0001, "MPF panorama", .other), (0x02_0002, "MPF disparity", .disparity),
    (0x02_0003, "MPF multi-angle", .other),
  ]

  private static func entry(type: UInt32, at place: Range<Int>) -> Entry {
    let known = types.first { $0.code == type }
    return Entry(place: place, kind: known?.kind ?? .other, typeName: known?.name ?? "MPF")
  }

  /// Looks into the header of a picture; nil for what is no JPEG file.
  private static func read(
    _ entry: Entry, _ source: SourceView, _ host: CoderHost
  ) throws(CoderError) -> Found? {
    let start = try source.view(at: entry.place.lowerBound, count: 3)
    guard start.elementsEqual([0xFF, 0xD8, 0xFF]), entry.place.count >= 4 else { return nil }
    var input = MarkerInput(source, offset: entry.place.lowerBound + 2)
    var picture = Description(role: PageRole(entry.kind, name: entry.typeName))
    var frame: FrameParameters?
    do throws(CoderError) {
      while true {
        let marker = try input.marker()
        if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
        guard marker != 0xD8, marker != 0xD9, marker != 0xDA else { break }
        let payload = try input.segment(marker)
        guard payload.upperBound <= entry.place.upperBound else { break }
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
          var reader = try source.reader(at: payload.lowerBound, count: payload.count, of: "the frame header")
          if frame == nil { frame = try FrameParameters(parsing: &reader, marker: marker) }
        case 0xE1, 0xE2: try look(at: payload, marker, source, host, &picture)
        default: break
        }
      }
    } catch {
      guard error.code.group == .file || error.code == .unsupported else { throw error }
    }
    // Without a frame's header there is nothing to show.
    return frame.map { Found(role: picture.role, gainMap: picture.gainMap, place: entry.place, frame: $0) }
  }

  /// What the segments of a picture say of it.
  private struct Description {
    var role: PageRole
    var gainMap: [UInt8]?
  }

  /// Takes from a segment what says that the picture is a gain map, or something of Apple's.
  private static func look(
    at payload: Range<Int>, _ marker: UInt8, _ source: SourceView, _ host: CoderHost, _ picture: inout Description
  ) throws(CoderError) {
    let bytes = try source.bytes(at: payload.lowerBound, count: payload.count, of: "a segment")
    let reader = ByteReader(bytes.span.bytes)
    if marker == 0xE2 {
      // The primary picture has the versions alone.
      let prefix = isoPrefix.utf8CodeUnitCount
      guard reader.has(isoPrefix, at: 0), bytes.count > prefix + 4, picture.gainMap == nil else { return }
      try host.limits.check(metadata: bytes.count)
      picture.gainMap = Array(bytes[prefix...])
      picture.role.kind = .gainMap
      picture.role.name = "urn:iso:std:iso:ts:21496:-1"
    } else if reader.has(FileHeader.Prefix.xmp, at: 0), picture.gainMap == nil {
      if let urn = name(in: bytes) {
        picture.role.name = urn
        picture.role.kind = kind(of: urn) ?? picture.role.kind
        if picture.role.kind == .depth, isDisparity(bytes) { picture.role.kind = .disparity }
      } else if word(beginning: ultraHDR, in: bytes) != nil {
        picture.role.name = "\(ultraHDR)"
        picture.role.kind = .gainMap
      }
    }
  }

  /// The name of the kind of picture that a packet beside it says, Apple's or MPEG's.
  static func name(in packet: [UInt8]) -> String? {
    ["urn:com:apple:photo:", "tag:apple.com,", "urn:mpeg:"].lazy.compactMap { word(beginning: $0, in: packet) }.first
  }

  /// Whether numbers of a picture of depth are those of disparity, which Apple's packet says by the name of the kind or of
  /// the numbers that were stored.
  private static func isDisparity(_ packet: [UInt8]) -> Bool {
    packet.withUnsafeBytes { bytes in
      ["disparity", "hdis", "fdis"].contains { place(of: $0, in: bytes) != nil }
    }
  }

  /// The kinds of Apple's and of MPEG's names.
  private static func kind(of urn: String) -> PageKind? {
    if urn.hasSuffix(":hdrgainmap") { return .gainMap }
    if urn.hasSuffix("matte") { return .matte }
    if urn.hasSuffix(":auxid:2") || urn.hasSuffix(":depth") { return .depth }
    if urn.hasSuffix(":disparity") { return .disparity }
    return nil
  }

  /// Whether a packet of XMP may have a directory of pictures. Nearly none has, and every file's is looked through when it is
  /// opened.
  static func mayHaveDirectory(_ packet: UnsafeRawBufferPointer) -> Bool { place(of: "Semantic", in: packet) != nil }

  private static func place(of text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let count = text.utf8CodeUnitCount
    var place = 0
    while place + count <= bytes.count {
      let found = memchr(base + place, Int32(text.utf8Start[0]), bytes.count - count - place + 1)
      guard let found = found.map(UnsafeRawPointer.init) else { return nil }
      if memcmp(found, text.utf8Start, count) == 0 { return base.distance(to: found) }
      place = base.distance(to: found) + 1
    }
    return nil
  }

  /// The text that begins so, up to a quotation mark, an angle bracket or a space; at most 128 bytes.
  private static func word(beginning text: StaticString, in bytes: [UInt8]) -> String? {
    bytes.withUnsafeBytes { bytes in
      place(of: text, in: bytes).map { place in
        let word = bytes[place...].prefix(128).prefix { byte in
          (0x21..<0x7F).contains(byte) && ![0x22, 0x27, 0x3C].contains(byte)
        }
        return String(decoding: word, as: UTF8.self)
      }
    }
  }
}

/// The directory of pictures in XMP: what follows the first one, and how long it is.
struct GainMapDirectory {
  /// Items in their order, the first picture among them.
  private(set) var items: [(semantic: String, length: Int)] = []

  private static let mostItems = 64

  init(_ packet: [UInt8]) {
    var scanner = TagScanner(packet)
    while let tag = scanner.next(), items.count < Self.mostItems {
      let names = ["Container:Item", "GContainer:Item", "rdf:li"]
      guard tag.kind != .end, names.contains(where: { packet[tag.name].elementsEqual($0.utf8) }) else { continue }
      var item = (semantic: "", length: 0)
      for attribute in scanner.attributes(of: tag) {
        let name = packet[attribute.name].drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let value = String(decoding: packet[attribute.value].prefix(32), as: UTF8.self)
        if name.elementsEqual("Semantic".utf8) { item.semantic = value }
        if name.elementsEqual("Length".utf8) { item.length = Int(value) ?? -1 }
      }
      if !item.semantic.isEmpty { items.append(item) }
    }
  }

  /// Where items of more pictures belong in a packet: after that of the gain map. Nil for a packet without one.
  static func endOfPictures(in packet: [UInt8]) -> Int? {
    var scanner = TagScanner(packet)
    var isMap = false
    while let tag = scanner.next() {
      if tag.kind == .end {
        if isMap, packet[tag.name].elementsEqual("rdf:li".utf8) { return tag.whole.upperBound }
        continue
      }
      for attribute in scanner.attributes(of: tag) where packet[attribute.value].elementsEqual("GainMap".utf8) {
        if packet[attribute.name].elementsEqual("Item:Semantic".utf8) { isMap = true }
      }
      if isMap, tag.kind != .start, packet[tag.name].elementsEqual("rdf:li".utf8) { return tag.whole.upperBound }
    }
    return nil
  }

  /// Where the items are that follow the first one.
  ///
  /// - Parameter end: Of the file.
  func places(endingAt end: Int) -> [JPEGAuxiliary.Entry] {
    var entries: [JPEGAuxiliary.Entry] = []
    var end = end
    for item in items.dropFirst().reversed() {
      guard item.length > 0, item.length < end else { return [] }
      let place = (end - item.length)..<end
      end = place.lowerBound
      switch item.semantic {
      case "GainMap":
        entries.insert(.init(place: place, kind: .gainMap, typeName: "\(JPEGAuxiliary.ultraHDR)"), at: 0)
      case "Depth", "DepthMap": entries.insert(.init(place: place, kind: .depth, typeName: item.semantic), at: 0)
      // A video, or whatever else: whether it is a JPEG shows by its first bytes.
      default: entries.insert(.init(place: place, typeName: item.semantic), at: 0)
      }
    }
    return entries
  }
}
