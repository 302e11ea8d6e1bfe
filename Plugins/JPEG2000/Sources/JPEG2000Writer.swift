// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes JPEG 2000: JP2 files and bare codestreams.
///
/// - Format: ISO/IEC 15444-1. Library: OpenJPEG 2.5 or later.
final class JPEG2000Writer: ContainerWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let settings: EncodingSettings
  private var header: ImageHeader?
  private var metadata: [MetadataKind: [UInt8]] = [:]
  private var isWritten = false

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    settings = EncodingSettings(options)
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    // A bare codestream cannot say that colors are multiplied by alpha.
    let alpha = wanted.alpha == .premultiplied && !settings.isBoxed ? .straight : wanted.alpha
    return PixelLayout(wanted.format.isFloat ? .rgba16 : wanted.format, alpha)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    guard header.frameCount <= 1 else {
      throw .unsupported("\(header.frameCount) frames, and JPEG 2000 holds one picture")
    }
    guard max(header.canvas.width, header.canvas.height) <= Int(Int32.max) else {
      throw .unsupported("a canvas of \(header.canvas), and OpenJPEG holds \(Int32.max) pixels on a side")
    }
    try host.limits.check(canvas: header.canvas)
    guard settings.isBoxed || header.orientation == .up else {
      throw .unsupported("an orientation in a bare codestream")
    }
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard settings.isBoxed else { throw .unsupported("a bare codestream has no place for \(kind)") }
    guard metadata.count <= JP2Header.maxMetadata else {
      throw .invalidArgument("\(metadata.count) bytes of \(kind), a box holds \(JP2Header.maxMetadata)")
    }
    guard kind == .geoTIFF else {
      self.metadata[kind] = metadata
      return
    }
    guard let file = try GeoJP2.file(metadata) else { throw .invalidArgument("GeoTIFF that is no TIFF structure") }
    self.metadata[kind] = file
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard !isWritten else { throw .unsupported("a second frame in a still picture") }
    guard frame.rect == Rect(covering: header.canvas), pixels.size == header.canvas else {
      throw .unsupported("a picture of \(frame.rect.size) on a canvas of \(header.canvas)")
    }
    if host.isCancelled { throw .cancelled }
    let bits = settings.bits(of: pixels, stated: header.bitsPerChannel)
    let encoder = CodestreamEncoder(pixels, bits: bits, settings: settings, host: host, output: output)
    if settings.isBoxed {
      var boxes = ByteWriter()
      try boxes.reserve(
        metadata.values.reduce(exif?.count ?? 0) { $0 + $1.count } + 2048, for: "metadata")
      self.boxes(of: pixels, bits: bits).write(to: &boxes)
      let start = boxes.count
      // A length of 0 reaches to the end of the file; it is replaced when the length is known.
      boxes.put(UInt32(0))
      boxes.put(FourCC.codestream)
      try output.write(boxes.bytes)
      try encoder.encode()
      if let length = UInt32(exactly: encoder.byteCount + 8) {
        var bytes = ByteWriter()
        bytes.put(length)
        try output.patch(bytes.bytes, at: start)
      }
    } else {
      try encoder.encode()
    }
    isWritten = true
  }

  func finish() throws(CoderError) {
    guard isWritten else { throw .outOfOrder("a file without a picture") }
  }

  /// All boxes before the codestream's.
  private func boxes(of pixels: PixelView, bits: Int) -> JP2Header {
    JP2Header(
      size: pixels.size, layout: pixels.layout, bits: bits, profile: metadata[.icc], exif: exif, xmp: metadata[.xmp],
      iptc: metadata[.iptc], geoTIFF: metadata[.geoTIFF], resolution: header.flatMap(WrittenResolution.init))
  }

  /// The Exif payload, or one that states the orientation when there is none.
  private var exif: [UInt8]? {
    if let payload = metadata[.exif] { return payload }
    guard let orientation = header?.orientation, orientation != .up else { return nil }
    return ExifOrientation.payload(orientation)
  }
}
