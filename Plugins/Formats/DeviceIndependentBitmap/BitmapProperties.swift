// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

extension Bitmap {
  /// Where the ICC profile of a header of version 5 is, or nil when it has none. It may end after the source's end.
  public var profileRange: Range<Int>? { header.colors?.kind == .embedded ? colorSpaceRange : nil }

  /// Where the name of a profile's file is.
  public var linkRange: Range<Int>? { header.colors?.kind == .linked ? colorSpaceRange : nil }

  private var colorSpaceRange: Range<Int>? {
    header.colors?.profile.map { header.offset &+ $0.lowerBound..<header.offset &+ $0.upperBound }
  }

  /// What the header says beside the pixels.
  public var properties: Properties {
    var properties = Properties()
    if header.density.x > 0, header.density.y > 0 {
      // 39.37 inches are a metre.
      properties["DPIWidth"] = .number((Double(header.density.x) * 2.54).rounded() / 100)
      properties["DPIHeight"] = .number((Double(header.density.y) * 2.54).rounded() / 100)
    }
    properties["{BMP}", "Version"] = .text(header.version.rawValue)
    properties["{BMP}", "HeaderSize"] = .integer(Int64(header.byteCount))
    properties["{BMP}", "BitCount"] = .integer(Int64(header.bitCount))
    properties["{BMP}", "Compression"] = .text(header.compression.rawValue)
    properties["{BMP}", "IsTopDown"] = .integer(header.isTopDown ? 1 : 0)
    if hasPalette { properties["{BMP}", "PaletteColors"] = .integer(Int64(palette.count)) }
    if let colors = header.colors {
      properties["{BMP}", "ColorSpace"] = .text("\(colors.kind)")
      if header.version == .windows5 { properties["{BMP}", "Intent"] = .integer(Int64(colors.intent)) }
    }
    return properties
  }
}
