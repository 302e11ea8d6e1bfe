// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport

/// A file for each fact in each format that has a place for it.
enum FactSources {
  static let formats: [ImageFormat] = [
    .jpeg, .png, .webP, .tiff, .heic, .avif, .jpegXL, .jpeg2000, .gif, .bmp,
  ]
  private static let size = Size(width: 64, height: 48)
  private static let registry = EncodingPictures.registry

  /// The formats that state a fact, of those that are written and of those that are read alone.
  static func holders(_ fact: Fact) -> [ImageFormat] {
    switch fact {
    case .orientation: [.jpeg, .png, .webP, .tiff, .heic, .avif, .jpegXL]
    case .dimensions, .exif: [.jpeg, .png, .webP, .tiff, .heic, .avif, .jpegXL, .jpeg2000]
    case .thumbnail: [.jpeg, .png, .webP, .heic, .avif, .jpegXL, .jpeg2000]
    case .density: formats.filter { $0 != .gif }
    case .colors: formats
    case .light: [.png, .heic, .avif, .jpegXL]
    case .xmp, .regions, .panorama: formats.filter { $0 != .bmp }
    case .iptc: [.jpeg, .png, .tiff, .jpeg2000]
    case .texts: [.jpeg, .png, .tiff, .gif, .psd, .openEXR, .radiance, .pnm, .svg]
    case .georeference: [.tiff, .jpeg2000]
    case .credentials: formats.filter { $0 != .bmp }
    case .video: [.jpeg, .heic, .avif]
    case .gainMap, .auxiliaries: [.jpeg, .heic, .avif, .jpegXL]
    case .frames: [.png, .webP, .heics, .avif, .jpegXL, .gif]
    case .pages: [.tiff, .heic, .ico]
    case .storedJPEG: [.jpegXL]
    case .hotSpot: [.cur]
    case .rights: [.jpeg, .tiff, .psd]
    case .applicationData: ApplicationDataFile.all.map(\.format) + [.psd, .openEXR, .radiance]
    }
  }

  /// Whether a file states a fact.
  static func states(_ fact: Fact, _ file: [UInt8]) throws -> Bool {
    let decoder = try registry.open(.bytes(file))
    let (header, properties) = (decoder.header, try decoder.properties())
    func hasProperty(_ dictionary: String, _ name: String) -> Bool { properties[dictionary, name] != nil }
    func hasOther(_ names: [String]) throws -> Bool? {
      try decoder.metadata(.other).map { payload in
        let found = ContainerText.texts(in: payload).map(\.keyword)
        return !found.filter { names.isEmpty || names.contains($0) }.isEmpty
      }
    }
    switch fact {
    case .orientation: return header.orientation != .up
    case .dimensions: return hasProperty("{Exif}", "PixelXDimension")
    case .thumbnail: return decoder.parts().contains { $0.kind == .thumbnail }
    case .density: return header.resolution != nil || hasProperty("{TIFF}", "XResolution")
    case .colors: return header.metadata.contains(.icc) || header.cicp != nil || header.gamma != nil
    case .light: return decoder.storedColor.light.contentPeak != nil
    case .exif: return hasProperty("{TIFF}", "Copyright")
    case .xmp: return hasProperty("{XMP}", "dc:title")
    case .iptc: return header.metadata.contains(.iptc)
    case .texts: return header.metadata.contains(.text)
    case .regions: return hasProperty("{XMP}", "mwg-rs:Regions")
    case .panorama: return hasProperty("{XMP}", "GPano:ProjectionType")
    case .georeference: return header.metadata.contains(.geoTIFF)
    case .credentials: return header.metadata.contains(.c2pa)
    case .video: return try decoder.metadata(.trailer) != nil
    case .gainMap: return try decoder.auxiliaryPictures().contains { $0.kind == .gainMap }
    case .auxiliaries: return try decoder.auxiliaryPictures().contains { Fact.auxiliaryKinds.contains($0.kind) }
    case .frames: return header.frameCount > 1
    case .pages: return header.pageCount > 1
    case .storedJPEG: return try header.format == .jpegXL && registry.transcode(.bytes(file), to: .jpeg) != nil
    case .hotSpot: return hasProperty("{ICO}", "HotSpotX")
    case .rights:
      return try hasOther([ApplicationData.copyrightFlag]) ?? false || hasProperty("{XMP}", "xmpRights:Marked")
    case .applicationData: return try hasOther([]) ?? false
    }
  }

  // MARK: Files

