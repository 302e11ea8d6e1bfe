// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Puts gain maps into files of items (HEIC, HEIF, AVIF): the map as a hidden item, and a `tmap` item that joins it to the picture, as the
/// better one of a group of alternatives.
///
/// - Format: ISO/IEC 23008-12 §6.6.2.4 and §6.8.1, ISO 21496-1:2025 annex C; AV1 Image File Format 1.2 §4.2.4.
public enum GainMapItems {
  /// Writes a file of one picture with the map.
  ///
  /// The picture, its metadata and what else is in the file stay byte for byte. The colors of the other rendition become
  /// those of the `tmap` item: a profile says more than code points. Without both, they are light in the primaries of the
  /// picture.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for files that have tracks or a gain map, or are laid out in a way that
  ///   readers of gain maps do not expect.
  public static func attach(_ context: OperationContext, _ map: GainMapParts) throws(CoderError) {
    let file = FileBytes(whole: try context.source.contents())
    let layout = try Layout(file)
    var tables = try ItemTables(file, layout.meta)
    guard let base = tables.meta.primary, let item = tables.meta.item(base) else {
      throw .unsupported("a gain map in a file without a primary item")
    }
    guard !tables.meta.items.contains(where: { $0.type == .toneMap }) else {
      throw .unsupported("a gain map in a file that has one")
    }
    var payload: [UInt8] = []
    var places: [UInt32: Range<Int>] = [:]
    var picture: Result<Picture, CoderError> = .failure(.malformed("a gain map that is no file"))
    map.file.withUnsafeBytes { bytes in
      do throws(CoderError) { picture = .success(try Picture(FileBytes(whole: bytes))) } catch {
        picture = .failure(error)
      }
    }
    let shown = try picture.get()
    let turned = tables.meta.uses(of: item, among: [.rotation, .mirror], isEssential: true)
    let number = try tables.add(
      ItemTables.NewItem(type: shown.type, isHidden: true, references: [], properties: shown.properties + turned))
    places[number] = 0..<shown.payload.count
    payload += shown.payload
    let joined = try tables.add(
      ItemTables.NewItem(
        type: .toneMap, isHidden: false, references: [(.derivedFrom, [base, number])],
        properties: [try tables.meta.shownSize(of: item, in: file)]
          + tables.meta.uses(of: item, among: [.pixelInformation], isEssential: false)
          + [.new(try Self.colors(map, besides: item, in: tables.meta, file, matrix: shown.matrix), isEssential: false)]
      ))
    places[joined] = payload.count..<(payload.count + 1 + map.iso.count)
    // The item's own version.
    payload += [0] + map.iso
    tables.addAlternatives([joined, base])

    let limit = layout.meta.end
    let size = try tables.bytes(places: places, start: 0, movedFrom: limit, by: 0).count
    let shift = size - (limit - layout.meta.start) + layout.brand.count
    let start = file.count + shift + 8
    guard start + payload.count <= Int(UInt32.max) else { throw .unsupported("a gain map in a file of over 4 GiB") }
    var pieces = FilePieces()
    pieces.put(layout.fileType(in: file))
    pieces.keep(layout.typeEnd..<layout.meta.start)
    pieces.put(try tables.bytes(places: places, start: start, movedFrom: limit, by: shift))
    pieces.keep(limit..<file.count)
    var box = ByteWriter()
    box.box(.mediaData) { $0.put(payload) }
    pieces.put(box.bytes)
    try pieces.write(in: context)
  }

  /// A `colr` box of the other rendition. An item has one statement of each kind.
  private static func colors(
    _ map: GainMapParts, besides base: Item, in meta: MetaBox, _ file: FileBytes, matrix: UInt8
  ) throws(CoderError) -> [UInt8] {
    if let profile = map.alternateProfile {
      var writer = ByteWriter()
      writer.box(.color) { writer in
        writer.put(FourCC.profile)
        writer.put(profile)
      }
      return writer.bytes
    }
    let own = try ItemProperties(of: base, in: meta, file: file).points
    return box(
      map.alternateColors
        ?? CodingIndependentCodePoints(
          primaries: own?.primaries ?? 2, transfer: 16, matrix: matrix, isFullRange: true))
  }

