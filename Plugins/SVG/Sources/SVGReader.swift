// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Draws SVG at any size, in parts, as librsvg does.
///
/// Nothing outside of the file is loaded but pictures of its folder that the host opens, scripts are not run, and of animations the first moment is drawn.
///
/// - Format: Scalable Vector Graphics (SVG) 1.1 and 2 (W3C), static. Library: librsvg 2.54 or later.
final class SVGReader: ContainerReader {
  private let host: CoderHost
  private let drawing: LibRSVG.Drawing
  private let traits: DocumentTraits
  private let credentials: [UInt8]?
  private let texts: DrawingTexts
  private let own: DrawingSize
  private let background: Background?
  /// What is left out is said with the first picture.
  private var hasSaid = false

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    background = try Background(options[SVGOption.background])
    let document = try Document.open(source, host: host)
    (drawing, traits, credentials) = (document.drawing, document.traits, document.credentials)
    texts = document.texts
    own = try DrawingSize(drawing.dimensions)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = ImageHeader(
      format: .svg, canvas: own.canvas, pixelFormat: .rgba8, bitsPerChannel: 8, alpha: alpha)
    header.anySize = AnySize(
      width: own.isStated ? own.width : nil, height: own.isStated ? own.height : nil, largestSide: LibRSVG.largestSide)
    header.resolution = 96
    if credentials != nil { header.metadata.insert(.c2pa) }
    if texts.packet != nil { header.metadata.insert(.xmp) }
    if !texts.all.isEmpty { header.metadata.insert(.text) }
    // H.273: primaries of BT.709 and the curve of sRGB; RGB has the matrix 0.
    header.cicp = CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)
    return header
  }

  private var alpha: AlphaMode { background == nil ? .premultiplied : .opaque }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let whole = request.size ?? own.canvas
    guard max(whole.width, whole.height) <= LibRSVG.largestSide else {
      throw .unsupported(
        "a drawing of \(whole), librsvg draws sides of at most \(LibRSVG.largestSide) pixels")
    }
    let part = request.part ?? Rect(covering: whole)
    guard !part.isEmpty, part.isInside(whole) else {
      throw .invalidArgument("a part of \(part.size) at \(part.x),\(part.y) of a drawing of \(whole)")
    }
    try host.limits.check(canvas: part.size)
    let memory = memory(for: part, of: whole)
    try host.limits.check(memory: memory)
    return DecodeOffer(
      request, size: whole, part: part, pixelFormat: .rgba8, alpha: alpha, memory: memory,
      covered: own.covered(in: whole))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let (whole, part) = (offer.whole, offer.part)
    guard offer.pixelFormat == .rgba8, offer.alpha == alpha, !part.isEmpty, part.isInside(whole),
      max(whole.width, whole.height) <= LibRSVG.largestSide
    else { throw .invalidArgument("an offer of \(whole) in \(offer.pixelFormat), which was not made") }
    sayWhatIsLeftOut()
    let stride = part.width * 4
    let most = rowsOfBand(of: part)
    let band = try host.allocate(bytes: most * stride, for: "a band of the drawing")
    defer { host.free(band) }
    var y = 0
    while y < part.height {
      guard !host.isCancelled else { throw .cancelled }
      let count = min(most, part.height - y)
      let area = LibRSVG.Area(
        natural: (own.width, own.height), scale: own.scale(to: whole),
        part: Rect(x: part.x, y: part.y + y, width: part.width, height: count), background: background)
      try drawing.draw(area, into: band, stride: stride)
      try deliver(band, rows: y..<y + count, stride: stride, to: sink)
      y += count
    }
  }

  /// Copies the rows of a band to the host, as many at a time as that takes.
  private func deliver(
    _ band: UnsafeMutableRawPointer, rows: Range<Int>, stride: Int, to sink: RowSink
  ) throws(CoderError) {
    var y = rows.lowerBound
    while y < rows.upperBound {
      let granted = try sink.rows(at: y, count: rows.upperBound - y)
      let count = min(granted.count, rows.upperBound - y)
      for row in 0..<count {
        (granted.base + row * granted.stride).copyMemory(
          from: band + (y - rows.lowerBound + row) * stride, byteCount: stride)
      }
      try sink.done(at: y, count: count)
      y += count
    }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    switch kind {
    case .c2pa: credentials
    case .xmp: texts.packet
    case .text: texts.all.isEmpty ? nil : ContainerText.payload(texts.all)
    default: nil
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    guard frame == nil, let box = own.viewBox else { return properties }
    properties["{SVG}", "ViewBoxSize"] = .list([.number(box.x), .number(box.y)])
    return properties
  }

  private func sayWhatIsLeftOut() {
    guard !hasSaid else { return }
    hasSaid = true
    if traits.refersOutside {
      host.log("the drawing refers to what is not in its file; that is left out", severity: .warning)
    }
    if traits.hasText, !LibRSVG.hasFonts {
      host.log("the drawing has text, and no font can be opened; it has boxes or nothing instead", severity: .warning)
    }
  }
}

// Memory.
extension SVGReader {
  private static let bandBytes = 8 << 20
  private static let fewestRows = 64
  /// Layers that are drawn at a time, one inside the other: more are rare.
  private static let layers = 2

  /// Rows that are drawn at a time. Each band draws the whole document again, of which little falls into it; but layers are
  /// as large as the whole picture, for each band.
  private func rowsOfBand(of part: Rect) -> Int {
    traits.hasLayers ? part.height : min(part.height, max(Self.fewestRows, Self.bandBytes / (part.width * 4)))
  }

  /// Bytes that drawing takes. The sides are at most 32,767 pixels.
  private func memory(for part: Rect, of whole: Size) -> Int {
    rowsOfBand(of: part) * part.width * 4 + (traits.hasLayers ? Self.layers * whole.width * whole.height * 4 : 0)
  }
}
