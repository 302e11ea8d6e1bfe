// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What programs have left in a file beside its pictures: boxes that no reader knows, and items that are neither pictures
/// nor their metadata.
public enum OtherBoxes {
  private static let known: Set<FourCC> = [
    .fileType, .meta, .movie, .mediaData, .motionVideo, .free, FourCC("free"), FourCC("wide"), FourCC("pdin"),
    FourCC("moof"), FourCC("mfra"), FourCC("sidx"), FourCC("styp"), FourCC("ssix"), FourCC("prft"), FourCC("etyp"),
  ]
  private static let knownItems: Set<FourCC> = [
    .exif, .grid, .overlay, .identity, .toneMap, .jpeg, .uncompressed, .hvc1, .hev1, .av01, FourCC("lhv1"),
    FourCC("avc1"), FourCC("vvc1"), FourCC("j2k1"), FourCC("sato"), FourCC("evc1"), FourCC("rrtp"),
  ]

  /// A payload of ``MetadataKind/other``, or nil if there is nothing to name.
  public static func names(in source: SourceView) throws(CoderError) -> [UInt8]? {
    let file = FileBytes(whole: try source.contents())
    var all = ApplicationData()
    var offset = 0
    while offset < file.count, let box = file.box(at: offset, before: file.count), !box.isCut {
      switch box.type {
      case .meta: try nameItems(of: MetaBox(parsing: box, in: file, isLenient: true), file, in: &all)
      case FourCC("uuid"):
        let type = try file.read(box, as: "a uuid box") { (reader) throws(CoderError) -> [UInt8]? in
          OutsideBoxes.isCredentials(reader)
            ? nil : [UInt8](copying: try reader.bytes(at: 0, count: min(16, reader.count)))
        }
        if let type { all.add("uuid box \(hexadecimal(type))") }
      case let type where !known.contains(type): all.add("\(type) box")
      default: break
      }
      offset = box.end
    }
    return all.payload
  }

  private static func nameItems(of meta: MetaBox, _ file: FileBytes, in all: inout ApplicationData) {
    let blocks = meta.items.filter { item in
      (item.type == .exif || item.isXMP)
        && meta.primary.map { meta.references(from: item.id, as: .describes).contains($0) } ?? false
    }
    for isXMP in [false, true] {
      let same = blocks.filter { $0.isXMP == isXMP }
      guard same.count > 1 else { continue }
      for item in same {
        let bytes = Result { () throws(CoderError) in
          try ItemBytes(of: item, in: meta, file).withBytes { [UInt8]($0) }
        }
        // What cannot be read is no copy of another one.
        all.note((try? bytes.get()) ?? [], of: isXMP ? .xmp : .exif)
      }
    }
    for item in meta.items where !knownItems.contains(item.type) && !item.isXMP { all.add("\(item.type) item") }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
