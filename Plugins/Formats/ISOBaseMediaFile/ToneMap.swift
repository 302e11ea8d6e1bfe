// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A picture and its gain map, as a `tmap` item joins them (ISO/IEC 23008-12 §6.6.2.4).
public struct ToneMap {
  /// The item that joins the two. Its colors are those of the picture once the map is applied in full.
  public let item: Item
  /// The picture without the map.
  public let base: UInt32
  /// The gain map.
  public let map: UInt32
}

extension MetaBox {
  /// The gain map of a picture, as libavif and ImageIO look for it.
  ///
  /// Tone maps count that are derived from two items, are turned by no property of their own, and are the better of the
  /// two in a group of alternatives with their base. That the file has the brand `tmap` is for the caller to see to.
  public func toneMap(of base: UInt32) -> ToneMap? {
    for item in items where item.type == .toneMap {
      let inputs = references(from: item.id, as: .derivedFrom)
      guard inputs.count == 2, let first = inputs.first, let map = inputs.last, first == base, map != base,
        !associations[item.associations].contains(where: {
          [.rotation, .mirror, .cleanAperture].contains(properties[$0].type)
        }),
        alternatives.contains(where: { group in
          guard let better = group.firstIndex(of: item.id), let other = group.firstIndex(of: base) else { return false }
          return better < other
        })
      else { continue }
      return ToneMap(item: item, base: base, map: map)
    }
    return nil
  }
}

extension ItemBytes {
  /// The gain map metadata in a `tmap` item: what ISO 21496-1 has from `minimum_version` on.
  ///
  /// - Returns: nil for bytes that are cut, and for versions that are not known.
  public func gainMapMetadata() -> [UInt8]? {
    guard !isCut else { return nil }
    do throws(CoderError) {
      return try withBytes { bytes in
        // The item's own version, and the least version that a reader has to know.
        guard bytes.count > 3, bytes[0] == 0, bytes[1] == 0, bytes[2] == 0 else { return nil }
        return [UInt8](bytes.dropFirst())
      }
    } catch {
      return nil
    }
  }
}
