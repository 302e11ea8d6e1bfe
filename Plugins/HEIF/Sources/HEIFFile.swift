// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The boxes of a HEIF file: its items, and where their bytes are.
///
/// - Lifetime: As long as the view of the source that it was made from.
final class HEIFFile {
  let contents: UnsafeRawBufferPointer
  let meta: MetaBox
  let format: ImageFormat
  /// Items that are pictures in their own right, by their number (ISO/IEC 23008-12 §6.4).
  let pages: [UInt32]
  let primaryPage: Int
  let limits: Limits
  private var nodes: [UInt32: PictureNode] = [:]
  /// What belongs to a picture, by the picture.
  private let attached: [FourCC: [UInt32: [UInt32]]]

  /// Brands of files whose pictures are HEVC (ISO/IEC 23008-12 Annex B.4).
  private static let hevcBrands: Set<FourCC> = [
    FourCC("heic"), FourCC("heix"), FourCC("heim"), FourCC("heis"), FourCC("hevc"), FourCC("hevx"), FourCC("hevm"),
    FourCC("hevs"),
  ]
  /// Brands of files with pictures of any kind.
  private static let pictureBrands: Set<FourCC> = [FourCC("mif1"), FourCC("mif2"), FourCC("msf1"), FourCC("miaf")]
  static let pictureTypes: Set<FourCC> = [.hevc, .grid, .overlay, .identity]

  init(parsing contents: UnsafeRawBufferPointer, limits: Limits) throws(CoderError) {
    self.contents = contents
    self.limits = limits
    var bytes = BoxBytes(contents, in: 0..<contents.count)
    format = try Self.format(&bytes)
    var found: Box?
    var hasMovie = false
    while found == nil, let box = try bytes.nextBox() {
      if box.name == .meta { found = box }
      if box.name == .movie { hasMovie = true }
      if box.isCut, found == nil {
        throw .truncated("the file ends inside the box \(box.name), before meta", at: contents.count)
      }
    }
    guard let found else {
      throw hasMovie
        ? .wrongFormat("a file of tracks, without a meta box")
        : .truncated("the file ends before its meta box", at: contents.count)
    }
    meta = try MetaBox(parsing: found, in: contents)
    guard let primary = meta.primary else {
      while !hasMovie, let box = try bytes.nextBox() { hasMovie = box.name == .movie }
      throw hasMovie
        ? .wrongFormat("a file of tracks, none of whose items is the primary one", at: found.start)
        : .malformed("no primary item is named", at: found.start)
    }
    guard let item = meta.item(primary) else {
      throw .malformed("the primary item is \(primary), which the file does not have", at: found.start)
    }
    pages = try Self.pages(of: meta, primary: item, limits: limits)
    var attached: [FourCC: [UInt32: [UInt32]]] = [:]
    for type in [FourCC.thumbnail, .auxiliary, .describes] {
      for (from, to) in meta.references(as: type) {
        for id in to { attached[type, default: [:]][id, default: []].append(from) }
      }
    }
    self.attached = attached
    primaryPage = pages.firstIndex(of: primary) ?? 0
  }

  private static func format(_ bytes: inout BoxBytes) throws(CoderError) -> ImageFormat {
    guard bytes.left >= 8 else { throw .truncated("a file of \(bytes.left) bytes", at: bytes.left) }
    var start = bytes
    guard try start.number(4, of: "the file type") >= 8, try start.name("the file type") == .fileType else {
      throw .wrongFormat("no file type box at the start", at: 0)
    }
    guard let box = try bytes.nextBox() else { throw .wrongFormat("no file type box at the start", at: 0) }
    var content = bytes.inside(box)
    let major = try content.name("the major brand")
    _ = try content.uint32("the minor version")
    var brands: Set<FourCC> = []
    while content.left >= 4 { brands.insert(try content.name("a brand")) }
    if hevcBrands.contains(major) { return .heic }
    guard pictureBrands.contains(major) || !brands.isDisjoint(with: hevcBrands.union(pictureBrands)) else {
      guard !box.isCut else { throw .truncated("the file type box is cut", at: content.end) }
      throw .wrongFormat("the brand \(major), which is none of HEIF's", at: box.start)
    }
    return brands.isDisjoint(with: hevcBrands) ? .heif : .heic
  }

  private static func pages(of meta: MetaBox, primary: Item, limits: Limits) throws(CoderError) -> [UInt32] {
    guard pictureTypes.contains(primary.type) else {
      throw primary.type == .av1
        ? .wrongFormat("a primary item of AV1")
        : .unsupported("a primary item of the type \(primary.type)")
    }
    // Thumbnails and auxiliary pictures belong to others.
    var parts: Set<UInt32> = []
    for type in [FourCC.thumbnail, .auxiliary] {
      for reference in meta.references(as: type) { parts.insert(reference.from) }
    }
    let pages = meta.items.filter { item in
      item.id == primary.id
        || (pictureTypes.contains(item.type) && !item.isHidden && !parts.contains(item.id))
    }
    guard pages.count <= limits.maxPages else {
      throw .limitExceeded("maxPages", found: pages.count, allowed: limits.maxPages, what: "a page count of")
    }
    return pages.map(\.id).sorted()
  }
}

