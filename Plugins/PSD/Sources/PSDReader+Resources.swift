// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

extension PSDReader {
  /// Where a kind of metadata is. A profile of Lab says nothing of the colors that are made of it.
  func place(of kind: MetadataKind) -> Range<Int>? {
    let id: UInt16
    switch kind {
    case .icc: id = ResourceID.icc
    case .exif: id = ResourceID.exif
    case .xmp: id = ResourceID.xmp
    case .iptc: id = ResourceID.iptc
    case .text:
      // A text that begins with its length.
      return file.resources[ResourceID.caption].flatMap { $0.count > 1 ? $0.dropFirst() : nil }
    case .c2pa, .geoTIFF, .trailer, .other: return nil
    }
    guard let place = file.resources[id], !place.isEmpty, kind != .icc || file.header.model != .lab else { return nil }
    return place
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    if kind == .other { return page == 0 ? try applicationData() : nil }
    guard page == 0 || kind == .icc && layer(page) != nil, let place = place(of: kind) else { return nil }
    try host.limits.check(metadata: place.count)
    let bytes = try source.bytes(at: place.lowerBound, count: place.count, of: "\(kind)")
    switch kind {
    case .exif: return Array(bytes[ExifPayload.start(in: bytes.span.bytes)...])
    case .text: return ContainerText.payload([ContainerText(decoding: bytes, keyword: "Description")])
    default: return bytes
    }
  }

  /// Names of the resources that are not read.
  private func applicationData() throws(CoderError) -> [UInt8]? {
    var data = ApplicationData()
    let all = try source.reader(in: file.resourceBlocks, of: "the image resources")
    try PhotoshopResources.name(all: all, but: ResourceID.all, in: &data)
    return data.payload
  }

  /// Pixels per inch from left to right, and how wide a pixel is for its height where that is not the same.
  ///
  /// - Format: "ResolutionInfo structure": 16 bits after the point, whatever unit is shown.
  func density() throws(CoderError) -> (resolution: Double?, aspect: Double?) {
    guard let place = file.resources[ResourceID.resolution], place.count >= 16 else { return (nil, nil) }
    let info = try source.reader(in: place, of: "the resolution")
    let (across, down) = (Double(try info.uint32(at: 0)), Double(try info.uint32(at: 8)))
    let aspect = across == down ? nil : down / across
    guard across > 0, down > 0, (1.0 / 64...64).contains(aspect ?? 1) else { return (nil, nil) }
    return (across / 65_536, aspect)
  }

  /// Whether the merged picture is one: "hasRealMergedData" of the version info (1057). Without layers, it is all there is.
  func hasMergedPicture() throws(CoderError) -> Bool {
    guard let place = file.resources[ResourceID.version], place.count >= 5, file.layers.count > 0 else { return true }
    let info = try source.reader(in: place, of: "the version info")
    return try info.uint8(at: 4) != 0
  }

  /// The index of the color that is not there (1047).
  func transparentIndex() throws(CoderError) -> Int? {
    guard let place = file.resources[ResourceID.transparentIndex], place.count >= 2 else { return nil }
    let index = Int(try source.reader(in: place, of: "the transparent index").uint16(at: 0))
    return index < 256 ? index : nil
  }

  func indexedColors() throws(CoderError) -> IndexedColors {
    IndexedColors(
      try source.bytes(at: file.palette.lowerBound, count: file.palette.count, of: "the palette"),
      transparent: try transparentIndex())
  }

  /// A JPEG file in the thumbnail resource (1036), which the host opens.
  ///
  /// - Format: "Thumbnail resource format".
  func thumbnail() throws(CoderError) -> (header: ImageHeader, place: Range<Int>)? {
    guard let place = file.resources[ResourceID.thumbnail], place.count > 28 else { return nil }
    var info = try source.reader(at: place.lowerBound, count: 28, of: "the thumbnail")
    let isJPEG = try info.uint32("the format") == 1
    let width = Int(try info.uint32("the width"))
    let size = Size(width: width, height: Int(try info.uint32("the height")))
    let largest = host.limits.maxSide
    guard isJPEG, !size.isEmpty, size.width <= largest, size.height <= largest, size.pixelCount <= host.limits.maxPixels
    else { return nil }
    var header = ImageHeader(format: .psd, canvas: size, pixelFormat: .rgb8, bitsPerChannel: 8, alpha: .opaque)
    let content = (place.lowerBound + 28)..<place.upperBound
    header.embedded = content
    header.role = PageRole(.preview, name: "Photoshop thumbnail")
    return (header, content)
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    if frame == nil, let layer = layer(page) { return layerProperties(layer) }
    var properties = Properties()
    guard frame == nil, page == 0 else { return properties }
    properties["ColorModel"] = .text(file.header.model.colorModel)
    properties["{8BIM}", "Version"] = .integer(file.header.isLarge ? 2 : 1)
    let density = try density()
    if let resolution = density.resolution {
      properties["DPIWidth"] = .number(resolution)
      properties["DPIHeight"] = .number(resolution * (density.aspect ?? 1))
    }
    let names = try layerNames()
    if !names.isEmpty { properties["{8BIM}", "LayerNames"] = .list(names.map { .text($0) }) }
    return properties
  }

  /// The names of the layers; none if one of them cannot be read.
  private func layerNames() throws(CoderError) -> [String] {
    guard let place = file.layers.records else { return [] }
    var reader = SectionReader(source, in: place)
    do throws(CoderError) {
      return try file.layers.names(
        &reader, isLarge: file.header.isLarge, limit: min(host.limits.maxMetadata, 1 << 20))
    } catch {
      guard error.code == .malformed || error.code == .truncated else { throw error }
      host.log("the names of layers are passed over: \(error.message)", severity: .warning)
      return []
    }
  }
}

extension PSDHeader.Model {
  /// As ImageIO names it.
  fileprivate var colorModel: String {
    switch self {
    case .gray: "Gray"
    case .indexed, .rgb: "RGB"
    case .cmyk: "CMYK"
    case .lab: "Lab"
    }
  }
}
