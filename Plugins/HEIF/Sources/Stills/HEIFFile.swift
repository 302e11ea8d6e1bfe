// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

/// The boxes of a HEIF file: its items, and where their bytes are.
///
/// - Lifetime: As long as the source.
final class HEIFFile {
  /// All bytes, or those up to the end of the meta box.
  let contents: FileBytes
  let meta: MetaBox
  let format: ImageFormat
  /// Whether the file has the brand of tone maps; without it they do not count.
  private let hasToneMaps: Bool
  /// Items that are pictures in their own right, by their number (ISO/IEC 23008-12 §6.4).
  let pages: [UInt32]
  let primaryPage: Int
  let limits: Limits
  /// Where the bytes after ``contents`` come from, and what keeps those; nil when there are none.
  private let beyond: (head: FileHead, source: SourceView)?
  /// Bytes of items that were read alone.
  private var bytesAlone = 0
  private var nodes = OneOrMany<UInt32, PictureNode>()
  /// By where their boxes start: items share them.
  private var configurations = OneOrMany<Int, HEVCConfiguration>()
  /// What belongs to a picture, by the picture.
  private lazy var attached = Self.attached(in: meta)

  /// Brands of files whose pictures are HEVC (ISO/IEC 23008-12 Annex B.4).
  private static let hevcBrands: [FourCC] = [
    FourCC("heic"), FourCC("heix"), FourCC("heim"), FourCC("heis"), FourCC("hevc"), FourCC("hevx"), FourCC("hevm"),
    FourCC("hevs"),
  ]
  /// Brands of files with pictures of any kind.
  private static let pictureBrands: [FourCC] = [FourCC("mif1"), FourCC("mif2"), FourCC("msf1"), FourCC("miaf")]
  /// Brands of files whose pictures are JPEG, H.264, H.266, EVC or JPEG 2000 (annexes H, E, L, M, K), of which items of JPEG
  /// are read, and others named.
  private static let otherBrands: [FourCC] = [
    FourCC("jpeg"), FourCC("jpgs"), FourCC("avci"), FourCC("avcs"), FourCC("vvic"), FourCC("vvis"), FourCC("evbi"),
    FourCC("evmi"), FourCC("evbs"), FourCC("evms"), FourCC("j2ki"), FourCC("j2is"),
  ]
  static let pictureTypes: [FourCC] = [.hvc1, .grid, .overlay, .identity, .uncompressed, .jpeg]

  /// - Parameter isIncremental: Waits for the meta box alone, where it comes before the pixels.
  /// - Throws: What is wrong with the boxes, or with the primary picture.
  static func open(_ source: SourceView, isIncremental: Bool, limits: Limits) throws(CoderError) -> HEIFFile {
    if isIncremental, let head = try FileHead(source, upTo: .meta) {
      do throws(CoderError) {
        let file = try HEIFFile(parsing: FileBytes(first: head.bytes), beyond: (head, source), limits: limits)
        _ = try file.node(file.pages[file.primaryPage])
        return file
      } catch {
        // Boxes that reach to the end of the file are cut, others break a rule.
        _ = try source.view(at: head.bytes.count, least: 1, most: 1)
        guard source.size < .max else { throw error }
      }
    }
    if !isIncremental, let head = try FileHead(source, upTo: .meta) {
      let first = FileBytes(first: head.bytes, of: source.size)
      if let file = try? HEIFFile(parsing: first, beyond: (head, source), limits: limits),
        (try? file.node(file.pages[file.primaryPage])) != nil
      {
        return file
      }
      // What is wrong with it is found once more, with all bytes.
    }
    return try HEIFFile(parsing: FileBytes(whole: try source.contents()), limits: limits)
  }

  /// - Parameter beyond: What keeps the bytes, and where the others come from, unless all are there.
  init(
    parsing contents: FileBytes, beyond: (head: FileHead, source: SourceView)? = nil, limits: Limits
  ) throws(CoderError) {
    self.contents = contents
    self.beyond = beyond
    self.limits = limits
    let isWhole = contents.end == contents.count
    var boxes = BoxReader(ByteReader(contents.raw.bytes, isCutOff: isWhole), isCutOff: isWhole)
    (format, hasToneMaps) = try Self.format(&boxes, count: contents.count)
    var found: Box?
    var hasMovie = false
    while found == nil, let box = try boxes.next() {
      if box.type == .meta { found = box }
      if box.type == .movie { hasMovie = true }
      if box.isCut, found == nil {
        throw .truncated("the file ends inside the box \(box.type), before meta", at: contents.end)
      }
    }
    guard let found else { throw MetaBox.missing(hasMovie: hasMovie, at: contents.end) }
    meta = try MetaBox(parsing: found, in: contents)
    if meta.primary == nil {
      while !hasMovie, let box = try boxes.next() { hasMovie = box.type == .movie }
    }
    var primary = try meta.primaryItem(hasMovie: hasMovie)
    if primary.type == .toneMap, let base = meta.references(from: primary.id, as: .derivedFrom).first,
      let item = meta.item(base)
    {
      // The picture without its gain map, which is for the host to apply.
      primary = item
    }
    pages = try Self.pages(of: meta, primary: primary, limits: limits)
    primaryPage = pages.firstIndex(of: primary.id) ?? 0
  }

  private static func attached(in meta: MetaBox) -> [FourCC: [UInt32: [UInt32]]] {
    var attached: [FourCC: [UInt32: [UInt32]]] = [:]
    guard !meta.references.isEmpty else { return attached }
    for type in [FourCC.thumbnail, .auxiliary, .describes] {
      for (from, to) in meta.references(as: type) {
        for id in to { attached[type, default: [:]][id, default: []].append(from) }
      }
    }
    return attached
  }

