// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// A picture that belongs to a page and is not shown by itself.
struct AuxiliaryItem {
  let item: UInt32
  /// The page that it belongs to.
  let owner: Int
  let kind: AuxiliaryPicture.Kind
  /// The file's name of what it is; `tmap` of a gain map that a tone map names.
  let type: String
  /// Of a gain map that a tone map names: that item, and what it says.
  let toneMap: (item: Item, metadata: [UInt8])?
}

extension HEIFFile {
  /// The auxiliary pictures of all pages, without alpha, which is in the pages' pixels.
  ///
  /// Where a tone map names a gain map, its name in an `auxC` property does not count.
  func auxiliaryItems() -> [AuxiliaryItem] {
    var found: [AuxiliaryItem] = []
    for (page, id) in pages.enumerated() {
      var listed: UInt32?
      if let map = toneMap(of: id), let metadata = metadata(of: map) {
        listed = map.map
        found.append(
          AuxiliaryItem(item: map.map, owner: page, kind: .gainMap, type: "tmap", toneMap: (map.item, metadata)))
      }
      for auxiliary in auxiliaries(of: id) where auxiliary != listed {
        guard let item = meta.item(auxiliary), let type = type(of: item), AuxiliaryKind(type) != .alpha else {
          continue
        }
        found.append(
          AuxiliaryItem(
            item: auxiliary, owner: page, kind: AuxiliaryKind(type).picture, type: type, toneMap: nil))
      }
    }
    return found
  }

  /// Tone maps of versions that are not known do not count.
  private func metadata(of map: ToneMap) -> [UInt8]? {
    do throws(CoderError) {
      return try bytes(of: map.item).gainMapMetadata()
    } catch {
      return nil
    }
  }

  private func type(of item: Item) -> String? {
    do throws(CoderError) {
      return try properties(of: item).auxiliaryType
    } catch {
      return nil
    }
  }
}
