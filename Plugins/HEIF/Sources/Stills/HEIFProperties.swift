// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What `{HEIF}` holds of a page.
enum HEIFProperties {
  private static let dictionary = "{HEIF}"

  static func all(of node: PictureNode, in file: HEIFFile) -> Properties {
    var properties = Properties()
    func put(_ name: String, _ value: Int) { properties[dictionary, name] = .integer(Int64(value)) }
    put("ItemID", Int(clamping: node.id))
    if let item = file.meta.item(node.id) {
      properties[dictionary, "ItemType"] = .text("\(item.type)")
      if let own = try? file.properties(of: item) {
        if let aspect = own.pixelAspect {
          put("PixelAspectRatioHorizontal", aspect.horizontal)
          put("PixelAspectRatioVertical", aspect.vertical)
        }
        if let peak = own.light.contentPeak { put("MaxContentLightLevel", Int(peak)) }
        if let mean = own.light.frameAveragePeak { put("MaxPictureAverageLightLevel", Int(mean)) }
      }
    }
    if case .grid(let grid, let tiles) = node.content {
      put("TileColumns", grid.columns)
      put("TileRows", grid.rows)
      put("TileWidth", tiles[0].placement.shown.width)
      put("TileHeight", tiles[0].placement.shown.height)
    }
    let thumbnails = file.thumbnails(of: node.id).compactMap { try? file.node($0) }
    for (index, thumbnail) in thumbnails.prefix(maxListed).enumerated() {
      let size = thumbnail.placement.shown
      let name = "Thumbnail\(index)"
      put("\(name)PixelWidth", size.width)
      put("\(name)PixelHeight", size.height)
    }
    putAuxiliaries(of: node, in: file, into: &properties)
    putGroup(of: node, in: file, into: &properties)
    return properties
  }

  /// The stereo pair or the burst that a picture is one of, by the numbers of pages.
  private static func putGroup(of node: PictureNode, in file: HEIFFile, into properties: inout Properties) {
    guard let group = file.meta.groups.first(where: { $0.items.contains(node.id) }) else { return }
    let pages = group.items.prefix(maxListed).compactMap { file.pages.firstIndex(of: $0) }.map { Int64($0) }
    guard pages.count > 1 else { return }
    if group.type == .stereoPair {
      properties["{Groups}", "GroupType"] = .text("StereoPair")
      properties["{Groups}", "GroupImageIndexLeft"] = .integer(pages[0])
      properties["{Groups}", "GroupImageIndexRight"] = .integer(pages[1])
    } else {
      properties["{Groups}", "GroupType"] = .text("Burst")
      properties["{Groups}", "GroupImages"] = .list(pages.map { .integer($0) })
    }
  }

  private static let maxListed = 64

  /// Auxiliary pictures: depth, gain maps and others, with what says which they are.
  private static func putAuxiliaries(of node: PictureNode, in file: HEIFFile, into properties: inout Properties) {
    var list = Properties()
    var count = 0
    for id in file.auxiliaries(of: node.id).prefix(maxListed) {
      guard let item = file.meta.item(id), let own = try? file.properties(of: item), let type = own.auxiliaryType
      else { continue }
      var entry = Properties()
      entry["AuxiliaryType"] = .text(type)
      let kind: String
      switch AuxiliaryKind(type) {
      case .alpha: kind = "Alpha"
      case .depth: kind = "Depth"
      case .gainMap: kind = "HDRGainMap"
      case .matte: kind = "Matte"
      case .other: kind = "Other"
      }
      entry["Kind"] = .text(kind)
      entry["ItemID"] = .integer(Int64(id))
      if let auxiliary = try? file.node(id) {
        let size = auxiliary.placement.shown
        entry["PixelWidth"] = .integer(Int64(size.width))
        entry["PixelHeight"] = .integer(Int64(size.height))
        entry["BitsPerSample"] = .integer(Int64(auxiliary.bits))
      }
      list["\(count)"] = .dictionary(entry)
      count += 1
    }
    if count > 0 { properties[dictionary, "AuxiliaryImages"] = .dictionary(list) }
    if let map = file.toneMap(of: node.id) { properties[dictionary, "ToneMapItemID"] = .integer(Int64(map.item.id)) }
  }
}
