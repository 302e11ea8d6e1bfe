// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads the portable maps of Netpbm, and PFM. Raw pictures that follow one another are pages.
///
/// - Format: pbm(5), pgm(5), ppm(5), pam(5) of Netpbm; PFM, the portable float map.
final class PNMReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private var pages: [PNMHeader] = []
  /// Whether all pages have been found. In an incremental file, what follows the last one is not known before its end.
  private var isOver = false
  private var isTruncated = false
  private var isDamaged = false
  /// Comments among the digits of a plain picture, once they have been looked for.
  private var commentsAmongDigits: [ContainerText]?

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    let first = try PNMHeader(reading: source, at: 0)
    pages.append(first)
    isOver = first.standsAlone
    if !options.contains(.incremental) { try findPages(through: .max) }
  }

  /// Finds pages up to one, or all.
  private func findPages(through index: Int) throws(CoderError) {
    while !isOver, pages.count <= index {
      if let page = try nextPage() { pages.append(page) } else { isOver = true }
    }
  }

  /// The picture after the last one, or nil. Each header says how long its picture is, so that no sample is looked at.
  private func nextPage() throws(CoderError) -> PNMHeader? {
    guard let last = pages.last else { return nil }
    let (end, overflow) = last.raster.addingReportingOverflow(last.rasterBytes)
    guard !overflow, let next = try firstByte(from: end) else {
      isTruncated = overflow || source.size < end
      return nil
    }
    do throws(CoderError) {
      let page = try PNMHeader(reading: source, at: next)
      guard !page.standsAlone else { return nil }
      guard pages.count < host.limits.maxPages else {
        throw .limitExceeded(
          .maxPages, found: pages.count + 1, allowed: host.limits.maxPages, what: "a page count of")
      }
      return page
    } catch {
      switch error.code {
      case .wrongFormat: host.log("bytes after the last picture, from \(next) on, are ignored")
      case .truncated: isTruncated = true
      case .malformed, .unsupported: isDamaged = true
      default: throw error
      }
      return nil
    }
  }

  /// Where the first byte is that is no white space, which Netpbm's programs skip before the next picture.
  private func firstByte(from end: Int) throws(CoderError) -> Int? {
    var offset = end
    while true {
      var reader = ByteReader(try source.bytes(at: offset, least: 1, most: 4 << 10), at: offset)
      guard !reader.isAtEnd else { return nil }
      while !reader.isAtEnd {
        offset = reader.offset
        if try !reader.uint8().isPNMSpace { return offset }
      }
      offset = reader.offset
    }
  }

  func header(page index: Int) throws(CoderError) -> ImageHeader {
    if source.size < .max { try findPages(through: .max) }
    let page = try page(index)
    try host.limits.check(canvas: page.canvas)
    var header = ImageHeader(
      format: .pnm, canvas: page.canvas, pixelFormat: page.pixelFormat, bitsPerChannel: page.bitsPerChannel,
      alpha: page.hasAlpha ? .straight : .opaque)
    header.pageCount = pages.count
    header.isIncomplete = !isOver
    header.isTruncated = isTruncated
    header.isDamaged = isDamaged
    header.isLossless = true
    header.hasInks = page.hasInks
    if try !comments(of: page, waits: false).isEmpty { header.metadata.insert(.text) }
    return header
  }

  func metadata(_ kind: MetadataKind, page index: Int) throws(CoderError) -> [UInt8]? {
    guard kind == .text else { return nil }
    let texts = try comments(of: try page(index), waits: true)
    return texts.isEmpty ? nil : ContainerText.payload(texts)
  }

  /// Those of the header, and of a plain file those among its digits, in the order of the file.
  ///
  /// - Parameter waits: Whether to wait for the end of a file that arrives, up to which a comment may come.
  private func comments(of page: PNMHeader, waits: Bool) throws(CoderError) -> [ContainerText] {
    let texts = try page.comments(in: source)
    guard page.isPlain, waits || source.size < .max else { return texts }
    if commentsAmongDigits == nil { commentsAmongDigits = try PlainComments.all(in: source, of: page, host: host) }
    return texts + (commentsAmongDigits ?? [])
  }

  private static let leastBytes = 4 << 10
  private static let windowBytes = 256 << 10

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let header = try header(page: request.page)
    let page = try page(request.page)
    if request.wantsInks, page.hasInks {
      return DecodeOffer(request, size: page.canvas, rowFormat: page.inkFormat, memory: SampleTable.memory(for: page))
    }
    if let format = page.floatFormat {
      // A cut float map has its lower rows, and an incremental one has them first.
      return DecodeOffer(
        request, size: page.canvas, rowFormat: format,
        rowOrder: page.rowsGoUp && (isCut(page) || source.size == .max) ? .any : .topDown)
    }
    let isEightBits = header.pixelFormat.bytesPerChannel == 1
    let format = request.pixelFormat == .rgba8 && isEightBits ? .rgba8 : header.pixelFormat
    return DecodeOffer(
      request, size: page.canvas, pixelFormat: format, alpha: header.alpha, memory: SampleTable.memory(for: page))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let isInks = offer.rowFormat?.isInks ?? false
    let page = try page(offer.page)
    let formats = [page.pixelFormat, page.pixelFormat.bytesPerChannel == 1 ? .rgba8 : page.pixelFormat]
    let isOwn =
      isInks
      ? page.hasInks && offer.rowFormat == page.inkFormat
      : offer.rowFormat == page.floatFormat && formats.contains(offer.pixelFormat)
    guard offer.size == page.canvas, isOwn else {
      throw .invalidArgument("an offer of \(offer.size) pixels of \(offer.formatDescription), which was not made")
    }
    let rows = RowDecoder(page, format: offer.pixelFormat, isInks: isInks)
    if page.isPlain {
      var raster = PlainRaster(source, of: page, host: host)
      try raster.decode(rows, into: sink)
    } else {
      try decodeRaw(page, rows, goesBackwards: page.rowsGoUp && offer.rowOrder == .topDown, into: sink)
    }
  }

  /// - Parameter goesBackwards: Whether the last rows are read first: those of PFM come from the bottom.
  private func decodeRaw(
    _ page: PNMHeader, _ decoder: RowDecoder, goesBackwards: Bool, into sink: RowSink
  ) throws(CoderError) {
    let table = try SampleTable(for: page, host: host)
    defer { table?.release(to: host) }
    let (height, rowBytes) = (page.canvas.height, page.rowBytes)
    let window = max(1, Self.windowBytes / rowBytes)
    var done = 0
    while done < height {
      let wanted = min(window, height - done)
      // The first stored row that is looked at. All rows before it are in the file: its place is no overflow.
      let first = goesBackwards ? height - done - wanted : done
      let size = wanted * rowBytes
      let bytes = try source.view(
        at: page.raster + first * rowBytes, least: goesBackwards ? size : min(size, max(rowBytes, Self.leastBytes)),
        most: size)
      let count = min(wanted, bytes.count / rowBytes)
      guard let base = bytes.baseAddress, count > 0 else {
        let found = done == 0 ? "no whole row" : "\(done) of \(height) rows"
        throw .truncated("\(found) of \(rowBytes) bytes", at: source.size)
      }
      var y = page.rowsGoUp ? height - first - count : first
      let end = y + count
      while y < end {
        let granted = try sink.rows(at: y, count: end - y)
        let rows = min(granted.count, end - y)
        for row in 0..<rows {
          let stored = page.rowsGoUp ? height - 1 - (y + row) : y + row
          decoder.decode(base + (stored - first) * rowBytes, table: table, to: granted.base + row * granted.stride)
        }
        try sink.done(at: y, count: rows)
        y += rows
      }
      done += count
    }
  }

  func properties(page index: Int, frame: Int?) throws(CoderError) -> Properties {
    let page = try page(index)
    var properties = Properties()
    guard frame == nil else { return properties }
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

  private func isCut(_ page: PNMHeader) -> Bool { page.rasterBytes > source.size - page.raster }

  private func page(_ index: Int) throws(CoderError) -> PNMHeader {
    try findPages(through: index)
    guard pages.indices.contains(index) else {
      throw .invalidArgument("page \(index) of a file that has \(pages.count)")
    }
    return pages[index]
  }
}
