// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Puts auxiliary pictures into files of items (HEIC, HEIF, AVIF): hidden items that refer to the primary one.
///
/// - Format: ISO/IEC 23008-12 §6.4.4, §6.5.8 and §B.3.2 (HEVC); AV1 Image File Format 1.2 §4.1; MIAF §7.3.5.2.
public enum AuxiliaryItems {
  /// Writes a file of one picture with another one. All else stays byte for byte.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for files that have tracks, or are laid out in another order than usual, for
  ///   pictures of several tiles, and for kinds that have no name in such files.
  public static func attach(_ context: OperationContext, _ picture: AuxiliaryParts) throws(CoderError) {
    guard picture.typeName.contains(":") else {
      throw .unsupported("a file of items has no name for pictures of the kind \(picture.typeName)")
    }
    let kind = AuxiliaryKind(picture.typeName)
    guard kind != .alpha, kind != .gainMap else {
      throw .unsupported("alpha and gain maps are no pictures that are put beside the main one")
    }
    let file = FileBytes(whole: try context.source.contents())
    let layout = try OpenLayout(file)
    var tables = try ItemTables(file, layout.meta)
    guard let base = tables.meta.primary, let item = tables.meta.item(base) else {
      throw .unsupported("another picture in a file without a primary item")
    }
    let shown = try AttachedPicture(picture.file, hasColors: kind == .other)
    let name = kind == .depth ? Self.depthName(in: shown.type) : picture.typeName
    let turned = tables.meta.uses(of: item, among: [.rotation, .mirror], isEssential: true)
    let number = try tables.add(
      ItemTables.NewItem(
        type: shown.type, isHidden: true, references: [(.auxiliary, [base])],
        properties: shown.properties + [.new(Self.box(name), isEssential: true)] + turned))
    var places = [number: 0..<shown.payload.count]
    var payload = shown.payload
    if let xmp = picture.xmp, !xmp.isEmpty {
      let packet = try tables.add(.mime, contentType: "application/rdf+xml", describing: number)
      places[packet] = payload.count..<(payload.count + xmp.count)
      payload += xmp
    }
    try layout.write(tables, payload: payload, places: places, in: context)
  }

  /// HEVC has names of its own, which readers of HEIC look for.
  private static func depthName(in codec: FourCC) -> String {
    codec == .hvc1 ? "urn:mpeg:hevc:2015:auxid:2" : "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"
  }

  /// An `auxC` property.
  private static func box(_ name: String) -> [UInt8] {
    var writer = ByteWriter()
    writer.fullBox(.auxiliaryType) { writer in
      writer.put(Array(name.utf8))
      writer.put(UInt8(0))
    }
    return writer.bytes
  }
}
