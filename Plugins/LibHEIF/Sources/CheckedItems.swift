// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

/// The items of a file, checked before libheif sees them.
///
/// libheif 1.15 follows references until the stack ends, ends the process at references to items that are not pictures,
/// inflates whatever it is given, and takes the size of a grid from other bytes than it reports. It copies some
/// planes by the size of others, and those pictures are refused.
///
/// - Format: ISO/IEC 14496-12 §8.11 and 23008-12 §6.
struct CheckedItems {
  let format: ImageFormat
  let primary: UInt32
  private let file: FileBytes
  private let meta: MetaBox
  private let alphas: [UInt32: [UInt32]]

  /// libheif 1.15 goes through all items for each: 8,000 take it four seconds, and these a twentieth of one.
  static let mostItems = 1000

  /// Brands that the manifest lists and libheif takes as they are.
  private static let hevcBrands: Set<FourCC> = [FourCC("heic"), FourCC("heix"), FourCC("heim"), FourCC("heis")]
  private static let pictureBrands: Set<FourCC> = [FourCC("mif1"), FourCC("mif2")]

  /// - Throws: ``CoderError/Code/wrongFormat`` for files of other brands and files without items; what is wrong with the
  ///   boxes; ``CoderError/Code/limitExceeded`` for items that take more bytes together than the limit of memory.
  init(_ bytes: UnsafeRawBufferPointer, limits: Limits) throws(CoderError) {
    file = FileBytes(whole: bytes)
    var boxes = BoxReader(ByteReader(bytes.bytes, of: "the file"), isCutOff: true)
    format = try Self.format(bytes)
    var found: Box?
    var hasMovie = false
    while let box = try boxes.next() {
      if box.type == .movie { hasMovie = true }
      if box.type == .meta {
        guard found == nil else { throw .malformed("a second meta box", at: box.start) }
        found = box
      }
    }
    guard let found else { throw MetaBox.missing(hasMovie: hasMovie, at: bytes.count) }
    meta = try MetaBox(parsing: found, in: file)
    try Self.checkUnique(found, in: file)
    guard meta.items.count <= Self.mostItems else {
      throw .unsupported("\(meta.items.count) items; \(Self.mostItems) are given to libheif", at: found.start)
    }
    // Of two statements on an item, libheif takes the first and the reader of boxes the last.
    guard meta.items.reduce(0, { $0 + $1.associations.count }) == meta.associations.count,
      meta.items.reduce(0, { $0 + $1.extents.count }) == meta.extents.count
    else { throw .unsupported("an item whose bytes or properties are stated twice", at: found.start) }
    let item = try meta.primaryItem(hasMovie: hasMovie)
    guard !item.isHidden else { throw .unsupported("a hidden primary item, \(item.id), which libheif does not take") }
    primary = item.id
    alphas = Self.alphas(meta, in: file)
    try checkBytes(limits)
  }

  private static func format(_ bytes: UnsafeRawBufferPointer) throws(CoderError) -> ImageFormat {
    guard bytes.count >= 8 else { throw .truncated("a file of \(bytes.count) bytes", at: bytes.count) }
    var start = ByteReader(bytes.bytes, of: "the file")
    var boxes = BoxReader(start, isCutOff: true)
    try start.skip(4, "the size of the file type")
    guard try start.fourCC("the file type") == .fileType, let box = try boxes.next() else {
      throw .wrongFormat("no file type box at the start", at: 0)
    }
    var content = try boxes.content(of: box, as: "ftyp")
    let major = try content.fourCC("the major brand")
    try content.skip(4, "the minor version")
    guard hevcBrands.contains(major) || pictureBrands.contains(major) else {
      throw .wrongFormat("the brand \(major), which is none of HEIF's stills", at: box.start)
    }
    guard !box.isCut else { throw .truncated("the file type box is cut", at: bytes.count) }
    var isHEVC = hevcBrands.contains(major)
    while content.remaining >= 4, !isHEVC { isHEVC = hevcBrands.contains(try content.fourCC("a brand")) }
    return isHEVC ? .heic : .heif
  }

  /// Auxiliary pictures that hold alpha, whatever their size, by the picture that they belong to.
  private static func alphas(_ meta: MetaBox, in file: FileBytes) -> [UInt32: [UInt32]] {
    var alphas: [UInt32: [UInt32]] = [:]
    for (from, to) in meta.references(as: .auxiliary) {
      guard let item = meta.item(from) else { continue }
      let isAlpha = meta.associations[item.associations].contains { index in
        let box = meta.properties[index]
        return box.type == .auxiliaryType && AuxiliaryKind((try? text(of: box, in: file)) ?? "") == .alpha
      }
      for id in to where isAlpha { alphas[id, default: []].append(from) }
    }
    return alphas
  }

  private static func text(of box: Box, in file: FileBytes) throws(CoderError) -> String {
    try file.read(box, as: "auxC") { content throws(CoderError) in
      _ = try content.fullBox()
      return content.terminatedText()
    }
  }

