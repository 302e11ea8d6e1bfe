// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads QOI.
///
/// Rows are decoded one by one into the host's memory: rgb8 for three channels, or rgba8 when that is asked for.
///
/// - Format: The Quite OK Image Format, version 1.0 (qoiformat.org).
final class QOIReader: ContainerReader {
  private let source: SourceView
  private let file: QOIHeader

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    var reader = try source.reader(at: 0, count: QOIHeader.size, of: "the header")
    file = try QOIHeader(parsing: &reader)
    try host.limits.check(canvas: file.canvas)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = ImageHeader(
      format: .qoi, canvas: file.canvas, pixelFormat: file.hasAlpha ? .rgba8 : .rgb8, bitsPerChannel: 8,
      alpha: file.hasAlpha ? .straight : .opaque)
    // H.273: primaries of BT.709; 13 is the transfer function of sRGB, 8 a linear one; RGB has the matrix 0.
    header.cicp = CodingIndependentCodePoints(
      primaries: 1, transfer: file.isLinear ? 8 : 13, matrix: 0, isFullRange: true)
    header.isLossless = true
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let header = try header(page: request.page)
    let format = request.pixelFormat == .rgba8 ? .rgba8 : header.pixelFormat
    return DecodeOffer(request, size: header.canvas, pixelFormat: format, alpha: header.alpha)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    var chunks = ChunkDecoder(source, at: QOIHeader.size)
    for y in 0..<file.canvas.height {
      let row = try sink.rows(at: y).base
      let isWhole =
        switch (offer.pixelFormat, file.hasAlpha) {
        case (.rgb8, _): try chunks.decode(file.canvas.width, as: ThreeChannels.self, to: row)
        case (_, true): try chunks.decode(file.canvas.width, as: FourChannels.self, to: row)
        case (_, false): try chunks.decode(file.canvas.width, as: OpaqueFourChannels.self, to: row)
        }
      guard isWhole else {
        throw .truncated("the pixels end in row \(y) of \(file.canvas.height)", at: source.size)
      }
      try sink.done(at: y)
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    guard frame == nil else { return properties }
    properties["{QOI}", "Channels"] = .integer(file.hasAlpha ? 4 : 3)
    properties["{QOI}", "ColorSpace"] = .text(file.isLinear ? "linear" : "sRGB")
    return properties
  }
}
