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
    let layout = try OpenLayout(file)
    var tables = try ItemTables(file, layout.meta)
    guard let base = tables.meta.primary, let item = tables.meta.item(base) else {
      throw .unsupported("a gain map in a file without a primary item")
    }
    guard !tables.meta.items.contains(where: { $0.type == .toneMap }) else {
      throw .unsupported("a gain map in a file that has one")
    }
    var payload: [UInt8] = []
    var places: [UInt32: Range<Int>] = [:]
    let shown = try AttachedPicture(map.file, hasColors: false)
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

    try layout.write(tables, payload: payload, places: places, brand: .toneMap, in: context)
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
    return AttachedPicture.box(
      map.alternateColors
        ?? CodingIndependentCodePoints(
          primaries: own?.primaries ?? 2, transfer: 16, matrix: matrix, isFullRange: true))
  }
}

extension MetaBox {
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
