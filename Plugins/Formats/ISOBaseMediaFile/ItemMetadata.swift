// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Edits the metadata items of HEIF and AVIF files. Pictures and tracks stay byte for byte.
///
/// New payloads go after the file, old ones are overwritten with zeros. The meta box is written anew; where it grows, all
/// that is after it moves, and what states places there is changed: item locations and the chunks of tracks.
///
/// - Format: ISO/IEC 14496-12 §8.7.5 and §8.11, ISO/IEC 23008-12 Annex A.
public enum ItemMetadata {
  /// Writes a file with other metadata items.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for files without items, with movie fragments, or with a profile or IPTC to
  ///   edit.
  public static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    guard !edits.removed.contains(.icc) else {
      throw .unsupported("the color profile is a property of the pictures in this file, and stays")
    }
    guard edits.payloads[.iptc] == nil else { throw .unsupported("HEIF has no place for IPTC-IIM") }
    let file = FileBytes(whole: try context.source.contents())
    let layout = try TopLevel(file)
    if !edits.removed.isEmpty, layout.hasTrackMetadata(in: file) {
      throw .unsupported("a file with metadata in its tracks, which is not edited")
    }
    var tables = try ItemTables(file, layout.meta)
    let plan = try Plan(edits, tables, layout)
    guard plan.changes else {
      var pieces = FilePieces()
      pieces.keep(0..<file.count)
      return try pieces.write(in: context)
    }
    for id in plan.removed { tables.remove(id) }
    var payloads = ByteWriter()
    var places: [UInt32: Range<Int>] = [:]
    for (id, payload) in plan.replaced.sorted(by: { $0.key < $1.key }) {
      places[id] = payloads.count..<(payloads.count + payload.count)
      payloads.put(payload)
    }
    for item in plan.added {
      let id = try tables.add(item.type, contentType: item.contentType, describing: plan.primary)
      places[id] = payloads.count..<(payloads.count + item.payload.count)
      payloads.put(item.payload)
    }
    // The size of the box does not depend on the places in it.
    let size = try tables.bytes(places: places, start: 0, movedFrom: layout.meta.end, by: 0).count
    let shift = size - (layout.meta.end - layout.meta.start)
    guard shift == 0 || !layout.hasFragments else {
      throw .unsupported("new metadata in a file with movie fragments, whose places would change")
    }
    let start = file.count + shift + 8
    guard start + payloads.count <= Int(UInt32.max) else { throw .unsupported("metadata in a file of more than 4 GiB") }
    let meta = try tables.bytes(places: places, start: start, movedFrom: layout.meta.end, by: shift)
    var patches = plan.erased
    if shift != 0 { patches += try layout.movedChunks(in: file, by: shift) }
    if let open = layout.openEnd { patches.append(open) }
    var pieces = FilePieces()
    pieces.replace(0..<layout.meta.start, with: patches)
    pieces.put(meta)
    pieces.replace(layout.meta.end..<file.count, with: patches)
    if payloads.count > 0 {
      var box = ByteWriter()
      box.box(.mediaData) { $0.put(payloads.bytes) }
      pieces.put(box.bytes)
    }
    try pieces.write(in: context)
  }
}

extension FilePieces {
  /// Appends bytes of the other file, some of them overwritten.
  fileprivate mutating func replace(_ range: Range<Int>, with patches: [Patch]) {
    var place = range.lowerBound
    for patch in patches.sorted(by: { $0.place < $1.place })
    where patch.place >= place && patch.place + patch.bytes.count <= range.upperBound {
      keep(place..<patch.place)
      put(patch.bytes)
      place = patch.place + patch.bytes.count
    }
    keep(place..<range.upperBound)
  }
}

/// The boxes of a file that an edit has to know.
private struct TopLevel {
  let meta: Box
  private let movies: [Box]
  let hasFragments: Bool
  /// Gives the last box a size of its own, if it reaches to the end of the file: another one follows.
  let openEnd: Patch?
  /// Boxes of other programs.
  let others: [Box]
  /// Those of them that are content credentials.
  let credentials: [Box]

  init(_ file: FileBytes) throws(CoderError) {
    var offset = 0
    var (meta, movies, others): (Box?, [Box], [Box]) = (nil, [], [])
    var hasFragments = false
    var openEnd: Patch?
    while offset < file.count, let box = file.box(at: offset, before: file.count) {
      guard !box.isCut, box.end <= file.count else {
        throw .truncated("the box \(box.type) is cut; the metadata is left as it is", at: file.count)
      }
      switch box.type {
      case .meta: meta = meta ?? box
      case .movie: movies.append(box)
      case FourCC("moof"), FourCC("sidx"): hasFragments = true
      case FourCC("uuid"), FourCC("jumb"), .motionVideo: others.append(box)
      default: break
      }
      if file.uint32(at: box.start) == 0 {
        guard box.end - box.start <= Int(UInt32.max), box.type != .meta else {
          throw .unsupported("a last box \(box.type) without a size")
        }
        var writer = ByteWriter()
        writer.put(UInt32(clamping: box.end - box.start))
        openEnd = Patch(place: box.start, bytes: writer.bytes)
      }
      offset = box.end
    }
    guard let meta else { throw .unsupported("a file of tracks alone, which has no metadata items") }
    self.meta = meta
    self.movies = movies
    self.hasFragments = hasFragments
    self.openEnd = openEnd
    self.others = others
    var credentials: [Box] = []
    for box in others where box.type == FourCC("uuid") {
      let isStore = try file.read(box, as: "a uuid box") { (reader) throws(CoderError) in
        OutsideBoxes.isCredentials(reader)
      }
      if isStore { credentials.append(box) }
    }
    self.credentials = credentials
  }

