// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

// Layers: pages after the merged picture.
extension PSDReader {
  /// The layers with pixels, from the lowest one up; none if one of them cannot be described.
  func readLayers() -> [PSDLayer] {
    guard let place = file.layers.records, file.header.model != .indexed, file.header.depth > 1 else { return [] }
    var reader = SectionReader(source, in: place)
    do throws(CoderError) {
      let records = try file.layers.layers(
        &reader, isLarge: file.header.isLarge, limit: min(host.limits.maxMetadata, 1 << 20))
      let pictures = PSDLayer.pictures(in: records)
      // A file is not refused for its layers.
      let allowed = max(0, host.limits.maxPages - 1)
      if pictures.count > allowed {
        host.log("\(pictures.count) layers, of which the first \(allowed) are pages", severity: .warning)
      }
      return Array(pictures.prefix(allowed))
    } catch {
      host.log("the layers are passed over: \(error.message)", severity: .warning)
      return []
    }
  }

  func layerHeader(_ layer: PSDLayer) throws(CoderError) -> ImageHeader {
    try host.limits.check(canvas: layer.rect.size)
    var header = ImageHeader(
      format: .psd, canvas: layer.rect.size, pixelFormat: layerFormat(layer), bitsPerChannel: file.header.depth,
      alpha: layer.hasAlpha ? .straight : .opaque)
    header.isLossless = true
    if place(of: .icc) != nil { header.metadata = [.icc] }
    header.role = PageRole(.layer, name: layer.name, x: layer.rect.x, y: layer.rect.y)
    return header
  }

  private func layerFormat(_ layer: PSDLayer) -> PixelFormat {
    Self.format(isGray: file.header.model == .gray, hasAlpha: layer.hasAlpha, depth: file.header.depth)
  }

  func layerOffer(_ layer: PSDLayer, for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try host.limits.check(canvas: layer.rect.size)
    let native = layerFormat(layer)
    let format = request.pixelFormat == .rgba8 && native.bytesPerChannel == 1 ? .rgba8 : native
    return DecodeOffer(
      request, size: layer.rect.size, pixelFormat: format, alpha: layer.hasAlpha ? .straight : .opaque,
      memory: offeredMemory(layer))
  }

  /// What decoding takes; of a layer whose channels cannot be found decoding says why.
  private func offeredMemory(_ layer: PSDLayer) -> Int {
    do throws(CoderError) {
      return layerMemory(file.header.ofPart(layer.rect.size), try storedChannels(of: layer))
    } catch {
      return 0
    }
  }

  private func layerMemory(_ header: PSDHeader, _ channels: [LayerPlanes.Stored]) -> Int {
    let (sum, overflow) = Self.blockMemory(header, planes: channels.count)
      .addingReportingOverflow(LayerPlanes.memory(for: channels, header))
    return overflow ? .max : sum
  }

  /// The channels that are read, in the order of planes.
  private func storedChannels(of layer: PSDLayer) throws(CoderError) -> [LayerPlanes.Stored] {
    var channels: [LayerPlanes.Stored] = []
    for id in Array(0..<file.header.model.channels) + (layer.hasAlpha ? [-1] : []) {
      guard let channel = layer.channels.first(where: { $0.id == id }) else {
        throw .malformed("a layer without channel \(id)", at: layer.channels.first?.place ?? 0)
      }
      channels.append(try LayerPlanes.Stored(channel, in: source))
    }
    return channels
  }

  func decodeLayer(_ layer: PSDLayer, _ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let native = layerFormat(layer)
    guard offer.size == layer.rect.size,
      offer.pixelFormat == native || offer.pixelFormat == .rgba8 && native.bytesPerChannel == 1
    else { throw .invalidArgument("an offer of \(offer.size) in \(offer.pixelFormat), which was not made") }
    let header = file.header.ofPart(layer.rect.size)
    let channels = try storedChannels(of: layer)
    try host.limits.check(memory: layerMemory(header, channels))
    let planes = try LayerPlanes(channels, header, in: source, host: host)
    let rows = PixelRows(layer: header, format: offer.pixelFormat, hasAlpha: layer.hasAlpha)
    try decode(rows, planes, of: header, planes: channels.count, into: sink)
  }

  /// Properties with names that all formats with layers have.
  func layerProperties(_ layer: PSDLayer) -> Properties {
    var properties = Properties()
    properties["{Layer}", "BlendMode"] = .text(layer.blendWord)
    properties["{Layer}", "Opacity"] = .number(Double(layer.opacity) / 255)
    properties["{Layer}", "IsVisible"] = .integer(layer.isVisible ? 1 : 0)
    if !layer.groups.isEmpty { properties["{Layer}", "Group"] = .text(layer.groups.joined(separator: "/")) }
    return properties
  }
}
