// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What the boxes of a file say, beside what libavif tells of them.
struct AVIFFile {
  /// All of the file; of an incomplete one, its boxes before the media data; or its first bytes, if they tell all that
  /// a header needs.
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
  /// Whether an item is shown that is not the primary one, and so no track.
  private var isShowingItem = false
  /// Whether the file has the brand of tone maps; without it they do not count.
  private let hasToneMaps: Bool

  /// How much more than its bytes a cut file may claim, which bounds what libavif takes to join parts of an item.
  static let claim = 1 << 24

  /// Whether the file ends before its last box does.
  var isCut: Bool { claimedEnd > (isPartial ? bytes.end : bytes.count) }

  /// Whether the file is there whole, and only its first bytes were read.
  var isPartial: Bool { incremental == nil && bytes.count < bytes.end }

  /// Whether the primary item has a clean aperture.
  var isCropped: Bool {
    items.map { $0.property(.cleanAperture, of: $0.primary) != nil } ?? false
  }

  /// The gain map of the item that is shown, when the file says so by its brand.
  var toneMap: ToneMap? { hasToneMaps ? items.flatMap { $0.meta.toneMap(of: $0.primary) } : nil }

  /// Whether the primary item is put together from tiles.
  var isGrid: Bool { !isSequence && items.map { $0.type(of: $0.primary) == .grid } ?? false }

  /// Whether pictures are taken from the track, as libavif's rule has it: the major brand decides, and files of other
  /// brands are sequences when they have a track.
  var isSequence: Bool {
    guard !isShowingItem else { return false }
    return switch majorBrand {
    case .avis: true
    case .avif: false
    default: track != nil
    }
  }

  /// Whether a still is shown in place of a sequence that cannot be read.
  private(set) var standsIn = false

  /// The primary item of a file that shows its sequence; nil without one.
  var stillBesides: AVIFFile? {
    guard isSequence, incremental == nil, let primary = items?.primary else { return nil }
    var file = try? showing(primary)
    file?.standsIn = true
    return file
  }

  /// The file with another item in place of the primary one.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for an item that is not there.
  func showing(_ item: UInt32) throws(CoderError) -> AVIFFile {
    guard let items, items.meta.item(item) != nil, let shown = items.showing(item) else {
      throw .malformed("item \(item) is not there")
    }
    var file = self
    file.items = shown
    file.isShowingItem = true
    // The item may lie after the primary one.
    for place in shown.places(of: shown.primary, in: bytes) { file.claimedEnd = max(file.claimedEnd, place.upperBound) }
    return file
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
    try self.init(parsing: FileBytes(first: head.bytes), incremental: (source, head))
    // libavif takes memory for an item when it looks at its first bytes.
    guard openBox == nil, tileAlpha == nil, !isDerived else { return nil }
    guard !isSequence else { return }
    guard let items, items.hasPlace(items.primary) else { return nil }
    let needed = items.longestItem(in: bytes) - Self.claim
    if needed > bytes.count { _ = try source.view(at: needed - 1, least: 1, most: 1) }
    if source.size < .max { return nil }
  }

  /// Reads the first bytes of a file that is there whole, for its header.
  ///
  /// - Returns: nil when they do not tell all that the whole file does, or something is wrong with them, which all bytes show.
  init?(headerOf source: SourceView) throws(CoderError) {
    var first = try source.view(at: 0, count: Self.headerBytes)
    guard first.count + Self.leastRest < source.size else { return nil }
    let known = FileBytes(first: first, of: source.size)
    if let type = known.box(at: 0, before: .max), let box = known.box(at: type.end, before: .max), box.type == .meta,
      box.end > first.count - Self.itemBytes, box.end < Self.largestMeta
    {
      first = try source.view(at: 0, count: box.end + Self.itemBytes)
      guard first.count + Self.leastRest < source.size else { return nil }
    }
    do throws(CoderError) {
      try self.init(parsing: FileBytes(first: first, of: source.size))
    } catch {
      return nil
    }
    guard claimedEnd == source.size, majorBrand == .avif, openBox == nil, tileAlpha == nil, !isDerived, let items else {
      return nil
    }
    for item in items.meta.items where item.type == .av01 {
      guard let place = items.places(of: item.id, in: bytes).first, place.lowerBound <= bytes.count - Self.itemBytes,
        place.upperBound <= source.size
      else { return nil }
    }
  }

  /// What is read first of a file whose header is wanted, and how far its meta box may reach.
  private static let headerBytes = 4 << 10
  private static let largestMeta = 64 << 10
  /// Fewer bytes after them could be the rest of a box's header.
  private static let leastRest = 16
  /// The most that the sequence header of an item takes.
  static let itemBytes = 128

  /// - Throws: ``CoderError/Code/wrongFormat``, ``CoderError/Code/truncated``, ``CoderError/Code/unsupported`` for
  ///   tables that would take too long to search.
  init(
    parsing contents: FileBytes, incremental: (source: SourceView, head: FileHead)? = nil
  ) throws(CoderError) {
    bytes = contents
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
    let brands = [brand] + Self.compatibleBrands(first, in: bytes)
    hasToneMaps = brands.dropFirst().contains(.toneMap)
    guard brands.contains(where: { $0 == .avif || $0 == .avis }) else {
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

  /// The brands after the major one and the minor version.
  private static func compatibleBrands(_ fileType: Box, in bytes: FileBytes) -> [FourCC] {
    var brands: [FourCC] = []
    for place in stride(from: fileType.content + 8, to: min(fileType.end, bytes.count), by: 4) {
      if let brand = bytes.fourCC(at: place) { brands.append(brand) }
    }
    return brands
  }
}

extension FourCC {
  static let avif = FourCC("avif")
  static let avis = FourCC("avis")
}