  /// The chunk offsets of all tracks that point after the meta box.
  func movedChunks(in file: FileBytes, by shift: Int) throws(CoderError) -> [Patch] {
    var patches: [Patch] = []
    for movie in movies { try Self.collect(movie, in: file, from: meta.end, by: shift, &patches, depth: 0) }
    return patches
  }

  /// Whether the movie or a track has metadata of its own.
  func hasTrackMetadata(in file: FileBytes) -> Bool {
    func isIn(_ box: Box, depth: Int) -> Bool {
      var offset = box.content
      while offset < box.end, let inner = file.box(at: offset, before: box.end) {
        if inner.type == .meta || inner.type == FourCC("udta") { return true }
        if inner.type == .track, depth < 1, isIn(inner, depth: depth + 1) { return true }
        offset = max(inner.end, offset + 8)
      }
      return false
    }
    return movies.contains { isIn($0, depth: 0) }
  }

  private static let containers: Set<FourCC> = [.movie, .track, .media, .mediaInformation, .sampleTable]

  private static func collect(
    _ box: Box, in file: FileBytes, from limit: Int, by shift: Int, _ patches: inout [Patch], depth: Int
  ) throws(CoderError) {
    guard depth < 8 else { return }
    var offset = box.content
    while offset < box.end, let inner = file.box(at: offset, before: box.end) {
      offset = max(inner.end, offset + 8)
      if containers.contains(inner.type) {
        try collect(inner, in: file, from: limit, by: shift, &patches, depth: depth + 1)
      }
      guard inner.type == .chunkOffset || inner.type == .largeChunkOffset else { continue }
      let width = inner.type == .chunkOffset ? 4 : 8
      try file.read(inner, as: "chunk offsets") { (reader) throws(CoderError) in
        _ = try reader.fullBox()
        let count = Int(try reader.uint32("the number of chunks"))
        for _ in 0..<count {
          let place = reader.offset
          let value = Int(clamping: try reader.unsigned(bytes: width, "a chunk"))
          guard value >= limit else { continue }
          var writer = ByteWriter()
          writer.put(UInt64(clamping: value + shift), bytes: width)
          patches.append(Patch(place: place, bytes: writer.bytes))
        }
      }
    }
  }
}

/// What happens to each item.
private struct Plan {
  struct Added {
    let type: FourCC
    let contentType: String
    let payload: [UInt8]
  }

  let primary: UInt32
  private(set) var removed: Set<UInt32> = []
  private(set) var replaced: [UInt32: [UInt8]] = [:]
  private(set) var added: [Added] = []
  /// Bytes of old payloads.
  private(set) var erased: [Patch] = []

  var changes: Bool { !removed.isEmpty || !replaced.isEmpty || !added.isEmpty || !erased.isEmpty }

  init(_ edits: MetadataBlockEdits, _ tables: ItemTables, _ layout: TopLevel) throws(CoderError) {
    guard let primary = tables.meta.primary else { throw .unsupported("a file without a primary item") }
    self.primary = primary
    for (kind, type, content) in [
      (MetadataBlock.exif, FourCC.exifItem, ""), (.xmp, .mime, "application/rdf+xml"),
    ] where edits.removed.contains(kind) {
      // Items that describe other pictures, such as a gain map, belong to these.
      let items = tables.meta.items.filter {
        $0.type == type && (type != .mime || $0.isXMP) && tables.describes($0.id, primary)
      }
      var payload = edits.payloads[kind]
      if type == .exifItem { payload = payload.map { [0, 0, 0, 0] + $0 } }  // the TIFF header follows at once
      for item in items {
        if let new = payload, item.contentEncoding == .none, tables.canMove(item) {
          replaced[item.id] = new
          payload = nil
        } else {
          removed.insert(item.id)
        }
      }
      if let payload { added.append(Added(type: type, contentType: content, payload: payload)) }
    }
    if edits.removed.contains(.other) {
      for item in tables.meta.items where [FourCC.mime, FourCC("uri ")].contains(item.type) {
        if !item.isXMP, tables.describes(item.id, primary) { removed.insert(item.id) }
      }
    }
    let boxes = edits.removed.contains(.other) ? layout.others : edits.removed.contains(.c2pa) ? layout.credentials : []
    erased += boxes.map { box in
      var writer = ByteWriter()
      writer.put(FourCC("free"))
      writer.putZeros(box.end - box.start - 8)
      return Patch(place: box.start + 4, bytes: writer.bytes)
    }
    let gone = removed.union(replaced.keys)
    erased += tables.payloads(of: gone).map { range in
      Patch(place: range.lowerBound, bytes: [UInt8](repeating: 0, count: range.count))
    }
  }
}

extension FourCC {
  fileprivate static let exifItem = FourCC("Exif")
}
