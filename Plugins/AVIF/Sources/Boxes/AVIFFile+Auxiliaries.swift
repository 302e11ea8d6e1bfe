// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// A picture that belongs to the one that is shown.
struct AuxiliaryItem {
  let item: UInt32
  let kind: AuxiliaryPicture.Kind
  /// The file's name of what it is; `tmap` of a gain map that a tone map names.
  let type: String
  /// Of a gain map that a tone map names: what that says, and the colors of the picture with the map applied.
  let toneMap: (metadata: [UInt8], points: CodingIndependentCodePoints?, profile: Range<Int>?)?
}

extension AVIFFile {
  /// The auxiliary pictures of a still, without alpha, which is in the picture's pixels.
  ///
  /// Where a tone map names a gain map, its name in an `auxC` property does not count.
  func auxiliaryItems() -> [AuxiliaryItem] {
    guard !isSequence, let items else { return [] }
    var found: [AuxiliaryItem] = []
    if let map = toneMap, let metadata = metadata(of: map, in: items.meta) {
      let colors = colors(of: map.item, in: items.meta)
      found.append(
        AuxiliaryItem(
          item: map.map, kind: .gainMap, type: "tmap", toneMap: (metadata, colors?.points, colors?.profile)))
    }
    let listed = found.first?.item
    for item in items.auxiliaries where item != listed {
      guard let type = auxiliaryType(of: item), AuxiliaryKind(type) != .alpha else { continue }
      found.append(AuxiliaryItem(item: item, kind: AuxiliaryKind(type).picture, type: type, toneMap: nil))
    }
    return found
  }

  /// Tone maps of versions that are not known do not count.
  private func metadata(of map: ToneMap, in meta: MetaBox) -> [UInt8]? {
    do throws(CoderError) {
      return try ItemBytes(of: map.item, in: meta, bytes).gainMapMetadata()
    } catch {
      return nil
    }
  }

  private func colors(of item: Item, in meta: MetaBox) -> ItemProperties? {
    do throws(CoderError) {
      return try ItemProperties(of: item, in: meta, file: bytes)
    } catch {
      return nil
    }
  }
}
