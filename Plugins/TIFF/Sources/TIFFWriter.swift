// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// Writes TIFF and BigTIFF, little-endian, one directory for each page.
///
/// libtiff compresses strips and tiles; the file around them is written here: first a page's strips, then its
/// directory, and the link that leads to it is put in afterwards.
///
/// - Format: TIFF 6.0; BigTIFF. Library: libtiff 4.5 or later.
/// - Not covered: palettes, premultiplied alpha, planes.
final class TIFFWriter: ContainerWriter, FrameRowsWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let plan: WritingPlan

  private var fields = TIFFFieldWriter(order: .native, isBigTIFF: false)
  private var header: ImageHeader?
  /// The metadata of the page that comes next.
  private var metadata: [MetadataKind: [UInt8]] = [:]
  /// Bytes that the output has.
  private var written = 0
  /// Where the offset of the next directory goes.
  private var link = 0
  private var pages = 0
  /// Where the directory of the page's thumbnail is.
  private var thumbnail: Int?
  /// While rows of a page come.
  private var rows: StrileRows?

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    plan = try WritingPlan(options)
    if options.given(TIFFOption.quality) != nil, ![.jpeg, .webP].contains(plan.compression) {
      host.log("\(plan.compression.name) keeps every sample: quality changes nothing", severity: .warning)
    }
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout { try plan.layout(for: wanted) }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    guard header.canvas.width <= Int(Int32.max), header.canvas.height <= Int(Int32.max) else {
      throw .unsupported("a canvas of \(header.canvas), 2147483647 a side at most")
    }
    guard plan.compression != .webP || plan.tile > 0 || header.canvas.width <= 16_383 else {
      throw .unsupported("a strip of WebP of \(header.canvas.width) pixels, 16383 at most; tiles are not bound")
    }
    guard header.frameCount <= 1 else { throw .unsupported("\(header.frameCount) frames; TIFF has pages, not frames") }
    if pages == 0, written == 0 { try begin(header) }
    self.header = header
    metadata = [:]
    thumbnail = nil
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard metadata.count <= 0x7FFF_FFFF else {
      throw .invalidArgument("\(kind) of \(metadata.count) bytes, 2147483647 at most")
    }
    self.metadata[kind] = metadata
  }

  /// Writes a smaller version of the page into a SubIFD (TIFF Technical Note 1), which is no page of its own.
  func addThumbnail(_ pixels: PixelView) throws(CoderError) {
    guard let header else { throw .outOfOrder("a thumbnail before the header") }
    guard plan.compression != .group4 else { throw .unsupported("Group 4 has black and white alone") }
    guard pixels.size != header.canvas else { throw .unsupported("one as large as the picture, \(pixels.size)") }
    var page = plan.page(pixels)
    let (offsets, lengths) = try writeStriles(&page)
    var entries = try pageFields(page, offsets: offsets, lengths: lengths)
    // TIFF 6.0 §8, NewSubfileType: bit 0 is a reduced-resolution version of another image.
    entries.append(fields.long(Tag.newSubfileType, 1))
    if header.orientation != .up { entries.append(fields.shorts(Tag.orientation, [header.orientation.rawValue])) }
    try align()
    thumbnail = written
    try write(try fields.directory(entries, at: written))
    try checkLength()
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard pixels.size == header.canvas else {
      throw .invalidArgument("pixels of \(pixels.size) for a page of \(header.canvas)")
    }
    try checkBilevel(pixels)
    var page = plan.page(pixels)
    let (offsets, lengths) = try writeStriles(&page)
    try endPage(page, header: header, offsets: offsets, lengths: lengths)
  }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard size == header.canvas else { throw .invalidArgument("pixels of \(size) for a page of \(header.canvas)") }
    // Whether all of them are black or white has to be known first.
    guard plan.compression != .group4 || !plan.isLossless else { return false }
    rows = try StrileRows(plan.page(size, layout: layout), host: host)
    return true
  }

  func add(rows pixels: PixelView) throws(CoderError) {
    guard let rows else { throw .outOfOrder("rows before their frame") }
    try rows.add(pixels) { (bytes) throws(CoderError) in try writeStrile(bytes) }
  }

  func endRows() throws(CoderError) {
    guard let rows, let header else { throw .outOfOrder("the end of a frame that was not begun") }
    try rows.finish { (bytes) throws(CoderError) in try writeStrile(bytes) }
    try endPage(rows.page, header: header, offsets: rows.offsets, lengths: rows.lengths)
    self.rows = nil
  }

  /// Writes the directory of a page whose strips or tiles are written.
  private func endPage(
    _ page: ctiff_page, header: ImageHeader, offsets: [Int], lengths: [Int]
  ) throws(CoderError) {
    let entries = try describedFields(page, header: header, offsets: offsets, lengths: lengths)
    try align()
    let place = written
    try write(try fields.directory(entries, at: place))
    try output.patch(fields.offset(place), at: link)
    try checkLength()
    link = place + (fields.isBigTIFF ? 8 : 2) + entries.count * (fields.isBigTIFF ? 20 : 12)
    metadata = [:]
    pages += 1
    self.header = nil
  }

  func finish() throws(CoderError) {
    guard pages > 0 else { throw .outOfOrder("a file without pages") }
  }

  private func write(_ bytes: [UInt8]) throws(CoderError) {
    try output.write(bytes)
    written += bytes.count
  }

  private func align() throws(CoderError) { if written % 2 != 0 { try write([0]) } }

  private func begin(_ header: ImageHeader) throws(CoderError) {
    let isBig: Bool
    switch plan.bigTIFF {
    case .yes: isBig = true
    case .no: isBig = false
    case .automatic:
      // Twice the raw bytes is more than any codec makes of them.
      let (page, overflow) = header.canvas.pixelCount.multipliedReportingOverflow(
        by: 2 * header.pixelFormat.bytesPerPixel)
      let (all, overflows) = page.multipliedReportingOverflow(by: max(1, header.pageCount))
      isBig = overflow || overflows || all > 0xF000_0000
    }
    fields = TIFFFieldWriter(order: fields.order, isBigTIFF: isBig)
    try write(fields.header(firstDirectory: 0))
    link = written - fields.offsetSize
  }

  /// Group 4 keeps black and white alone.
  private func checkBilevel(_ pixels: PixelView) throws(CoderError) {
    guard plan.compression == .group4, plan.isLossless else { return }
    for y in 0..<pixels.size.height {
      let row = UnsafeRawBufferPointer(start: pixels.base + y * pixels.stride, count: pixels.size.width)
      guard row.allSatisfy({ $0 == 0 || $0 == 255 }) else {
        throw .unsupported("lossless was asked for; Group 4 keeps black and white, the picture has grays")
      }
    }
  }

  private func writeStriles(_ page: inout ctiff_page) throws(CoderError) -> (offsets: [Int], lengths: [Int]) {
    let count = Int(page.across) * Int(page.down)
    var (offsets, lengths): ([Int], [Int]) = ([], [])
    // What is compressed at a time: some for each thread, some MiB in all.
    let raw = max(1, Int(page.strile_width) * Int(page.strile_height) * Int(page.pixel_bytes))
    let batch = max(4, min(64, (16 << 20) / raw))
    for first in stride(from: 0, to: count, by: batch) {
      if host.isCancelled { throw .cancelled }
      try LibTIFF.encode(&page, first: first, count: min(batch, count - first), host: host) {
        (bytes) throws(CoderError) in
        offsets.append(try writeStrile(bytes))
        lengths.append(bytes.count)
      }
      host.progress(Double(min(count, first + batch)) / Double(count))
    }
    return (offsets, lengths)
  }

  /// Writes a compressed strip or tile.
  ///
  /// - Returns: Where it is.
  private func writeStrile(_ bytes: UnsafeRawBufferPointer) throws(CoderError) -> Int {
    try align()
    let place = written
    try output.write(bytes)
    written += bytes.count
    return place
  }

  /// A page's fields, with what goes with it.
  private func describedFields(
    _ page: ctiff_page, header: ImageHeader, offsets: [Int], lengths: [Int]
  ) throws(CoderError) -> [TIFFField] {
    var entries = try pageFields(page, offsets: offsets, lengths: lengths)
    if header.pageCount > 1 {
      entries.append(fields.long(Tag.newSubfileType, 2))
      entries.append(fields.shorts(Tag.pageNumber, [min(pages, 65_535), min(header.pageCount, 65_535)]))
    }
    if let thumbnail { entries.append(fields.offsets(Tag.subIFDs, [thumbnail])) }
    if let profile = metadata[.icc] { entries.append(fields.undefined(Tag.iccProfile, profile)) }
    if let packet = metadata[.xmp] { entries.append(fields.undefined(Tag.xmp, packet, type: TagType.byte)) }
    if let block = metadata[.iptc] { entries.append(fields.undefined(Tag.iptc, block)) }
    if let payload = metadata[.geoTIFF] {
      let geographic = ParsedExif.fields(of: payload, for: fields.order).filter { Tag.geographic.contains($0.tag) }
      if geographic.isEmpty { host.log("GeoTIFF that is no TIFF structure is left out", severity: .warning) }
      entries += geographic
    }
    let texts = ContainerText.texts(in: metadata[.text] ?? []).compactMap { text in
      Tag.texts[text.keyword].map { fields.undefined($0, Array(text.text.utf8) + [0], type: TagType.ascii) }
    }
    let density = fields.density(header)
    entries += texts + density
    let stated = Set((texts + density).map(\.tag)).union([Tag.orientation])
    var statesOrientation = header.orientation != .up
    if let payload = metadata[.exif], let exif = ParsedExif(parsing: payload, for: fields.order) {
      if exif.damaged > 0 {
        host.log("Exif has damaged fields, which are left out: \(exif.damaged)", severity: .warning)
      }
      if !exif.foreign.isEmpty {
        let tags = exif.foreign.map { "0x" + String($0, radix: 16, uppercase: true) }.joined(separator: ", ")
        host.log("Exif's fields of raw files have no place in TIFF and are left out: \(tags)", severity: .warning)
      }
      statesOrientation = statesOrientation || exif.block.main.contains { $0.tag == Tag.orientation }
      entries += exif.block.main.filter { !stated.contains($0.tag) }
      entries += try writeExif(exif.block)
    } else if metadata[.exif] != nil {
      host.log("Exif that is no TIFF structure is left out", severity: .warning)
    }
    if statesOrientation { entries.append(fields.shorts(Tag.orientation, [header.orientation.rawValue])) }
    return entries
  }

  private func checkLength() throws(CoderError) {
    guard fields.isBigTIFF || written <= Int(UInt32.max) else {
      throw .unsupported("a file of \(written) bytes, 4294967295 at most without BigTIFF")
    }
  }

  /// The directories of Exif, as fields that lead to them.
  private func writeExif(_ block: ExifBlock) throws(CoderError) -> [TIFFField] {
    var pointers: [TIFFField] = []
    var exif = block.exif
    if !block.interoperability.isEmpty {
      try align()
      exif.append(fields.offsets(Tag.interoperability, [written]))
      try write(try fields.directory(block.interoperability, at: written))
    }
    for (tag, nested) in [(Tag.exif, exif), (Tag.gps, block.gps)] where !nested.isEmpty {
      try align()
      pointers.append(fields.offsets(tag, [written]))
      try write(try fields.directory(nested, at: written))
    }
    return pointers
  }

  private func pageFields(_ page: ctiff_page, offsets: [Int], lengths: [Int]) throws(CoderError) -> [TIFFField] {
    let samples = Int(page.samples)
    var entries = [
      fields.long(Tag.imageWidth, Int(page.width)), fields.long(Tag.imageLength, Int(page.height)),
      fields.shorts(Tag.bitsPerSample, Array(repeating: Int(page.bits), count: samples)),
      fields.shorts(Tag.compression, [Int(page.compression)]),
      fields.shorts(Tag.photometric, [Int(page.photometric)]), fields.shorts(Tag.samplesPerPixel, [samples]),
      fields.shorts(Tag.planarConfiguration, [1]),
    ]
    if page.predictor > 1 { entries.append(fields.shorts(Tag.predictor, [Int(page.predictor)])) }
    if page.has_alpha != 0 { entries.append(fields.shorts(Tag.extraSamples, [2])) }
    if page.sample_format != UInt32(CTIFF_UNSIGNED) {
      entries.append(
        fields.shorts(Tag.sampleFormat, Array(repeating: Int(page.sample_format), count: samples)))
    }
    if page.is_tiled != 0 {
      entries.append(fields.long(Tag.tileWidth, Int(page.strile_width)))
      entries.append(fields.long(Tag.tileLength, Int(page.strile_height)))
      entries.append(fields.offsets(Tag.tileOffsets, offsets))
      entries.append(fields.offsets(Tag.tileByteCounts, lengths))
    } else {
      entries.append(fields.long(Tag.rowsPerStrip, Int(page.strile_height)))
      entries.append(fields.offsets(Tag.stripOffsets, offsets))
      entries.append(fields.offsets(Tag.stripByteCounts, lengths))
    }
    if plan.compression == .jpeg {
      var page = page
      entries.append(fields.undefined(Tag.jpegTables, try LibTIFF.jpegTables(&page, host: host)))
      if page.photometric == UInt32(Photometric.yCbCr.rawValue) {
        let factors = plan.factors
        entries.append(fields.shorts(Tag.yCbCrSubsampling, [factors.horizontal, factors.vertical]))
      }
    }
    return entries
  }
}
