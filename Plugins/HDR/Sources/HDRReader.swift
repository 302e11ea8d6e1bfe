// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads pictures of Radiance: RGBE and XYZE.
///
/// - Format: Radiance File Formats (Greg Ward), "Picture File Format".
final class HDRReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private let file: HDRHeader

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    file = try HDRHeader(reading: source)
    try host.limits.check(canvas: file.canvas)
  }

  private var variables: HeaderVariables { file.variables }

  /// The exponent of samples that are no light.
  private var gamma: Double? { variables.gamma == 1 ? nil : variables.gamma }

  /// Primaries of the file that are no code point's. X, Y and Z are delivered with those of sRGB.
  private var ownPrimaries: StoredColor.Primaries? {
    file.isXYZ || variables.primaries?.code != nil ? nil : variables.primaries
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = ImageHeader(
      format: .radiance, canvas: file.canvas, pixelFormat: .rgbaFloat32, bitsPerChannel: 32, alpha: .opaque)
    header.orientation = file.orientation
    header.pixelAspect = pixelAspect
    if gamma == nil, ownPrimaries == nil {
      // H.273: a transfer function of 8 is light; RGB has the matrix 0.
      let primaries = file.isXYZ ? nil : variables.primaries?.code
      header.cicp = CodingIndependentCodePoints(primaries: primaries ?? 1, transfer: 8, matrix: 0, isFullRange: true)
    } else {
      header.gamma = 1 / (gamma ?? 1)
    }
    header.isLossless = true
    if !texts.isEmpty { header.metadata.insert(.text) }
    return header
  }

  /// The width of a stored pixel ÷ its height, from 1/64 to 64; nil for square pixels. The file has the height of one ÷ its width,
  /// along the axes of the upright picture, whatever the order of scanlines is.
  private var pixelAspect: Double? {
    guard let stated = variables.pixelAspect, stated != 1, (1.0 / 64...64).contains(stated) else { return nil }
    return file.orientation.swapsSides ? stated : 1 / stated
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    var stored = StoredColor()
    stored.primaries = ownPrimaries
    if gamma != nil || ownPrimaries != nil { stored.gamma = SIMD3(repeating: gamma ?? 1) }
    return stored
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    DecodeOffer(
      request, size: file.canvas, pixelFormat: .rgbaFloat32, alpha: .opaque,
      memory: Scanline.memory(width: file.canvas.width))
  }

  private static let leastBytes = 4 << 10
  private static let windowBytes = 256 << 10

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let (width, height) = (file.canvas.width, file.canvas.height)
    let pixels = PixelDecoder(file)
    var scanline = try Scanline(width: width, host: host)
    defer { scanline.release(to: host) }
    var (y, offset) = (0, file.raster)
    // What is missing of a scanline, and of those after it as far as it is worth waiting for.
    var missing = Scanline.leastBytes(width: width)
    while y < height {
      let rest = (height - 1 - y).multipliedReportingOverflow(by: Scanline.leastBytes(width: width))
      let least = missing + min(rest.partialValue, Self.leastBytes)
      var reader = ByteReader(
        try source.bytes(at: offset, least: least, most: max(least, Self.windowBytes)), at: offset, of: "a scanline")
      while y < height {
        missing = try scanline.read(&reader)
        guard missing == 0 else { break }
        pixels.decode(scanline.planes, width: width, to: try sink.rows(at: y).base)
        try sink.done(at: y)
        scanline.begin()
        y += 1
      }
      guard y == height || reader.count >= least else {
        throw .truncated("the pixels end in scanline \(y) of \(height)", at: source.size)
      }
      offset = reader.offset
      missing += reader.remaining
    }
  }

  /// Under the keywords that other containers have for them.
  private var texts: [ContainerText] {
    [("Software", variables.software), ("Creation Time", variables.captureDate)].compactMap { keyword, text in
      text.flatMap { $0.isEmpty ? nil : ContainerText($0, keyword: keyword) }
    }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    switch kind {
    case .text: return texts.isEmpty ? nil : ContainerText.payload(texts)
    case .other:
      var data = ApplicationData()
      if variables.view != nil { data.add("VIEW") }
      return data.payload
    default: return nil
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    guard frame == nil else { return properties }
    let name = "{Radiance}"
    func set(_ key: String, _ value: PropertyValue?) { properties[name, key] = value }
    set("Format", .text(file.isXYZ ? "32-bit_rle_xyze" : "32-bit_rle_rgbe"))
    set("Exposure", variables.exposure.map { .number($0) })
    set("ColorCorrection", variables.correction.map { .list([.number($0.x), .number($0.y), .number($0.z)]) })
    set("Gamma", variables.gamma.map { .number($0) })
    set("Primaries", variables.primaries.map { .list($0.numbers.map { .number($0) }) })
    set("PixelAspect", variables.pixelAspect.map { .number($0) })
    set("View", variables.view.map { .text($0) })
    set("Software", variables.software.map { .text($0) })
    set("CaptureDate", variables.captureDate.map { .text($0) })
    return properties
  }
}
