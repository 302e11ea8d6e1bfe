// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads the portable maps of Netpbm, and PFM. Raw pictures that follow one another are pages.
///
/// - Format: pbm(5), pgm(5), ppm(5), pam(5) of Netpbm; PFM, the portable float map.
final class PNMReader: ContainerReader {
  private let host: CoderHost
  private let bytes: UnsafeRawBufferPointer
  private var pages: [PNMHeader] = []
  private var isTruncated = false
  private var isDamaged = false

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    bytes = try source.contents()
    try pages.append(PNMHeader(parsing: bytes, at: 0))
    try findPages()
  }

  /// Each header says how long its picture is, so that no sample is looked at.
  private func findPages() throws(CoderError) {
    while let last = pages.last, !last.isPlain, !last.isFloat {
      let (end, overflow) = last.raster.addingReportingOverflow(last.rasterBytes)
      guard !overflow, end <= bytes.count else {
        isTruncated = true
        return
      }
      // Netpbm's programs skip white space before the next picture.
      guard let next = bytes[end...].firstIndex(where: { !HeaderText.isSpace($0) }) else { return }
      do throws(CoderError) {
        let page = try PNMHeader(parsing: bytes, at: next)
        // Digits cannot be told from what follows them, and stand alone.
        guard !page.isPlain, !page.isFloat else { return }
        guard pages.count < host.limits.maxPages else {
          throw .limitExceeded(
            "maxPages", found: pages.count + 1, allowed: host.limits.maxPages, what: "a page count of")
        }
        pages.append(page)
      } catch {
        switch error.code {
        case .wrongFormat: host.log("bytes behind the last picture, from \(next) on, are ignored")
        case .truncated: isTruncated = true
        case .limitExceeded: throw error
        default: isDamaged = true
        }
        return
      }
    }
  }

  func header(page index: Int) throws(CoderError) -> ImageHeader {
    let page = try page(index)
    try host.limits.check(canvas: page.canvas)
    var header = ImageHeader(
      format: .pnm, canvas: page.canvas, pixelFormat: page.pixelFormat, bitsPerChannel: page.bitsPerChannel,
      alpha: page.hasAlpha ? .straight : .opaque)
    header.pageCount = pages.count
    header.isTruncated = isTruncated
    header.isDamaged = isDamaged
    header.isLossless = true
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let header = try header(page: request.page)
    _ = try frame(request.frame, page: request.page)
    let page = try page(request.page)
    let isEightBits = header.pixelFormat.bytesPerChannel == 1
    let format = request.pixelFormat == .rgba8 && isEightBits ? .rgba8 : header.pixelFormat
    return DecodeOffer(
      request, size: page.canvas, pixelFormat: format, alpha: header.alpha,
      // A cut float map has its lower rows.
      rowOrder: page.isFloat && isCut(page) ? .any : .topDown, memory: SampleTable.memory(for: page))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let page = try page(offer.page)
    let formats = [page.pixelFormat, page.pixelFormat.bytesPerChannel == 1 ? .rgba8 : page.pixelFormat]
    guard offer.size == page.canvas, formats.contains(offer.pixelFormat) else {
      throw .invalidArgument("an offer of \(offer.size) pixels of \(offer.pixelFormat), which was not made")
    }
    let raster = UnsafeRawBufferPointer(rebasing: bytes[page.raster...])
    let rows = RowDecoder(page, format: offer.pixelFormat)
    if page.isPlain {
      try PlainRaster(raster, of: page, host: host).decode(rows, into: sink)
    } else {
      try decodeRaw(raster, of: page, rows, into: sink)
    }
  }

  private func decodeRaw(
    _ raster: UnsafeRawBufferPointer, of page: PNMHeader, _ decoder: RowDecoder, into sink: RowSink
  ) throws(CoderError) {
    let table = try SampleTable(for: page, host: host)
    defer { table?.release(to: host) }
    let height = page.canvas.height
    let whole = min(raster.count / page.rowBytes, height)
    guard let base = raster.baseAddress, whole > 0 else {
      throw .truncated("no whole row of \(page.rowBytes) bytes", at: bytes.count)
    }
    // PFM's rows come from the bottom, so the rows of a cut one are the lower ones.
    var y = page.isFloat ? height - whole : 0
    let end = page.isFloat ? height : whole
    while y < end {
      let granted = try sink.rows(at: y, count: min(end - y, 64))
      let count = min(granted.count, end - y)
      for row in 0..<count {
        let stored = page.isFloat ? height - 1 - (y + row) : y + row
        decoder.decode(base + stored * page.rowBytes, table: table, to: granted.base + row * granted.stride)
      }
      try sink.done(at: y, count: count)
      y += count
    }
    guard whole == height else {
      throw .truncated("\(whole) of \(height) rows of \(page.rowBytes) bytes", at: bytes.count)
    }
  }

  func properties(page index: Int, frame: Int?) throws(CoderError) -> Properties {
    let page = try page(index)
    var properties = Properties()
    if let frame {
      guard frame == 0 else { throw .invalidArgument("frame \(frame) of a still picture, which has 1") }
      return properties
    }
    properties["{PNM}", "Kind"] = .text(page.kind)
    if let scale = page.scale {
      properties["{PNM}", "Scale"] = .number(scale)
      properties["{PNM}", "IsLittleEndian"] = .integer(page.storage == .float(isLittleEndian: true) ? 1 : 0)
    } else {
      properties["{PNM}", "MaxVal"] = .integer(Int64(page.maximum))
    }
    if page.kind == "P7" { properties["{PNM}", "Depth"] = .integer(Int64(page.depth)) }
    properties["{PNM}", "TupleType"] = page.tupleType.map { .text($0) }
    return properties
  }

  private func isCut(_ page: PNMHeader) -> Bool { page.rasterBytes > bytes.count - page.raster }

  private func page(_ index: Int) throws(CoderError) -> PNMHeader {
    guard pages.indices.contains(index) else {
      throw .invalidArgument("page \(index) of a file that has \(pages.count)")
    }
    return pages[index]
  }
}