  static func file(_ fact: Fact, _ format: ImageFormat) throws -> [UInt8] {
    switch fact {
    case .orientation: return format == .png ? try turnedPNG() : try ReportedLoss.turned(format)
    case .dimensions: return try photo(format, ["Exif.PixelXDimension": "64", "Exif.PixelYDimension": "48"])
    case .thumbnail: return try withThumbnail(format)
    case .density: return try photo(format) { $0.density = Density(300) }
    case .colors: return try photo(format) { $0.metadata[.icc] = MatrixProfile.displayP3.bytes }
    case .light: return try bright(format)
    case .exif: return try photo(format, ["Copyright": "A. Author"])
    case .xmp: return try photo(format, ["dc:title": "Harbour"])
    case .iptc: return format == .png ? try describedPNG() : try photo(format) { $0.metadata[.iptc] = keyword }
    case .texts: return try FactTexts.file(format) ?? photo(format) { $0.metadata[.text] = texts }
    case .regions: return try photo(format) { $0.metadata[.xmp] = packet(regions) }
    case .panorama: return try photo(format) { $0.metadata[.xmp] = packet(panorama) }
    case .georeference: return try photo(format) { $0.metadata[.geoTIFF] = FactMatrixTests.geoTIFF }
    case .credentials: return CredentialsFile.adding(to: try photo(format, ["Copyright": "A. Author"]), format)
    case .video: return try ReportedLoss.motionPhoto(format)
    case .gainMap:
      let options = EncodeOptions(quality: 0.9)
      return try registry.convert(.bytes(ReportedLoss.ultraHDR()), to: format, at: .memory, options: options).bytes
    case .auxiliaries: return try withDepth(format)
    case .frames: return try ReportedLoss.animation([100, 200], plays: .infinite, as: format)
    case .pages: return try twoPages(format)
    case .storedJPEG:
      return try registry.transcode(.bytes(photo(.jpeg)), to: .jpegXL) ?? []
    case .hotSpot:
      var options = EncodeOptions()
      options.values = ["hot-spot-x": .number(12), "hot-spot-y": .number(20)]
      return try registry.encode(
        Image(EncodingPictures.photo(Size(width: 32, height: 32))), as: .cur, options: options)
    case .rights:
      let mark = ApplicationDataFile.resource(0x040A, [1])
      if format == .psd { return ApplicationDataFile.photoshopFile(mark) }
      let plain = try photo(format)
      return format == .tiff
        ? ApplicationDataFile.tiff(plain, with: [(34377, mark)])
        : plain[..<2] + ApplicationDataFile.photoshopSegment(mark) + plain[2...]
    case .applicationData:
      if format == .psd { return ApplicationDataFile.photoshopFile(ApplicationDataFile.resource(4711, [1])) }
      guard let data = ApplicationDataFile.all.first(where: { $0.format == format }) else {
        return try FactTexts.file(format) ?? []
      }
      return data.adding(try photo(format, ["Copyright": "A. Author"]))
    }
  }

  private static func photo(
    _ format: ImageFormat, _ values: [String: String] = [:], change: (inout Image) -> Void = { _ in }
  ) throws -> [UInt8] {
    try registry.encode(ReportedLoss.photo(values, change: change), as: format)
  }

  private static func withThumbnail(_ format: ImageFormat) throws -> [UInt8] {
    var options = EncodeOptions()
    options.embeddedThumbnailSide = 16
    let file = try registry.encode(ReportedLoss.photo(), as: .jpeg, options: options)
    return try registry.convert(
      .bytes(file), to: format, at: .memory, options: EncodeOptions(allowsCopy: format == .jpeg)
    ).bytes
  }

  private static func bright(_ format: ImageFormat) throws -> [UInt8] {
    var image = Image(try EncodingPictures.photo(size))
    image.cicp = CodingIndependentCodePoints(
      primaries: 9, transfer: 16, matrix: format == .png ? 0 : 9, isFullRange: true)
    image.light.contentPeak = 1000
    image.light.frameAveragePeak = 200
    return try registry.encode(image, as: format)
  }

  /// PNG is written upright, and read turned.
  private static func turnedPNG() throws -> [UInt8] {
    var edit = MetadataEdit()
    try edit.set("Orientation", to: "6")
    return try registry.editMetadata(.bytes(photo(.png)), edit).bytes
  }

  /// IIM 4.2 §1.5: 2:25, a keyword.
  private static let keyword: [UInt8] = [0x1C, 2, 25, 0, 3] + Array("sea".utf8)

  /// IPTC in a text, as ImageMagick writes it.
  private static func describedPNG() throws -> [UInt8] {
    let digits = keyword.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let text = Array("Raw profile type iptc\0\niptc\n\(keyword.count)\n\(digits)\n".utf8)
    let file = try photo(.png)
    return file[..<33] + ApplicationDataFile.chunk("tEXt", text) + file[33...]
  }

  private static func withDepth(_ format: ImageFormat) throws -> [UInt8] {
    guard format != .jpegXL else { return try ReportedLoss.fixture("extra-depth.jxl", of: "jxl") }
    var edit = MetadataEdit()
    let depth = try PixelBuffer(size: Size(width: 32, height: 24), format: .gray8, alpha: .opaque)
    depth.clear(rows: 0..<24)
    edit.pictures[.depth] = try registry.encode(Image(depth), as: .png)
    return try registry.editMetadata(.bytes(photo(format)), edit).bytes
  }

  private static func twoPages(_ format: ImageFormat) throws -> [UInt8] {
    let encoder = try registry.makeEncoder(as: format, to: .memory, options: EncodeOptions(), pageCount: 2)
    for side in [32, 48] {
      if side > 32 { try encoder.endPage() }
      try encoder.add(Image(EncodingPictures.photo(Size(width: side, height: side))))
    }
    return try encoder.finish().bytes
  }

  private static let texts = ContainerText.payload([
    ContainerText("a comment"), ContainerText("a plan", keyword: "DocumentName"),
  ])

  // MARK: XMP

  private static func packet(_ properties: String) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" \
      xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#">\
      \(properties)</rdf:Description></rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  private static let panorama = """
    <GPano:ProjectionType>equirectangular</GPano:ProjectionType><GPano:FullPanoWidthPixels>64</GPano:FullPanoWidthPixels>\
    <GPano:CroppedAreaImageWidthPixels>64</GPano:CroppedAreaImageWidthPixels>
    """
  private static let regions = """
    <mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Bag><rdf:li rdf:parseType="Resource">\
    <mwg-rs:Type>Face</mwg-rs:Type></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>
    """
}