  /// Refuses two boxes of a kind, of which libheif takes the first and the reader of boxes the last or both.
  private static func checkUnique(_ meta: Box, in file: FileBytes) throws(CoderError) {
    try file.read(meta, as: "meta") { content throws(CoderError) in
      _ = try content.fullBox()
      var boxes = BoxReader(content, in: "meta")
      var known: Set<FourCC> = []
      while let box = try boxes.next() {
        guard box.type == FourCC("free") || known.insert(box.type).inserted else {
          throw .malformed("a second box \(box.type) in meta", at: box.start)
        }
        guard box.type == .itemProperties else { continue }
        var parts = BoxReader(try boxes.content(of: box, as: "iprp"), in: "iprp")
        var stores = 0
        while let part = try parts.next() { stores += part.type == .propertyContainer ? 1 : 0 }
        guard stores <= 1 else { throw .malformed("\(stores) boxes ipco", at: box.start) }
      }
    }
  }

  /// Opening a file copies the bytes of each item.
  private func checkBytes(_ limits: Limits) throws(CoderError) {
    var total = 0
    for item in meta.items {
      guard item.contentEncoding != .deflate else {
        throw .unsupported("item \(item.id) is compressed, and libheif inflates it before its size is known")
      }
      if case .elsewhere(let place) = item.construction {
        throw .unsupported("item \(item.id) lies in \(place.rawValue)")
      }
      for extent in meta.extents[item.extents] {
        let sum = total.addingReportingOverflow(Int(clamping: extent.length))
        total = sum.overflow ? .max : sum.partialValue
      }
    }
    try limits.check(memory: total)
  }
}

extension CheckedItems {
  /// A picture that libheif may decode.
  struct Picture {
    /// Pixels that are decoded for it, all parts counted as often as they are used.
    var work = 0
    /// Steps down to coded pictures, itself the first.
    var depth = 1
    /// Whether it comes as gray alone.
    var isGray = false
  }

  /// Follows all that a picture is made of.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for what breaks the rules; ``CoderError/Code/unsupported`` for what libheif
  ///   does not decode safely; ``CoderError/Code/limitExceeded``.
  func picture(_ id: UInt32, limits: Limits) throws(CoderError) -> Picture {
    var known: [UInt32: Picture] = [:]
    let picture = try follow(id, inside: [], limits: limits, known: &known)
    let allowed = 64 &* min(try size(of: id).pixelCount, limits.maxPixels) &+ 1 << 24
    guard picture.work <= allowed else {
      throw .limitExceeded(.maxPixels, found: picture.work, allowed: allowed, what: "pixels to decode,")
    }
    return picture
  }

  private static let maxDepth = 8

  /// - Parameters:
  ///   - chain: The items that this one is a part of, from the outermost.
  ///   - known: Items that were followed before.
  private func follow(
    _ id: UInt32, inside chain: [UInt32], limits: Limits, known: inout [UInt32: Picture]
  ) throws(CoderError) -> Picture {
    guard !chain.contains(id) else { throw .malformed("item \(id) is made of itself") }
    guard chain.count + (known[id]?.depth ?? 1) <= Self.maxDepth else {
      throw .unsupported("item \(id) is part of pictures in \(chain.count) steps, \(Self.maxDepth) are allowed")
    }
    if let picture = known[id] { return picture }
    guard let item = meta.item(id) else { throw .malformed("a picture is made of item \(id), which is not there") }
    // What is shown may be smaller; libheif holds the whole.
    let size = try size(of: id)
    guard !size.isEmpty else { throw .malformed("item \(id) of \(size) pixels") }
    try limits.check(memory: size.pixelCount)
    // libheif decodes what the bitstream says of the difference, which is noise.
    guard meta.references(from: id, as: .predictedFrom).isEmpty else {
      throw .unsupported("item \(id), which is predicted from other items")
    }
    var picture = Picture()
    switch item.type {
    case .hvc1:
      let sequence = try sequence(of: item, size)
      picture.work = sequence.codedSize.pixelCount
      picture.isGray = sequence.chromaFormat == .monochrome
      try limits.check(memory: picture.work)
    case .av01:
      picture.work = size.pixelCount
      picture.isGray = try isMonochrome(item)
    case .grid: try checkGrid(item, of: size)
    case .identity:
      let inputs = meta.references(from: id, as: .derivedFrom).count
      guard inputs == 1 else { throw .malformed("an identity picture of \(inputs) pictures, item \(id)") }
    default: throw .unsupported("pictures of the type \(item.type), item \(id)")
    }
    let parts = picture.work > 0 ? [] : meta.references(from: id, as: .derivedFrom)
    for part in parts + (alphas[id] ?? []) {
      let part = try follow(part, inside: chain + [id], limits: limits, known: &known)
      let sum = picture.work.addingReportingOverflow(part.work)
      picture.work = sum.overflow ? .max : sum.partialValue
      picture.depth = max(picture.depth, part.depth + 1)
    }
    known[id] = picture
    return picture
  }

