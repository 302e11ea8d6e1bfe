// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// Where the sections of a file are, and what the picture needs of them.
///
/// - Format: Adobe Photoshop File Formats Specification, "Photoshop File Format".
struct PSDFile {
  /// How the merged picture is stored ("Image Data Section").
  enum Compression: UInt16 {
    case raw = 0
    case packBits = 1
    case zip = 2
    case zipWithPrediction = 3
  }

  let header: PSDHeader
  /// The color mode data.
  let palette: Range<Int>
  /// The content of the image resources that are read.
  let resources: [UInt16: Range<Int>]
  /// All image resources.
  let resourceBlocks: Range<Int>
  private(set) var layers = LayerSection()
  /// What is wrong with the layers, which the merged picture does not need.
  private(set) var layerFault: CoderError?
  let compression: Compression
  /// Where the image data begin, after their compression.
  let data: Int

  init(_ source: SourceView) throws(CoderError) {
    var reader = try source.reader(at: 0, count: PSDHeader.byteCount, of: "the header")
    header = try PSDHeader(parsing: &reader)
    palette = try Self.section(source, at: PSDHeader.byteCount, lengthBytes: 4, of: "the color mode data")
    let blocks = try Self.section(source, at: palette.upperBound, lengthBytes: 4, of: "the image resources")
    resourceBlocks = blocks
    resources = PhotoshopResources.places(
      of: ResourceID.all, in: try source.reader(in: blocks, of: "the image resources"))
    let layerPlace = try Self.section(
      source, at: blocks.upperBound, lengthBytes: header.lengthBytes, of: "the layers")
    var place = try source.reader(at: layerPlace.upperBound, count: 2, of: "the image data")
    let stored = try place.uint16("the compression")
    guard let compression = Compression(rawValue: stored) else {
      throw .unsupported("compression \(stored) of the image data, 0 to 3 are known", at: layerPlace.upperBound)
    }
    self.compression = compression
    data = place.offset
    guard header.mode != .indexed || palette.count == 768 else {
      throw .malformed("a palette of \(palette.count) bytes, 768 are needed", at: palette.lowerBound)
    }
    guard !layerPlace.isEmpty else { return }
    var layerReader = SectionReader(source, in: layerPlace)
    do throws(CoderError) {
      try layers.parse(&layerReader, isLarge: header.isLarge)
    } catch {
      guard error.code == .malformed || error.code == .truncated else { throw error }
      layerFault = error
    }
  }

  /// The place of a section that begins with its length.
  private static func section(
    _ source: SourceView, at start: Int, lengthBytes: Int, of name: StaticString
  ) throws(CoderError) -> Range<Int> {
    let reader = try source.reader(at: start, count: lengthBytes, of: name)
    let length = Int(clamping: try reader.unsigned(bytes: lengthBytes, at: 0, "its length"))
    let first = start + lengthBytes
    guard length <= source.size - first else {
      throw .truncated("\(name): \(length) bytes are stated, \(source.size - first) are left", at: source.size)
    }
    return first..<(first + length)
  }

  /// The channel of the merged picture that is its transparency, or nil.
  var alpha: Int? {
    guard layers.hasTransparency, header.channels > header.model.channels, header.mode != .bitmap,
      header.mode != .indexed, header.mode != .multichannel
    else { return nil }
    return header.model.channels
  }

  /// Channels that are read: colors, then alpha.
  var planes: Int { header.model.channels + (alpha == nil ? 0 : 1) }

  /// Where a plane's bytes begin where they are not compressed, counted from ``data``. No file has as many as overflow.
  func offset(ofPlane plane: Int) -> Int { plane * header.canvas.height * header.rowBytes }
}

/// Image resources that the coder reads ("Image Resource IDs").
enum ResourceID {
  static let resolution: UInt16 = 1005
  static let caption: UInt16 = 1008
  static let iptc: UInt16 = 1028
  static let thumbnail: UInt16 = 1036
  static let icc: UInt16 = 1039
  static let transparentIndex: UInt16 = 1047
  static let version: UInt16 = 1057
  static let exif: UInt16 = 1058
  static let xmp: UInt16 = 1060

  static let all: Set<UInt16> = [resolution, caption, iptc, thumbnail, icc, transparentIndex, version, exif, xmp]
}
