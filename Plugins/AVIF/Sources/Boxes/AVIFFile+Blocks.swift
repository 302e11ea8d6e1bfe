// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

// Items of Exif and XMP.
extension AVIFFile {
  /// Those that describe a picture, in their order.
  func blocks(_ kind: MetadataKind, of picture: UInt32) -> [Item] {
    guard kind == .exif || kind == .xmp, let meta = items?.meta else { return [] }
    return meta.references(as: .describes).compactMap { reference in
      guard reference.to.contains(picture), let item = meta.item(reference.from) else { return nil }
      let isKind = kind == .exif ? item.type == .exif : item.isXMP && item.contentEncoding == .none
      return isKind ? item : nil
    }
  }

  /// The payload of such an item; nil for Exif without a TIFF header.
  func content(of item: Item, _ kind: MetadataKind, _ limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let meta = items?.meta else { return nil }
    let bytes = try ItemBytes(of: item, in: meta, self.bytes)
    try limits.check(metadata: bytes.count)
    let all = try bytes.withBytes { [UInt8]($0) }
    guard kind == .exif else { return all }
    return ExifPayload.start(afterDistanceIn: all.span.bytes).map { [UInt8](all[$0...]) }
  }
}
