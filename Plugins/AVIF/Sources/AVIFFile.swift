// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What the boxes of a file say, beside what libavif tells of them.
struct AVIFFile {
  /// All of the file; of an incomplete one, its boxes before the media data.
  let bytes: FileBytes
  /// Where the other bytes of an incomplete file come from.
  let incremental: (source: SourceView, head: FileHead)?
  let majorBrand: FourCC
  /// Where the last box ends by its own size; after the last byte when the file is cut.
  private(set) var claimedEnd = 0
  private(set) var items: ItemTable?
  private(set) var movie: Box?
  private(set) var track: TrackTable?
  /// The last box, if it states no size and reaches to the end of the file.
  private(set) var openBox: Box?

  /// Whether the file ends before its last box does.
  var isCut: Bool { claimedEnd > bytes.count }

  /// Whether the primary item has a clean aperture.
  var isCropped: Bool {
    items.map { $0.properties(of: $0.primary).contains { $0.type == .cleanAperture } } ?? false
  }

  /// Whether the primary item is put together from tiles.
  var isGrid: Bool { !isSequence && items.map { $0.type(of: $0.primary) == .grid } ?? false }

  /// Whether pictures are taken from the track, as libavif's rule has it: the major brand decides, and files of other
  /// brands are sequences when they have a track.
  var isSequence: Bool {
    switch majorBrand {
    case .avis: true
    case .avif: false
    default: track != nil
    }
  }

  /// Waits for the boxes that tell of the pictures.
  ///
  /// - Returns: nil when all of the file has to be waited for.
  init?(incremental source: SourceView) throws(CoderError) {
    let start = try source.view(at: 0, count: 12)
    let last: FourCC? =
      switch FileBytes(whole: start).fourCC(at: 8) {
      case FourCC.avif?: .meta
      case FourCC.avis?: .movie
      default: nil
      }
    guard let head = try FileHead(source, upTo: last) else { return nil }
    try self.init(parsing: head.bytes, incremental: (source, head))
    // libavif takes memory for an item when it looks at its first bytes.
    guard openBox == nil, tileAlpha == nil else { return nil }
    guard !isSequence else { return }
    guard let items, items.hasPlace(items.primary) else { return nil }
    let needed = items.longestItem(in: bytes) - DecoderInput.claim
    if needed > bytes.count { _ = try source.view(at: needed - 1, least: 1, most: 1) }
    if source.size < .max { return nil }
  }

  /// - Throws: ``CoderError/Code/wrongFormat``, ``CoderError/Code/truncated``, ``CoderError/Code/unsupported`` for
  ///   tables that would take too long to search.
  init(
    parsing contents: UnsafeRawBufferPointer, incremental: (source: SourceView, head: FileHead)? = nil
  ) throws(CoderError) {
    bytes = incremental == nil ? FileBytes(whole: contents) : FileBytes(first: contents)
    self.incremental = incremental
    guard let first = bytes.box(at: 0, before: .max), first.type == .fileType else {
      guard contents.count < 12, contents.count < 8 || bytes.fourCC(at: 4) == .fileType else {
        throw .wrongFormat("no FileTypeBox at the start", at: 0)
      }
      throw .truncated("\(contents.count) bytes, a FileTypeBox needs 12", at: contents.count)
    }
    guard let brand = bytes.fourCC(at: first.content) else {
      throw .truncated("\(contents.count) bytes, a FileTypeBox needs 12", at: contents.count)
    }
    majorBrand = brand
    guard Self.hasBrand(first, in: bytes) else {
      throw first.end > contents.count
        ? .truncated("the FileTypeBox needs \(first.end) bytes", at: contents.count)
        : .wrongFormat("no brand avif or avis, the major brand is \(brand)", at: 8)
    }
    var end = first.end
    while end < contents.count, let box = bytes.box(at: end, before: contents.count) {
      end = max(box.end, end + 8)
      guard box.end <= contents.count else { break }
      if bytes.uint32(at: box.start) == 0 { openBox = box }
      switch box.type {
      case .meta where items == nil:
        try TableBounds.check(meta: box, in: bytes)
        items = ItemTable(box, in: bytes)
      case .movie where movie == nil:
        try TableBounds.check(movie: box, in: bytes)
        movie = box
        track = TrackTable(box, in: bytes)
      default: break
      }
    }
    // A box header that is itself cut.
    if end < contents.count, contents.count - end < 8 { end = contents.count + 1 }
    // A file may be cut where a box ends: its items lie after that.
    if let items, !isSequence {
      for place in items.places(of: items.primary, in: bytes) { end = max(end, place.upperBound) }
    }
    claimedEnd = end
  }

