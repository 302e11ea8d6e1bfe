// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import ImageCoderPlugin

/// Reads camera raw files: the samples of a sensor, developed by LibRaw.
///
/// The library's own steps and settings, unless ``RAWOption`` says otherwise: white balance of the camera, AHD for the colors of a mosaic, brightness stretched
/// until one in a hundred pixels is white, sRGB in 16 bits. The orientation is reported, not applied.
///
/// - Format: DNG 1.4 and the formats of makers. Library: LibRaw 0.20 or later.
/// - Not covered: further pictures of a file; X3F and compressed floating point, if the library was built without them.
final class RAWReader: ContainerReader {
  private let source: SourceView
  let host: CoderHost
  let file: CameraFile
  private let format: ImageFormat
  private let packed: PackedPicture?
  let preview: EmbeddedPreview?
  private let development: Development
  private let sidecar: Sidecar?
  /// How the picture is turned: an editor may know better than the camera.
  private let orientation: Orientation

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    development = Development(options)
    let contents = try source.contents()
    do throws(CoderError) {
      packed = try PackedPicture(in: contents)
      file = try Self.readable(contents, as: packed, host: host) { contents throws(CoderError) in
        try LibRaw.describe(contents, host: host)
      }
    } catch {
      if error.code == .wrongFormat { try DirectoryChain.checkIsWhole(contents) }
      throw error
    }
    format = ImageFormat(of: file, start: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: contents.prefix(16))))
    try host.limits.check(canvas: file.canvas)
    preview = EmbeddedPreview(of: file, in: contents, limits: host.limits)
    // A view of the source is over when the host is asked for another file.
    sidecar = Sidecar(host)
    orientation = sidecar?.orientation ?? file.orientation
    if file.description.picture_count > 1 {
      host.log("\(file.description.picture_count) pictures in the file, of which the first is read", severity: .info)
    }
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    if page == 1, let preview { return preview.header(in: format, orientation: orientation) }
    guard page == 0 else { throw .invalidArgument("page \(page) of a camera raw file, which has 1") }
    var header = ImageHeader(
      format: format, canvas: file.canvas, pixelFormat: file.pixelFormat, bitsPerChannel: 16, alpha: .opaque)
    header.orientation = orientation
    header.cicp = development.signal
    header.hiddenPageCount = preview == nil ? 0 : 1
    header.metadata = sidecar == nil && file.xmpCount == nil ? [.exif] : [.exif, .xmp]
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try checkPage(request.page)
    let isHalf = request.size.map { isEnough(for: $0) } ?? false
    let (memory, overflow) = file.memory(isHalf: isHalf).addingReportingOverflow(packed?.memory ?? 0)
    try host.limits.check(memory: overflow ? .max : memory)
    return DecodeOffer(
      request, size: isHalf ? file.half : file.canvas, pixelFormat: file.pixelFormat, alpha: .opaque,
      scaleCode: isHalf ? 1 : 0, memory: memory, covered: isHalf ? covered : nil)
  }

  /// Whether half of the picture is as large as a size.
  private func isEnough(for size: Size) -> Bool {
    file.half != file.canvas && file.half.width >= size.width && file.half.height >= size.height
  }

  /// A last column or row without its pair counts half. Of turned and stretched pictures the library rounds the size otherwise.
  private var covered: (Double, Double) {
    func half(_ side: Int, of whole: Int) -> Double { 2 * side - whole == 1 ? Double(whole) / 2 : Double(side) }
    return (half(file.half.width, of: file.canvas.width), half(file.half.height, of: file.canvas.height))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try checkPage(offer.page)
    let isHalf = offer.scaleCode == 1
    guard offer.scaleCode <= 1, offer.size == (isHalf ? file.half : file.canvas),
      offer.pixelFormat == file.pixelFormat
    else { throw .invalidArgument("an offer of \(offer.size) in \(offer.pixelFormat), which was not made") }
    let contents = try source.contents()
    guard let packed else {
      return try LibRaw.decode(contents, of: file, isHalf: isHalf, development, host: host, into: sink)
    }
    let (copy, problem) = try packed.unpacked(contents, host: host)
    try Self.access(copy) { contents throws(CoderError) in
      try LibRaw.decode(contents, of: file, isHalf: isHalf, development, host: host, into: sink)
    }
    if let problem { throw problem }
  }

  /// Gives a file as the library reads it, without samples that have to be unpacked.
  private static func readable<Result>(
    _ contents: UnsafeRawBufferPointer, as packed: PackedPicture?, host: CoderHost,
    _ body: (UnsafeRawBufferPointer) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    guard let packed else { return try body(contents) }
    try host.limits.check(memory: contents.count)
    return try access(try packed.described(contents), body)
  }

  private static func access<Result>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    try bytes.withUnsafeBufferPointer { bytes throws(CoderError) in try body(UnsafeRawBufferPointer(bytes)) }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    guard page == 0 else { return nil }
    switch kind {
    case .exif:
      let bytes = try CameraExif(
        of: file, tags: CameraTags(in: try source.contents()), orientation: orientation,
        colorSpace: development.exifColorSpace
      ).payload()
      try host.limits.check(metadata: bytes.count)
      return bytes
    case .xmp:
      if let sidecar { return sidecar.packet }
      guard let count = file.xmpCount else { return nil }
      try host.limits.check(metadata: count)
      return try Self.readable(try source.contents(), as: packed, host: host) { contents throws(CoderError) in
        try LibRaw.xmp(of: contents, count: count, host: host)
      }
    case .icc, .iptc, .c2pa, .geoTIFF, .text, .trailer, .other: return nil
    }
  }

  private func checkPage(_ page: Int) throws(CoderError) {
    if page == 1, preview != nil {
      throw .unsupported("the preview is a JPEG file, which the coder of that format reads")
    }
    guard page == 0 else { throw .invalidArgument("page \(page) of a camera raw file, which has 1") }
  }
}
