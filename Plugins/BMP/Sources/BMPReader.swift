// SPDX-License-Identifier: Apache-2.0

import DeviceIndependentBitmap
import ImageCoderPlugin

/// Reads BMP: bitmaps of Windows and OS/2.
///
/// Rows of bitmaps that are not compressed are read through a window of the file, and are delivered from the top even
/// where they are stored from the bottom.
final class BMPReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private var file: BMPFile
  private var pages: [Result<BitmapDecoder, CoderError>]
  /// Whether bytes may follow: what depends on the file's length is not known yet.
  private var isIncomplete: Bool

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    isIncomplete = options.contains(.incremental)
    file = try BMPFile(parsing: source, limits: host.limits)
    pages = try Self.pages(of: file, in: source, host: host)
  }

  private static func pages(
    of file: BMPFile, in source: SourceView, host: CoderHost
  ) throws(CoderError) -> [Result<BitmapDecoder, CoderError>] {
    var pages: [Result<BitmapDecoder, CoderError>] = []
    for entry in file.entries {
      do throws(CoderError) {
        let header = try BitmapHeader(parsing: source, at: entry.headerOffset)
        let bitmap = try Bitmap(header, pixelsAt: entry.pixelOffset, in: source, limits: host.limits)
        pages.append(.success(BitmapDecoder(bitmap, in: source, host: host)))
      } catch {
        // A bitmap of an array that cannot be read costs itself alone. One that is cut or too large might be the one to
        // show, so that another must not take its place.
        guard file.entries.count > 1, error.code == .malformed || error.code == .unsupported else { throw error }
        pages.append(.failure(error))
      }
    }
    return pages
  }

  /// Parses a file again whose last byte is there now: where its pixels are depends on its length.
  private func parseAgain() throws(CoderError) {
    guard isIncomplete, source.size < .max else { return }
    file = try BMPFile(parsing: source, limits: host.limits)
    pages = try Self.pages(of: file, in: source, host: host)
    isIncomplete = false
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try parseAgain()
    let decoder = try decoder(page)
    let bitmap = decoder.bitmap
    let layout = bitmap.native(isOpaque: try decoder.isOpaque())
    var header = ImageHeader(
      format: .bmp, canvas: bitmap.size, pixelFormat: layout.format, bitsPerChannel: bitmap.bitsPerChannel,
      alpha: layout.alpha)
    header.pageCount = pages.count
    header.primaryPage = primaryPage
    header.pagesAreSizes = file.isArray
    header.hasPalette = bitmap.hasPalette
    header.isLossless = bitmap.header.compression != .jpeg
    header.isDamaged = file.isDamaged
    header.isIncomplete = isIncomplete
    header.gamma = bitmap.header.colors?.gamma
    (header.resolution, header.pixelAspect) = bitmap.density
    if bitmap.header.colors?.kind == .sRGB || bitmap.header.colors?.kind == .windows || bitmap.header.bitCount == 64 {
      // BT.709's primaries with the transfer function of IEC 61966-2-1 (ITU-T H.273, tables 2 and 3).
      header.cicp = CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)
    }
    if let profile = bitmap.profileRange, !isIncomplete {
      if profile.upperBound <= source.size { header.metadata = [.icc] } else { header.isTruncated = true }
    }
    if bitmap.isEmbedded {
      header.embedded = try embedded(bitmap)
      if let range = header.embedded, !isIncomplete, bitmap.header.imageByteCount > range.count {
        header.isTruncated = true
      }
    } else if !isIncomplete, try decoder.isTruncated() {
      header.isTruncated = true
    }
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try decoder(request.page).offer(for: request)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try decoder(offer.page).decode(offer, into: sink)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    let bitmap = try decoder(page).bitmap
    guard kind == .icc, let range = bitmap.profileRange, range.upperBound <= source.size else { return nil }
    try host.limits.check(metadata: range.count)
    let bytes = try source.view(at: range.lowerBound, count: range.count)
    return bytes.count == range.count ? [UInt8](bytes) : nil
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    let bitmap = try decoder(page).bitmap
    guard frame == nil else { return Properties() }
    var properties = bitmap.properties
    if let name = try linkedProfile(bitmap) { properties["{BMP}", "LinkedProfile"] = .text(name) }
    return properties
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    var stored = StoredColor()
    let colors = try decoder(page).bitmap.header.colors
    stored.primaries = colors?.primaries
    stored.gamma = colors?.gammas
    return stored
  }
}

extension BMPReader {
  private func decoder(_ page: Int) throws(CoderError) -> BitmapDecoder {
    return try pages[page].get()
  }

  /// The bitmap of an array with the most pixels, and of those the deepest.
  private var primaryPage: Int {
    var best = 0
    var measure = (-1, -1)
    for (index, page) in pages.enumerated() {
      guard case .success(let decoder) = page else { continue }
      let found = (decoder.bitmap.size.pixelCount, decoder.bitmap.header.bitCount)
      if found > measure { (best, measure) = (index, found) }
    }
    return best
  }

  /// Where the file inside this one is (BI_JPEG, BI_PNG).
  private func embedded(_ bitmap: Bitmap) throws(CoderError) -> Range<Int> {
    let start = bitmap.pixelOffset
    let stated = bitmap.header.imageByteCount
    // Of an incremental file, the last byte is waited for only when nothing else says where the file ends.
    let first = try source.view(at: start, least: stated == 0 ? .max : 1, most: 1)
    guard !first.isEmpty else {
      throw .truncated("the \(bitmap.header.compression.rawValue) file begins after the file's end", at: source.size)
    }
    let end = stated == 0 ? source.size : min(source.size, start &+ stated)
    return start..<end
  }

  /// The name of the profile's file, which is not read (BITMAPV5HEADER, PROFILE_LINKED): Windows-1252, up to a zero.
  private func linkedProfile(_ bitmap: Bitmap) throws(CoderError) -> String? {
    guard bitmap.header.colors?.kind == .linked, let range = bitmap.linkRange else { return nil }
    let bytes = try source.view(at: range.lowerBound, count: min(range.count, 1_024))
    let name = bytes.prefix { $0 != 0 }.map { $0 < 0x80 || $0 > 0x9F ? Unicode.Scalar($0) : "\u{FFFD}" }
    return name.isEmpty ? nil : String(String.UnicodeScalarView(name))
  }
}
