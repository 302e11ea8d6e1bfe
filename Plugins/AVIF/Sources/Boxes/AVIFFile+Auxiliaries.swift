// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension AVIFFile {
  /// Whether a still names auxiliary pictures beside alpha, which its first bytes tell.
  var hasAuxiliaries: Bool {
    guard !isSequence, let items else { return false }
    return toneMap != nil
      || items.auxiliaries.contains { item in auxiliaryType(of: item).map { AuxiliaryKind($0) != .alpha } ?? false }
  }

  /// The auxiliary pictures of a still, without alpha, which is in the picture's pixels; after them its thumbnails.
  ///
  /// Where a tone map names a gain map, its name in an `auxC` property does not count.
  func auxiliaryItems() -> [AuxiliaryItem] {
    guard !isSequence, let items else { return [] }
    let gainMap = toneMap.flatMap { map in
      AuxiliaryItem(
        map, owner: 0, in: items.meta, file: bytes, bytes: try? ItemBytes(of: map.item, in: items.meta, bytes))
    }
    let others = items.auxiliaries.compactMap { item in
      item == gainMap?.item ? nil : auxiliaryType(of: item).flatMap { AuxiliaryItem(item, type: $0, owner: 0) }
    }
    var thumbnails = ThumbnailItems(
      in: items.meta, types: Self.pictureTypes, pages: [items.primary, items.stated], most: Self.maxAuxiliaries)
    thumbnails.add(items.thumbnails, owner: 0)
    return [gainMap].compactMap { $0 } + others.prefix(Self.maxAuxiliaries) + thumbnails.found
  }

  private static let pictureTypes: [FourCC] = [.av01, .grid, .overlay, .identity]
}
