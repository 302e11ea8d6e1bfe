// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension CoderRegistry {
  /// Writes the first frame of a page of measured data, whose values are spread from black to white.
  func convertStretching(
    _ source: ByteSource, _ range: SampleRange, to format: ImageFormat, at destination: EncodeDestination,
    options: EncodeOptions, reading: DecodeOptions, reader: String?, coder: String?,
    problem: ((CoderError) -> Void)?
  ) throws(CoderError) -> EncodedFile {
    guard options.color == .asStored, reading.color == .asStored else {
      throw .unsupported("a range of values in converted colors; what is measured has none")
    }
    var reading = reading
    reading.firstFrameOnly = true
    reading.appliesOrientation = true
    reading.pixelFormat = .rgbaFloat32
    reading.alpha = .straight
    let decoder = try open(source, options: reading, coder: reader)
    var image = try decoder.image()
    if let found = image.problem {
      guard let problem else { throw found }
      problem(found)
    }
    let header = decoder.header
    let properties = try decoder.properties()
    let isGray = header.pixelFormat.isGray || properties["ColorModel"] == .text("Gray")
    let place = image.metadata[.geoTIFF]
    let isSigned = properties["{TIFF}", "SampleFormat"]?.integer == 2
    let stretch = try SampleStretch(
      range, of: image.pixels, isGray: isGray, numbers: SampleStretch.Numbers(header, isSigned: isSigned),
      missing: place.flatMap { MeasuredValues.missing(in: $0) })
    image.frames = [Frame(pixels: try stretch.applied(to: image.pixels))]
    image.metadata[.geoTIFF] = place.flatMap { MeasuredValues.removed(from: $0) }
    // Nothing that the file said of colors is true of the new samples.
    image.metadata[.icc] = nil
    image.cicp = nil
    image.stored = StoredColor()
    image.changes.insert(.recolored)
    image.header = ImageHeader(
      format: header.format, canvas: image.pixels.size, pixelFormat: image.pixels.format, bitsPerChannel: 16,
      alpha: image.pixels.alpha)
    var settings = options
    settings.range = nil
    let encoder = try makeEncoder(as: format, to: destination, options: settings, coder: coder)
    if header.pageCount > 1, !header.pagesAreSizes {
      try encoder.note(
        FactChange(.pages, .dropped, because: "page \(decoder.page + 1) of \(header.pageCount) is written"))
    }
    if decoder.frameCount > 1 {
      try encoder.note(FactChange(.frames, .dropped, because: "the first of \(decoder.frameCount) frames is written"))
    }
    try encoder.note(FactChange(.colors, .changed, because: "values of a range become black to white"))
    try encoder.add(image)
    return try encoder.finish()
  }
}
