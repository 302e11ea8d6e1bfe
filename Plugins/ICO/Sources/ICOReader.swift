// SPDX-License-Identifier: Apache-2.0

import DeviceIndependentBitmap
import ImageCoderPlugin

/// Reads icons and cursors of Windows: each entry of the directory is a page.
///
/// An entry that cannot be read costs itself alone. What a picture says of its own size goes before the directory.
final class ICOReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private let directory: ICODirectory
  /// What has been looked at.
  private var pages: [ICOPage?]
  /// The page with the most pixels, and of those the deepest; of an incremental file, as far as the directory knows.
  private var primaryPage: Int?
  /// Whether bytes may follow; then pictures that nobody asks for are not looked at.
  private var isIncomplete: Bool

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    isIncomplete = options.contains(.incremental)
    directory = try ICODirectory(parsing: source, limits: host.limits)
    pages = Array(repeating: nil, count: directory.entries.count)
    if !isIncomplete { try readPages() }
  }

  private func readPages() throws(CoderError) {
    var pages: [ICOPage] = []
    pages.reserveCapacity(directory.entries.count)
    for entry in directory.entries {
      if pages.count & 63 == 63, host.isCancelled { throw .cancelled }
      pages.append(ICOPage(entry, in: source, host: host))
    }
    if case .failed(let error)? = pages.first, !pages.contains(where: \.isPicture) { throw error }
    primaryPage = Self.largest(pages, directory.entries)
    self.pages = pages
    isIncomplete = false
  }

  /// The page with the most pixels, and of those the deepest.
  private static func largest(_ pages: [ICOPage], _ entries: [ICODirectory.Entry]) -> Int {
    var best = 0
    var measure = (-1, -1)
    for (index, (page, entry)) in zip(pages, entries).enumerated() where page.isPicture {
      let found = ((page.size ?? entry.size).pixelCount, page.bitCount ?? entry.bitCount)
      if found > measure { (best, measure) = (index, found) }
    }
    return best
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try readRest(page)
    var header: ImageHeader
    let format: ImageFormat = directory.isCursor ? .cur : .ico
    switch try self.page(page) {
    case .bitmap(let decoder):
      header = ImageHeader(
        format: format, canvas: decoder.bitmap.size, pixelFormat: .rgba8,
        bitsPerChannel: decoder.bitmap.bitsPerChannel, alpha: .straight)
      header.hasPalette = decoder.bitmap.hasPalette
      header.isTruncated = isIncomplete ? false : try decoder.isTruncated()
    case .png(let png):
      header = ImageHeader(
        format: format, canvas: png.size, pixelFormat: png.depth == 16 ? .rgba16 : .rgba8,
        bitsPerChannel: png.hasPalette ? 8 : png.depth, alpha: .straight)
      header.hasPalette = png.hasPalette
      header.isTruncated = png.isTruncated
      header.embedded = png.range
    case .failed(let error): throw error
    }
    header.isLossless = true
    header.pageCount = pages.count
    header.primaryPage = try primary()
    header.pagesAreSizes = true
    header.isIncomplete = isIncomplete
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try decoder(request.page).offer(for: request)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try decoder(offer.page).decode(offer, into: sink)
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    let picture = try self.page(page)
    var properties = Properties()
    guard frame == nil else { return properties }
    let entry = directory.entries[page]
    properties["{ICO}", "Width"] = .integer(Int64(entry.size.width))
    properties["{ICO}", "Height"] = .integer(Int64(entry.size.height))
    properties["{ICO}", "BitCount"] = .integer(Int64(picture.bitCount ?? entry.bitCount))
    if case .png = picture {
      properties["{ICO}", "Compression"] = .text("PNG")
    } else {
      properties["{ICO}", "Compression"] = .text("none")
    }
    if let hotSpot = entry.hotSpot {
      properties["{ICO}", "HotSpotX"] = .integer(Int64(hotSpot.x))
      properties["{ICO}", "HotSpotY"] = .integer(Int64(hotSpot.y))
    }
    return properties
  }
}

extension ICOReader {
  /// Reads all pictures where the last byte is there, or where it matters what all of them are: a file does not open
  /// when there is none in it.
  private func readRest(_ page: Int) throws(CoderError) {
    guard isIncomplete else { return }
    if source.size == .max, try self.page(page).isPicture {
      _ = try primary()
      // The end may have been met on the way.
      if source.size == .max { return }
    }
    try readPages()
  }

  /// The primary page. Of an incremental file this is the largest picture of the directory that can be read, which may be
  /// another one than pictures say themselves. Many a directory has no depth, but lengths tell as much.
  private func primary() throws(CoderError) -> Int {
    if let primaryPage { return primaryPage }
    let measures = directory.entries.map { entry in
      let pixels = entry.size.pixelCount
      return (pixels: pixels, depth: entry.bitCount > 0 ? entry.bitCount : entry.byteCount &* 8 / pixels)
    }
    // The sort is stable: of equal ones the first counts.
    var found = 0
    for index in measures.indices.sorted(by: { measures[$0] > measures[$1] }) where try page(index).isPicture {
      found = index
      break
    }
    primaryPage = found
    return found
  }

  private func page(_ index: Int) throws(CoderError) -> ICOPage {
    if let page = pages[index] { return page }
    let page = ICOPage(directory.entries[index], in: source, host: host)
    pages[index] = page
    return page
  }

  private func decoder(_ index: Int) throws(CoderError) -> IconBitmapDecoder {
    switch try page(index) {
    case .bitmap(let decoder): return decoder
    case .png: throw .unsupported("pixels of an icon's PNG file, which needs the coder of that format")
    case .failed(let error): throw error
    }
  }
}
