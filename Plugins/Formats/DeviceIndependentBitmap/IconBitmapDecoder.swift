// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Decodes the bitmap of an icon: colors, and after them a mask of one bit per pixel.
///
/// The header's height counts the rows of both. Alpha is the colors' own when any of it is not 0; else a pixel is
/// transparent where its bit of the mask is set. Colors of transparent pixels stay as they are.
///
/// - Format: Windows, icon resources: ICONIMAGE with its XOR and AND masks.
public final class IconBitmapDecoder {
  public let bitmap: Bitmap
  private let source: SourceView
  private let host: CoderHost
  private let maskStride: Int
  private let maskRowBytes: Int
  /// Whether there is a mask, or would be when the file were not cut.
  private let hasMask: Bool

  /// - Parameters:
  ///   - offset: Where the bitmap's header is.
  ///   - count: Bytes of header, palette, colors and mask, as the directory says. Where that is too little for the
  ///     colors it does not count; where it is enough for the colors alone there is no mask.
  ///   - stated: The size that the directory says. It counts where the header's height is that of the picture alone.
  public init(
    at offset: Int, count: Int, stated: Size, in source: SourceView, host: CoderHost
  ) throws(CoderError) {
    let header = try BitmapHeader(parsing: source, at: offset)
    guard header.compression == .none || header.compression == .bitFields else {
      throw .unsupported("an icon with \(header.compression.rawValue) pixels", at: offset &+ 16)
    }
    let half = try Bitmap(
      header, height: max(1, header.height / 2), alphaIsUsual: true, pixelsAt: nil, in: source, limits: host.limits)
    let isWhole =
      Size(width: header.width, height: header.height) == stated && header.bitCount > 1
      && count >= half.pixelOffset &- offset &+ half.stride &* header.height
    bitmap =
      isWhole
      ? try Bitmap(header, alphaIsUsual: true, pixelsAt: nil, in: source, limits: host.limits) : half
    self.source = source
    self.host = host
    maskRowBytes = (bitmap.size.width &+ 7) >> 3
    maskStride = (maskRowBytes &+ 3) & ~3
    let maskBytes = maskStride &* (bitmap.size.height &- 1) &+ maskRowBytes
    let stated = count &- (bitmap.pixelOffset &- offset)
    hasMask = stated < bitmap.pixelBytes || stated >= bitmap.pixelBytes &- bitmap.rowBytes &+ bitmap.stride &+ maskBytes
  }

  /// What is there of colors and mask, and what decides over transparency.
  private struct Rows {
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Rows of colors that were looked at, and whether some pixel of them has alpha.
    var seen = 0
    var usesAlpha = false
    var usesMask = false
    /// Rows from the first stored one that cannot change any more.
    var count = 0
    /// Whether no byte follows that counts.
    var isWhole = false
  }

  /// Bytes of all rows of colors.
  private var colorBytes: Int { bitmap.pixelBytes &- bitmap.rowBytes &+ bitmap.stride }

  /// Looks at more rows: where bytes arrive, at those that are there, elsewhere at all.
  private func extend(_ rows: inout Rows) throws(CoderError) {
    let height = bitmap.size.height
    let all = colorBytes &+ (hasMask ? maskStride &* height : 0)
    let least = min(all, rows.bytes.count &+ Self.leastBytes)
    rows.bytes = try source.view(at: bitmap.pixelOffset, least: least, most: all)
    rows.isWhole = rows.bytes.count < least || rows.bytes.count == all
    let stored = Self.count(of: rows.bytes.count, bitmap.rowBytes, bitmap.stride, height)
    if bitmap.hasAlpha, let base = rows.bytes.baseAddress {
      while rows.seen < stored, !rows.usesAlpha {
        rows.usesAlpha = bitmap.alphaIsUsed(base + rows.seen &* bitmap.stride)
        rows.seen &+= 1
      }
    }
    rows.usesMask = hasMask && !rows.usesAlpha
    let masked =
      rows.usesMask ? Self.count(of: rows.bytes.count &- colorBytes, maskRowBytes, maskStride, height) : height
    // Without a mask, what is transparent depends on whether any pixel has alpha.
    let isDecided = rows.usesAlpha || !bitmap.hasAlpha || stored == height || rows.isWhole
    rows.count = isDecided ? min(stored, masked) : 0
  }

  private static let leastBytes = 4 << 10

  private static func count(of bytes: Int, _ rowBytes: Int, _ stride: Int, _ height: Int) -> Int {
    guard bytes >= rowBytes, stride > 0 else { return 0 }
    return min(height, (bytes &- rowBytes) / stride &+ 1)
  }

  /// Whether the source ends before the rows do.
  public func isTruncated() throws(CoderError) -> Bool {
    let all = bitmap.pixelBytes &+ (hasMask ? bitmap.stride &- bitmap.rowBytes &+ maskStride &* bitmap.size.height : 0)
    if source.size &- bitmap.pixelOffset >= all { return false }
    var rows = Rows()
    try extend(&rows)
    return rows.count < bitmap.size.height
  }

  public func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let format: PixelFormat = request.pixelFormat == .bgra8 ? .bgra8 : .rgba8
    let isFromTheTop = source.size == .max ? false : try !isTruncated()
    return DecodeOffer(
      request, size: bitmap.size, pixelFormat: format, alpha: .straight,
      rowOrder: isFromTheTop ? .topDown : .any, memory: 1 << 20)
  }

  public func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    guard offer.size == bitmap.size, offer.pixelFormat == .rgba8 || offer.pixelFormat == .bgra8 else {
      throw .invalidArgument("an offer of \(offer.size) in \(offer.pixelFormat) for an icon of \(bitmap.size)")
    }
    var rows = Rows()
    var unpacker: RowUnpacker?
    var done = 0
    while done < height {
      try extend(&rows)
      if rows.count > done {
        // Rows come when it is decided whether alpha counts.
        let unpack = unpacker ?? RowUnpacker(bitmap, format: offer.pixelFormat, hasAlpha: rows.usesAlpha)
        unpacker = unpack
        var y = bitmap.isBottomUp ? height &- rows.count : done
        let end = y &+ rows.count &- done
        while y < end, let base = rows.bytes.baseAddress {
          let granted = try sink.rows(at: y, count: end &- y)
          let count = min(granted.count, end &- y)
          for index in 0..<count {
            let row = bitmap.flipped(y &+ index)
            let out = granted.base + index &* granted.stride
            unpack.unpack(base + row &* bitmap.stride, into: out, count: width)
            if rows.usesMask {
              PixelBytes.clear(out, where: base + (colorBytes &+ row &* maskStride), count: width)
            }
          }
          try sink.done(at: y, count: count)
          y &+= count
        }
        done = rows.count
      }
      guard done == height || !rows.isWhole else {
        throw .truncated("the file has \(done) of the icon's \(height) rows", at: source.size)
      }
    }
  }
}

extension Bitmap {
  /// Whether some pixel of a stored row has alpha other than 0.
  fileprivate func alphaIsUsed(_ row: UnsafeRawPointer) -> Bool {
    guard let masks else {
      // Of 64 bits: alpha is the last of four samples.
      return (0..<size.width).contains { row.loadUnaligned(fromByteOffset: $0 &* 8 &+ 6, as: UInt16.self) != 0 }
    }
    if header.bitCount == 16 {
      return (0..<size.width).contains {
        UInt32(row.loadUnaligned(fromByteOffset: $0 &* 2, as: UInt16.self)) & masks.alpha != 0
      }
    }
    return PixelBytes.hasBits(masks.alpha, row, count: size.width)
  }
}
