// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A file of items as it is written with more items: what is before its data changes, and data is added at its end.
struct OpenLayout {
  let meta: Box
  private let file: FileBytes
  private let type: Box

  /// - Throws: ``CoderError/Code/unsupported`` for files that have tracks, or are laid out in another order.
  init(_ file: FileBytes) throws(CoderError) {
    let boxes = Array(file.boxes(in: 0..<file.count))
    guard let last = boxes.last, last.end == file.count else {
      throw .malformed("a file whose last box is cut", at: boxes.last?.end ?? 0)
    }
    guard !boxes.contains(where: { $0.type == .movie || $0.type == FourCC("moof") }) else {
      throw .unsupported("another picture in an image sequence")
    }
    guard let type = boxes.first, type.type == .fileType, type.content + 8 <= type.end,
      let meta = boxes.first(where: { $0.type == .meta }), file.uint32(at: last.start) != 0,
      !boxes.contains(where: { $0.type == .mediaData && $0.start < meta.start })
    else { throw .unsupported("another picture in a file whose boxes are in another order than ftyp, meta, mdat") }
    (self.file, self.meta, self.type) = (file, meta, type)
  }

  /// Writes the file with new items.
  ///
  /// - Parameters:
  ///   - payload: The data of all new items.
  ///   - places: Where that of each is.
  ///   - brand: What the file says that it has, or nil.
  func write(
    _ tables: ItemTables, payload: [UInt8], places: [UInt32: Range<Int>], brand: FourCC? = nil,
    in context: OperationContext
  ) throws(CoderError) {
    let brands = stride(from: type.content + 8, to: type.end - 3, by: 4).compactMap { file.fourCC(at: $0) }
    let added = brand.map { brands.contains($0) ? [] : $0.bytes } ?? []
    let limit = meta.end
    let size = try tables.bytes(places: places, start: 0, movedFrom: limit, by: 0).count
    let shift = size - (limit - meta.start) + added.count
    let start = file.count + shift + 8
    guard start + payload.count <= Int(UInt32.max) else {
      throw .unsupported("another picture in a file of over 4 GiB")
    }
    var pieces = FilePieces()
    var head = ByteWriter()
    head.box(.fileType) { writer in
      writer.put([UInt8](file.bytes(in: (type.start + 8)..<type.end)))
      writer.put(added)
    }
    pieces.put(head.bytes)
    pieces.keep(type.end..<meta.start)
    pieces.put(try tables.bytes(places: places, start: start, movedFrom: limit, by: shift))
    pieces.keep(limit..<file.count)
    var box = ByteWriter()
    box.box(.mediaData) { $0.put(payload) }
    pieces.put(box.bytes)
    try pieces.write(in: context)
  }
}

/// The main picture of a file, to become an item of another one.
struct AttachedPicture {
  let type: FourCC
  let payload: [UInt8]
  let properties: [ItemTables.Property]
  /// The matrix of its samples.
  let matrix: UInt8

  /// - Parameter hasColors: Whether what the file says of colors stays. Gains and depth have none, and keep the matrix
  ///   alone.
  /// - Throws: ``CoderError/Code/unsupported`` for a picture of several tiles, ``CoderError/Code/invalidArgument`` for one
  ///   that is cut.
  init(_ bytes: [UInt8], hasColors: Bool) throws(CoderError) {
    var picture: Result<AttachedPicture, CoderError> = .failure(.malformed("a picture that is no file"))
    bytes.withUnsafeBytes { bytes in
      picture = Result { () throws(CoderError) in try AttachedPicture(FileBytes(whole: bytes), hasColors: hasColors) }
    }
    self = try picture.get()
  }

  private init(_ file: FileBytes, hasColors: Bool) throws(CoderError) {
    guard let box = file.boxes(in: 0..<file.count).first(where: { $0.type == .meta }) else {
      throw .invalidArgument("a picture of \(file.count) bytes, which is no file of items")
    }
    let meta = try MetaBox(parsing: box, in: file)
    guard let primary = meta.primary, let item = meta.item(primary) else {
      throw .invalidArgument("a picture in a file without a primary item")
    }
    guard item.type != .grid, meta.references(from: primary, as: .derivedFrom).isEmpty else {
      throw .unsupported("another picture of several tiles")
    }
    type = item.type
    let bytes = try ItemBytes(of: item, in: meta, file)
    guard !bytes.isCut else { throw .invalidArgument("a picture whose file ends inside of its data") }
    payload = try bytes.withBytes { [UInt8]($0) }
    var properties: [ItemTables.Property] = []
    for index in meta.associations[item.associations] {
      let box = meta.properties[index]
      let bytes = [UInt8](file.bytes(in: box.start..<box.end))
      switch box.type {
      case .rotation, .mirror: continue
      case .color where !hasColors: continue
      default:
        let isPlain = [.imageSize, .pixelInformation, .pixelAspectRatio, .color].contains(box.type)
        properties.append(.new(bytes, isEssential: !isPlain))
      }
    }
    let points =
      try ItemProperties(of: item, in: meta, file: file).points
      ?? CodingIndependentCodePoints(primaries: 2, transfer: 2, matrix: 2, isFullRange: true)
    matrix = points.matrix
    var own = points
    (own.primaries, own.transfer) = (2, 2)
    if !hasColors { properties.append(.new(Self.box(own), isEssential: false)) }
    self.properties = properties
  }

  /// Code points as a `colr` box (ISO/IEC 14496-12 §12.1.5).
  static func box(_ points: CodingIndependentCodePoints) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(.color) { writer in
      writer.put(FourCC.nclx)
      for value in [points.primaries, points.transfer, points.matrix] { writer.put(UInt16(value)) }
      writer.put(UInt8(points.isFullRange ? 0x80 : 0))
    }
    return writer.bytes
  }
}

extension MetaBox {
  /// Properties of some types that an item has, for another item.
  func uses(of item: Item, among types: [FourCC], isEssential: Bool) -> [ItemTables.Property] {
    associations[item.associations].filter { types.contains(properties[$0].type) }.map {
      .known($0, isEssential: isEssential)
    }
  }
}
