// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Properties of a file by ImageIO's names.
extension PNGFile {
  /// Bytes of one text that are shown at most.
  private static let textLimit = 64 << 10

  func properties(host: CoderHost) throws(CoderError) -> Properties {
    var properties = Properties()
    let name = "{PNG}"
    properties[name, "InterlaceType"] = .integer(header.isInterlaced ? 1 : 0)
    if let gamma = color.gamma { properties[name, "Gamma"] = .number(gamma) }
    if let intent = color.renderingIntent { properties[name, "sRGBIntent"] = .integer(Int64(intent)) }
    if let density = color.pixelsPerUnit {
      if density.isMetre {
        properties[name, "XPixelsPerMeter"] = .integer(Int64(density.x))
        properties[name, "YPixelsPerMeter"] = .integer(Int64(density.y))
        properties["DPIWidth"] = .number(Self.dotsPerInch(density.x))
        properties["DPIHeight"] = .number(Self.dotsPerInch(density.y))
      } else if density.y > 0 {
        properties[name, "PixelsAspectRatio"] = .number(Double(density.x) / Double(density.y))
      }
    }
    if color.chromaticities.count == 8 {
      var points = Properties()
      let names = ["WhiteX", "WhiteY", "RedX", "RedY", "GreenX", "GreenY", "BlueX", "BlueY"]
      for (name, value) in zip(names, color.chromaticities) { points[name] = .number(value) }
      properties[name, "Chromaticities"] = .dictionary(points)
    }
    if let time = try modificationTime() { properties[name, "Modification Time"] = .text(time) }
    let limit = min(Self.textLimit, host.limits.maxMetadata)
    for (keyword, chunk) in index.texts {
      guard let data = try data(of: chunk),
        let text = try TextChunk(data, of: chunk.name, limit: limit, host: host)
      else { continue }
      properties[name, keyword] = .text(text.string)
    }
    return properties
  }

  static func dotsPerInch(_ pixelsPerMetre: UInt32) -> Double {
    // Whole hundredths: writers round 72 dots per inch to 2835 pixels per metre.
    (Double(pixelsPerMetre) * 2.54).rounded() / 100
  }

  /// tIME as XMP writes dates (PNG Third Edition §11.3.5.1).
  private func modificationTime() throws(CoderError) -> String? {
    guard let chunk = index.time, let data = try data(of: chunk), data.count == 7 else { return nil }
    let year = try ByteReader(data.span.bytes, of: "tIME").uint16(at: 0)
    func digits(_ value: some BinaryInteger, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let date = [digits(year, 4), digits(data[2], 2), digits(data[3], 2)].joined(separator: "-")
    let time = data[4...6].map { digits($0, 2) }.joined(separator: ":")
    return "\(date)T\(time)Z"
  }
}
