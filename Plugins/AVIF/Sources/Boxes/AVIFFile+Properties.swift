// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin

extension AVIFFile {
  /// Auxiliary items that are named, and that are pages; so many thumbnails are, too. libavif reads all boxes anew for each
  /// page, and takes a time for it that grows with the square of their number.
  static let maxAuxiliaries = 16

  /// What the container says beside the header.
  ///
  /// - Parameter image: nil for a picture that libavif does not decode as a whole.
  func properties(of image: avifImage?) -> Properties {
    var properties = Properties()
    properties["{AVIF}", "MajorBrand"] = .text("\(majorBrand)")
    if let image, image.transformFlags & AVIF_TRANSFORM_PASP.rawValue != 0 {
      properties["{AVIF}", "PixelAspectRatio"] = .text("\(image.pasp.hSpacing):\(image.pasp.vSpacing)")
    }
    if isSequence, let image {
      properties["{AVIS}", "CanvasPixelWidth"] = .integer(Int64(image.width))
      properties["{AVIS}", "CanvasPixelHeight"] = .integer(Int64(image.height))
      if let track { properties["{AVIS}", "Timescale"] = .integer(Int64(track.timescale)) }
      return properties
    }
    guard let items else { return properties }
    if let type = items.type(of: items.primary) {
      properties["{AVIF}", "PrimaryItemType"] = .text("\(type)")
      let tiles = type == .grid ? items.sources(of: items.primary) : []
      if type == .grid { properties["{AVIF}", "TileCount"] = .integer(Int64(tiles.count)) }
      if let size = items.size(of: tiles.first ?? items.primary, in: bytes) {
        properties["{AVIF}", "TileWidth"] = .integer(Int64(size.width))
        properties["{AVIF}", "TileHeight"] = .integer(Int64(size.height))
      }
    }
    properties["{AVIF}", "ThumbnailCount"] = .integer(Int64(items.thumbnails.count))
    properties["{AVIF}", "AuxiliaryCount"] = .integer(Int64(items.auxiliaries.count))
    let types = items.auxiliaries.prefix(Self.maxAuxiliaries).compactMap { auxiliaryType(of: $0) }
    if !types.isEmpty { properties["{AVIF}", "AuxiliaryTypes"] = .text(types.joined(separator: " ")) }
    let light = light
    if let peak = light.contentPeak { properties["{AVIF}", "MaximumContentLightLevel"] = .integer(Int64(peak)) }
    if let mean = light.frameAveragePeak {
      properties["{AVIF}", "MaximumFrameAverageLightLevel"] = .integer(Int64(mean))
    }
    return properties
  }

  /// ISO/IEC 23008-12 §6.5.8: a URN that ends with a null byte.
  func auxiliaryType(of item: UInt32) -> String? {
    guard let items, let box = items.property(.auxiliaryType, of: item),
      box.fullContent < min(box.end, bytes.count)
    else { return nil }
    let text = bytes.raw[box.fullContent..<min(box.end, bytes.count, box.fullContent + 256)].prefix { $0 != 0 }
    return String(decoding: text, as: UTF8.self)
  }
}