extension HEIFFile {
  func properties(of item: Item) throws(CoderError) -> ItemProperties {
    try ItemProperties(of: item, in: meta, file: contents)
  }

  /// Auxiliary pictures of a picture.
  func auxiliaries(of id: UInt32) -> [UInt32] { attached[.auxiliary]?[id] ?? [] }

  /// Smaller versions of a picture.
  func thumbnails(of id: UInt32) -> [UInt32] { attached[.thumbnail]?[id] ?? [] }

  /// Items that say something about a picture.
  func descriptions(of id: UInt32) -> [UInt32] { attached[.describes]?[id] ?? [] }

  /// The tone-mapped picture that is made of a picture and its gain map (ISO/IEC 23008-12 Amd 1), when there is one.
  func toneMap(of id: UInt32) -> UInt32? {
    meta.items.first { $0.type == .toneMap && meta.references(from: $0.id, as: .derivedFrom).contains(id) }?.id
  }

  /// The picture that an item is or is made of; built once.
  func node(_ id: UInt32) throws(CoderError) -> PictureNode { try node(id, inside: []) }

  /// - Parameter chain: The items that are made of this one, from the outermost.
  func node(_ id: UInt32, inside chain: [UInt32]) throws(CoderError) -> PictureNode {
    if let node = nodes[id] { return node }
    guard !chain.contains(id) else { throw .malformed("item \(id) is made of itself") }
    guard chain.count < Self.maxDepth else {
      throw .unsupported("item \(id) is made of pictures in \(chain.count) steps, \(Self.maxDepth) are allowed")
    }
    guard let item = meta.item(id) else { throw .malformed("a picture is made of item \(id), which is not there") }
    let node = try PictureNode(item, in: self, chain: chain + [id])
    nodes[id] = node
    return node
  }

  private static let maxDepth = 8

  /// The bytes of an item.
  func bytes(of item: Item) throws(CoderError) -> ItemBytes { try ItemBytes(of: item, in: self) }
}

/// The bytes of one item, in one piece.
struct ItemBytes {
  /// Where they lie in the file, when they lie in one piece.
  private let range: Range<Int>?
  private let gathered: [UInt8]
  private let contents: UnsafeRawBufferPointer
  /// Whether the file ends before the item does.
  let isCut: Bool

  /// - Throws: ``CoderError/Code/malformed``; ``CoderError/Code/unsupported`` for bytes that lie elsewhere.
  fileprivate init(of item: Item, in file: HEIFFile) throws(CoderError) {
    contents = file.contents
    let whole: Range<Int>
    switch item.construction {
    case .file: whole = 0..<file.contents.count
    case .itemData:
      guard let data = file.meta.itemData else { throw .malformed("item \(item.id) lies in idat, which is not there") }
      whole = data
    case .elsewhere(let place): throw .unsupported("item \(item.id) lies in \(place)")
    }
    var ranges: [Range<Int>] = []
    var isCut = false
    var total = 0
    for extent in file.meta.extents[item.extents] {
      let (start, overflow) = item.base.addingReportingOverflow(extent.offset)
      guard !overflow, let offset = Int(exactly: start) else {
        throw .malformed("item \(item.id) starts at \(item.base) + \(extent.offset)")
      }
      let available = max(whole.count - offset, 0)
      let length = extent.length == 0 ? available : Int(clamping: extent.length)
      if length > available {
        guard whole.upperBound == file.contents.count else {
          throw .malformed("item \(item.id) needs \(length) bytes at \(offset) of idat, which has \(whole.count)")
        }
        isCut = true
      }
      let first = whole.lowerBound + min(offset, whole.count)
      let count = min(length, available)
      // Extents that overlap would let a small file ask for much memory.
      total += count
      guard total <= file.contents.count else {
        throw .malformed("item \(item.id) takes \(total) bytes of a file of \(file.contents.count)")
      }
      if count > 0 { ranges.append(first..<first + count) }
      if isCut { break }
    }
    self.isCut = isCut
    if ranges.count == 1 {
      range = ranges[0]
      gathered = []
    } else {
      range = nil
      var bytes: [UInt8] = []
      bytes.reserveCapacity(total)
      for part in ranges { bytes.append(contentsOf: file.contents[part]) }
      gathered = bytes
    }
  }

  var count: Int { range?.count ?? gathered.count }

  /// Reads fields from the item's bytes.
  func read<Result>(_ body: (inout BoxBytes) throws(CoderError) -> Result) throws(CoderError) -> Result {
    try withBytes { bytes throws(CoderError) in
      var reader = BoxBytes(bytes, in: 0..<bytes.count)
      do throws(CoderError) {
        return try body(&reader)
      } catch {
        guard error.code == .truncated, !isCut else { throw error }
        throw .malformed(error.message, at: offset)
      }
    }
  }

  /// Where the item starts in the file, for errors.
  var offset: Int { range?.lowerBound ?? 0 }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws(CoderError) -> Result) throws(CoderError) -> Result {
    if let range { return try body(UnsafeRawBufferPointer(rebasing: contents[range])) }
    var result: Swift.Result<Result, CoderError>?
    gathered.withUnsafeBytes { bytes in
      do throws(CoderError) { result = .success(try body(bytes)) } catch { result = .failure(error) }
    }
    guard let result else { throw .library("an array without bytes") }
    return try result.get()
  }
}
