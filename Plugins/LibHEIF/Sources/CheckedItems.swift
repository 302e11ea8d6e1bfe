// SPDX-License-Identifier: Apache-2.0

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

  /// Brands that the manifest lists and libheif takes as they are.
  private static let hevcBrands: Set<FourCC> = [FourCC("heic"), FourCC("heix"), FourCC("heim"), FourCC("heis")]
  private static let pictureBrands: Set<FourCC> = [FourCC("mif1"), FourCC("mif2")]

  /// - Throws: ``CoderError/Code/wrongFormat`` for files of other brands and files without items; what is wrong with the
  ///   boxes; ``CoderError/Code/limitExceeded`` for items that take more bytes together than the limit of memory.
  init(_ bytes: UnsafeRawBufferPointer, limits: Limits) throws(CoderError) {
    file = FileBytes(whole: bytes)
    var boxes = FileBoxReader(file, in: 0..<bytes.count)
    format = try Self.format(&boxes)
    var found: FileBox?
    var hasMovie = false
    while let box = try boxes.nextBox() {
      if box.type == .movie { hasMovie = true }
      if box.type == .meta {
        guard found == nil else { throw .malformed("a second meta box", at: box.start) }
        found = box
      }
    }
    guard let found else {
      throw hasMovie
        ? .wrongFormat("a file of tracks, without a meta box")
        : .truncated("the file ends before its meta box", at: bytes.count)
    }
    meta = try MetaBox(parsing: found, in: file)
    guard let primary = meta.primary else {
      throw hasMovie
        ? .wrongFormat("a file of tracks, none of whose items is the primary one", at: found.start)
        : .malformed("no primary item is named", at: found.start)
    }
    guard let item = meta.item(primary) else {
      throw .malformed("the primary item is \(primary), which the file does not have", at: found.start)
    }
    guard !item.isHidden else { throw .unsupported("a hidden primary item, \(primary), which libheif does not take") }
    self.primary = primary
    try checkBytes(limits)
  }

  private static func format(_ boxes: inout FileBoxReader) throws(CoderError) -> ImageFormat {
    guard boxes.left >= 8 else { throw .truncated("a file of \(boxes.left) bytes", at: boxes.left) }
    var start = boxes
    _ = try start.number(4, of: "the size of the file type")
    guard try start.fourCC("the file type") == .fileType, let box = try boxes.nextBox() else {
      throw .wrongFormat("no file type box at the start", at: 0)
    }
    var content = boxes.inside(box)
    let major = try content.fourCC("the major brand")
    _ = try content.uint32("the minor version")
    guard hevcBrands.contains(major) || pictureBrands.contains(major) else {
      throw .wrongFormat("the brand \(major), which is none of HEIF's stills", at: box.start)
    }
    guard !box.isCut else { throw .truncated("the file type box is cut", at: content.end) }
    var isHEVC = hevcBrands.contains(major)
    while content.left >= 4, !isHEVC { isHEVC = hevcBrands.contains(try content.fourCC("a brand")) }
    return isHEVC ? .heic : .heif
  }

  /// Opening a file copies the bytes of each item.
  private func checkBytes(_ limits: Limits) throws(CoderError) {
    var total = 0
    for item in meta.items {
      guard item.contentEncoding != "deflate" else {
        throw .unsupported("item \(item.id) is compressed, and libheif inflates it before its size is known")
      }
      if case .elsewhere(let place) = item.construction { throw .unsupported("item \(item.id) lies in \(place)") }
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
    /// Whether it comes as gray alone.
    var isGray = false
  }

  /// Follows all that a picture is made of.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for what breaks the rules; ``CoderError/Code/unsupported`` for what libheif
  ///   does not decode safely; ``CoderError/Code/limitExceeded``.
  func picture(_ id: UInt32, limits: Limits) throws(CoderError) -> Picture {
    let picture = try follow(id, inside: [], limits: limits)
    let allowed = 64 &* min(try size(of: id).pixelCount, limits.maxPixels) &+ 1 << 24
    guard picture.work <= allowed else {
      throw .limitExceeded(.maxPixels, found: picture.work, allowed: allowed, what: "pixels to decode,")
    }
    return picture
  }

  private static let maxDepth = 8

  private func follow(_ id: UInt32, inside chain: [UInt32], limits: Limits) throws(CoderError) -> Picture {
    guard !chain.contains(id) else { throw .malformed("item \(id) is made of itself") }
    guard chain.count < Self.maxDepth else {
      throw .unsupported("item \(id) is made of pictures in \(chain.count) steps, \(Self.maxDepth) are allowed")
    }
    guard let item = meta.item(id) else { throw .malformed("a picture is made of item \(id), which is not there") }
    let chain = chain + [id]
    // What is shown may be smaller; libheif holds the whole.
    let size = try size(of: id)
    guard !size.isEmpty else { throw .malformed("item \(id) of \(size) pixels") }
    try limits.check(memory: size.pixelCount)
    var picture = Picture()
    switch item.type {
    case .hvc1, .av01:
      picture.work = size.pixelCount
      picture.isGray = try isMonochrome(item)
    case .grid:
      try checkGrid(item, of: size)
      for tile in meta.references(from: id, as: .derivedFrom) {
        guard alpha(of: tile).isEmpty else { throw .unsupported("tile \(tile) of grid \(id) has alpha of its own") }
        guard !hasProperty(.cleanAperture, tile) else { throw .unsupported("tile \(tile) of grid \(id) is cropped") }
        add(try follow(tile, inside: chain, limits: limits), to: &picture)
      }
    case .identity:
      let inputs = meta.references(from: id, as: .derivedFrom)
      guard inputs.count == 1, let input = inputs.first else {
        throw .malformed("an identity picture of \(inputs.count) pictures, item \(id)")
      }
      add(try follow(input, inside: chain, limits: limits), to: &picture)
    default: throw .unsupported("pictures of the type \(item.type), item \(id)")
    }
    for alpha in alpha(of: id) { add(try follow(alpha, inside: chain, limits: limits), to: &picture) }
    return picture
  }

  private func add(_ part: Picture, to whole: inout Picture) {
    let sum = whole.work.addingReportingOverflow(part.work)
    whole.work = sum.overflow ? .max : sum.partialValue
  }

  /// Auxiliary pictures that hold alpha, whatever their size.
  private func alpha(of id: UInt32) -> [UInt32] {
    let names = [
      "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
    ]
    return meta.references(as: .auxiliary).compactMap { (from, to) in
      guard to.contains(id), let item = meta.item(from) else { return nil }
      let isAlpha = boxes(.auxiliaryType, of: item).contains { box in
        var content = FileBoxReader(file, in: box.payload)
        return (try? content.fullBox("auxC")) != nil && names.contains(content.text())
      }
      return isAlpha ? from : nil
    }
  }

  private func boxes(_ type: FourCC, of item: Item) -> [FileBox] {
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
    var content = FileBoxReader(file, in: box.payload)
    _ = try content.fullBox("ispe")
    let width = try content.uint32("ispe")
    return Size(width: Int(width), height: Int(try content.uint32("ispe")))
  }

  /// Whether the decoder's configuration announces gray (ISO/IEC 14496-15 §8.3.3.1, AV1-ISOBMFF §2.3.3).
  private func isMonochrome(_ item: Item) throws(CoderError) -> Bool {
    let isHEVC = item.type == .hvc1
    guard let box = boxes(isHEVC ? .hevcConfiguration : FourCC("av1C"), of: item).first else { return false }
    var content = FileBoxReader(file, in: box.payload)
    try content.skip(isHEVC ? 16 : 2, of: "the decoder's configuration")
    let field = try content.uint8("the decoder's configuration")
    return isHEVC ? field & 3 == 0 : field & 0x10 != 0
  }

  /// ISO/IEC 23008-12 §6.6.2.3.2: the canvas that libheif allocates is the one that was checked.
  private func checkGrid(_ item: Item, of stated: Size) throws(CoderError) {
    let bytes = try firstBytes(of: item, 12)
    let size: Size? = bytes.withUnsafeBytes { raw in
      var fields = FileBoxReader(FileBytes(whole: raw), in: 0..<raw.count)
      guard (try? fields.uint8("grid")) != nil, let flags = try? fields.uint8("grid"),
        (try? fields.uint16("grid")) != nil,
        let width = try? fields.number(flags & 1 == 1 ? 4 : 2, of: "grid"),
        let height = try? fields.number(flags & 1 == 1 ? 4 : 2, of: "grid")
      else { return nil }
      return Size(width: Int(width), height: Int(height))
    }
    guard let size else { throw .malformed("grid \(item.id) has \(bytes.count) bytes") }
    guard size == stated else { throw .malformed("grid \(item.id) of \(size), its ispe says \(stated)") }
  }

  private func firstBytes(of item: Item, _ count: Int) throws(CoderError) -> [UInt8] {
    let whole: Range<Int>
    switch item.construction {
    case .file: whole = 0..<file.count
    case .itemData: whole = meta.itemData ?? 0..<0
    case .elsewhere: whole = 0..<0
    }
    var bytes: [UInt8] = []
    for extent in meta.extents[item.extents] where bytes.count < count {
      let (offset, overflow) = item.base.addingReportingOverflow(extent.offset)
      guard !overflow, offset <= UInt64(whole.count) else {
        throw .malformed("item \(item.id) starts at \(item.base) + \(extent.offset)")
      }
      let first = whole.lowerBound + Int(offset)
      let length = min(count - bytes.count, Int(clamping: extent.length), whole.upperBound - first)
      bytes += file.bytes(in: first..<first + length)
    }
    return bytes
  }
}
