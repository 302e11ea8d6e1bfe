// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension EXRReader {
  /// Attributes that have a property of their own.
  private static let named = [
    "name": "Name", "view": "View", "multiView": "Views", "type": "Type", "pixelAspectRatio": "PixelAspectRatio",
    "framesPerSecond": "FramesPerSecond", "chromaticities": "Chromaticities", "whiteLuminance": "WhiteLuminance",
    "owner": "Owner", "comments": "Comments", "capDate": "CaptureDate",
  ]

  /// Attributes with a text that other containers have a place for, and their keywords there.
  private static let texts = ["comments": "Description", "owner": "Copyright"]
  /// Attributes that say what the header of a page says, beside those that ``PartHeader`` takes out.
  private static let stated: Set<String> = [
    "name", "view", "multiView", "type", "pixelAspectRatio", "chromaticities", "comments", "owner",
    "screenWindowCenter",
    "screenWindowWidth",
  ]

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    let attributes = try part(page).attributes.sorted
    switch kind {
    case .text:
      let texts = attributes.compactMap { name, value -> ContainerText? in
        guard let keyword = Self.texts[name], case .text(let text) = value, !text.isEmpty else { return nil }
        return ContainerText(text, keyword: keyword)
      }
      return texts.isEmpty ? nil : ContainerText.payload(texts)
    case .other:
      var data = ApplicationData()
      for (name, _) in attributes where !Self.stated.contains(name) {
        data.add("attribute \(ApplicationData.printable(name.utf8))")
      }
      return data.payload
    default: return nil
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    guard frame == nil else { return properties }
    let part = try part(page)
    var own = Properties()
    var others = Properties()
    for (name, value) in part.attributes.sorted {
      if let known = Self.named[name] { own[known] = value } else { others[name] = value }
    }
    if !others.isEmpty { own["Attributes"] = .dictionary(others) }
    own["Compression"] = .text(part.compression?.name ?? "unknown")
    own["LineOrder"] = .text(["increasing", "decreasing", "random"][min(part.lineOrder, 2)])
    own["Channels"] = .list(part.channels.map { .text($0.name) })
    own["ChannelTypes"] = .list(part.channels.map { .text($0.type.name) })
    own["DataWindow"] = part.dataWindow.property
    own["DisplayWindow"] = part.displayWindow.property
    own["PartCount"] = .integer(Int64(file.parts.count))
    own["Part"] = .integer(Int64(part.index))
    let choice = ChannelChoice(part.channels)
    if !choice.layer.isEmpty { own["Layer"] = .text(choice.layer) }
    if let tiles = part.tiles {
      own["TileSize"] = .list([.integer(Int64(tiles.size.width)), .integer(Int64(tiles.size.height))])
      let levels = part.grid.levels.count
      if levels > 1 { own["LevelCount"] = .integer(Int64(levels)) }
    }
    if !file.deepParts.isEmpty { own["DeepParts"] = .list(file.deepParts.map { .text($0) }) }
    properties["{OpenEXR}"] = .dictionary(own)
    return properties
  }
}