  /// What the parameter sets of a coded picture say, those of its item included.
  private func sequence(of item: Item, _ size: Size) throws(CoderError) -> SequenceParameters {
    guard let box = boxes(.hevcConfiguration, of: item).first else {
      throw .malformed("item \(item.id) of HEVC without a configuration")
    }
    var configuration = try file.read(box, as: "hvcC") { reader throws(CoderError) in
      try HEVCConfiguration(parsing: &reader)
    }
    guard configuration.lengthBytes == 4 else {
      throw .unsupported("NAL units with a length of \(configuration.lengthBytes) bytes, libheif takes it for 4")
    }
    let bytes = try bytes(of: item)
    try configuration.add(from: bytes.span.bytes)
    var places = NALUnitPlaces(lengthBytes: 4)
    while let place = try places.next(in: bytes.span.bytes) {
      let unit = bytes.span.bytes.extracting(place)
      guard let type = NALUnit.type(of: unit), NALUnitType.parameterSets.contains(type) else { continue }
      guard configuration.knows(unit) else {
        throw .malformed("a parameter set of item \(item.id) changes after its first slice")
      }
    }
    let sequence = try configuration.sequence()
    try sequence.checkCodedSize()
    guard sequence.size == size else {
      throw .malformed("item \(item.id) of \(sequence.size) pixels, its ispe says \(size)")
    }
    return sequence
  }

  private func boxes(_ type: FourCC, of item: Item) -> [Box] {
    meta.associations[item.associations].map { meta.properties[$0] }.filter { $0.type == type }
  }

  private func hasProperty(_ type: FourCC, _ id: UInt32) -> Bool {
    meta.item(id).map { !boxes(type, of: $0).isEmpty } ?? false
  }

  /// What `ispe` says, the last one as libheif takes it.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` without one: libheif counts on it, other readers need not.
  private func size(of id: UInt32) throws(CoderError) -> Size {
    guard let item = meta.item(id), let box = boxes(.imageSize, of: item).last else {
      throw .unsupported("item \(id) has no size, which libheif needs")
    }
    return try file.read(box, as: "ispe") { content throws(CoderError) in
      _ = try content.fullBox()
      let width = try content.uint32("the width")
      return Size(width: Int(width), height: Int(try content.uint32("the height")))
    }
  }

  /// Whether a picture of AV1 is announced as gray (AV1-ISOBMFF §2.3.3).
  private func isMonochrome(_ item: Item) throws(CoderError) -> Bool {
    guard let box = boxes(FourCC("av1C"), of: item).first else { return false }
    return try file.read(box, as: "av1C") { content throws(CoderError) in
      try content.skip(2, "the level")
      return try content.uint8("the bit depth") & 0x10 != 0
    }
  }

  /// ISO/IEC 23008-12 §6.6.2.3.2: the canvas that libheif allocates is the one that was checked.
  private func checkGrid(_ item: Item, of stated: Size) throws(CoderError) {
    for tile in meta.references(from: item.id, as: .derivedFrom) {
      guard alphas[tile] == nil else { throw .unsupported("tile \(tile) of grid \(item.id) has alpha of its own") }
      guard !hasProperty(.cleanAperture, tile) else {
        throw .unsupported("tile \(tile) of grid \(item.id) is cropped")
      }
    }
    let bytes = try bytes(of: item)
    var fields = ByteReader(bytes.span.bytes, at: 0, of: "a grid")
    try fields.skip(1, "the version")
    let isLarge = try fields.uint8("the flags") & 1 == 1
    try fields.skip(2, "rows and columns")
    let width = isLarge ? Int(try fields.uint32("the width")) : Int(try fields.uint16("the width"))
    let height = isLarge ? Int(try fields.uint32("the height")) : Int(try fields.uint16("the height"))
    let size = Size(width: width, height: height)
    guard size == stated else { throw .malformed("grid \(item.id) of \(size), its ispe says \(stated)") }
  }

  private func bytes(of item: Item) throws(CoderError) -> [UInt8] {
    let whole = item.construction == .itemData ? meta.itemData ?? 0..<0 : 0..<file.count
    var bytes: [UInt8] = []
    for extent in meta.extents[item.extents] {
      let (offset, overflow) = item.base.addingReportingOverflow(extent.offset)
      guard !overflow else { throw .malformed("item \(item.id) starts at \(item.base) + \(extent.offset)") }
      guard offset <= UInt64(whole.count), extent.length <= UInt64(whole.count) - offset else {
        let message = "item \(item.id) has \(extent.length) bytes at \(offset), \(whole.count) are there"
        throw item.construction == .file ? .truncated(message) : .malformed(message)
      }
      let first = whole.lowerBound + Int(offset)
      bytes += file.bytes(in: first..<first + Int(extent.length))
    }
    return bytes
  }
}
