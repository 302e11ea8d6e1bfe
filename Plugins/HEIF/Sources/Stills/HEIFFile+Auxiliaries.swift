// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension HEIFFile {
  /// The auxiliary pictures of all pages, without alpha, which is in the pages' pixels; after them their thumbnails.
  ///
  /// Where a tone map names a gain map, its name in an `auxC` property does not count.
  func auxiliaryItems() -> [AuxiliaryItem] {
    var found: [AuxiliaryItem] = []
    var thumbnails = ThumbnailItems(in: meta, types: Self.pictureTypes, pages: pages, most: limits.maxPages)
    for (page, id) in pages.enumerated() {
      let gainMap = toneMap(of: id).flatMap { map in
        AuxiliaryItem(map, owner: page, in: meta, file: contents, bytes: try? bytes(of: map.item))
      }
      if let gainMap { found.append(gainMap) }
      for auxiliary in auxiliaries(of: id) where auxiliary != gainMap?.item {
        guard let item = meta.item(auxiliary), let type = type(of: item),
          let picture = AuxiliaryItem(auxiliary, type: type, owner: page)
        else { continue }
        found.append(picture)
      }
      thumbnails.add(self.thumbnails(of: id), owner: page)
    }
    return found + thumbnails.found
  }

  private func type(of item: Item) -> String? {
    do throws(CoderError) {
      return try properties(of: item).auxiliaryType
    } catch {
      return nil
    }
  }
}