  private static let avifBrands: [FourCC] = [FourCC("avif"), FourCC("avis")]

  private static func format(
    _ boxes: inout BoxReader, count: Int
  ) throws(CoderError) -> (format: ImageFormat, hasToneMaps: Bool) {
    guard count >= 8 else { throw .truncated("a file of \(count) bytes", at: count) }
    guard let box = try Self.fileType(&boxes) else { throw .wrongFormat("no file type box at the start", at: 0) }
    var content = try boxes.content(of: box, as: "ftyp")
    let major = try content.fourCC("the major brand")
    try content.skip(4, "the minor version")
    var (hasToneMaps, namesHEVC, namesPictures) = (false, false, false)
    while content.remaining >= 4 {
      let brand = try content.fourCC("a brand")
      hasToneMaps = hasToneMaps || brand == .toneMap
      namesHEVC = namesHEVC || hevcBrands.contains(brand)
      namesPictures = namesPictures || pictureBrands.contains(brand) || otherBrands.contains(brand)
    }
    if hevcBrands.contains(major) { return (.heic, hasToneMaps) }
    let isOurs = pictureBrands.contains(major) || otherBrands.contains(major) || namesHEVC || namesPictures
    guard isOurs, !avifBrands.contains(major) else {
      guard !box.isCut else { throw .truncated("the file type box is cut", at: content.offset) }
      throw .wrongFormat("the brand \(major), which is none of HEIF's", at: box.start)
    }
    return (namesHEVC ? .heic : .heif, hasToneMaps)
  }

  /// The first box. What begins in another way is no damaged HEIF file.
  private static func fileType(_ boxes: inout BoxReader) throws(CoderError) -> Box? {
    do throws(CoderError) {
      guard let box = try boxes.next(), box.type == .fileType else { return nil }
      return box
    } catch {
      guard error.code == .malformed else { throw error }
      return nil
    }
  }

  private static func pages(of meta: MetaBox, primary: Item, limits: Limits) throws(CoderError) -> [UInt32] {
    guard pictureTypes.contains(primary.type) else {
      throw primary.type == .av01
        ? .wrongFormat("a primary item of AV1")
        : .unsupported("a primary item of the type \(primary.type)")
    }
    // Thumbnails and auxiliary pictures belong to others.
    var parts: Set<UInt32> = []
    for reference in meta.references where reference.type == .thumbnail || reference.type == .auxiliary {
      parts.insert(reference.from)
    }
    for item in meta.items where item.type == .toneMap {
      if let map = meta.references(from: item.id, as: .derivedFrom).dropFirst().first { parts.insert(map) }
    }
    var pages: [UInt32] = []
    for item in meta.items {
      let isPage = pictureTypes.contains(item.type) && !item.isHidden && !parts.contains(item.id)
      if isPage || item.id == primary.id { pages.append(item.id) }
    }
    guard pages.count <= limits.maxPages else {
      throw .limitExceeded(.maxPages, found: pages.count, allowed: limits.maxPages, what: "a page count of")
    }
    return pages.count > 1 ? pages.sorted() : pages
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

  /// The gain map of a picture, when the file says so by its brand.
  func toneMap(of id: UInt32) -> ToneMap? { hasToneMaps ? meta.toneMap(of: id) : nil }

  /// The configuration in an `hvcC` property; read once.
  func configuration(in box: Box) throws(CoderError) -> HEVCConfiguration {
    if let known = configurations[box.start] { return known }
    let configuration = try contents.read(box, as: "hvcC") { reader throws(CoderError) in
      try HEVCConfiguration(parsing: &reader)
    }
    configurations.add(configuration, for: box.start)
    return configuration
  }

  /// The picture that an item is or is made of; built once.
  func node(_ id: UInt32) throws(CoderError) -> PictureNode { try node(id, inside: DerivationChain()) }

  /// - Parameter chain: The items that are made of this one, from the outermost.
  @inline(never)  // It has many callers, and mostly ends in its first line.
  func node(_ id: UInt32, inside chain: DerivationChain) throws(CoderError) -> PictureNode {
    if let node = nodes[id] { return node }
    let chain = try chain.adding(id)
    guard let item = meta.item(id) else { throw .malformed("a picture is made of item \(id), which is not there") }
    let node = try PictureNode(item, in: self, chain: chain)
    nodes.add(node, for: id)
    return node
  }

  /// Whether the file was opened before all of its bytes were there.
  var isIncremental: Bool { contents.end == .max }

  /// Whether bytes of an item are missing and do not arrive any more.
  func isCut(_ item: Item) -> Bool {
    !isIncremental && ItemBytes.isCut(item, in: meta, of: contents) ?? false
  }

  /// The bytes of an item, which are waited for where they arrive.
  ///
  /// - Parameter isAlone: Whether those of other items are not wanted: where a part of a picture is decoded.
  func bytes(of item: Item, isAlone: Bool = false) throws(CoderError) -> ItemBytes {
    guard let source = beyond?.source, item.construction == .file else {
      return try ItemBytes(of: item, in: meta, contents)
    }
    guard isIncremental else {
      // Who has read as many bytes as the file has may as well have all of them, once.
      let bytes = try ItemBytes(
        of: item, in: meta, contents, source: source, isAlone: isAlone && bytesAlone < contents.end)
      if isAlone { bytesAlone += bytes.count }
      return bytes
    }
    if let bytes = try ItemBytes(of: item, in: meta, incremental: source) { return bytes }
    return try ItemBytes(of: item, in: meta, FileBytes(whole: try source.contents()))
  }
}
