// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension TIFFPicture {
  private static let texts: [(Int, String)] = [
    (Tag.documentName, "DocumentName"), (Tag.imageDescription, "ImageDescription"), (Tag.make, "Make"),
    (Tag.model, "Model"), (Tag.pageName, "PageName"), (Tag.software, "Software"), (Tag.dateTime, "DateTime"),
    (Tag.artist, "Artist"), (Tag.hostComputer, "HostComputer"), (Tag.copyright, "Copyright"),
  ]
  private static let numbers: [(Int, String)] = [
    (Tag.newSubfileType, "NewSubfileType"), (Tag.orientation, "Orientation"), (Tag.resolutionUnit, "ResolutionUnit"),
    (Tag.predictor, "Predictor"), (Tag.tileWidth, "TileWidth"), (Tag.tileLength, "TileLength"),
    (Tag.rowsPerStrip, "RowsPerStrip"),
  ]

  /// What the directory says, by ImageIO's names. A value that cannot be read is left out.
  func properties() throws(CoderError) -> Properties {
    var properties = Properties()
    for (tag, name) in Self.texts {
      if let text = try directory.text(tag) { properties["{TIFF}", name] = .text(text) }
    }
    for (tag, name) in Self.numbers {
      if let value = try number(tag) { properties["{TIFF}", name] = .integer(Int64(value)) }
    }
    properties["{TIFF}", "Compression"] = .integer(Int64(compression.code))
    properties["{TIFF}", "PhotometricInterpretation"] = .integer(Int64(samples.photometric.rawValue))
    properties["{TIFF}", "SamplesPerPixel"] = .integer(Int64(samples.count))
    if samples.number != .unsigned { properties["{TIFF}", "SampleFormat"] = .integer(Int64(samples.number.rawValue)) }
    let pair = try ifReadable { () throws(CoderError) in try directory.numbers(Tag.pageNumber, limit: 2) }
    if let pair, pair.count == 2 {
      properties["{TIFF}", "PageNumber"] = .integer(Int64(clamping: pair[0]))
    }
    for (tag, name, count) in [
      (Tag.whitePoint, "WhitePoint", 2), (Tag.primaryChromaticities, "PrimaryChromaticities", 6),
    ] {
      guard let values = try directory.reals(tag, limit: count + 1), values.count == count,
        values.allSatisfy(\.isFinite)
      else { continue }
      properties["{TIFF}", name] = .list(values.map { .number($0) })
    }
    properties["ColorModel"] = .text(samples.photometric.colorModel)
    // Resolution in inches when nothing is said (TIFF 6.0 §8); 3 is centimetres.
    let unit = try number(Tag.resolutionUnit) ?? 2
    let scale = unit == 2 ? 1 : unit == 3 ? 2.54 : nil
    for (tag, name, inches) in [
      (Tag.xResolution, "XResolution", "DPIWidth"), (Tag.yResolution, "YResolution", "DPIHeight"),
    ] {
      guard let value = try directory.reals(tag, limit: 1)?.first, value > 0, value.isFinite else { continue }
      properties["{TIFF}", name] = .number(value)
      if let scale { properties[inches] = .number(value * scale) }
    }
    return properties
  }

  private func number(_ tag: Int) throws(CoderError) -> Int? {
    try ifReadable { () throws(CoderError) in try directory.number(tag) }
  }
}