  /// Code points as a `colr` box (ISO/IEC 14496-12 §12.1.5).
  private static func box(_ points: CodingIndependentCodePoints) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(.color) { writer in
      writer.put(FourCC.nclx)
      for value in [points.primaries, points.transfer, points.matrix] { writer.put(UInt16(value)) }
      writer.put(UInt8(points.isFullRange ? 0x80 : 0))
    }
    return writer.bytes
  }

  /// The boxes of the picture's file.
  private struct Layout {
    let meta: Box
    let typeStart: Int
    let typeEnd: Int
    /// What is added to the brands.
    let brand: [UInt8]

    init(_ file: FileBytes) throws(CoderError) {
      let boxes = Array(file.boxes(in: 0..<file.count))
      guard let last = boxes.last, last.end == file.count else {
        throw .malformed("a file whose last box is cut", at: boxes.last?.end ?? 0)
      }
      guard !boxes.contains(where: { $0.type == .movie || $0.type == FourCC("moof") }) else {
        throw .unsupported("a gain map in an image sequence")
      }
      guard let type = boxes.first, type.type == .fileType, type.content + 8 <= type.end,
        let meta = boxes.first(where: { $0.type == .meta }), file.uint32(at: last.start) != 0,
        !boxes.contains(where: { $0.type == .mediaData && $0.start < meta.start })
      else { throw .unsupported("a gain map in a file whose boxes are in another order than ftyp, meta, mdat") }
      self.meta = meta
      (typeStart, typeEnd) = (type.start, type.end)
      let brands = stride(from: type.content + 8, to: type.end - 3, by: 4).compactMap { file.fourCC(at: $0) }
      brand = brands.contains(.toneMap) ? [] : FourCC.toneMap.bytes
    }

    /// The brands with that of tone maps, without which they do not count.
    func fileType(in file: FileBytes) -> [UInt8] {
      var writer = ByteWriter()
      writer.box(.fileType) { writer in
        writer.put([UInt8](file.bytes(in: (typeStart + 8)..<typeEnd)))
        writer.put(brand)
      }
      return writer.bytes
    }
  }

  /// The picture of the map's file.
  private struct Picture {
    let type: FourCC
    let payload: [UInt8]
    /// Without its colors, which are none: samples are gains.
    let properties: [ItemTables.Property]
    /// The matrix of its samples.
    let matrix: UInt8

    init(_ file: FileBytes) throws(CoderError) {
      guard let box = file.boxes(in: 0..<file.count).first(where: { $0.type == .meta }) else {
        throw .invalidArgument("a gain map of \(file.count) bytes, which is no file of items")
      }
      let meta = try MetaBox(parsing: box, in: file)
      guard let primary = meta.primary, let item = meta.item(primary) else {
        throw .invalidArgument("a gain map without a primary item")
      }
      guard item.type != .grid, meta.references(from: primary, as: .derivedFrom).isEmpty else {
        throw .unsupported("a gain map of several tiles")
      }
      type = item.type
      payload = try ItemBytes(of: item, in: meta, file).withBytes { [UInt8]($0) }
      var properties: [ItemTables.Property] = []
      for index in meta.associations[item.associations] {
        let box = meta.properties[index]
        let bytes = [UInt8](file.bytes(in: box.start..<box.end))
        switch box.type {
        case .color, .rotation, .mirror: continue
        default:
          let isPlain = [.imageSize, .pixelInformation, .pixelAspectRatio].contains(box.type)
          properties.append(.new(bytes, isEssential: !isPlain))
        }
      }
      let points =
        try ItemProperties(of: item, in: meta, file: file).points
        ?? CodingIndependentCodePoints(primaries: 2, transfer: 2, matrix: 2, isFullRange: true)
      var own = points
      (own.primaries, own.transfer) = (2, 2)
      self.properties = properties + [.new(GainMapItems.box(own), isEssential: false)]
      matrix = own.matrix
    }
  }
}

extension MetaBox {
  /// Properties of some types that an item has, for another item.
  fileprivate func uses(of item: Item, among types: [FourCC], isEssential: Bool) -> [ItemTables.Property] {
    associations[item.associations].filter { types.contains(properties[$0].type) }.map {
      .known($0, isEssential: isEssential)
    }
  }

  /// The size of an item once it is cropped and turned, which items have that are derived from it (ISO/IEC 23008-12
  /// §6.6.1).
  fileprivate func shownSize(of item: Item, in file: FileBytes) throws(CoderError) -> ItemTables.Property {
    let stated = try ItemProperties(of: item, in: self, file: file)
    let known = uses(of: item, among: [.imageSize], isEssential: false).first
    guard let known, let size = stated.size else { throw .unsupported("a gain map beside a picture without a size") }
    var shown = size
    for transformation in stated.transformations {
      switch transformation {
      case .crop(let aperture): shown = try aperture.rect(in: shown).size
      case .rotation(let turns) where turns & 1 == 1: shown = Size(width: shown.height, height: shown.width)
      case .rotation, .mirror: continue
      }
    }
    guard shown != size else { return known }
    var writer = ByteWriter()
    writer.fullBox(.imageSize) { writer in
      writer.put(UInt32(clamping: shown.width))
      writer.put(UInt32(clamping: shown.height))
    }
    return .new(writer.bytes, isEssential: false)
  }
}
