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

  /// Pixels per inch from left to right, and how wide a pixel is for its height where that is not the same.
  public var density: (resolution: Double?, aspect: Double?) {
    guard header.density.x > 0, header.density.y > 0 else { return (nil, nil) }
    let isSquare = header.density.x == header.density.y
    let aspect = isSquare ? nil : Double(header.density.y) / Double(header.density.x)
    guard (1.0 / 64...64).contains(aspect ?? 1) else { return (nil, nil) }
    return (Self.perInch(header.density.x), aspect)
  }

  /// Whole hundredths: writers round 72 pixels per inch to 2,835 per metre.
  private static func perInch(_ perMetre: Int) -> Double { (Double(perMetre) * 2.54).rounded() / 100 }

  /// What the header says beside the pixels.
  public var properties: Properties {
    var properties = Properties()
    if header.density.x > 0, header.density.y > 0 {
      properties["DPIWidth"] = .number(Self.perInch(header.density.x))
      properties["DPIHeight"] = .number(Self.perInch(header.density.y))
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