  private static func hasBrand(_ fileType: Box, in bytes: FileBytes) -> Bool {
    let brands =
      [fileType.content] + Array(stride(from: fileType.content + 8, to: min(fileType.end, bytes.count), by: 4))
    return brands.contains { offset in
      let brand = bytes.fourCC(at: offset)
      return brand == .avif || brand == .avis
    }
  }
}

extension FourCC {
  static let avif = FourCC("avif")
  static let avis = FourCC("avis")
}

/// How large tables may be, so that libavif, which searches them from the start each time, stays quick.
enum TableBounds {
  /// Items of a meta box, and a grid's tiles.
  private static let items = 1 << 14
  /// Bytes of references: two tables of 16-bit numbers for as many items.
  private static let referenceBytes = 1 << 17
  /// Bytes of associations; libavif copies a property for each byte.
  private static let associationBytes = 1 << 17
  private static let properties = 1 << 16
  /// Steps to find the samples of every chunk.
  private static let chunkSteps = 1 << 28

  static func check(meta: Box, in bytes: FileBytes) throws(CoderError) {
    for box in bytes.children(of: meta, skipping: 4) {
      let isLong = bytes.uint8(at: box.content) ?? 0 > 0
      switch box.type {
      case .itemInformation:
        let count = isLong ? Int(bytes.uint32(at: box.fullContent) ?? 0) : bytes.uint16(at: box.fullContent) ?? 0
        try check(count, items, "items", at: box)
      case .itemLocation:
        let isVersion2 = bytes.uint8(at: box.content) == 2
        let place = box.fullContent + 2
        try check(
          isVersion2 ? Int(bytes.uint32(at: place) ?? 0) : bytes.uint16(at: place) ?? 0, items, "places of items",
          at: box)
      case .itemReference: try check(box.end - box.content, referenceBytes, "bytes of references", at: box)
      case .itemProperties:
        for table in bytes.children(of: box) {
          if table.type == .propertyAssociation {
            try check(table.end - table.content, associationBytes, "bytes of associations", at: table)
          } else {
            var count = 0
            for _ in bytes.children(of: table) { count += 1 }
            try check(count, properties, "properties", at: table)
          }
        }
      default: break
      }
    }
  }

  static func check(movie: Box, in bytes: FileBytes) throws(CoderError) {
    for track in bytes.children(of: movie) where track.type == .track {
      if let meta = bytes.child(.meta, of: track) { try check(meta: meta, in: bytes) }
      guard let media = bytes.child(.media, of: track),
        let information = bytes.child(.mediaInformation, of: media),
        let samples = bytes.child(.sampleTable, of: information)
      else { continue }
      func entries(_ type: FourCC) -> Int {
        let counts = bytes.children(of: samples).filter { $0.type == type }.map { box in
          min(Int(bytes.uint32(at: box.fullContent) ?? 0), (box.end - box.content) / 4)
        }
        return counts.reduce(0, +)
      }
      let steps = (entries(.chunkOffset) + entries(.largeChunkOffset)).multipliedReportingOverflow(
        by: entries(.sampleToChunk))
      try check(
        steps.overflow ? .max : steps.partialValue, chunkSteps, "steps to find each chunk's samples", at: samples)
    }
  }

  private static func check(_ found: Int, _ allowed: Int, _ what: String, at box: Box) throws(CoderError) {
    guard found <= allowed else { throw .unsupported("\(found) \(what), \(allowed) are read", at: box.start) }
  }
}
