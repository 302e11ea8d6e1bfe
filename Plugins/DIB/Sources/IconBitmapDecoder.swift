// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Decodes the bitmap of an icon: colours, and behind them a mask of one bit per pixel.
///
/// The header's height counts the rows of both. Alpha is the colours' own when any of it is not 0; else a pixel is
/// transparent where its bit of the mask is set. Colours of transparent pixels stay as they are.
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
  ///   - count: Bytes of header, palette, colours and mask, as the directory says. Where that is too little for the
  ///     colours it does not count; where it is enough for the colours alone there is no mask.
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
    let colorBytes = bitmap.pixelBytes &- bitmap.rowBytes &+ bitmap.stride
    let maskBytes = maskStride &* (bitmap.size.height &- 1) &+ maskRowBytes
    let stated = count &- (bitmap.pixelOffset &- offset)
    hasMask = stated < bitmap.pixelBytes || stated >= colorBytes &+ maskBytes
  }

  /// Rows that can be had, and what decides over their transparency.
  private struct Rows {
    let bytes: UnsafeRawBufferPointer
    let count: Int
    let usesAlpha: Bool
    let usesMask: Bool
    let maskStart: Int
  }

  private func rows() throws(CoderError) -> Rows {
    let height = bitmap.size.height
    let colorBytes = bitmap.pixelBytes &- bitmap.rowBytes &+ bitmap.stride
    let all = colorBytes &+ (hasMask ? maskStride &* height : 0)
    let bytes = try source.view(at: bitmap.pixelOffset, count: all)
    let stored = Self.count(of: bytes.count, bitmap.rowBytes, bitmap.stride, height)
    var usesAlpha = false
    if bitmap.hasAlpha, let base = bytes.baseAddress {
      var row = 0
      while row < stored, !usesAlpha {
        usesAlpha = bitmap.alphaIsUsed(base + row &* bitmap.stride)
        row &+= 1
      }
    }
    let usesMask = hasMask && !usesAlpha
    let masked = usesMask ? Self.count(of: bytes.count &- colorBytes, maskRowBytes, maskStride, height) : height
    return Rows(
      bytes: bytes, count: min(stored, masked), usesAlpha: usesAlpha, usesMask: usesMask, maskStart: colorBytes)
  }

  private static func count(of bytes: Int, _ rowBytes: Int, _ stride: Int, _ height: Int) -> Int {
    guard bytes >= rowBytes, stride > 0 else { return 0 }
    return min(height, (bytes &- rowBytes) / stride &+ 1)
  }

  /// Whether the source ends before the rows do.
  public func isTruncated() throws(CoderError) -> Bool {
    let all = bitmap.pixelBytes &+ (hasMask ? bitmap.stride &- bitmap.rowBytes &+ maskStride &* bitmap.size.height : 0)
    if source.size &- bitmap.pixelOffset >= all { return false }
    return try rows().count < bitmap.size.height
  }

  public func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let format: PixelFormat = request.pixelFormat == .bgra8 ? .bgra8 : .rgba8
    return DecodeOffer(
      request, size: bitmap.size, pixelFormat: format, alpha: .straight,
      rowOrder: try isTruncated() ? .any : .topDown, memory: 1 << 20)
  }

  public func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    guard offer.size == bitmap.size, offer.pixelFormat == .rgba8 || offer.pixelFormat == .bgra8 else {
      throw .invalidArgument("an offer of \(offer.size) in \(offer.pixelFormat) for an icon of \(bitmap.size)")
    }
    let rows = try rows()
    let unpacker = RowUnpacker(bitmap, format: offer.pixelFormat, hasAlpha: rows.usesAlpha)
    var y = bitmap.isBottomUp ? height &- rows.count : 0
    let end = y &+ rows.count
    while y < end, let base = rows.bytes.baseAddress {
      let granted = try sink.rows(at: y, count: end &- y)
      let count = min(granted.count, end &- y)
      for index in 0..<count {
        let row = bitmap.flipped(y &+ index)
        let out = granted.base + index &* granted.stride
        unpacker.unpack(base + row &* bitmap.stride, into: out, count: width)
        if rows.usesMask { PixelBytes.clear(out, where: base + (rows.maskStart &+ row &* maskStride), count: width) }
      }
      try sink.done(at: y, count: count)
      y &+= count
    }
    guard rows.count == height else {
      throw .truncated("the file has \(rows.count) of the icon's \(height) rows", at: source.size)
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
